// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_session.h"

#include <atomic>
#include <initializer_list>

#include "injector/base/env_config.h"
#include "injector/base/loaded_objects.h"
#include "injector/base/platform.h"
#include "injector/base/text.h"
#include "injector/cupti/activity_buffers.h"
#include "injector/cupti/activity_reader.h"
#include "injector/cupti/cupti_api.h"
#include "injector/cupti/cupti_detach.h"
#include "injector/cupti/device_info.h"
#include "injector/cupti/graph_callbacks.h"
#include "injector/cupti/launch_callbacks.h"
#include "injector/cupti/refusals.h"
#include "injector/cupti/spared_callbacks.h"
#include "injector/graphs/graph_events.h"
#include "injector/stacks/stack_sampler.h"
#include "injector/transport/callback_guard.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"

namespace flopsprof::injector {
namespace {

// How long the thread that delivers a buffer waits for the agent to make room in the ring.
constexpr uint64_t kPatienceNs = 200000000u;
constexpr int kClockSamples = 16;

CuptiApi api;
CuptiSubscriber subscriber;
ActivityBuffers buffers;
constexpr uint64_t kStartPatienceNs = 1000000000u;  // for a start under way on another thread
constexpr uint64_t kStartPollNs = 1000000u;

std::atomic<bool> ours{false};
std::atomic<bool> starting{false};  // buffers are not registered, kinds not switched on
bool cupti_brought_nvperf = false;  // libnvperf is not the job's
uint64_t node_limit = 0;            // asked once a start: the program may change its environment
std::atomic<bool> gives_nothing{false};  // said once
GraphTimes graph_times = GraphTimes::kNodes;
std::atomic<uint64_t> graph_nodes_seen{0};
std::atomic<bool> counts_contexts{false};
std::atomic<int> contexts{0};
std::atomic<bool> activities_come{false};  // a window has been open since CUPTI was subscribed
size_t programs_pool_limit = 0;            // what the pool's limit was before ours; 0: not changed

void OnBufferRequested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = buffers.Lend();
  *size = ActivityBuffers::kBufferBytes;
  *max_records = 0;  // as many as fit
}

void OnBufferCompleted(void*, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  if (ActivityBuffers::IsDiscard(buffer)) {
    if (valid_bytes != 0) CountLoss(shm::LossCounter::kCuptiBufferDiscarded);
    buffers.Return(buffer);
    return;
  }
  if (!buffers.Owns(buffer)) return;  // lent by a client that was here before us
  // CUPTI may deliver on a thread of the program, which must not wait. A thread that we have never
  // seen is CUPTI's own: one of the program's that launches or calls a library is known.
  const bool never_seen = current_thread_state == nullptr;
  CallbackGuard guard;
  ThreadState* thread = guard.thread();
  if (never_seen && thread != nullptr) thread->may_wait = true;
  if (thread != nullptr && ActivitiesAreWanted() && valid_bytes <= ActivityBuffers::kBufferBytes) {
    thread->may_use_reserved_slots = true;
    const uint64_t before = thread->patient_until_ns;
    if (thread->may_wait) thread->patient_until_ns = MonoNs() + kPatienceNs;
    ActivityReader reader(api.ActivityGetNextRecord);
    reader.ReadBuffer(buffer, valid_bytes);
    graph_nodes_seen.fetch_add(reader.graph_nodes_seen(), std::memory_order_relaxed);
    thread->patient_until_ns = before;
    NoteDevices(reader.devices_seen());
  } else if (valid_bytes > ActivityBuffers::kBufferBytes) {
    CountLoss(shm::LossCounter::kActivityMalformed);
  } else if (valid_bytes != 0 && thread == nullptr) {
    CountLoss(shm::LossCounter::kCuptiBufferDiscarded);  // no memory for this thread's state
  }
  buffers.Return(buffer);
}

constexpr char kNotRecorded[] = "not recorded";
constexpr char kNotComplete[] = "not complete";

void NoteUnusable(const char* what, CuptiResult result, const char* extent = kNotRecorded) {
  const char* why = nullptr;
  if (api.GetResultString != nullptr) api.GetResultString(result, &why);
  Text<200> text;
  text.Add(what)
      .Add(": ")
      .Add(why != nullptr ? why : "error")
      .Add(" (")
      .AddNumber(static_cast<uint64_t>(static_cast<uint32_t>(result)));
  text.Add(")");
  EmitNote("cupti", text.get());
  EmitNote("GPU times", WhyNoTimes(extent, what, result).get());
  CountLoss(shm::LossCounter::kCuptiUnusable);
}

// The program's own profiler has CUPTI's memory as it was.
void RestorePoolLimit() {
  if (programs_pool_limit == 0) return;
  size_t bytes = sizeof(programs_pool_limit);
  api.ActivitySetAttribute(kCuptiDevicePoolLimit, &bytes, &programs_pool_limit);
  programs_pool_limit = 0;
}

void DisableActivities() {
  for (const uint32_t kind :
       {kCuptiConcurrentKernel, kCuptiMemcpy, kCuptiMemset, kCuptiOverhead, kCuptiGraphTrace}) {
    api.ActivityDisable(kind);
  }
  RestorePoolLimit();
}

// From now on CUPTI makes one record a launch of a graph, and none of its nodes.
void TimeGraphLaunches(const char* how) {
  const bool granted = api.ActivityEnable(kCuptiGraphTrace) == kCuptiSuccess;
  if (!granted) RestorePoolLimit();  // nodes are timed for good: nothing is lost
  EmitNote("graphs", granted ? how : "per node: CUPTI does not time launches of graphs");
}

// CUPTI's own limit of 250 buffers is 800 MB of GPU memory in a context, which a job that fills its
// card has not. Buffers of kernels come back; those of graph nodes have been seen to stay taken for
// good (CUPTI 13.0), so where nodes are timed until there were so many, there is room for those.
void BoundDeviceMemory() {
  if (api.ActivitySetAttribute == nullptr || graph_times == GraphTimes::kNodes) return;
  size_t before = 0;
  size_t bytes = sizeof(before);
  const bool told =
      api.ActivityGetAttribute != nullptr &&
      api.ActivityGetAttribute(kCuptiDevicePoolLimit, &bytes, &before) == kCuptiSuccess;
  size_t limit = DeviceBuffersFor(graph_times == GraphTimes::kAuto ? node_limit : 0);
  bytes = sizeof(limit);
  if (api.ActivitySetAttribute(kCuptiDevicePoolLimit, &bytes, &limit) != kCuptiSuccess) {
    EmitNote("cupti_memory", "not bounded: CUPTI may take 800 MB of GPU memory a context");
  } else if (told) {
    programs_pool_limit = before;
  }
}

bool EnableActivities() {
  BoundDeviceMemory();
  CuptiResult result = api.ActivityRegisterCallbacks(OnBufferRequested, OnBufferCompleted);
  if (result != kCuptiSuccess) {
    NoteUnusable("cuptiActivityRegisterCallbacks", result);
    return false;
  }
  result = api.ActivityEnable(kCuptiConcurrentKernel);
  if (result != kCuptiSuccess) {
    NoteUnusable("cuptiActivityEnable(CONCURRENT_KERNEL)", result);
    return false;
  }
  for (const uint32_t kind : {kCuptiMemcpy, kCuptiMemset}) {
    result = api.ActivityEnable(kind);
    if (result != kCuptiSuccess) {
      NoteUnusable("cuptiActivityEnable(MEMCPY, MEMSET)", result, kNotComplete);
    }
  }
  if (graph_times == GraphTimes::kLaunches) {
    TimeGraphLaunches("per launch");
  } else {
    EmitNote("graphs", "per node");
  }
  api.ActivityEnable(kCuptiOverhead);  // only tells what CUPTI itself costs
  return true;
}

void NoteNoTimes(const char* problem) {
  CountLoss(shm::LossCounter::kCuptiUnusable);
  EmitNote("cupti", problem);
  RefusalText text;
  EmitNote("GPU times", text.Add(kNotRecorded)
                            .Add(": ")
                            .Add(problem)
                            .Add(kToMend)
                            .Add("run: flopsprof doctor, in the job's environment")
                            .get());
}

bool NvperfIsMapped() {
  LibraryPath path;
  return FindLoadedLibrary("libnvperf_target", 0, &path) ||
         FindLoadedLibrary("libnvperf_host", 0, &path);
}

void SubscribeToCupti() {
  const CuptiCallScope inside;  // cuptiFinalize waits for its end
  const bool nvperf_was_there = NvperfIsMapped();
  const CuptiResult result = api.Subscribe(
      &subscriber, StacksAreWanted() ? OnCuptiCallbackWithStacks : OnCuptiCallback, nullptr);
  if (result == kCuptiMultipleSubscribers) {
    CountLoss(shm::LossCounter::kCuptiTaken);
    EmitNote("cupti", "subscribed by another tool");
    return;
  }
  if (result != kCuptiSuccess) {
    NoteUnusable("cuptiSubscribe", result);
    return;
  }
  // A call that CUPTI makes meanwhile finds it ours; our thread asks for nothing yet.
  starting.store(true, std::memory_order_relaxed);
  ours.store(true, std::memory_order_seq_cst);
  const bool enabled = EnableActivities();
  const bool granted = enabled && CuptiIsOurs() && EnableLaunchCallbacks(api, subscriber) != 0;
  // A stack has to be walked from the program's own call.
  BeginSparing(!StacksAreWanted());
  if (granted) EnableGraphCallbacks(api, subscriber);
  if (!nvperf_was_there && NvperfIsMapped()) cupti_brought_nvperf = true;
  starting.store(false, std::memory_order_release);
  if (!CuptiIsOurs()) return;  // EndActivities() has waited, and takes all of it back
  if (!granted) {
    if (enabled) NoteNoTimes("no launch callback granted");
    return StopCupti();
  }
  EmitNote("cupti", "recording");
}

}  // namespace

