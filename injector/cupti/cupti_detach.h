// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes CUPTI leave the process (cuptiFinalize), because a program from which CUPTI is only
// unsubscribed stays 10 to 20 % slower. CUPTI wants this call at the exit of a CUDA call. So the
// next thread of the program that comes to such an exit makes it. We are still the subscriber then,
// so that nobody else uses CUPTI. The call is not made while a stream is captured, buffers are
// lent, or another thread is inside one of our calls to CUPTI.
//
// States: preparing -> waiting -> running -> done. The detach is cancelled, and CUPTI only
// unsubscribed, when no CUDA call comes for kDetachPatienceNs, when the program's own profiler
// wants CUPTI, or when a new window begins. Whoever cancels during preparation waits a bounded
// time: CUPTI is unsubscribed at the end of the preparation.

#include <stdint.h>

#include <atomic>

#include "injector/cupti/activity_buffers.h"
#include "injector/cupti/cupti_api.h"

namespace flopsprof::injector {

constexpr uint64_t kDetachPatienceNs = 5000000000u;

enum class Detach : uint32_t {
  kNone,
  kPreparing,
  kCancelled,
  kWaiting,
  kRunning,
  kDone,
  kForgotten
};
extern std::atomic<Detach> detach_state;

// Around each call to CUPTI on a thread of the program.
class CuptiCallScope {
 public:
  CuptiCallScope();
  ~CuptiCallScope();
  CuptiCallScope(const CuptiCallScope&) = delete;
  CuptiCallScope& operator=(const CuptiCallScope&) = delete;
};

// CUPTI before 12.6 crashed or lost its callbacks after cuptiFinalize.
bool CanDetach(const CuptiApi& api);

// Before CUPTI ceases to be ours: who wants it waits for what comes. One that is under way stays.
// EndPreparing: nothing comes, it is unsubscribed or was not ours.
void PrepareDetach();
void EndPreparing();

// From now on the exit of a CUDA call may finalize CUPTI. If the detach was cancelled meanwhile,
// this call unsubscribes. The activity kinds must be off, and CUPTI flushed. The pointers must stay
// valid.
void BeginDetach(const CuptiApi* api, CuptiSubscriber subscriber, const ActivityBuffers* buffers);

// At each exit of a call: mostly one look at a variable.
void DetachAtApiExit();
inline void OnApiExit() {
  if (__builtin_expect(detach_state.load(std::memory_order_relaxed) == Detach::kWaiting, 0)) {
    DetachAtApiExit();
  }
}

// The helper thread asks now and then for the state of the detach. kNone: nothing is under way.
enum class DetachResult { kNone, kPending, kDone, kFailed, kGaveUp };
DetachResult FollowDetach();
const char* WhyDetachGaveUp();

// Before somebody else subscribes. Waits for one that runs, at most so long; false: it still does.
bool CancelDetach(uint64_t timeout_ns);

// The process ends, or is a forked child: CUPTI is not called any more.
void ForgetDetach();
bool IsDetachForgotten();
void ResetDetachForTesting();

}  // namespace flopsprof::injector
