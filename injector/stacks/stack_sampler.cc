// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/stack_sampler.h"

#include <atomic>

#include "injector/base/loaded_objects.h"
#include "injector/base/platform.h"
#include "injector/base/text.h"
#include "injector/stacks/native_stack.h"
#include "injector/stacks/stack_table.h"
#include "injector/transport/record_sink.h"
#include "proto/shm/handshake.h"

namespace flopsprof::injector {
namespace {

constexpr uint64_t kSecondNs = 1000000000u;

std::atomic<bool> g_wanted{false};
std::atomic<uint64_t> g_interval_ns;  // 0: every launch; set before g_wanted
std::atomic<bool> g_python_tried{false};
std::atomic<const PythonReader*> g_python{nullptr};

// With a module and a library call, or a framework's operation, nothing is left to explain.
bool NeedsExplaining(const ThreadState& thread, const Attribution& at) {
  return at.scope == shm::kOutsideScope || thread.current_call == shm::kNoCall ||
         ReaderOfPython() == nullptr;
}

bool ItsTurn(StackWalker* walker) {
  const uint64_t interval_ns = g_interval_ns.load(std::memory_order_relaxed);
  if (interval_ns == 0) return true;
  const uint64_t now_ns = MonoNs();
  if (now_ns < walker->next_sample_ns) return false;
  walker->next_sample_ns = now_ns + interval_ns;
  return true;
}

// Hooks are on the stack of what they call; they say nothing about the program.
void DropOwnFrames(FoundStack* stack) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < stack->native_count; ++i) {
    if (!IsOurs(reinterpret_cast<const void*>(stack->native[i])))
      stack->native[kept++] = stack->native[i];
  }
  stack->native_count = kept;
}

}  // namespace

void StartStacks(uint32_t per_second) {
  if (per_second == shm::kNoStacks) return g_wanted.store(false, std::memory_order_release);
  const uint64_t interval_ns = per_second == shm::kEveryStack ? 0 : kSecondNs / per_second;
  g_interval_ns.store(interval_ns, std::memory_order_relaxed);
  g_wanted.store(true, std::memory_order_release);
  Text<64> text;
  if (interval_ns == 0) {
    text.Add("every launch");
  } else {
    text.AddNumber(per_second).Add(" a second and thread");
  }
  EmitNote("stacks", text.get());
}

bool StacksAreWanted() { return g_wanted.load(std::memory_order_acquire); }

// Acquire; pairs with the release in LetStacksReadPython: what was prepared is seen.
const PythonReader* ReaderOfPython() { return g_python.load(std::memory_order_acquire); }

void LetStacksReadPython(const PythonReader& python) {
  if (!StacksAreWanted() || g_python_tried.exchange(true)) return;
  const char* reason = python.prepare();
  if (reason == nullptr) g_python.store(&python, std::memory_order_release);
  EmitNote("python_stacks", reason == nullptr ? "read" : reason);
}

StackSample SampleStack(ThreadState* thread, const Attribution& at) {
  StackSample sample;
  if (!StacksAreWanted() || !NeedsExplaining(*thread, at)) return sample;
  if (thread->stack_walker == nullptr) {
    thread->stack_walker = static_cast<StackWalker*>(MapPages(sizeof(StackWalker)));
    if (thread->stack_walker == nullptr) {
      CountLoss(shm::LossCounter::kStackTableFull);
      return sample;
    }
  }
  StackWalker* walker = thread->stack_walker;
  if (!thread->stack_walker_knows_thread) {
    walker->ForgetThread();
    thread->stack_walker_knows_thread = true;
  }
  ++walker->launches;
  if (!ItsTurn(walker)) return sample;
  FoundStack stack;
  const PythonReader* python = ReaderOfPython();
  const NativeStack native = walker->Walk(HereRegisters(), python == nullptr ? 0 : python->loop(),
                                          stack.native, FoundStack::kMaxNative);
  stack.native_count = native.count;
  bool python_cut = false;
  if (python != nullptr) {
    stack.python_count = python->read(stack.python, FoundStack::kMaxPython, &python_cut);
  }
  // Frames of Python go on where native ones ended, whatever ended them.
  stack.native_cut = native.cut && stack.python_count != 0;
  stack.cut = stack.python_count != 0 ? python_cut : native.cut;
  DropOwnFrames(&stack);
  if (stack.cut || stack.native_cut) CountLoss(shm::LossCounter::kStackCut);
  // Those of a stack that cannot be kept must not go to the next one.
  const uint32_t launches = walker->launches;
  walker->launches = 0;
  if (stack.native_count + stack.python_count == 0) return sample;
  sample.stack = InternStack(stack);
  if (sample.stack != shm::kNoStack) sample.launches = launches;
  return sample;
}

}  // namespace flopsprof::injector