void NoteNoCupti() { NoteNoTimes(kNoCuptiYet); }

bool StartCupti(bool another_client_was_seen, GraphTimes graphs) {
  static constexpr GraphIdSource kGraphIds = {CuptiGraphId, CuptiExecutableId};
  SetGraphIdSource(&kGraphIds);
  graph_times = graphs;
  node_limit = GraphNodeLimit();
  // The limit is of the process, not of a window: buffers of nodes may stay taken.
  const bool many = graph_nodes_seen.load(std::memory_order_relaxed) >= node_limit;
  if (graphs == GraphTimes::kAuto && many) graph_times = GraphTimes::kLaunches;
  if (another_client_was_seen) {
    CountLoss(shm::LossCounter::kCuptiTaken);
    EmitNote("cupti", "in use by the job's own profiler");
    return true;
  }
  if (const char* problem = LoadCupti(&api)) {
    if (problem == kNoCuptiYet) return false;
    NoteNoTimes(problem);
    return true;
  }
  Text<32> version;
  EmitNote("cupti_version", version.AddNumber(api.version).get());
  if (!buffers.Reserve()) {
    NoteNoTimes("no memory for activity buffers");
    return true;
  }
  SubscribeToCupti();
  return true;
}

size_t DeviceBuffersFor(uint64_t graph_nodes) {
  constexpr uint64_t kForKernels = 6;
  constexpr uint64_t kCuptisOwn = 250;
  const uint64_t for_nodes = graph_nodes / kCuptiKernelsADeviceBuffer + (graph_nodes != 0 ? 1 : 0);
  return static_cast<size_t>(for_nodes < kCuptisOwn - kForKernels ? for_nodes + kForKernels
                                                                  : kCuptisOwn);
}

