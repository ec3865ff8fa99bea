// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/live_process.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "block_samples.h"

namespace flopsprof::store {
namespace {

using ::testing::HasSubstr;

constexpr size_t kTimesAt = FindBlockTable(kTimes);

class LiveProcessTest : public ::testing::Test {
 protected:
  absl::Status Add(const v1::ProcessProfile& part, const std::string& agent = "a") {
    const absl::Status status = process_.Prepare(part, agent, &keys_, &prepared_);
    if (status.ok()) process_.Apply(prepared_, &keys_.table);
    return status;
  }
  std::string WhyRefused(const v1::ProcessProfile& part) {
    const absl::Status status = Add(part);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }
  // Of the time row of that scope.
  uint64_t Activities(uint32_t scope) {
    v1::TimeRow row;
    row.set_scope(scope);
    const auto found =
        process_.table(kTimesAt).Find(keys_.table.Intern(keys_.of_tables[kTimesAt].KeyOf(row)));
    return found ? static_cast<uint64_t>(process_.table(kTimesAt).value(*found, 0)) : 0;
  }
  // Adds these to the rows of the numbers 0, 1 ...
  v1::ProcessProfile More(std::initializer_list<Wide128> activities) {
    v1::ProcessProfile part;
    part.set_numbering(1);
    v1::RowBlock& block = *part.add_blocks();
    block.set_table(kTimes);
    block.set_runs(Runs({0, activities.size()}));
    AddColumn(kActivities, activities, &block);
    return part;
  }

