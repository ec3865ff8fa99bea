// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_detach.h"

#include "injector/callback_guard.h"
#include "injector/hooks/capture_state.h"
#include "injector/platform.h"

namespace flopsprof::injector {

std::atomic<Detach> detach_state{Detach::kNone};

namespace {

constexpr uint32_t kFirstVersion = 24;  // CUDA 12.6
constexpr uint64_t kPollNs = 1000000;

const CuptiApi* api;
CuptiSubscriber subscriber;
const ActivityBuffers* buffers;
uint64_t deadline_ns;
CuptiResult result;                       // of cuptiFinalize; the state's release publishes it
std::atomic<uint32_t> threads_inside{0};  // of CUPTI, of the program's

bool Move(Detach from, Detach to) {
  return detach_state.compare_exchange_strong(from, to, std::memory_order_seq_cst);
}

}  // namespace

// Sequentially consistent: who asks afterwards whether CUPTI is ours, and finds it so, is seen by a
// thread that detaches after it has ceased to be.
CuptiCallScope::CuptiCallScope() { threads_inside.fetch_add(1, std::memory_order_seq_cst); }
CuptiCallScope::~CuptiCallScope() { threads_inside.fetch_sub(1, std::memory_order_release); }

bool CanDetach(const CuptiApi& candidate) {
  return candidate.Finalize != nullptr && candidate.version >= kFirstVersion;
}

void PrepareDetach() {
  if (!Move(Detach::kNone, Detach::kPreparing)) Move(Detach::kDone, Detach::kPreparing);
}

void EndPreparing() {
  if (!Move(Detach::kPreparing, Detach::kNone)) Move(Detach::kCancelled, Detach::kNone);
}

void BeginDetach(const CuptiApi* cupti, CuptiSubscriber whose, const ActivityBuffers* lent) {
  api = cupti;
  subscriber = whose;
  buffers = lent;
  deadline_ns = MonoNs() + kDetachPatienceNs;
  if (Move(Detach::kPreparing, Detach::kWaiting)) return;
  // Not when the process ends meanwhile.
  if (detach_state.load(std::memory_order_acquire) == Detach::kForgotten) return;
  api->Unsubscribe(subscriber);
  EndPreparing();
}

void DetachAtApiExit() {
  if (AnyCaptureIsActive()) return;
  CallbackGuard guard;
  if (!guard.entered() || !Move(Detach::kWaiting, Detach::kRunning)) return;
  if (threads_inside.load(std::memory_order_seq_cst) != 0 || buffers->AnyIsLent()) {
    Move(Detach::kRunning, Detach::kWaiting);  // the next exit of a call
    return;
  }
  const ErrnoKeeper keep;
  api->Unsubscribe(subscriber);
  result = api->Finalize();
  Move(Detach::kRunning, Detach::kDone);  // not where the process ends meanwhile
}

DetachResult FollowDetach() {
  switch (detach_state.load(std::memory_order_acquire)) {
    case Detach::kNone:
    case Detach::kForgotten:
      return DetachResult::kNone;
    case Detach::kDone:
      Move(Detach::kDone, Detach::kNone);
      return result == kCuptiSuccess ? DetachResult::kDone : DetachResult::kFailed;
    case Detach::kPreparing:
    case Detach::kCancelled:
    case Detach::kRunning:
      return DetachResult::kPending;
    case Detach::kWaiting:
      break;
  }
  if (MonoNs() < deadline_ns || !Move(Detach::kWaiting, Detach::kNone)) {
    return DetachResult::kPending;
  }
  api->Unsubscribe(subscriber);
  return DetachResult::kNoCallCame;
}

bool CancelDetach(uint64_t timeout_ns) {
  const uint64_t until_ns = MonoNs() + timeout_ns;
  for (;;) {
    if (Move(Detach::kWaiting, Detach::kNone)) {
      api->Unsubscribe(subscriber);
      return true;
    }
    const Detach now = detach_state.load(std::memory_order_acquire);
    const bool prepares = now == Detach::kPreparing || now == Detach::kCancelled;
    if (now != Detach::kRunning && !prepares) return true;
    if (MonoNs() < until_ns) {
      SleepNs(kPollNs);
    } else if (now != Detach::kPreparing || Move(Detach::kPreparing, Detach::kCancelled)) {
      return false;
    }
  }
}

void ForgetDetach() { detach_state.store(Detach::kForgotten, std::memory_order_seq_cst); }

bool IsDetachForgotten() {
  return detach_state.load(std::memory_order_acquire) == Detach::kForgotten;
}

void ResetDetachForTesting() { detach_state.store(Detach::kNone, std::memory_order_seq_cst); }

}  // namespace flopsprof::injector
