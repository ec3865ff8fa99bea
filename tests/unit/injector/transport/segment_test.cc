// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/segment.h"

#include <gtest/gtest.h>

#include "injector/transport/record_sink.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

TEST(SegmentTest, AcceptsWhatAnAgentMakes) {
  TestSegment segment(3, 8);
  SlotPlaces places;
  EXPECT_TRUE(ReadSlotPlaces(segment.header(), segment.bytes(), &places));
  EXPECT_EQ(places.count, 3u);
  EXPECT_EQ(places.ring_records, 8u);
  EXPECT_EQ(places.first, shm::kSegmentHeaderBytes);
  EXPECT_EQ(places.stride, shm::SlotStride(8));
}

TEST(SegmentTest, RefusesAnotherMagic) {
  TestSegment segment;
  segment.header()->magic ^= 1;
  SlotPlaces places;
  EXPECT_FALSE(ReadSlotPlaces(segment.header(), segment.bytes(), &places));
}

TEST(SegmentTest, RefusesAnotherVersion) {
  TestSegment segment;
  segment.header()->version = shm::kSegmentVersion + 1;
  SlotPlaces places;
  EXPECT_FALSE(ReadSlotPlaces(segment.header(), segment.bytes(), &places));
}

TEST(SegmentTest, RefusesSlotsBeyondTheMapping) {
  TestSegment segment(3, 8);
  segment.header()->slot_count = 4;
  SlotPlaces places;
  EXPECT_FALSE(ReadSlotPlaces(segment.header(), segment.bytes(), &places));
}

TEST(SegmentTest, RefusesARingThatIsNoPowerOfTwo) {
  TestSegment segment(1, 8);
  segment.header()->ring_records = 7;
  SlotPlaces places;
  EXPECT_FALSE(ReadSlotPlaces(segment.header(), segment.bytes(), &places));
}

TEST(SegmentTest, RefusesOverlappingSlots) {
  TestSegment segment(2, 8);
  segment.header()->slot_stride -= 64;
  SlotPlaces places;
  EXPECT_FALSE(ReadSlotPlaces(segment.header(), segment.bytes(), &places));
}

TEST(SegmentTest, RefusesAStrideThatWrapsAround) {
  TestSegment segment(2, 8);
  segment.header()->slot_stride = 0xffffffffffffff40ull;
  SlotPlaces places;
  EXPECT_FALSE(ReadSlotPlaces(segment.header(), segment.bytes(), &places));
}

TEST(SegmentTest, RefusesAMappingShorterThanItsHeader) {
  TestSegment segment;
  SlotPlaces places;
  EXPECT_FALSE(ReadSlotPlaces(segment.header(), shm::kSegmentHeaderBytes - 1, &places));
}

TEST(SegmentTest, WhatItsAgentWritesIntoTheHeaderLaterIsNotFollowed) {
  TestSegment segment(2, 8);
  segment.Use();
  segment.header()->slot_count = 65536;
  segment.header()->ring_records = 1u << 24;
  segment.header()->first_slot = uint64_t{1} << 40;
  segment.header()->slot_stride = uint64_t{1} << 40;
  EXPECT_EQ(LongestBlobBytes(), sizeof(shm::BlobBegin::data) + 7 * sizeof(shm::BlobPart::data));
  const std::string text(200, 'x');  // more than one record
  EXPECT_TRUE(EmitBlob(shm::BlobKind::kCudnnPlan, 1, text.data(), text.size()));
  segment.header()->first_slot = shm::kSegmentHeaderBytes;
  segment.header()->slot_stride = shm::SlotStride(8);
  segment.header()->ring_records = 8;
  EXPECT_EQ(test::BlobText(segment.DrainSlot(0), 0), text);
}

TEST(AwayTest, CountsGoToTheNextSegment) {
  TestSegment first, second;
  first.Use();
  CountLoss(shm::LossCounter::kScopeDepth, 3);
  Statistics()->launches.fetch_add(5);
  GoAway();
  EXPECT_TRUE(IsAway());
  EXPECT_TRUE(IsConnected());
  EXPECT_FALSE(IsRecording());
  EXPECT_EQ(CurrentSegment(), nullptr);
  CountLoss(shm::LossCounter::kScopeDepth, 4);
  second.Use();
  EXPECT_FALSE(IsAway());
  EXPECT_EQ(second.loss(shm::LossCounter::kScopeDepth), 7u);
  EXPECT_EQ(second.header()->launches.load(), 5u);
}

TEST(AwayTest, LateCountsOfAnOldSegmentAreMovedToTheNewOne) {
  TestSegment first, second;
  first.Use();
  GoAway();
  second.Use();
  first.header()->launches.fetch_add(2);  // a thread that was in the middle
  MoveLateCounts(first.header());
  MoveLateCounts(first.header());
  EXPECT_EQ(second.header()->launches.load(), 2u);
}

TEST(AwayTest, WorkWithTheHostsClockIsWork) {
  TestSegment segment;
  segment.Use();
  EXPECT_FALSE(IsRecordingTimed());
  segment.header()->recording.store(static_cast<uint32_t>(shm::Recording::kTimedWork));
  EXPECT_TRUE(IsRecording());
  EXPECT_TRUE(IsRecordingTimed());
  GoAway();
  EXPECT_TRUE(AwayCounts());
  EXPECT_FALSE(IsRecordingTimed());
  segment.Use();
  EXPECT_TRUE(IsRecordingTimed());
  ForgetSegmentInForkedChild();
  EXPECT_FALSE(IsRecordingTimed());
}

TEST(AwayTest, OfPausedWorkNothingIsCounted) {
  TestSegment segment;
  segment.Use();
  GoAway();
  EXPECT_TRUE(AwayCounts());
  segment.Use();
  segment.header()->recording.store(static_cast<uint32_t>(shm::Recording::kPaused));
  GoAway();
  EXPECT_FALSE(AwayCounts());
  segment.Use();
}

}  // namespace
}  // namespace flopsprof::injector
