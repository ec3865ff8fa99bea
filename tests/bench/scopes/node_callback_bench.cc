// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Start and end of one backward node in our callback, with logs of three sizes. Goal: 100 ns.
#include <benchmark/benchmark.h>
#include <string.h>

#include "injector/python/backward_callback.h"
#include "injector/python/install.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/scopes.h"
#include "tests/support/scopes/recording_sink.h"
#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

void BM_BackwardNode(benchmark::State& state) {
  test::ResetScopesForTesting();
  test::DiscardRecords(true);
  BeginScopes();
  test::ResetScopesForTesting();  // the fakes again: there is no torch here
  test::FakeTorch().graph_task = 0;
  test::FakeTorch().grad_enabled = false;
  constexpr uint32_t kSequence = 200, kThread = 304;
  const auto entries = static_cast<uint64_t>(state.range(0));
  const uint64_t thread = 1ull << 40;
  uint32_t scopes[2];
  for (uint32_t i = 0; i < 2; ++i) {
    ScopeIdentity identity;
    identity.kind = shm::ScopeKind::kModule;
    identity.object = i + 1;
    scopes[i] = FindOrAddScope(identity);
  }
  ThreadLog* log = AcquireThreadLog(thread);
  for (uint64_t i = 0; i < entries; ++i) NoteTransition(log, i, scopes[i & 1]);
  FollowBackward(kSequence, kThread);
  alignas(8) char record[512] = {};
  memcpy(record + kThread, &thread, sizeof(thread));
  uint64_t sequence = entries;
  for (auto _ : state) {
    sequence = sequence == 0 ? entries - 1 : sequence - 1;
    memcpy(record + kSequence, &sequence, sizeof(sequence));
    OnNodeBegins(record);
    benchmark::DoNotOptimize(CurrentAttribution());
    OnNodeEnds();
  }
  if (ThisThread().last_node_scope() == 0) state.SkipWithError("the node was not found");
}
BENCHMARK(BM_BackwardNode)->Arg(100)->Arg(10000)->Arg(1000000);

void BM_RangePushPop(benchmark::State& state) {
  test::ResetScopesForTesting();
  test::DiscardRecords(true);
  constexpr char kName[] = "a range of twenty-five ch";
  for (auto _ : state) {
    EnterNamedRange(shm::ScopeKind::kRange, nullptr, kName, sizeof(kName) - 1);
    benchmark::DoNotOptimize(CurrentAttribution());
    ThisThread().CloseRange(nullptr);
  }
}
BENCHMARK(BM_RangePushPop);

}  // namespace
}  // namespace flopsprof::injector

BENCHMARK_MAIN();
