// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The rules of attribution (injector/scopes/README.md, "Rules"), case by case.
#include "injector/scopes/scope_stack.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>

#include <thread>

#include "injector/scopes/attribution.h"
#include "tests/support/address_space.h"
#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

using shm::Phase;
using test::FakeTorch;
using test::MakeNode;

constexpr uint32_t kA = 11, kB = 12, kC = 13;

class ScopeStackTest : public ::testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }

  uint64_t ForwardOf(uint32_t scope) {
    const uint32_t depth = stack().EnterModule(nullptr, scope);
    const uint64_t node = MakeNode();
    stack().Leave(depth);
    return node;
  }
  void BeginNode(uint64_t node) { stack().BeginNode(FakeTorch().number, node); }
  // A pass has grad mode off in its nodes unless it makes a graph.
  void BeginPass() {
    FakeTorch().graph_task = 0;
    FakeTorch().grad_enabled = false;
  }
  void EndPass() {
    FakeTorch().graph_task = -1;
    FakeTorch().grad_enabled = true;
  }
  static ThreadScopes& stack() { return ThisThread(); }
  static uint32_t scope() { return stack().Current().scope; }
  static Phase phase() { return stack().Current().phase; }
};

TEST_F(ScopeStackTest, NothingRunsIsOutsideAndOther) {
  EXPECT_EQ(scope(), shm::kOutsideScope);
  EXPECT_EQ(phase(), Phase::kOther);
}

TEST_F(ScopeStackTest, ARangeInALateDestructorLeavesNothingBehind) {
  struct Late {
    bool touched = false;
    ~Late() { stack().Leave(stack().EnterRange(nullptr, kB)); }
  };
  const auto run_threads = [](int count) {
    for (; count > 0; --count) {
      std::thread([] {
        static thread_local Late late;
        late.touched = true;  // registered before the stack is, hence destroyed after it
        stack().Leave(stack().EnterRange(nullptr, kA));
      }).join();
    }
  };
  run_threads(10);
  const size_t before = mallinfo2().uordblks;
  run_threads(50);
  // A thread's log of 1.1 KB outlives it, as its nodes may; a stack would be 4.8 KB.
  EXPECT_LT(mallinfo2().uordblks, before + 50 * 2500);
}

// In the destructor of a pthread key nothing that was registered for the thread's end runs any
// more.
TEST_F(ScopeStackTest, ARangeInTheDestructorOfAKeyLeavesNothingBehind) {
  PrepareScopeEnds();
  static pthread_key_t at_end;
  pthread_key_create(&at_end, [](void*) { stack().Leave(stack().EnterRange(nullptr, kB)); });
  const auto run_threads = [](int count) {
    for (; count > 0; --count) {
      std::thread([] {
        pthread_setspecific(at_end, "");
        stack().Leave(stack().EnterRange(nullptr, kA));
      }).join();
    }
  };
  run_threads(10);
  const size_t before = test::AddressSpacePages();
  run_threads(10);
  pthread_key_delete(at_end);
  // A thread's log of 49 pages outlives it, as its nodes may; its frames would be 690.
  EXPECT_LE(test::AddressSpacePages(), before + 10 * 50);
}

TEST_F(ScopeStackTest, InnermostModuleOwnsForwardWork) {
  const uint32_t outer = stack().EnterModule(nullptr, kA);
  const uint32_t inner = stack().EnterModule(nullptr, kB);
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kForward);
  stack().Leave(inner);
  EXPECT_EQ(scope(), kA);
  stack().Leave(outer);
  EXPECT_EQ(scope(), shm::kOutsideScope);
}

TEST_F(ScopeStackTest, NodeBelongsToTheModuleThatMadeIt) {
  const uint64_t a = ForwardOf(kA), b = ForwardOf(kB);
  BeginPass();
  BeginNode(b);
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kBackward);
  stack().EndNode();
  BeginNode(a);
  EXPECT_EQ(scope(), kA);
  stack().EndNode();
}

TEST_F(ScopeStackTest, NodeMadeBetweenTwoChildrenBelongsToTheParent) {
  const uint32_t depth = stack().EnterModule(nullptr, kA);
  ForwardOf(kB);
  const uint64_t between = MakeNode();
  ForwardOf(kC);
  stack().Leave(depth);
  BeginPass();
  BeginNode(between);
  EXPECT_EQ(scope(), kA);
}

TEST_F(ScopeStackTest, NodeMadeBeforeAnyModuleIsOutside) {
  const uint64_t early = MakeNode();
  ForwardOf(kA);
  BeginPass();
  BeginNode(early);
  EXPECT_EQ(scope(), shm::kOutsideScope);
  EXPECT_EQ(phase(), Phase::kBackward);
}

