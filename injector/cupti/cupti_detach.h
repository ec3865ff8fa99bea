// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// CUPTI leaves the process (cuptiFinalize): a program from which it is only unsubscribed stays 10
// to 20 % slower. CUPTI wants that at the exit of a CUDA call, so the thread of the program that
// comes to one next does it, while we are still the subscriber: nobody else uses CUPTI then. It
// does not where a stream is captured, buffers are lent or another thread of ours is inside of
// CUPTI.
//
// preparing -> waiting -> running -> done; or, when no call comes for kDetachPatienceNs, the
// program's own profiler wants CUPTI, or a new window begins: cancelled, and only unsubscribed. Who
// cancels while it is prepared does not wait for ever: it is unsubscribed when it is prepared.

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

// From now on the exit of a call may do it; where it was cancelled meanwhile it is unsubscribed
// here. The kinds are off and what CUPTI had is flushed. The pointers stay valid.
void BeginDetach(const CuptiApi* api, CuptiSubscriber subscriber, const ActivityBuffers* buffers);

// At each exit of a call: mostly one look at a variable.
void DetachAtApiExit();
inline void OnApiExit() {
  if (__builtin_expect(detach_state.load(std::memory_order_relaxed) == Detach::kWaiting, 0)) {
    DetachAtApiExit();
  }
}

// Helper thread, now and then: what has become of it. kNone: nothing is under way.
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
