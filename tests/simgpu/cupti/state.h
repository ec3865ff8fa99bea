// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a CUPTI client has switched on: the one subscriber, its callbacks, activity kinds.
#include <cupti.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "simcore.h"

namespace simgpu {

inline constexpr int kCallbackDomains = 8;
inline constexpr int kActivityKinds = 64;

struct CuptiClient {
  // Guards changes; the launch path reads the flags without it.
  std::mutex mutex;

  std::atomic<CUpti_CallbackFunc> callback{nullptr};
  std::atomic<void*> user_data{nullptr};
  std::string subscriber_name;
  bool finalized = false;
  bool ids_began = false;
  std::atomic<uint8_t> callback_on[kCallbackDomains][kSimCallbackIds] = {};

  // Of one that goes late (its flag is 2): until when it fires.
  std::atomic<uint64_t> callback_until_ns[kCallbackDomains][kSimCallbackIds] = {};

  std::atomic<bool> kinds[kActivityKinds] = {};
  std::atomic<uint64_t> graph_trace_since_ns{0};  // CLOCK_MONOTONIC; "late_graph_trace_ms"
  bool api_off[2][kSimCallbackIds] = {};          // per-id filters of RUNTIME and DRIVER

  std::atomic<CUpti_ActivityThreadIdType> thread_id_type{CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};
};

CuptiClient& State();

// Callbacks of the client that run now, on any thread; does this thread run one for the exit of an
// API call?
int RunningCallbacks();
bool InExitCallback();
// Attributes and the clock are again as they were before the first call.
void ForgetAttributes();
void ForgetClock();

// Recomputes sim_on and sim_sink from the state. Hold the mutex.
void RefreshWatchers();

inline uint64_t SteadyNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

inline bool KindOn(int kind) { return State().kinds[kind].load(std::memory_order_relaxed); }

// What libsimcore tells us.
void OnApi(SimFrame* frame, int exit);
void OnOperation(const SimOp* op);
void OnResource(int id, void* context, void* stream);
void OnGraph(const SimGraphEvent* event);

// A time stamp as the client sees it: REALTIME ns, or in the domain of its callback.
uint64_t ClientTime(uint64_t realtime_ns);

// The external correlation id on top of this thread's stack of a kind. False: none.
bool TopExternalId(int kind, uint64_t* id);

}  // namespace simgpu
