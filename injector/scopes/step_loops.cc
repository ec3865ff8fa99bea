// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/step_loops.h"

#include "injector/scopes/scope_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

StepLoop g_loops[kLoops];
std::atomic<uint32_t> g_loop_count{1};

namespace {

constexpr uint32_t kLoopRoots = 256;
constexpr uint8_t kNoLoop = 0xff;

struct LoopRoot {
  std::atomic<uint32_t> root;
  std::atomic<uint8_t> loop;  // kNoLoop: free
};
LoopRoot g_roots[kLoopRoots];
std::atomic<uint32_t> g_root_count{0};

}  // namespace

void StepLoop::Forget() {
  step.store(shm::kNoStep, std::memory_order_relaxed);
  label = kNoLabel;
  number = shm::kNoStep;
  owner = nullptr;
  beginner.store(nullptr, std::memory_order_relaxed);
  cycle.Forget();
  optimizers = 0;
  first_part_label = 0;
  labels = first_label = first_number = 0;
  threads = 0;
  called = trained = evaluated = passes = pass_seen = awaits_pass = settled = false;
  evaluated_root = shm::kOutsideScope;
  trained_from = kNoLabel;
}

void StepLoop::StartAgain() {
  const uint32_t given = labels;
  const uint32_t next = NextNumber();
  Forget();
  labels = first_label = given;
  first_number = next;
}

int LoopOfRoot(uint32_t root) {
  const uint32_t count = g_root_count.load(std::memory_order_acquire);  // pairs with AddRoot
  for (uint32_t i = 0; i < count; ++i) {
    if (g_roots[i].root.load(std::memory_order_relaxed) != root) continue;
    const uint8_t loop = g_roots[i].loop.load(std::memory_order_relaxed);
    if (loop != kNoLoop) return loop;
  }
  return -1;
}

namespace {

void AddRoot(uint32_t root, uint32_t loop) {
  if (root == shm::kOutsideScope || LoopOfRoot(root) >= 0) return;
  const uint32_t count = g_root_count.load(std::memory_order_relaxed);
  uint32_t i = 0;
  while (i < count && g_roots[i].loop.load(std::memory_order_relaxed) != kNoLoop) ++i;
  if (i == kLoopRoots) {
    // Its passes are taken for those of the first loop where they run on a thread of PyTorch.
    if (loop != 0) CountLoss(shm::LossCounter::kStepLoopsFull);
    return;
  }
  g_roots[i].root.store(root, std::memory_order_relaxed);
  g_roots[i].loop.store(static_cast<uint8_t>(loop), std::memory_order_relaxed);
  if (i == count) g_root_count.store(count + 1, std::memory_order_release);
}

}  // namespace

void MoveRoot(uint32_t root, uint32_t loop) {
  const uint32_t count = g_root_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    if (g_roots[i].root.load(std::memory_order_relaxed) != root) continue;
    if (g_roots[i].loop.load(std::memory_order_relaxed) == kNoLoop) continue;
    return g_roots[i].loop.store(static_cast<uint8_t>(loop), std::memory_order_relaxed);
  }
  if (loop != 0) AddRoot(root, loop);
}

void DropRootsOf(const StepLoop& loop) {
  const uint32_t count = g_root_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    if (g_roots[i].loop.load(std::memory_order_relaxed) != IndexOfLoop(loop)) continue;
    g_roots[i].loop.store(kNoLoop, std::memory_order_relaxed);
  }
}

StepLoop* FindFreeLoop() {
  const uint32_t count = g_loop_count.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i < count; ++i) {
    if (!g_loops[i].IsFree()) continue;
    DropRootsOf(g_loops[i]);
    g_loops[i].StartAgain();
    return &g_loops[i];
  }
  if (count < kLoops) {
    g_loop_count.store(count + 1, std::memory_order_relaxed);
    return &g_loops[count];
  }
  CountLoss(shm::LossCounter::kStepLoopsFull);
  return nullptr;
}

void EnterLoop(ThreadScopes* thread, const StepLoop& loop) {
  const uint32_t index = IndexOfLoop(loop);
  if (thread->step_loop == index) return;
  StepLoop& left = g_loops[thread->step_loop];
  if (left.threads > 0) --left.threads;
  if (index != 0) ++g_loops[index].threads;
  thread->step_loop = static_cast<uint8_t>(index);
}

StepLoop* LoopOfForward(ThreadScopes* thread, uint32_t root) {
  const int known = LoopOfRoot(root);
  StepLoop* loop = &g_loops[known >= 0 ? known : thread->step_loop];
  if (known < 0 && root != shm::kOutsideScope && loop->owner != thread) {
    if (loop->owner != nullptr) {
      loop = FindFreeLoop();
    } else if (loop->called) {
      DropRootsOf(*loop);  // of a thread that has ended
    }
  }
  thread->makes_no_steps = loop == nullptr;
  if (loop == nullptr) return loop;
  EnterLoop(thread, *loop);
  if (!loop->trained) loop->owner = thread;
  loop->called = true;
  if (known < 0) AddRoot(root, IndexOfLoop(*loop));
  return loop;
}

int LoopOfNode(uint32_t scope) {
  if (g_loop_count.load(std::memory_order_relaxed) == 1) return 0;
  const ThreadScopes& thread = ThisThread();
  if (scope == shm::kOutsideScope) {
    // Of a loss, say; PyTorch's own threads run passes of all loops.
    return g_loops[thread.step_loop].owner == &thread ? thread.step_loop : -1;
  }
  const int loop = LoopOfRoot(RootOfScope(scope));
  return loop >= 0 ? loop : thread.step_loop;
}

void ForgetStepLoops() {
  for (StepLoop& loop : g_loops) loop.Forget();
  g_loop_count.store(1, std::memory_order_relaxed);
  g_root_count.store(0, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector
