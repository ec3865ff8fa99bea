// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/thread_state.h"

#include <sys/mman.h>

#include <atomic>
#include <new>

#include "injector/base/platform.h"
#include "injector/base/thread_end_key.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"

// Registers a destructor for the calling thread (glibc 2.18). Unlike a pthread key it needs no
// libpthread, and it keeps this library mapped while a thread could still call into it.
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* dso);
extern "C" void* __dso_handle;

namespace flopsprof::injector {

__thread ThreadState* current_thread_state __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// A thread without a slot looks for one again after so many refused records.
constexpr uint32_t kClaimRetryInterval = 1024;

// A signal handler that ends the process takes states_lock, and may have interrupted its holder.
constexpr uint64_t kLockPatienceNs = 100000000u;

// The thread's first state has ended. Destructors of pthread keys run later still, and may make
// another one, which __cxa_thread_atexit_impl would never end: a key of ours does.
__thread bool thread_is_ending __attribute__((tls_model("initial-exec"))) = false;
ThreadEndKey end_key;

std::atomic<bool> forked_child{false};
BriefLock states_lock;
ThreadState* free_states = nullptr;  // under states_lock
ThreadState* all_states = nullptr;   // under states_lock; grows only

void OnThreadEnd(void* object) {
  auto* state = static_cast<ThreadState*>(object);
  if (current_thread_state == state) current_thread_state = nullptr;
  thread_is_ending = true;
  if (forked_child.load(std::memory_order_relaxed)) return;
  if (state->ring_epoch == SessionEpoch()) state->ring.Retire();
  BriefLockHolder hold(&states_lock);
  state->next_free = free_states;
  free_states = state;
}

// A state as new, but for its place in the list and its counts, which go on.
void Renew(ThreadState* state) {
  ThreadState* const next_of_all = state->next_of_all;
  StackWalker* const stack_walker = state->stack_walker;
  const uint64_t hook_calls = state->hook_calls.load(std::memory_order_relaxed);
  const uint64_t module_calls = state->module_calls.load(std::memory_order_relaxed);
  const uint64_t nodes = state->nodes.load(std::memory_order_relaxed);
  new (state) ThreadState();
  state->next_of_all = next_of_all;
  state->stack_walker = stack_walker;
  state->hook_calls.store(hook_calls, std::memory_order_relaxed);
  state->module_calls.store(module_calls, std::memory_order_relaxed);
  state->nodes.store(nodes, std::memory_order_relaxed);
}

// One of a thread that has ended, else a new one. Null: no memory, or the lock is not free.
ThreadState* TakeState() {
  if (!states_lock.LockWithin(kLockPatienceNs)) return nullptr;
  ThreadState* state = free_states;
  if (state != nullptr) {
    free_states = state->next_free;
    Renew(state);
  }
  states_lock.Unlock();
  if (state != nullptr) return state;
  void* memory = MapPages(sizeof(ThreadState));  // without the lock: others begin, too
  if (memory == nullptr) return nullptr;
  state = new (memory) ThreadState();
  if (!states_lock.LockWithin(kLockPatienceNs)) {
    munmap(memory, sizeof(ThreadState));
    return nullptr;
  }
  state->next_of_all = all_states;
  all_states = state;
  states_lock.Unlock();
  return state;
}

}  // namespace

ThreadState* MakeThreadState() {
  if (forked_child.load(std::memory_order_relaxed)) return nullptr;
  const ErrnoKeeper keep;
  ThreadState* state = TakeState();
  if (state == nullptr) return nullptr;
  current_thread_state = state;
  if (!thread_is_ending || !end_key.Set(state)) {
    __cxa_thread_atexit_impl(OnThreadEnd, state, &__dso_handle);
  }
  return state;
}

void PrepareThreadEnds() { end_key.Make(OnThreadEnd); }

namespace {

// False: no slot, or the epoch is another one by now.
bool EnsureRingOf(ThreadState* state, uint32_t epoch) {
  if (state->ring_epoch == epoch && state->ring.has_slot()) return true;
  if (state->ring_epoch == epoch && state->claims_refused++ % kClaimRetryInterval != 0) {
    return false;
  }
  shm::SegmentHeader* segment = CurrentSegment();
  if (state->ring_epoch != epoch) {
    // A slot of this very segment was claimed while it was put in use. Not by the address alone:
    // an older segment may have had it.
    const bool claimed_early = state->ring_epoch + 1 == epoch && state->ring.segment() == segment;
    if (claimed_early && segment != nullptr) state->ring.Retire();
    state->ring.Forget();
    state->ring_epoch = epoch;
    state->claims_refused = 1;
  }
  if (segment == nullptr) return false;
  // Call ids go on counting: the slot may come in the middle of a call, which has its id already.
  // Asked for once: a thread without a slot comes here again and again.
  if (state->thread_id == 0) {
    const ErrnoKeeper keep;
    state->thread_id = ThreadId();
  }
  const SlotPlaces places = CurrentSlotPlaces();
  if (SessionEpoch() != epoch) return false;  // they may be those of another segment
  if (!state->ring.Claim(segment, places, state->thread_id, state->may_use_reserved_slots)) {
    return false;
  }
  return SessionEpoch() == epoch;
}

}  // namespace

bool EnsureRing(ThreadState* state) {
  // Of one epoch: the segment may change while the slot is claimed.
  while (!EnsureRingOf(state, SessionEpoch())) {
    if (state->ring_epoch == SessionEpoch()) return false;
  }
  return true;
}

namespace {

struct Sums {
  uint64_t hook_calls = 0;
  uint64_t module_calls = 0;
  uint64_t nodes = 0;
};
Sums sums_before;  // under states_lock: of runs before this one

Sums SumCounts() {
  Sums sums;
  for (const ThreadState* state = all_states; state != nullptr; state = state->next_of_all) {
    sums.hook_calls += state->hook_calls.load(std::memory_order_relaxed);
    sums.module_calls += state->module_calls.load(std::memory_order_relaxed);
    sums.nodes += state->nodes.load(std::memory_order_relaxed);
  }
  return sums;
}

}  // namespace

void FoldCounts() {
  // One at a time, and no state is renewed meanwhile.
  if (!states_lock.LockWithin(kLockPatienceNs)) return;
  const Sums sums = SumCounts();
  shm::SegmentHeader* header = Statistics();
  header->hook_calls.store(sums.hook_calls - sums_before.hook_calls, std::memory_order_relaxed);
  header->module_calls.store(sums.module_calls - sums_before.module_calls,
                             std::memory_order_relaxed);
  header->nodes.store(sums.nodes - sums_before.nodes, std::memory_order_relaxed);
  states_lock.Unlock();
}

void FoldFromNow() {
  if (!states_lock.LockWithin(kLockPatienceNs)) return;
  sums_before = SumCounts();
  states_lock.Unlock();
}

void ForgetThreadsInForkedChild() { forked_child.store(true, std::memory_order_relaxed); }

}  // namespace flopsprof::injector
