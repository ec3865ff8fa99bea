// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A sampled stack whose frames are known: walk and look-up of its id, by depth. The peer is
// glibc's backtrace(), which is libgcc's unwinder.

#include <benchmark/benchmark.h>
#include <execinfo.h>

#include "injector/stacks/native_stack.h"
#include "injector/stacks/stack_table.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

enum class Way { kOurs, kGlibc };

__attribute__((noinline)) void Measure(benchmark::State& state, Way way) {
  static StackWalker walker;
  for (auto _ : state) {
    if (way == Way::kOurs) {
      FoundStack stack;
      const NativeStack native =
          walker.Walk(HereRegisters(), 0, stack.native, FoundStack::kMaxNative);
      stack.native_count = native.count;
      stack.cut = native.cut;
      benchmark::DoNotOptimize(InternStack(stack));
    } else {
      void* frames[FoundStack::kMaxNative];
      benchmark::DoNotOptimize(backtrace(frames, FoundStack::kMaxNative));
    }
  }
}

__attribute__((noinline)) void Descend(benchmark::State& state, Way way, int64_t depth) {
  if (depth == 0) {
    Measure(state, way);
  } else {
    Descend(state, way, depth - 1);
  }
  asm volatile("" ::: "memory");
}

void KnownStack(benchmark::State& state) {
  test::TestSegment segment;
  segment.Use();
  Descend(state, Way::kOurs, state.range(0));
}
BENCHMARK(KnownStack)->Arg(10)->Arg(40)->Arg(100);

void GlibcBacktrace(benchmark::State& state) { Descend(state, Way::kGlibc, state.range(0)); }
BENCHMARK(GlibcBacktrace)->Arg(10)->Arg(40)->Arg(100);

}  // namespace
}  // namespace flopsprof::injector

BENCHMARK_MAIN();