void TickCupti() {
  if (!CuptiIsOurs() || starting.load(std::memory_order_acquire)) return;
  FollowSparing(api, subscriber);
  if (graph_times != GraphTimes::kAuto) return;
  if (graph_nodes_seen.load(std::memory_order_relaxed) < node_limit) return;
  graph_times = GraphTimes::kLaunches;  // tried once
  TimeGraphLaunches("per node, later per launch");
}

void FlushCupti(bool forced) {
  if (!CuptiIsOurs() || starting.load(std::memory_order_acquire)) return;
  if (api.ActivityFlushAll(forced ? kCuptiFlushForced : 0) != kCuptiSuccess &&
      !gives_nothing.exchange(true, std::memory_order_relaxed)) {
    EmitNote("GPU times",
             "not complete: CUPTI gave no records any more, as after a fault of the GPU; to mend: "
             "read the job's own output: its first CUDA error is the cause");
    CountLoss(shm::LossCounter::kCuptiUnusable);
  }
  size_t dropped = 0;
  if (api.ActivityGetNumDroppedRecords(nullptr, 0, &dropped) == kCuptiSuccess && dropped != 0) {
    CountLoss(shm::LossCounter::kCuptiDropped, dropped);
  }
}

void WantActivities() { activities_come.store(true, std::memory_order_relaxed); }

bool ActivitiesAreWanted() {
  // Those that come while the agent is away are counted, where they would be recorded.
  return IsRecording() || activities_come.load(std::memory_order_relaxed) || IsAway();
}

void ForgetActivities() { activities_come.store(false, std::memory_order_relaxed); }

void CountContextsFromNow() { counts_contexts.store(true, std::memory_order_relaxed); }

void CountContext(int change) { contexts.fetch_add(change, std::memory_order_relaxed); }

