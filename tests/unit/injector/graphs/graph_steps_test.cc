// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/graphs/graph_steps.h"

#include <gtest/gtest.h>

#include "injector/scopes/captured_steps.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

class GraphStepsTest : public ::testing::Test {
 protected:
  static constexpr size_t kMany = 8192;  // more than there are places

  GraphStepsTest() { segment_.Use(); }
  ~GraphStepsTest() override {
    for (size_t i = 0; i < kMany; ++i) SetStepsOfGraph(Object(i), 0);
  }
  // An address; nothing is there.
  static const void* Object(size_t i) { return objects_ + i; }

  static char objects_[kMany];
  test::TestSegment segment_;
};

char GraphStepsTest::objects_[kMany];

TEST_F(GraphStepsTest, AGraphIsRememberedUntilItIsForgotten) {
  EXPECT_EQ(StepsOfGraph(Object(0)), 0);
  SetStepsOfGraph(Object(0), kCapturedForward);
  EXPECT_EQ(StepsOfGraph(Object(0)), kCapturedForward);
  EXPECT_EQ(StepsOfGraph(Object(1)), 0);
  SetStepsOfGraph(Object(0), 0);
  EXPECT_EQ(StepsOfGraph(Object(0)), 0);
}

TEST_F(GraphStepsTest, ANewGraphAtTheSameAddressReplacesTheOld) {
  SetStepsOfGraph(Object(0), kCapturedForward);
  SetStepsOfGraph(Object(0), kCapturedOptimizer);
  EXPECT_EQ(StepsOfGraph(Object(0)), kCapturedOptimizer);
}

TEST_F(GraphStepsTest, AForgottenPlaceHidesNoOther) {
  for (size_t i = 0; i < 2000; ++i) SetStepsOfGraph(Object(i), kCapturedForward);
  for (size_t i = 0; i < 2000; i += 2) SetStepsOfGraph(Object(i), 0);
  ASSERT_EQ(segment_.loss(shm::LossCounter::kGraphStepsFull), 0u);
  for (size_t i = 1; i < 2000; i += 2) ASSERT_EQ(StepsOfGraph(Object(i)), kCapturedForward) << i;
}

TEST_F(GraphStepsTest, NoRoomIsCounted) {
  for (size_t i = 0; i < kMany; ++i) SetStepsOfGraph(Object(i), kCapturedForward);
  size_t kept = 0;
  for (size_t i = 0; i < kMany; ++i) kept += StepsOfGraph(Object(i)) != 0 ? 1 : 0;
  EXPECT_LT(kept, kMany);
  EXPECT_EQ(segment_.loss(shm::LossCounter::kGraphStepsFull), kMany - kept);
}

TEST_F(GraphStepsTest, NoObjectIsNoGraph) {
  SetStepsOfGraph(nullptr, kCapturedForward);
  EXPECT_EQ(StepsOfGraph(nullptr), 0);
}

}  // namespace
}  // namespace flopsprof::injector
