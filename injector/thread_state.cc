// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/thread_state.h"

#include <atomic>
#include <new>

#include "injector/platform.h"
#include "injector/record_sink.h"
#include "injector/segment.h"

// Registers a destructor for the calling thread (glibc 2.18). Unlike a pthread key it needs no
// libpthread, and it keeps this library mapped while a thread could still call into it.
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* dso);
extern "C" void* __dso_handle;

namespace flopsprof::injector {

__thread ThreadState* current_thread_state __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// A thread without a slot looks for one again after so many refused records.
constexpr uint32_t kClaimRetryInterval = 1024;

std::atomic<bool> forked_child{false};
SpinLock free_states_lock;
ThreadState* free_states = nullptr;

void OnThreadEnd(void* object) {
  auto* state = static_cast<ThreadState*>(object);
  if (current_thread_state == state) current_thread_state = nullptr;
  if (forked_child.load(std::memory_order_relaxed)) return;
  if (state->ring_epoch == SessionEpoch()) state->ring.Retire();
  SpinLockHolder hold(&free_states_lock);
  state->next_free = free_states;
  free_states = state;
}

ThreadState* TakeState() {
  void* memory = nullptr;
  {
    SpinLockHolder hold(&free_states_lock);
    memory = free_states;
    if (free_states != nullptr) free_states = free_states->next_free;
  }
  if (memory == nullptr) memory = MapPages(sizeof(ThreadState));
  return memory == nullptr ? nullptr : new (memory) ThreadState();
}

}  // namespace

ThreadState* MakeThreadState() {
  if (forked_child.load(std::memory_order_relaxed)) return nullptr;
  ThreadState* state = TakeState();
  if (state == nullptr) return nullptr;
  current_thread_state = state;
  __cxa_thread_atexit_impl(OnThreadEnd, state, &__dso_handle);
  return state;
}

bool EnsureRing(ThreadState* state) {
  const uint32_t epoch = SessionEpoch();
  if (state->ring_epoch == epoch && state->ring.has_slot()) return true;
  if (state->ring_epoch == epoch && state->claims_refused++ % kClaimRetryInterval != 0) {
    return false;
  }
  shm::SegmentHeader* segment = CurrentSegment();
  if (segment == nullptr) return false;
  if (state->ring_epoch != epoch) {
    state->ring.Forget();
    state->ring_epoch = epoch;
    state->claims_refused = 1;
  }
  if (!state->ring.Claim(segment, ThreadId())) return false;
  state->last_call = 0;
  return true;
}

void ForgetThreadsInForkedChild() { forked_child.store(true, std::memory_order_relaxed); }

}  // namespace flopsprof::injector
