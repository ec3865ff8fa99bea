// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What one record costs the agent: drained, decoded, joined and summed. A call is three records
// (launch, call, kernel) over 64 scopes, 40 shapes and 40 kernel names. Goal: <= 40 ns a record.

#include <benchmark/benchmark.h>

#include "collector/agent/processes/process_recorder.h"
#include "tests/support/fake_injector.h"

namespace flopsprof {
namespace {

constexpr uint32_t kCallsPerRound = 1000;

void Drain(benchmark::State& state) {
  agent::Segment segment = *agent::Segment::Create({.slot_count = 4, .ring_records = 8192});
  testing::FakeInjector injector(segment.fd(), segment.bytes());
  agent::ProcessRecorder recorder(std::move(segment), {}, {}, std::nullopt);
  testing::FakeInjector::Ring main = injector.Claim();
  testing::FakeInjector::Ring cupti = injector.Claim();
  for (uint32_t i = 1; i <= 40; i++) main.WriteString(i, "kernel " + std::to_string(i));
  uint32_t number = 0;
  uint64_t now_ns = 1'000'000'000;
  for (auto round : state) {
    state.PauseTiming();
    const uint32_t step = number / kCallsPerRound;
    main.Write(testing::Step(step, shm::StepEvent::kBegin, now_ns));
    for (uint32_t i = 0; i < kCallsPerRound; i++) {
      number++;
      const uint32_t scope = 1 + i % 64;
      main.Write(testing::Launch(number, scope, number, shm::Phase::kForward, step));
      main.Write(testing::Gemm(number, scope, 64 + i % 40, 8, 400, shm::Phase::kForward, step));
      now_ns += 2000;
      cupti.Write(testing::Kernel(number, 1 + i % 40, now_ns, now_ns + 1500));
    }
    state.ResumeTiming();
    while (recorder.Drain(now_ns)) {
    }
  }
  if (recorder.dropped_count() != 0) state.SkipWithError("the ring was full");
  const double records = static_cast<double>(recorder.record_count());
  state.counters["ns_per_record"] =
      benchmark::Counter(records * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(Drain);
// As many records each time: tests/bench/run.sh counts its instructions.
BENCHMARK(Drain)->Name("DrainCounted")->Iterations(50);

// What a second's update costs when every row has changed.
void Emit(benchmark::State& state) {
  agent::Segment segment = *agent::Segment::Create({.slot_count = 4, .ring_records = 8192});
  testing::FakeInjector injector(segment.fd(), segment.bytes());
  agent::ProcessRecorder recorder(std::move(segment), {}, {}, std::nullopt);
  testing::FakeInjector::Ring main = injector.Claim();
  uint32_t number = 0;
  for (auto round : state) {
    state.PauseTiming();
    for (uint32_t i = 0; i < 1000; i++) main.Write(testing::Gemm(++number, i, 64, 8, 400));
    recorder.Drain(1'000'000'000);
    state.ResumeTiming();
    v1::ProcessProfile profile;
    recorder.Emit(10'000, &profile);
    benchmark::DoNotOptimize(profile.calls_size());
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(Emit);

}  // namespace
}  // namespace flopsprof
