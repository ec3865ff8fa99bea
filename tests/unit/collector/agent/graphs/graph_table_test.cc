// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/graphs/graph_table.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using Kind = shm::GraphEventKind;
using testing::GraphChange;

constexpr uint64_t kOneGraph = 0x100, kOther = 0x200;
constexpr uint64_t kOneExec = 0xe00, kOtherExec = 0xf00;
constexpr uint64_t kOneCapture = 71, kOtherCapture = 72;

class GraphTableTest : public ::testing::Test {
 protected:
  void Apply(Kind kind, uint64_t graph, uint64_t executable = 0) {
    table_.Apply(GraphChange(++order_, kind, graph, executable));
  }
  void EndCapture(uint64_t capture, uint64_t graph, uint32_t graph_id) {
    shm::GraphEvent event = GraphChange(++order_, Kind::kCaptureEnd, graph);
    event.capture = capture;
    event.graph_id = graph_id;
    table_.Apply(event);
  }
  void CopyInto(Kind kind, uint64_t graph, uint64_t source) {
    shm::GraphEvent event = GraphChange(++order_, kind, graph);
    event.source = source;
    table_.Apply(event);
  }
  void LaunchInto(uint64_t capture, uint64_t executable) {
    shm::GraphEvent event = GraphChange(++order_, Kind::kChildLaunch, 0, executable);
    event.capture = capture;
    table_.Apply(event);
  }
  // Null: no executable that we know has this address now.
  const GraphContent* ContentOf(uint64_t executable) {
    const Executable* found = table_.executable(table_.Find(executable, order_));
    return found == nullptr ? nullptr : found->content.get();
  }

  GraphTable table_;
  uint64_t order_ = 0;
};

TEST_F(GraphTableTest, AnExecutableHoldsWhatItsGraphHeldWhenItWasMade) {
  const auto captured = table_.OpenCapture(kOneCapture);
  EndCapture(kOneCapture, kOneGraph, 1);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  EndCapture(kOtherCapture, kOneGraph, 1);  // the graph grows
  ASSERT_NE(ContentOf(kOneExec), nullptr);
  ASSERT_EQ(ContentOf(kOneExec)->captures.size(), 1u);
  EXPECT_EQ(ContentOf(kOneExec)->captures[0], captured);
}

TEST_F(GraphTableTest, AnUpdateHoldsFromItsNumberOn) {
  EndCapture(kOneCapture, kOneGraph, 1);
  EndCapture(kOtherCapture, kOther, 2);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);  // 3
  Apply(Kind::kUpdate, kOther, kOneExec);          // 4
  const auto capture_at = [&](uint64_t order) {
    return table_.executable(table_.Find(kOneExec, order))->content->capture_ids.at(0);
  };
  EXPECT_EQ(table_.Find(kOneExec, 2), GraphTable::kUnknown);
  EXPECT_EQ(capture_at(3), kOneCapture);
  EXPECT_EQ(capture_at(4), kOtherCapture);
}

TEST_F(GraphTableTest, ADestroyedExecutableIsUnknownUntilItsAddressIsUsedAgain) {
  EndCapture(kOneCapture, kOneGraph, 1);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  Apply(Kind::kExecDestroy, 0, kOneExec);
  EXPECT_EQ(ContentOf(kOneExec), nullptr);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  EXPECT_NE(ContentOf(kOneExec), nullptr);
}

TEST_F(GraphTableTest, AnExecutableOfADestroyedGraphLivesOn) {
  EndCapture(kOneCapture, kOneGraph, 1);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  Apply(Kind::kGraphDestroy, kOneGraph);
  EXPECT_NE(ContentOf(kOneExec), nullptr);
  Apply(Kind::kInstantiate, kOneGraph, kOtherExec);  // the address is a graph made unseen
  EXPECT_EQ(ContentOf(kOtherExec), nullptr);
}

TEST_F(GraphTableTest, AGraphThatIsInTwiceRunsTwice) {
  EndCapture(kOneCapture, kOneGraph, 1);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  LaunchInto(kOtherCapture, kOneExec);
  LaunchInto(kOtherCapture, kOneExec);
  EndCapture(kOtherCapture, kOther, 2);
  Apply(Kind::kInstantiate, kOther, kOtherExec);
  ASSERT_NE(ContentOf(kOtherExec), nullptr);
  EXPECT_EQ(ContentOf(kOtherExec)->captures.size(), 3u);  // its own, and the child's twice
  EXPECT_FALSE(ContentOf(kOtherExec)->edited);
}

