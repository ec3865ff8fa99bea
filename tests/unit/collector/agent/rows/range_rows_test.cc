// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/range_rows.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

shm::ScopeEnter Entry(uint32_t category, shm::PayloadType type, uint64_t payload) {
  shm::ScopeEnter entry = {};
  entry.scope = 3;
  entry.category = category;
  entry.payload_type = static_cast<uint8_t>(type);
  entry.payload = payload;
  return entry;
}

shm::MarkRecord Mark(uint32_t name, uint32_t step) {
  shm::MarkRecord mark = {};
  mark.header.step = step;
  mark.scope = 3;
  mark.name = name;
  return mark;
}

v1::ProcessProfile Sent(RangeRows* rows, const NameTable& names, bool final = false) {
  v1::ProcessProfile profile;
  rows->Emit(names, 1000, final, &profile);
  return profile;
}

TEST(RangeRowsTest, EntriesWithoutMoreMakeNoRow) {
  RangeRows rows;
  rows.AddEntry(Entry(0, shm::PayloadType::kNone, 0));
  EXPECT_EQ(Sent(&rows, NameTable()).range_rows_size(), 0);
}

TEST(RangeRowsTest, IntegersAreExact) {
  RangeRows rows;
  for (int i = 0; i < 3; i++) rows.AddEntry(Entry(0, shm::PayloadType::kUnsigned, ~0ull));
  rows.AddEntry(Entry(0, shm::PayloadType::kUnsigned, 7));
  const v1::ProcessProfile profile = Sent(&rows, NameTable());
  ASSERT_EQ(profile.range_rows_size(), 1);
  EXPECT_EQ(profile.range_rows(0).entries(), 4u);
  EXPECT_EQ(profile.range_rows(0).sum(), "55340232221128654852");  // 3 * (2^64 - 1) + 7
  EXPECT_EQ(profile.range_rows(0).min(), "7");
  EXPECT_EQ(profile.range_rows(0).max(), "18446744073709551615");
  EXPECT_EQ(profile.range_rows(0).last(), "7");
}

TEST(RangeRowsTest, NegativeNumbersAndFractions) {
  RangeRows rows;
  rows.AddEntry(Entry(0, shm::PayloadType::kSigned, static_cast<uint64_t>(-5)));
  rows.AddEntry(Entry(0, shm::PayloadType::kSigned, 2));
  rows.AddEntry(Entry(0, shm::PayloadType::kDouble, 0x3FF8000000000000ull));  // 1.5
  const v1::ProcessProfile profile = Sent(&rows, NameTable());
  ASSERT_EQ(profile.range_rows_size(), 2);
  EXPECT_EQ(profile.range_rows(0).sum(), "-3");
  EXPECT_EQ(profile.range_rows(0).min(), "-5");
  EXPECT_EQ(profile.range_rows(1).sum(), "1.5");
}

TEST(RangeRowsTest, ATypeOfALaterVersionIsNoNumber) {
  RangeRows rows;
  rows.AddEntry(Entry(9, static_cast<shm::PayloadType>(77), 1));
  const v1::ProcessProfile profile = Sent(&rows, NameTable());
  ASSERT_EQ(profile.range_rows_size(), 1);
  EXPECT_EQ(profile.range_rows(0).payload_type(), v1::PAYLOAD_TYPE_NONE);
  EXPECT_EQ(profile.range_rows(0).sum(), "");
}

TEST(RangeRowsTest, MarksKnowTheirFirstAndLastStep) {
  RangeRows rows;
  NameTable names;
  names.Define(5, "evicted");
  for (const uint32_t step : {shm::kNoStep, 4u, 2u, 9u}) rows.AddMark(Mark(5, step));
  const v1::ProcessProfile profile = Sent(&rows, names);
  ASSERT_EQ(profile.marks_size(), 1);
  EXPECT_EQ(profile.marks(0).name(), "evicted");
  EXPECT_EQ(profile.marks(0).count(), 4u);
  EXPECT_EQ(profile.marks(0).in_steps(), 3u);
  EXPECT_EQ(profile.marks(0).first_step(), 2u);
  EXPECT_EQ(profile.marks(0).last_step(), 9u);
}

TEST(RangeRowsTest, MarksOfAnotherThreadKeepItsLoop) {
  RangeRows rows;
  NameTable names;
  names.Define(5, "evicted");
  const uint32_t second = 1u << shm::kStepLoopShift;
  for (const uint32_t label : {4u, 2u}) rows.AddMark(Mark(5, second | label));
  rows.AddMark(Mark(5, 3));
  const v1::ProcessProfile profile = Sent(&rows, names);
  ASSERT_EQ(profile.marks_size(), 2);
  EXPECT_EQ(profile.marks(0).loop(), 1u);
  EXPECT_EQ(profile.marks(0).first_step(), second | 2);
  EXPECT_EQ(profile.marks(0).last_step(), second | 4);
  EXPECT_EQ(profile.marks(1).loop(), 0u);
  EXPECT_EQ(profile.marks(1).first_step(), 3u);
}

TEST(RangeRowsTest, SumsBeginAnewWhenTheyWereSent) {
  RangeRows rows;
  NameTable names;
  names.Define(5, "evicted");
  names.Define(6, "cache");
  shm::ScopeEnter entry = Entry(9, shm::PayloadType::kUnsigned, 4);
  entry.category_name = 6;
  rows.AddEntry(entry);
  rows.AddMark(Mark(5, 1));
  Sent(&rows, names);
  EXPECT_EQ(Sent(&rows, names).ByteSizeLong(), 0u);
  rows.AddEntry(Entry(9, shm::PayloadType::kUnsigned, 7));
  rows.AddMark(Mark(5, 8));
  const v1::ProcessProfile profile = Sent(&rows, names);
  EXPECT_EQ(profile.range_rows(0).entries(), 1u);
  EXPECT_EQ(profile.range_rows(0).sum(), "7");
  EXPECT_EQ(profile.range_rows(0).category_name(), "cache");
  EXPECT_EQ(profile.marks(0).count(), 1u);
  EXPECT_EQ(profile.marks(0).first_step(), 8u);
}

TEST(RangeRowsTest, AMarkWaitsForItsName) {
  RangeRows rows;
  NameTable names;
  rows.AddMark(Mark(5, 0));
  EXPECT_EQ(Sent(&rows, names).marks_size(), 0);
  v1::ProcessProfile profile = Sent(&rows, names, /*final=*/true);
  ASSERT_EQ(profile.marks_size(), 1);
  EXPECT_EQ(profile.marks(0).name(), "(name lost)");
}

TEST(RangeRowsTest, RowsAreBoundedAndThoseRefusedCounted) {
  RangeRows rows;
  for (uint32_t i = 1; i <= (1 << 17) + 3; i++) rows.AddMark(Mark(i, 0));
  EXPECT_EQ(rows.refused_count(), 3u);
}

}  // namespace
}  // namespace flopsprof::agent