  RunKeys keys_;
  LiveProcess process_;
  PreparedPart prepared_;
};

TEST_F(LiveProcessTest, RowsAndBlocksAddToTheSameRows) {
  ASSERT_TRUE(Add(DefineTimes(0, 2)).ok());
  ASSERT_TRUE(Add(More({3, 4})).ok());
  v1::ProcessProfile rows;
  for (const uint32_t scope : {2, 3, 2}) {
    v1::TimeRow& row = *rows.add_times();
    row.set_scope(scope);
    row.set_activities(10);
  }
  ASSERT_TRUE(Add(rows).ok());
  EXPECT_EQ(Activities(1), 3u);
  EXPECT_EQ(Activities(2), 24u);
  EXPECT_EQ(Activities(3), 10u);
  // Another agent's number of the same key.
  v1::ProcessProfile others = DefineTimes(0, 0);
  others.mutable_defined()->add_times()->set_scope(2);
  others.mutable_blocks(0)->set_runs(Runs({0, 1}));
  AddColumn(kActivities, {100}, others.mutable_blocks(0));
  ASSERT_TRUE(Add(others, "b").ok());
  EXPECT_EQ(Activities(2), 124u);
}

TEST_F(LiveProcessTest, CountsRowsOfNumbersThatWereNeverDefinedAndTakesTheOthers) {
  ASSERT_TRUE(Add(DefineTimes(0, 1)).ok());
  ASSERT_TRUE(Add(DefineTimes(2, 1)).ok());
  ASSERT_TRUE(Add(More({5, 6, 7, 8})).ok());
  EXPECT_EQ(Activities(1), 5u);
  EXPECT_EQ(Activities(3), 7u);
  EXPECT_EQ(process_.undefined_rows(), 2u);
  ASSERT_TRUE(Add(More({5}), "another agent").ok());
  EXPECT_EQ(process_.undefined_rows(), 3u);
}

TEST_F(LiveProcessTest, AnotherNumberingBeginsAnew) {
  ASSERT_TRUE(Add(DefineTimes(0, 2)).ok());
  v1::ProcessProfile part = More({1});
  part.set_numbering(2);
  ASSERT_TRUE(Add(part).ok());
  EXPECT_EQ(process_.undefined_rows(), 1u);
  v1::ProcessProfile defined = DefineTimes(0, 0);
  defined.set_numbering(2);
  defined.mutable_defined()->add_times()->set_scope(2);
  ASSERT_TRUE(Add(defined).ok());
  ASSERT_TRUE(Add(part).ok());
  EXPECT_EQ(Activities(2), 1u);
  EXPECT_EQ(Activities(1), 0u);
  // What is late of the numbering before means nothing any more.
  ASSERT_TRUE(Add(More({1})).ok());
  EXPECT_EQ(process_.undefined_rows(), 2u);
}

// Each sends on as it has begun: nothing has to be said anew, and all is counted.
TEST_F(LiveProcessTest, ManyAgentsOfAProcessDisplaceNoOther) {
  for (const uint32_t agents : {5u, 50u}) {
    const uint64_t before = Activities(1);
    for (uint32_t i = 0; i < agents; ++i) {
      ASSERT_TRUE(Add(DefineTimes(0, 2), absl::StrCat(agents, "/", i)).ok());
    }
    for (int round = 0; round < 3; ++round) {
      for (uint32_t i = 0; i < agents; ++i) {
        ASSERT_TRUE(Add(More({1, 1}), absl::StrCat(agents, "/", i)).ok());
      }
    }
    EXPECT_EQ(process_.undefined_rows(), 0u) << agents;
    EXPECT_EQ(Activities(1) - before, 3 * agents);
  }
}

// The one that comes again stays, whatever else comes.
TEST_F(LiveProcessTest, OfTooManyAgentsThoseGoThatWereSilentForTheLongest) {
  ASSERT_TRUE(Add(DefineTimes(0, 2), "steady").ok());
  size_t most = 0;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(Add(DefineTimes(0, 2), absl::StrCat(i)).ok());
    ASSERT_TRUE(Add(More({1, 1}), "steady").ok());
    most = std::max(most, process_.bytes());
  }
  EXPECT_EQ(process_.undefined_rows(), 0u);
  EXPECT_EQ(Activities(1), 10'000u);
  EXPECT_LT(most, 200'000u);
}

TEST_F(LiveProcessTest, RefusesADefinitionTwiceAndChangesNothing) {
  ASSERT_TRUE(Add(DefineTimes(0, 2)).ok());
  EXPECT_THAT(WhyRefused(DefineTimes(1, 2)), HasSubstr("twice"));
  v1::ProcessProfile same_key = DefineTimes(2, 0);
  same_key.mutable_defined()->add_times()->set_scope(1);
  EXPECT_THAT(WhyRefused(same_key), HasSubstr("twice"));
  v1::ProcessProfile no_block = DefineTimes(2, 1);
  no_block.clear_blocks();
  EXPECT_THAT(WhyRefused(no_block), HasSubstr("without their block"));
  ASSERT_TRUE(Add(More({3, 4, 5})).ok());
  EXPECT_EQ(Activities(2), 4u);
  EXPECT_EQ(process_.undefined_rows(), 1u);
}

TEST_F(LiveProcessTest, RefusesASumThatWouldOverflowAsAWhole) {
  constexpr Wide128 kLargest = Wide128{1} << 62;
  ASSERT_TRUE(Add(DefineTimes(0, 2)).ok());
  ASSERT_TRUE(Add(More({1, kLargest})).ok());
  ASSERT_TRUE(Add(More({kLargest, kLargest - 1})).ok()) << "2^63 - 1";
  EXPECT_THAT(WhyRefused(More({7, 1})), HasSubstr("would overflow"));
  EXPECT_EQ(Activities(1), (uint64_t{1} << 62) + 1);
  ASSERT_TRUE(Add(More({kLargest - 2, 0})).ok()) << "the other row has room";
  EXPECT_THAT(WhyRefused(More({1, 0})), HasSubstr("would overflow"));
  EXPECT_EQ(Activities(1), static_cast<uint64_t>(INT64_MAX));
  v1::ProcessProfile rows;
  for (const uint64_t value : {uint64_t{1} << 62, uint64_t{1} << 62}) {
    v1::TimeRow& row = *rows.add_times();
    row.set_scope(9);
    row.set_activities(value);
  }
  EXPECT_TRUE(absl::IsInvalidArgument(Add(rows)));
}

TEST_F(LiveProcessTest, CountsCarryBeyond64BitsAndEndWhereTheyAreStored) {
  constexpr size_t kAt = FindBlockTable(kCalls);
  v1::ProcessProfile part;
  part.set_numbering(1);
  part.mutable_defined()->add_calls()->set_scope(1);
  v1::RowBlock& block = *part.add_blocks();
  block.set_table(kCalls);
  block.set_runs(Runs({0, 1}));
  AddColumn(v1::CallRow::kFlopsFieldNumber, {UINT64_MAX}, &block);
  ASSERT_TRUE(Add(part).ok());
  part.clear_defined();
  ASSERT_TRUE(Add(part).ok());
  EXPECT_TRUE(process_.table(kAt).value(0, 1) == 2 * Wide128{UINT64_MAX});
  part.mutable_blocks(0)->mutable_columns(0)->set_values(Values(16, {Wide128{1} << 122}));
  ASSERT_TRUE(Add(part).ok());
  EXPECT_THAT(WhyRefused(part), HasSubstr("would overflow"));  // 2^63 * 10^18 < 2^123
  EXPECT_TRUE(process_.table(kAt).value(0, 1) == 2 * Wide128{UINT64_MAX} + (Wide128{1} << 122));
}

}  // namespace
}  // namespace flopsprof::store