TEST_F(ScopeStackTest, NodeMadeAfterTheModulesIsOutside) {
  ForwardOf(kA);
  const uint64_t loss = MakeNode();
  BeginPass();
  BeginNode(loss);
  EXPECT_EQ(scope(), shm::kOutsideScope);
}

TEST_F(ScopeStackTest, AccumulationBelongsToTheNodeBefore) {
  const uint64_t a = ForwardOf(kA);
  BeginPass();
  BeginNode(a);
  stack().EndNode();
  BeginNode(UINT64_MAX);
  EXPECT_EQ(scope(), kA);
}

TEST_F(ScopeStackTest, WorkBetweenNodesBelongsToTheNodeBefore) {
  const uint64_t a = ForwardOf(kA);
  BeginPass();
  BeginNode(a);
  stack().EndNode();
  EXPECT_EQ(scope(), kA);
  EXPECT_EQ(phase(), Phase::kBackward);
  EndPass();
  EXPECT_EQ(phase(), Phase::kOther);
}

TEST_F(ScopeStackTest, ModuleInsideOfANodeIsRecomputed) {
  const uint64_t a = ForwardOf(kA);
  BeginPass();
  BeginNode(a);
  const uint32_t depth = stack().EnterModule(nullptr, kB);
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kRecompute);
  const uint32_t child = stack().EnterModule(nullptr, kC);
  EXPECT_EQ(phase(), Phase::kRecompute);
  stack().Leave(child);
  stack().Leave(depth);
  EXPECT_EQ(scope(), kA);
  EXPECT_EQ(phase(), Phase::kBackward);
}

TEST_F(ScopeStackTest, FunctionThatAsksForGradientsInsideOfANodeIsRecomputed) {
  const uint64_t a = ForwardOf(kA);
  BeginPass();
  BeginNode(a);
  FakeTorch().grad_enabled = true;
  EXPECT_EQ(phase(), Phase::kRecompute);
  FakeTorch().grad_enabled = false;
  EXPECT_EQ(phase(), Phase::kBackward);
}

TEST_F(ScopeStackTest, NodeThatMakesAGraphIsBackwardThroughout) {
  const uint64_t a = ForwardOf(kA);
  FakeTorch().graph_task = 0;  // create_graph: grad mode stays on
  BeginNode(a);
  EXPECT_EQ(phase(), Phase::kBackward);
}

TEST_F(ScopeStackTest, NodeMadeByANodeBelongsToItsScope) {
  const uint64_t a = ForwardOf(kA);
  FakeTorch().graph_task = 0;
  BeginNode(a);
  const uint64_t second = MakeNode();
  stack().EndNode();
  const uint64_t after = MakeNode();
  BeginNode(second);
  EXPECT_EQ(scope(), kA);
  stack().EndNode();
  BeginNode(after);
  EXPECT_EQ(scope(), shm::kOutsideScope);
}

TEST_F(ScopeStackTest, RecomputedNodesBelongToTheModuleAndTheRestToTheNode) {
  const uint64_t a = ForwardOf(kA);
  FakeTorch().graph_task = 0;
  BeginNode(a);
  const uint64_t before = MakeNode();
  const uint64_t inside = ForwardOf(kB);
  const uint64_t after = MakeNode();
  stack().EndNode();
  for (auto [node, owner] : {std::pair{before, kA}, {inside, kB}, {after, kA}}) {
    BeginNode(node);
    EXPECT_EQ(scope(), owner) << node;
    stack().EndNode();
  }
}

TEST_F(ScopeStackTest, PassInsideOfAForwardLeavesTheForwardOnTop) {
  const uint32_t depth = stack().EnterModule(nullptr, kA);
  const uint64_t node = ForwardOf(kB);
  FakeTorch().graph_task = 0;
  BeginNode(node);
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kBackward);
  stack().EndNode();
  EXPECT_EQ(scope(), kA);
  EXPECT_EQ(phase(), Phase::kForward);
  stack().Leave(depth);
}

TEST_F(ScopeStackTest, NodeOfAnotherThreadIsLookedUpInItsLog) {
  uint64_t thread_number = 0, node = 0;
  std::thread forward([&] {
    FakeTorch().next_sequence = 500;
    node = ForwardOf(kA);
    thread_number = FakeTorch().number;
  });
  forward.join();
  for (int i = 0; i < 600; ++i) MakeNode();
  ForwardOf(kB);
  BeginPass();
  stack().BeginNode(thread_number, node);
  EXPECT_EQ(scope(), kA);
}