TEST_F(GraphTableTest, AnUnknownChildMakesTheWholeUnknown) {
  LaunchInto(kOneCapture, kOneExec);
  EndCapture(kOneCapture, kOneGraph, 1);
  Apply(Kind::kInstantiate, kOneGraph, kOtherExec);
  EXPECT_TRUE(ContentOf(kOtherExec)->edited);
  EndCapture(kOtherCapture, kOther, 2);
  CopyInto(Kind::kAddChild, kOther, /*source=*/0x900);
  Apply(Kind::kInstantiate, kOther, kOtherExec);
  EXPECT_TRUE(ContentOf(kOtherExec)->edited);
}

TEST_F(GraphTableTest, ACloneAndAChildHoldTheCaptureToo) {
  EndCapture(kOneCapture, kOneGraph, 1);
  CopyInto(Kind::kClone, kOther, kOneGraph);
  CopyInto(Kind::kAddChild, kOther, kOneGraph);
  Apply(Kind::kInstantiate, kOther, kOneExec);
  ASSERT_NE(ContentOf(kOneExec), nullptr);
  EXPECT_EQ(ContentOf(kOneExec)->captures.size(), 2u);
}

TEST_F(GraphTableTest, AnEditAndAConditionAreSaid) {
  EndCapture(kOneCapture, kOneGraph, 1);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  Apply(Kind::kEdit, 0, kOneExec);
  EXPECT_TRUE(ContentOf(kOneExec)->edited);
  Apply(Kind::kConditional, kOneGraph);
  Apply(Kind::kInstantiate, kOneGraph, kOtherExec);
  EXPECT_TRUE(ContentOf(kOtherExec)->conditional);
  EXPECT_FALSE(ContentOf(kOtherExec)->edited);
}

TEST_F(GraphTableTest, WhatWasDestroyedIsForgottenInTheEnd) {
  EndCapture(kOneCapture, kOneGraph, 1);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  const uint64_t first = order_;
  Apply(Kind::kUpdate, kOneGraph, kOneExec);
  Apply(Kind::kExecDestroy, 0, kOneExec);
  Apply(Kind::kInstantiate, kOneGraph, kOneExec);
  const uint32_t oldest = table_.Find(kOneExec, first);
  const uint32_t updated = table_.Find(kOneExec, first + 1);
  table_.ForgetDestroyed(1);
  EXPECT_EQ(table_.executable(oldest), nullptr);
  EXPECT_EQ(table_.Find(kOneExec, first), GraphTable::kUnknown);
  EXPECT_NE(table_.executable(updated), nullptr);
  table_.ForgetDestroyed(0);
  EXPECT_EQ(table_.executable(updated), nullptr);
  EXPECT_NE(ContentOf(kOneExec), nullptr);  // alive
}

TEST_F(GraphTableTest, ANodeIsFoundThroughCopiesOfCopies) {
  const auto id = [](uint64_t graph, uint64_t number) { return graph << 32 | number; };
  NodeSet* nodes = table_.OpenNodes(1);
  ASSERT_NE(nodes, nullptr);
  GraphNode* made =
      &nodes->nodes.try_emplace(4, LiveCount(std::make_shared<uint64_t>(0))).first->second;
  EndCapture(kOneCapture, kOneGraph, 1);
  shm::GraphEvent instantiated = GraphChange(++order_, Kind::kInstantiate, kOneGraph, kOneExec);
  instantiated.graph_id = 1;
  instantiated.other_id = 9;  // CUPTI's id of the executable
  table_.Apply(instantiated);
  table_.AddNodeCopy(id(12, 3), id(9, 4));  // one whose number has changed
  EXPECT_EQ(table_.FindNode(id(9, 4), nullptr), made);
  EXPECT_EQ(table_.FindNode(id(12, 3), nullptr), made);
  EXPECT_EQ(table_.FindNode(id(9, 4), ContentOf(kOneExec)), made);
  EXPECT_EQ(table_.FindNode(id(9, 5), nullptr), nullptr);
  EXPECT_EQ(table_.FindNode(id(33, 4), nullptr), nullptr);
}

TEST_F(GraphTableTest, CopiesInACircleEnd) {
  table_.AddNodeCopy(5, 6);
  table_.AddNodeCopy(6, 5);
  EXPECT_EQ(table_.FindNode(5, nullptr), nullptr);
}

TEST_F(GraphTableTest, CapturesBeyondTheBoundAreRefusedAndCounted) {
  for (uint64_t capture = 1; capture <= (1 << 16); capture++) table_.OpenCapture(capture);
  EXPECT_EQ(table_.refused_count(), 0u);
  EXPECT_NE(table_.OpenCapture(1 << 20), nullptr);
  EXPECT_EQ(table_.refused_count(), 1u);
}

}  // namespace
}  // namespace flopsprof::agent
