// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/launch_callbacks.h"

#include "injector/base/platform.h"
#include "injector/cupti/correlation_ids.h"
#include "injector/cupti/cupti_cbids.h"
#include "injector/cupti/cupti_detach.h"
#include "injector/cupti/cupti_session.h"
#include "injector/cupti/graph_callbacks.h"
#include "injector/cupti/spared_callbacks.h"
#include "injector/graphs/graph_events.h"
#include "injector/scopes/attribution.h"
#include "injector/stacks/stack_sampler.h"
#include "injector/transport/callback_guard.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"
#include "injector/transport/session_calls.h"

namespace flopsprof::injector {
namespace {

template <bool kWithStack, bool kTimed>
FLOPSPROF_HOT void EmitLaunch(ThreadState* thread, int domain, uint32_t cbid,
                              uint32_t correlation) {
  const uint64_t begun_ns = kTimed ? MonoNs() : 0;  // first: the rest is not the call's time
  const Attribution at = CurrentAttribution();
  // Before there is room for the record: a new stack is defined in the same ring.
  const StackSample sample = kWithStack ? SampleStack(thread, at) : StackSample();
  Statistics()->launches.fetch_add(1, std::memory_order_relaxed);
  const bool emitted = EmitInPlace<shm::LaunchRecord>([&](shm::LaunchRecord* launch) {
    launch->header.type = static_cast<uint16_t>(shm::RecordType::kLaunch);
    launch->header.phase = static_cast<uint8_t>(at.phase);
    launch->header.flags = thread->current_call_captured ? shm::kFlagCaptured : uint8_t{0};
    launch->header.step = at.step;
    launch->correlation = correlation;
    launch->scope = at.scope;
    launch->call = thread->current_call;
    launch->cbid = static_cast<uint16_t>(cbid);
    launch->domain = static_cast<uint8_t>(domain);
    if (kWithStack) {
      launch->stack = sample.stack;
      launch->stack_launches = sample.launches;
    }
    if (kTimed) launch->mono_ns = begun_ns;
  });
  if (!emitted) CountLoss(shm::LossCounter::kLaunchNotSeen);
}

// Contexts are counted from the first one, or not at all.
void OnContextOrInit(uint32_t cbid) {
  if (cbid != kCuptiContextDestroyStarting) NoteCudaIsUp();
  if (cbid == kCuptiContextCreated) CountContext(1);
  if (cbid == kCuptiContextDestroyStarting) CountContext(-1);
}

// As a launch that is recorded is counted: once, though the runtime's call reaches the driver.
FLOPSPROF_APART void OnLaunchNotRecorded(uint32_t correlation_id) {
  if (!AwayCounts()) return;
  CallbackGuard guard;
  if (!guard.entered()) return;
  const uint32_t correlation = OwnCorrelation(correlation_id);
  if (correlation == guard.thread()->last_correlation) return;
  guard.thread()->last_correlation = correlation;
  CountAwayLaunch();
}

__attribute__((always_inline)) inline void OnExit(int domain, uint32_t cbid,
                                                  const CuptiCallbackData& data) {
  ThreadState* thread = current_thread_state;
  if (thread != nullptr) {
    const uint8_t open = thread->open_launch;
    if (open == domain) {
      thread->open_launch = 0;
    } else if (FLOPSPROF_UNLIKELY((open & kOpenAny) != 0)) {
      WatchExit(thread, domain, cbid, data);
    }
  }
  OnApiExit();
}

// What decides whether the runtime's callbacks are needed.
__attribute__((always_inline)) inline void Watch(ThreadState* thread, int domain, uint32_t cbid,
                                                 const CuptiCallbackData& data) {
  if (domain == kCuptiRuntimeApi) {
    if (runtime_launches_are_watched.load(std::memory_order_relaxed)) {
      WatchRuntimeEntry(thread, cbid, data);
    }
  } else if (FLOPSPROF_UNLIKELY((thread->open_launch & kOpenWatched) != 0)) {
    WatchDriverEntry(thread, cbid, data);
  }
}

template <bool kWithStack, bool kTimed>
__attribute__((always_inline)) inline void OnLaunchEntry(int domain, uint32_t cbid,
                                                         const CuptiCallbackData* data) {
  CallbackGuard guard;
  if (!guard.entered()) return;
  ThreadState* thread = guard.thread();
  // A runtime call reaches the driver under the same correlation id: one launch, one record.
  const uint32_t correlation = OwnCorrelation(data->correlation_id);
  Watch(thread, domain, cbid, *data);
  if (correlation == thread->last_correlation) return;
  thread->last_correlation = correlation;
  thread->open_launch =
      static_cast<uint8_t>(domain | static_cast<int>(thread->open_launch & kOpenWatched));
  if (domain == kCuptiDriverApi &&
      FLOPSPROF_UNLIKELY(launches_are_sampled.load(std::memory_order_relaxed))) {
    SampleDriverEntry(thread, cbid, correlation);
  }
  thread->may_wait = false;  // whatever it was taken for before
  EmitLaunch<kWithStack, kTimed>(thread, domain, cbid, correlation);
  if (__builtin_expect(IsUndeclaredGraphLaunch(domain, cbid), 0)) {
    thread->graph_correlation = correlation;
    return EmitGraphLaunch(correlation, nullptr, NewestGraphEvent());
  }
  if (IsGraphLaunch(domain, cbid)) {
    const bool hooked = thread->launching_graph != nullptr;
    if (hooked && thread->graph_correlation != 0) {
      thread->inner_graph_correlation = correlation;
      return;
    }
    thread->graph_correlation = correlation;
    if (hooked) return;  // the hook tells, once it has succeeded
    // First parameter of both cudaGraphLaunch and cuGraphLaunch: the executable graph.
    const auto* parameters = static_cast<const void* const*>(data->function_params);
    EmitGraphLaunch(correlation, parameters == nullptr ? nullptr : parameters[0],
                    NewestGraphEvent());
  }
}

template <bool kWithStack>
FLOPSPROF_APART void OnTimedLaunchEntry(int domain, uint32_t cbid, const CuptiCallbackData* data) {
  OnLaunchEntry<kWithStack, true>(domain, cbid, data);
}

template <bool kWithStack>
__attribute__((always_inline)) inline void OnCallback(int domain, uint32_t cbid, const void* raw) {
  if (domain == kCuptiResource) {
    if (cbid == kCuptiInitFinished || cbid == kCuptiContextCreated ||
        cbid == kCuptiContextDestroyStarting) {
      return OnContextOrInit(cbid);
    }
    return OnGraphResource(cbid, raw);
  }
  const auto* data = static_cast<const CuptiCallbackData*>(raw);
  if (domain != kCuptiRuntimeApi && domain != kCuptiDriverApi) return;
  if (data->callback_site != kCuptiApiEnter) return OnExit(domain, cbid, *data);
  if (__builtin_expect(EndsContext(domain, cbid), 0)) return FlushEndingContext();
  const shm::Recording recorded = WhatIsRecorded();
  if (recorded == shm::Recording::kWork) {
    OnLaunchEntry<kWithStack, false>(domain, cbid, data);
  } else if (recorded == shm::Recording::kTimedWork) {
    OnTimedLaunchEntry<kWithStack>(domain, cbid, data);
  } else {
    OnLaunchNotRecorded(data->correlation_id);
  }
}

}  // namespace

void EmitGraphLaunch(uint32_t correlation, const void* executable, uint64_t order,
                     uint32_t inner_correlation) {
  const Attribution at = CurrentAttribution();
  shm::GraphLaunch launch{};
  launch.header.type = static_cast<uint16_t>(shm::RecordType::kGraphLaunch);
  launch.header.phase = static_cast<uint8_t>(at.phase);
  launch.header.step = at.step;
  launch.correlation = correlation;
  launch.scope = at.scope;
  launch.executable = reinterpret_cast<uintptr_t>(executable);
  launch.order = order;
  launch.inner_correlation = inner_correlation;
  EmitRecord(&launch);
}

void OnCuptiCallback(void*, int domain, uint32_t cbid, const void* raw) {
  OnCallback<false>(domain, cbid, raw);
}

void OnCuptiCallbackWithStacks(void*, int domain, uint32_t cbid, const void* raw) {
  OnCallback<true>(domain, cbid, raw);
}

uint32_t EnableLaunchCallbacks(const CuptiApi& api, CuptiSubscriber subscriber) {
  uint32_t granted = 0;
  const auto enable = [&](int domain, const CbidRange& range) {
    for (uint32_t cbid = range.first; cbid <= range.last; ++cbid) {
      if (api.EnableCallback(1, subscriber, domain, cbid) == kCuptiSuccess) ++granted;
    }
  };
  // Not counted: without these only the last records of a context are lost.
  const auto also = [&](int domain, uint32_t cbid) {
    api.EnableCallback(1, subscriber, domain, cbid);
  };
  for (const uint32_t cbid :
       {kCuptiInitFinished, kCuptiContextCreated, kCuptiContextDestroyStarting}) {
    also(kCuptiResource, cbid);
  }
  for (const CbidRange& range : kRuntimeContextEnds) {
    for (uint32_t cbid = range.first; cbid <= range.last; ++cbid) also(kCuptiRuntimeApi, cbid);
  }
  for (const CbidRange& range : kDriverContextEnds) {
    for (uint32_t cbid = range.first; cbid <= range.last; ++cbid) also(kCuptiDriverApi, cbid);
  }
  for (const CbidRange& range : kRuntimeCbids) enable(kCuptiRuntimeApi, range);
  for (const CbidRange& range : kDriverCbids) enable(kCuptiDriverApi, range);
  return granted;
}

}  // namespace flopsprof::injector
