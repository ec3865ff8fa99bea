// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/ring_writer.h"

#include <gtest/gtest.h>

#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

shm::StepRecord Numbered(uint64_t number) {
  shm::StepRecord record{};
  record.mono_ns = number;
  return record;
}

TEST(RingWriterTest, RecordsArriveInOrder) {
  TestSegment segment;
  RingWriter writer;
  ASSERT_TRUE(writer.Claim(segment.header(), segment.places(), 7));
  for (uint64_t i = 0; i < 3; ++i) {
    const auto record = Numbered(i);
    ASSERT_TRUE(writer.Write(&record));
  }
  const auto records = segment.DrainSlot(0);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].As<shm::StepRecord>().mono_ns, 0u);
  EXPECT_EQ(records[2].As<shm::StepRecord>().mono_ns, 2u);
}

TEST(RingWriterTest, ClaimTellsThreadAndGeneration) {
  TestSegment segment;
  RingWriter writer;
  ASSERT_TRUE(writer.Claim(segment.header(), segment.places(), 4711));
  EXPECT_EQ(segment.slot(0)->thread_id.load(), 4711u);
  EXPECT_EQ(segment.slot(0)->generation.load(), 1u);
  EXPECT_EQ(segment.slot(0)->state.load(), static_cast<uint32_t>(shm::SlotState::kOwned));
}

TEST(RingWriterTest, RefusesTheRecordThatDoesNotFit) {
  TestSegment segment(1, 4);
  RingWriter writer;
  ASSERT_TRUE(writer.Claim(segment.header(), segment.places(), 1));
  const auto record = Numbered(9);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(writer.Write(&record));
  EXPECT_FALSE(writer.Write(&record));
  EXPECT_EQ(segment.slot(0)->head.load(), 4u);
}

TEST(RingWriterTest, WrapsAroundAfterTheReaderHasRead) {
  TestSegment segment(1, 4);
  RingWriter writer;
  ASSERT_TRUE(writer.Claim(segment.header(), segment.places(), 1));
  for (uint64_t i = 0; i < 103; ++i) {
    const auto record = Numbered(i);
    ASSERT_TRUE(writer.Write(&record));
    const auto read = segment.DrainSlot(0);
    ASSERT_EQ(read.size(), 1u);
    ASSERT_EQ(read[0].As<shm::StepRecord>().mono_ns, i);
  }
}

TEST(RingWriterTest, ATailFromNowhereCountsAsFull) {
  TestSegment segment(1, 4);
  RingWriter writer;
  ASSERT_TRUE(writer.Claim(segment.header(), segment.places(), 1));
  const auto record = Numbered(1);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(writer.Write(&record));
  segment.slot(0)->tail.store(1000);
  EXPECT_FALSE(writer.Write(&record));
}

TEST(RingWriterTest, ATailThatIsNonsenseMakesNoRoom) {
  TestSegment segment(1, 4);
  RingWriter writer;
  ASSERT_TRUE(writer.Claim(segment.header(), segment.places(), 1));
  segment.slot(0)->tail.store(1000);
  EXPECT_FALSE(writer.HasRoom(5));  // reads the tail
  EXPECT_FALSE(writer.HasRoom(1));
}

TEST(RingWriterTest, TheLastSlotsAreKeptForThreadsThatBringTimes) {
  TestSegment segment(RingWriter::kSlotsThatAreMany, 4);
  RingWriter writers[RingWriter::kSlotsThatAreMany];
  const uint32_t open = RingWriter::kSlotsThatAreMany - RingWriter::kReservedSlots;
  for (uint32_t i = 0; i < open; ++i)
    ASSERT_TRUE(writers[i].Claim(segment.header(), segment.places(), i));
  EXPECT_FALSE(writers[open].Claim(segment.header(), segment.places(), open));
  EXPECT_TRUE(writers[open].Claim(segment.header(), segment.places(), open, true));
  EXPECT_TRUE(writers[open + 1].Claim(segment.header(), segment.places(), open, true));
}

TEST(RingWriterTest, ThereAreOnlySoManySlots) {
  TestSegment segment(2, 4);
  RingWriter a;
  RingWriter b;
  RingWriter c;
  EXPECT_TRUE(a.Claim(segment.header(), segment.places(), 1));
  EXPECT_TRUE(b.Claim(segment.header(), segment.places(), 2));
  EXPECT_FALSE(c.Claim(segment.header(), segment.places(), 3));
}

TEST(RingWriterTest, ARetiredSlotIsFreeOnlyAfterItWasDrained) {
  TestSegment segment(1, 4);
  RingWriter first;
  RingWriter second;
  ASSERT_TRUE(first.Claim(segment.header(), segment.places(), 1));
  const auto record = Numbered(1);
  ASSERT_TRUE(first.Write(&record));
  first.Retire();
  EXPECT_FALSE(second.Claim(segment.header(), segment.places(), 2));
  segment.DrainSlot(0);
  ASSERT_TRUE(second.Claim(segment.header(), segment.places(), 2));
  EXPECT_EQ(segment.slot(0)->generation.load(), 2u);
  ASSERT_TRUE(second.Write(&record));
  EXPECT_EQ(segment.DrainSlot(0).size(), 1u);
}

TEST(RingWriterTest, RoomForMoreThanTheRingIsNeverThere) {
  TestSegment segment(1, 4);
  RingWriter writer;
  ASSERT_TRUE(writer.Claim(segment.header(), segment.places(), 1));
  EXPECT_TRUE(writer.HasRoom(4));
  EXPECT_FALSE(writer.HasRoom(5));
}

}  // namespace
}  // namespace flopsprof::injector
