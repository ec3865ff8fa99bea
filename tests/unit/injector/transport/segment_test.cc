// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/segment.h"

#include <gtest/gtest.h>

#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

TEST(SegmentTest, AcceptsWhatAnAgentMakes) {
  TestSegment segment(3, 8);
  EXPECT_TRUE(SegmentIsValid(segment.header(), segment.bytes()));
}

TEST(SegmentTest, RefusesAnotherMagic) {
  TestSegment segment;
  segment.header()->magic ^= 1;
  EXPECT_FALSE(SegmentIsValid(segment.header(), segment.bytes()));
}

TEST(SegmentTest, RefusesAnotherVersion) {
  TestSegment segment;
  segment.header()->version = shm::kSegmentVersion + 1;
  EXPECT_FALSE(SegmentIsValid(segment.header(), segment.bytes()));
}

TEST(SegmentTest, RefusesSlotsBeyondTheMapping) {
  TestSegment segment(3, 8);
  segment.header()->slot_count = 4;
  EXPECT_FALSE(SegmentIsValid(segment.header(), segment.bytes()));
}

TEST(SegmentTest, RefusesARingThatIsNoPowerOfTwo) {
  TestSegment segment(1, 8);
  segment.header()->ring_records = 7;
  EXPECT_FALSE(SegmentIsValid(segment.header(), segment.bytes()));
}

TEST(SegmentTest, RefusesOverlappingSlots) {
  TestSegment segment(2, 8);
  segment.header()->slot_stride -= 64;
  EXPECT_FALSE(SegmentIsValid(segment.header(), segment.bytes()));
}

TEST(SegmentTest, RefusesAStrideThatWrapsAround) {
  TestSegment segment(2, 8);
  segment.header()->slot_stride = 0xffffffffffffff40ull;
  EXPECT_FALSE(SegmentIsValid(segment.header(), segment.bytes()));
}

TEST(SegmentTest, RefusesAMappingShorterThanItsHeader) {
  TestSegment segment;
  EXPECT_FALSE(SegmentIsValid(segment.header(), shm::kSegmentHeaderBytes - 1));
}

}  // namespace
}  // namespace flopsprof::injector
