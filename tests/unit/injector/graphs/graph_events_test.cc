// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/graphs/graph_events.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

int asked;
// Ids that no two addresses share: ten times the number that stands there, and one more.
uint32_t GraphId(const void* graph) {
  ++asked;
  return 10 * *static_cast<const uint32_t*>(graph);
}
uint32_t ExecutableId(const void* executable) {
  ++asked;
  return 10 * *static_cast<const uint32_t*>(executable) + 1;
}
constexpr GraphIdSource kSource = {GraphId, ExecutableId};

class GraphEventsTest : public ::testing::Test {
 protected:
  GraphEventsTest() {
    segment_.Use();
    asked = 0;
  }
  ~GraphEventsTest() override { SetGraphIdSource(nullptr); }

  shm::GraphEvent Emit(shm::GraphEventKind kind, const GraphObjects& objects) {
    EmitGraphEvent(kind, objects);
    return test::Only<shm::GraphEvent>(segment_.Drain(), shm::RecordType::kGraphEvent).at(0);
  }

  const uint32_t graph_ = 3;
  const uint32_t source_ = 4;
  const uint32_t executable_ = 5;
  test::TestSegment segment_;
};

TEST_F(GraphEventsTest, NoIdIsKnownWhereNobodyKnowsAny) {
  const auto event = Emit(shm::GraphEventKind::kInstantiate, {0, &graph_, nullptr, &executable_});
  EXPECT_EQ(event.graph_id, 0u);
  EXPECT_EQ(event.other_id, 0u);
  EXPECT_EQ(event.graph, reinterpret_cast<uintptr_t>(&graph_));
}

TEST_F(GraphEventsTest, AnEventHasTheIdsOfItsGraphAndItsExecutable) {
  SetGraphIdSource(&kSource);
  const auto event = Emit(shm::GraphEventKind::kInstantiate, {0, &graph_, nullptr, &executable_});
  EXPECT_EQ(event.graph_id, 30u);
  EXPECT_EQ(event.other_id, 51u);
}

TEST_F(GraphEventsTest, ACopyHasTheIdOfWhatItIsACopyOf) {
  SetGraphIdSource(&kSource);
  const auto event = Emit(shm::GraphEventKind::kClone, {0, &graph_, &source_, nullptr});
  EXPECT_EQ(event.graph_id, 30u);
  EXPECT_EQ(event.other_id, 40u);
}

TEST_F(GraphEventsTest, NobodyIsAskedAboutWhatIsBeingDestroyed) {
  SetGraphIdSource(&kSource);
  const auto event = Emit(shm::GraphEventKind::kExecDestroy, {0, nullptr, nullptr, &executable_});
  EXPECT_EQ(event.other_id, 0u);
  EXPECT_EQ(asked, 0);
}

TEST_F(GraphEventsTest, EventsAreNumberedWithoutAHole) {
  const uint64_t before = NewestGraphEvent();
  EXPECT_EQ(Emit(shm::GraphEventKind::kEdit, {}).order, before + 1);
  EXPECT_EQ(Emit(shm::GraphEventKind::kEdit, {}).order, before + 2);
  EXPECT_EQ(NewestGraphEvent(), before + 2);
}

}  // namespace
}  // namespace flopsprof::injector