TEST_F(ScopeStackTest, LeavingRestoresTheDepthAfterLostLeaves) {
  const uint32_t outer = stack().EnterModule(nullptr, kA);
  stack().EnterModule(nullptr, kB);
  stack().EnterModule(nullptr, kC);
  stack().Leave(outer);
  EXPECT_EQ(stack().depth(), 0u);
}

TEST_F(ScopeStackTest, LeavesInTheWrongOrderLeaveNoFrameBehind) {
  // Greenlets: two calls end in the order in which they began.
  const uint32_t first = stack().EnterModule(nullptr, kA);
  const uint32_t second = stack().EnterModule(nullptr, kB);
  stack().Leave(first);
  stack().Leave(second);
  EXPECT_EQ(stack().depth(), 0u);
}

TEST_F(ScopeStackTest, EndOfANodeThatWasNotSeenChangesNothing) {
  const uint32_t depth = stack().EnterModule(nullptr, kA);
  stack().EndNode();
  EXPECT_EQ(scope(), kA);
  stack().Leave(depth);
}

TEST_F(ScopeStackTest, EndOfANodeDropsFramesThatLostTheirEnd) {
  const uint64_t a = ForwardOf(kA);
  BeginPass();
  BeginNode(a);
  stack().EnterModule(nullptr, kB);
  stack().EndNode();
  EXPECT_EQ(stack().depth(), 0u);
}

TEST_F(ScopeStackTest, OptimizerOwnsWorkBelowItAndModulesAboveItAreForward) {
  const uint32_t optimizer = stack().EnterPhase(shm::Phase::kOptimizer);
  EXPECT_EQ(scope(), shm::kOutsideScope);
  EXPECT_EQ(phase(), Phase::kOptimizer);
  const uint32_t closure = stack().EnterModule(nullptr, kA);
  EXPECT_EQ(phase(), Phase::kForward);
  stack().Leave(closure);
  EXPECT_EQ(phase(), Phase::kOptimizer);
  FakeTorch().graph_task = 0;  // the closure's backward, between nodes
  EXPECT_EQ(phase(), Phase::kBackward);
  FakeTorch().graph_task = -1;
  stack().Leave(optimizer);
  EXPECT_EQ(phase(), Phase::kOther);
}

TEST_F(ScopeStackTest, OptimizerThatStepsInAHookOfAPassIsNoBackward) {
  FakeTorch().graph_task = 0;
  const uint32_t optimizer = stack().EnterPhase(shm::Phase::kOptimizer);
  EXPECT_EQ(phase(), Phase::kOptimizer);
  const uint32_t range = stack().EnterRange(nullptr, kB);
  EXPECT_EQ(phase(), Phase::kOptimizer);
  EXPECT_EQ(scope(), kB);
  stack().Leave(range);
  stack().Leave(optimizer);
  EXPECT_EQ(phase(), Phase::kBackward);
  FakeTorch().graph_task = -1;
}

TEST_F(ScopeStackTest, ModulesInsideOfGenerateBelongToIt) {
  const uint32_t generate = stack().EnterPhase(shm::Phase::kGenerate);
  EXPECT_EQ(stack().NearestModuleOrNode(), nullptr);  // they are roots
  const uint32_t root = stack().EnterModule(nullptr, kA);
  const uint32_t child = stack().EnterModule(nullptr, kB);
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kGenerate);
  stack().Leave(child);
  stack().Leave(root);
  stack().Leave(generate);
  EXPECT_EQ(phase(), Phase::kOther);
}

TEST_F(ScopeStackTest, EvaluationHoldsForTheMarkedModuleAndAllBelow) {
  const uint32_t root = stack().EnterModule(nullptr, kA);
  stack().MarkEvaluation();
  EXPECT_EQ(phase(), Phase::kEvaluation);
  const uint32_t child = stack().EnterModule(nullptr, kB);
  EXPECT_EQ(phase(), Phase::kEvaluation);
  stack().Leave(child);
  stack().Leave(root);
  stack().EnterModule(nullptr, kA);
  EXPECT_EQ(phase(), Phase::kForward);
}

TEST_F(ScopeStackTest, RecomputationInAPassIsNoEvaluation) {
  FakeTorch().graph_task = 0;
  const uint32_t root = stack().EnterModule(nullptr, kA);
  stack().MarkEvaluation();
  EXPECT_EQ(phase(), Phase::kRecompute);
  stack().Leave(root);
  FakeTorch().graph_task = -1;
}

