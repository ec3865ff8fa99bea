// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_detach.h"

#include "injector/base/platform.h"
#include "injector/cupti/correlation_ids.h"
#include "injector/graphs/capture_state.h"
#include "injector/transport/callback_guard.h"

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
constexpr char kNoCall[] = "no CUDA call came within 5 s";
std::atomic<const char*> refusal{kNoCall};  // why the last call that came could not do it

bool Move(Detach from, Detach to) {
  return detach_state.compare_exchange_strong(from, to, std::memory_order_seq_cst);
}

void Refuse(const char* why) { refusal.store(why, std::memory_order_relaxed); }

// One that a thread asked for amid the flush before has nothing in it, and comes back with another.
void AskForLentBuffers() {
  const CuptiCallScope inside;
  if (detach_state.load(std::memory_order_seq_cst) != Detach::kWaiting) return;
  if (buffers->AnyIsLent()) api->ActivityFlushAll(kCuptiFlushForced);
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
  refusal.store(kNoCall, std::memory_order_relaxed);
  if (Move(Detach::kPreparing, Detach::kWaiting)) return;
  // Not when the process ends meanwhile.
  if (detach_state.load(std::memory_order_acquire) == Detach::kForgotten) return;
  api->Unsubscribe(subscriber);
  EndPreparing();
}

void DetachAtApiExit() {
  if (AnyCaptureIsActive()) return Refuse("a stream was captured for 5 s");
  CallbackGuard guard;
  if (!guard.entered() || !Move(Detach::kWaiting, Detach::kRunning)) return;
  const bool inside = threads_inside.load(std::memory_order_seq_cst) != 0;
  if (inside || buffers->AnyIsLent()) {
    Refuse(inside ? "a thread of the job was in a call to CUPTI" : "CUPTI kept a buffer for 5 s");
    Move(Detach::kRunning, Detach::kWaiting);  // the next exit of a call
    return;
  }
  const ErrnoKeeper keep;
  api->Unsubscribe(subscriber);
  result = api->Finalize();
  BeginNewCorrelations();
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
  if (MonoNs() < deadline_ns) AskForLentBuffers();
  if (MonoNs() < deadline_ns || !Move(Detach::kWaiting, Detach::kNone)) {
    return DetachResult::kPending;
  }
  api->Unsubscribe(subscriber);
  return DetachResult::kGaveUp;
}

const char* WhyDetachGaveUp() { return refusal.load(std::memory_order_relaxed); }

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
