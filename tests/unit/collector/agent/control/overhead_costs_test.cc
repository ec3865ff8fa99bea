// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/overhead_costs.h"

#include <gtest/gtest.h>

#include <limits>

namespace flopsprof::agent {
namespace {

EventCounts OneStep() {
  return {.hook_calls = 120, .module_calls = 100, .nodes = 200, .launches = 240, .activities = 240};
}

TEST(OverheadCostsTest, EventsCostTheirInstructions) {
  const OverheadCosts costs(0.5);
  // 120 x 500 + 100 x 970 + 200 x 370 + 240 x (320 + 250 + 6400)
  EXPECT_DOUBLE_EQ(costs.RecordedNs(OneStep()), 0.5 * 1'903'800);
  EXPECT_DOUBLE_EQ(costs.CuptiNs(OneStep()), 0.5 * 240 * 6400);
}

TEST(OverheadCostsTest, TimesThatWereMeasuredAreAdded) {
  const OverheadCosts costs(0.5);
  EXPECT_DOUBLE_EQ(costs.RecordedNs({.own_cpu_ns = 1000, .cupti_ns = 200}), 1200);
}

TEST(OverheadCostsTest, WithoutRecordingHooksReturnEarly) {
  const OverheadCosts costs(0.5);
  EXPECT_DOUBLE_EQ(costs.PausedNs(OneStep(), /*resting=*/false),
                   0.5 * (120 * 120 + 100 * 850 + 200 * 370));
  EXPECT_DOUBLE_EQ(costs.PausedNs(OneStep(), /*resting=*/true),
                   0.5 * (120 * 120 + 100 * 60 + 200 * 15));
}

TEST(OverheadCostsTest, ACounterThatFallsHasNotMoved) {
  const EventCounts events =
      Since({.hook_calls = 10, .launches = 5}, {.hook_calls = 4, .launches = 9});
  EXPECT_EQ(events.hook_calls, 0);
  EXPECT_EQ(events.launches, 4);
}

TEST(OverheadCostsTest, AMeasurementThatIsNoneIsNotUsed) {
  EXPECT_EQ(OverheadCosts(std::numeric_limits<double>::quiet_NaN()).ns_per_instruction(), 1);
  EXPECT_EQ(OverheadCosts(-3).ns_per_instruction(), 0.1);
  EXPECT_EQ(OverheadCosts(1e9).ns_per_instruction(), 5);
}

// A sanitizer's own instructions are no part of the count, but take time.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr double kMostNs = 100;
#else
constexpr double kMostNs = 5;
#endif

TEST(OverheadCostsTest, AnInstructionOfThisMachineTakesSomeNanosecondsAtMost) {
  const double ns = MeasureInstructionNs();
  EXPECT_GT(ns, 0.02);
  EXPECT_LT(ns, kMostNs);
}

}  // namespace
}  // namespace flopsprof::agent
