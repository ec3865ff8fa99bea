// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the injector knows about one thread. The thread-local variable is a single pointer, so
// that the library can still be loaded when the static TLS block of a process is nearly used up;
// the state itself lives in pages of its own and is reused after its thread has ended.

#include <stdint.h>

#include <atomic>

#include "injector/transport/record_sink.h"
#include "injector/transport/ring_writer.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {

class StackWalker;

// A runtime call that CUPTI has told of, while what it tells of the driver's calls inside is
// watched (cupti/spared_callbacks.h).
struct WatchedCall {
  uint32_t correlation;
  const void* context;
  uint8_t index;   // which call
  uint8_t inside;  // driver calls; 2: more than one
  bool agrees;
};

struct ThreadState {
  RingWriter ring;
  uint32_t ring_epoch = 0;  // segment that `ring` belongs to; 0 = none
  uint32_t claims_refused = 0;
  uint32_t thread_id = 0;               // the system's; 0: not asked yet
  bool may_use_reserved_slots = false;  // our thread and CUPTI's: without them there are no times
  bool has_room = false;                // the newest ReserveRoom was of a ring
  bool may_wait = false;                // our thread and CUPTI's, never one of the program's
  uint64_t patient_until_ns = 0;        // until then a full ring is waited for

  uint32_t last_call = 0;        // newest call id of this ring and generation
  uint32_t current_call = 0;     // call whose launches these are; shm::kNoCall: none
  int32_t hook_depth = 0;        // hooked calls that are running on this thread
  bool inside_injector = false;  // in a callback or in calls of our own: hooks only pass through
  bool current_call_captured = false;

  // Operations of the framework (operations/operation_scope.h).
  int32_t operation_depth = 0;        // hooked ones that are running on this thread
  int32_t counted_operation = 0;      // depth of the one whose work is counted; 0 = none
  uint32_t operation_call = 0;        // its call id
  bool operation_captured = false;    // its stream is being captured
  bool library_in_operation = false;  // a library call was made inside

  uint32_t last_correlation = 0;  // of the newest launch record
  uint8_t open_launch = 0;        // domain of the call that made it, until its exit; and what
                                  // watches the call (cupti/spared_callbacks.h)
  uint8_t sample = 0;             // of spared_callbacks
  bool device_known = false;      // this thread's device has been reported
  WatchedCall watched_call{};

  void* launching_graph = nullptr;       // executable of the running cudaGraphLaunch
  uint32_t graph_correlation = 0;        // of that launch, once CUPTI has told
  uint32_t inner_graph_correlation = 0;  // of the driver's call inside of it, if it is another
  uint32_t copied_graph_id = 0;          // CUPTI's id of the graph that the running call copies
  bool in_graph_call = false;

  StackWalker* stack_walker = nullptr;  // made at the first sample, kept for later threads
  bool stack_walker_knows_thread = false;

  int32_t nccl_group_depth = 0;
  bool has_group_collective = false;
  shm::CollectiveCall group_collective{};  // last collective of the open group, not yet written

  // Counts for the segment's header, added there by FoldCounts: an atomic addition to a shared
  // line at each call would cost as much as the record. Written by this thread only.
  std::atomic<uint64_t> hook_calls{0};
  std::atomic<uint64_t> module_calls{0};
  std::atomic<uint64_t> nodes{0};

  ThreadState* next_free = nullptr;
  ThreadState* next_of_all = nullptr;
};

// Adds to a counter that only the calling thread writes.
inline void AddOwn(std::atomic<uint64_t>* counter, uint64_t count) {
  counter->store(counter->load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
}

extern __thread ThreadState* current_thread_state __attribute__((tls_model("initial-exec")));

// Makes the calling thread's state; nullptr when there is no memory or the process is a fork.
FLOPSPROF_APART ThreadState* MakeThreadState();

// Once, before the first slot: a thread then gives its slot back however late it takes one.
void PrepareThreadEnds();

// The calling thread's state, made when needed; nullptr on failure.
inline ThreadState* CurrentThread() {
  ThreadState* state = current_thread_state;
  return __builtin_expect(state != nullptr, 1) ? state : MakeThreadState();
}

// Does the thread have a ring of the current segment?
inline bool HasRing(const ThreadState* state) {
  const uint32_t epoch = SessionEpoch();  // first: nothing is read before an acquire
  return state->ring_epoch == epoch && state->ring.has_slot();
}

// Gives a ring to the thread if it has none of the current segment. False: no free slot
// (counted by the caller).
FLOPSPROF_APART bool EnsureRing(ThreadState* state);

// Stores the sums of all threads' counts, past ones included, in the segment's header.
void FoldCounts();
// What was counted until now is of another run.
void FoldFromNow();

// In the child of a fork: threads that end do not touch their slots any more.
void ForgetThreadsInForkedChild();

}  // namespace flopsprof::injector
