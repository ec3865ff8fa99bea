// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A process may have several training loops at the same time. This file says to which loop a
// thread, a root or a backward node belongs. Only steps.cc uses it, under its lock where nothing
// else is said.

#include <stdint.h>

#include <atomic>

#include "injector/scopes/scope_stack.h"
#include "injector/scopes/step_cycle.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {

constexpr uint32_t kLoops = 16;
constexpr uint32_t kNoLabel = shm::kStepKeyMask;

// The steps of one training loop. All but `step` under the lock of steps.cc.
struct StepLoop {
  std::atomic<uint32_t> step{shm::kNoStep};  // what records carry
  uint32_t label = kNoLabel;                 // with the loop's bits
  uint32_t number = shm::kNoStep;
  uint32_t first_number = 0;  // of the thread that has the loop now
  uint32_t labels = 0;        // given so far
  uint32_t first_label = 0;   // of the thread that has the loop now; without its bits
  uint32_t evaluated_root = shm::kOutsideScope;
  uint32_t threads = 0;  // that make their steps in it; not counted for the first loop
  const ThreadScopes* owner = nullptr;  // the thread that trains, until it ends; compared only
  // The thread that calls flopsprof.step(); compared only, by other threads without the lock.
  std::atomic<const ThreadScopes*> beginner{nullptr};

  StepCycle cycle;
  uint64_t optimizers = 0;                       // that have stepped in the newest part
  uint32_t first_part_label = 0;                 // of the parts that the cycle counts
  uint32_t numbers[StepCycle::kMostParts] = {};  // that were sent for them

  uint32_t trained_from = kNoLabel;  // without an optimizer: all forwards from it had gradients

  bool called = false;     // a module was
  bool trained = false;    // for the owner: who calls its models beside it does not take its place
  bool evaluated = false;  // forwards without gradients since the last part, in evaluated_root
  // Without an optimizer.
  bool passes = false;     // steps are told by backward passes
  bool pass_seen = false;  // since the step began
  bool awaits_pass = false;
  bool settled = false;  // StepRecord says what it means

  void Forget();
  // For another thread: labels and numbers only rise.
  void StartAgain();
  bool IsOver() const { return owner == nullptr && IsBegunBy(nullptr); }
  bool IsFree() const { return IsOver() && threads == 0; }
  uint32_t NextNumber() const { return number == shm::kNoStep ? first_number : number + 1; }
  bool IsBegunBy(const ThreadScopes* thread) const {
    return beginner.load(std::memory_order_relaxed) == thread;
  }
};

extern StepLoop g_loops[kLoops];
extern std::atomic<uint32_t> g_loop_count;

inline uint32_t IndexOfLoop(const StepLoop& loop) { return static_cast<uint32_t>(&loop - g_loops); }

// The loop that trains a root; -1: none does.
int LoopOfRoot(uint32_t root);
// From now on the root belongs to this loop. A root that belongs to no loop counts as one of the
// first loop.
void MoveRoot(uint32_t root, uint32_t loop);
// No root is of this loop any more.
void DropRootsOf(const StepLoop& loop);
// For a thread that has none: one whose threads have ended, else a new one. Null: there is none,
// which is counted.
StepLoop* FindFreeLoop();
// From now on the thread makes its steps in this loop.
void EnterLoop(ThreadScopes* thread, const StepLoop& loop);
// The loop that a forward with gradients on this thread belongs to. A second thread that trains a
// model which no other loop has trained gets one of its own; null: there is none left.
StepLoop* LoopOfForward(ThreadScopes* thread, uint32_t root);
// The loop whose backward pass runs when a node of the scope runs. -1: the scope does not tell.
int LoopOfNode(uint32_t scope);

// Fork child and tests.
void ForgetStepLoops();

}  // namespace flopsprof::injector