TEST_F(ScopeStackTest, RangeTakesThePhaseBelow) {
  const uint32_t alone = stack().EnterRange(nullptr, kC);
  EXPECT_EQ(phase(), Phase::kOther);
  const uint32_t module = stack().EnterModule(nullptr, kA);
  const uint32_t inner = stack().EnterRange(nullptr, kB);
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kForward);
  stack().Leave(inner);
  stack().Leave(module);
  stack().Leave(alone);
}

TEST_F(ScopeStackTest, RangeInsideOfANodeIsBackward) {
  const uint64_t a = ForwardOf(kA);
  BeginPass();
  BeginNode(a);
  stack().EnterRange(nullptr, kB);
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kBackward);
  FakeTorch().grad_enabled = true;
  EXPECT_EQ(phase(), Phase::kRecompute);
}

TEST_F(ScopeStackTest, NodeMadeInARangeBelongsToTheRange) {
  const uint32_t module = stack().EnterModule(nullptr, kA);
  const uint32_t range = stack().EnterRange(nullptr, kB);
  const uint64_t node = MakeNode();
  stack().Leave(range);
  stack().Leave(module);
  BeginPass();
  BeginNode(node);
  EXPECT_EQ(scope(), kB);
}

TEST_F(ScopeStackTest, RangesOfTwoDomainsMayOverlap) {
  const char one = 0, two = 0;
  stack().EnterRange(&one, kA);
  stack().EnterRange(&two, kB);
  EXPECT_TRUE(stack().CloseRange(&one));
  EXPECT_EQ(scope(), kB);
  EXPECT_TRUE(stack().CloseRange(&two));
  EXPECT_EQ(stack().depth(), 0u);
}

TEST_F(ScopeStackTest, RangeClosedInsideOfAModuleGoesWithTheModule) {
  stack().EnterRange(nullptr, kA);
  const uint32_t module = stack().EnterModule(nullptr, kB);
  EXPECT_TRUE(stack().CloseRange(nullptr));
  EXPECT_EQ(scope(), kB);
  stack().Leave(module);
  EXPECT_EQ(stack().depth(), 0u);
}

TEST_F(ScopeStackTest, PopWithoutPushIsRefused) {
  EXPECT_FALSE(stack().CloseRange(nullptr));
  const uint32_t module = stack().EnterModule(nullptr, kA);
  EXPECT_FALSE(stack().CloseRange(nullptr));
  EXPECT_EQ(scope(), kA);
  stack().Leave(module);
}

TEST_F(ScopeStackTest, RangeIsNotClosedFromInsideOfANode) {
  stack().EnterRange(nullptr, kC);
  const uint64_t a = ForwardOf(kA);
  BeginPass();
  BeginNode(a);
  EXPECT_FALSE(stack().CloseRange(nullptr));
}

TEST_F(ScopeStackTest, CompiledGraphIsPartOfItsCaller) {
  const uint32_t module = stack().EnterModule(nullptr, kA);
  const uint32_t graph = stack().EnterInherited();
  EXPECT_EQ(scope(), kA);
  EXPECT_EQ(phase(), Phase::kForward);
  stack().Leave(graph);
  stack().Leave(module);
  const uint64_t node = ForwardOf(kB);
  BeginPass();
  BeginNode(node);
  stack().EnterInherited();
  EXPECT_EQ(scope(), kB);
  EXPECT_EQ(phase(), Phase::kBackward);
}

TEST_F(ScopeStackTest, GraphOfCompiledAutogradIsBackwardOfNoModule) {
  BeginNode(ForwardOf(kB));
  stack().EndNode();
  BeginPass();
  stack().EnterInherited();
  EXPECT_EQ(scope(), shm::kOutsideScope);
  EXPECT_EQ(phase(), Phase::kBackward);
}

TEST_F(ScopeStackTest, TooDeepIsCountedAndNothingIsLost) {
  for (uint32_t i = 0; i < kMaxFrames; ++i) stack().EnterModule(nullptr, kA);
  const uint32_t refused = stack().EnterModule(nullptr, kB);
  EXPECT_EQ(refused, ThreadScopes::kRefused);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeDepth), 1u);
  stack().Leave(refused);
  EXPECT_EQ(stack().depth(), kMaxFrames);
}

TEST_F(ScopeStackTest, WithoutTorchModulesAndRangesStillWork) {
  g_torch = TorchFunctions();
  const uint32_t depth = stack().EnterModule(nullptr, kA);
  EXPECT_EQ(scope(), kA);
  EXPECT_EQ(phase(), Phase::kForward);
  stack().Leave(depth);
  EXPECT_EQ(scope(), shm::kOutsideScope);
}

}  // namespace
}  // namespace flopsprof::injector