void FlushEndingContext() {
  // At the end of the process contexts end when the session has: nothing is called any more.
  if (!IsConnected() || !ActivitiesAreWanted()) return;
  CallbackGuard guard;
  const CuptiCallScope inside;
  if (!guard.entered()) return;
  // A forced flush takes the times of what still runs, in all contexts.
  const bool last = counts_contexts.load(std::memory_order_relaxed) &&
                    contexts.load(std::memory_order_relaxed) == 1;
  const NobodyWaitsForRoom nobody_waits;
  FlushCupti(last);
}

namespace {

bool EndActivities() {
  if (!ours.exchange(false, std::memory_order_seq_cst)) return false;
  const uint64_t until_ns = MonoNs() + kStartPatienceNs;
  while (starting.load(std::memory_order_acquire) && MonoNs() < until_ns) SleepNs(kStartPollNs);
  DisableActivities();
  // Contexts that come and go from now on are not counted: unknown in a later window.
  counts_contexts.store(false, std::memory_order_relaxed);
  contexts.store(0, std::memory_order_relaxed);
  return true;
}

// The report says it.
void NoteStays(const char* why) {
  CountLoss(shm::LossCounter::kCuptiStays);
  EmitNote("cupti_stays", why);
}

}  // namespace

void StopCupti() {
  if (EndActivities()) api.Unsubscribe(subscriber);
}

void DetachCupti() {
  PrepareDetach();
  if (!EndActivities()) return EndPreparing();
  if (!CanDetach(api)) {
    api.Unsubscribe(subscriber);
    EndPreparing();
    return NoteStays("cuptiFinalize is safe from CUDA 12.6 on");
  }
  // Users of CUPTI's profiler and sampling, whom no hook sees, would lose what they have there.
  if (!cupti_brought_nvperf && NvperfIsMapped()) {
    api.Unsubscribe(subscriber);
    EndPreparing();
    return NoteStays("libnvperf is loaded: the job may read counters of the GPU itself");
  }
  // The kinds are off: what was recorded until then comes back, with buffers that hold nothing.
  api.ActivityFlushAll(kCuptiFlushForced);
  BeginDetach(&api, subscriber, &buffers);
}

bool FollowCuptiDetach() {
  const DetachResult result = FollowDetach();
  if (result == DetachResult::kDone) EmitNote("cupti", "out of the process");
  if (result == DetachResult::kFailed) NoteStays("cuptiFinalize failed");
  if (result == DetachResult::kGaveUp) NoteStays(WhyDetachGaveUp());
  return result == DetachResult::kPending;
}

uint32_t CuptiGraphId(const void* graph) {
  const CuptiCallScope inside;
  uint32_t id = 0;
  const bool known = CuptiIsOurs() && api.GetGraphId != nullptr && graph != nullptr &&
                     api.GetGraphId(graph, &id) == kCuptiSuccess;
  return known ? id : 0;
}

uint32_t CuptiExecutableId(const void* executable) {
  const CuptiCallScope inside;
  uint32_t id = 0;
  const bool known = CuptiIsOurs() && api.GetGraphExecId != nullptr && executable != nullptr &&
                     api.GetGraphExecId(executable, &id) == kCuptiSuccess;
  return known ? id : 0;
}

uint64_t CuptiNodeId(const void* node) {
  const CuptiCallScope inside;
  uint64_t id = 0;
  const bool known = CuptiIsOurs() && api.GetGraphNodeId != nullptr && node != nullptr &&
                     api.GetGraphNodeId(node, &id) == kCuptiSuccess;
  return known ? id : 0;
}

bool CuptiIsOurs() { return ours.load(std::memory_order_seq_cst); }

void EmitClockPair() {
  if (!CuptiIsOurs() || starting.load(std::memory_order_acquire)) return;
  shm::ClockRecord best{};
  for (int i = 0; i < kClockSamples; ++i) {
    const uint64_t before_ns = MonoNs();
    uint64_t gpu_ns = 0;
    if (api.GetTimestamp(&gpu_ns) != kCuptiSuccess) return;
    const uint64_t gap_ns = MonoNs() - before_ns;
    if (i == 0 || gap_ns < best.gap_ns) {
      best.mono_ns = before_ns + gap_ns / 2;
      best.gpu_ns = gpu_ns;
      best.gap_ns = gap_ns;
    }
  }
  best.header.type = static_cast<uint16_t>(shm::RecordType::kClock);
  best.header.step = shm::kNoStep;
  EmitRecord(&best);
}

}  // namespace flopsprof::injector
