// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/activity_reader.h"

#include <gtest/gtest.h>
#include <string.h>

#include <string>
#include <vector>

#include "injector/transport/record_sink.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

// Sizes of CUpti_ActivityKernel4 to 10, of CUDA 9 to 13.0 (cupti_activity.h,
// cupti_activity_deprecated.h), and one that does not exist yet.
class ActivityReaderKernelTest : public ::testing::TestWithParam<size_t> {};

// What cuptiActivityGetNextRecord does, told the sizes beforehand.
std::vector<size_t> sizes;
size_t next_index;
CuptiResult after_last;

CuptiResult Next(uint8_t* buffer, size_t, uint8_t** record) {
  if (next_index == sizes.size()) return after_last;
  *record = next_index == 0 ? buffer : *record + sizes[next_index - 1];
  ++next_index;
  return kCuptiSuccess;
}

class Buffer {
 public:
  Buffer() {
    sizes.clear();
    next_index = 0;
    after_last = kCuptiMaxLimitReached;
  }

  uint8_t* Add(size_t bytes, uint32_t kind) {
    sizes.push_back(bytes);
    bytes_.resize(bytes_.size() + bytes);
    uint8_t* record = bytes_.data() + bytes_.size() - bytes;
    Put(record, 0, kind);
    return record;
  }

  template <class T>
  static void Put(uint8_t* record, size_t offset, T value) {
    memcpy(record + offset, &value, sizeof(value));
  }

  // Offsets written out from the public headers, not taken from cupti_types.h.
  uint8_t* AddKernel(size_t bytes, const char* name, uint64_t start, uint64_t end) {
    uint8_t* r = Add(bytes, 10);
    Put<uint64_t>(r, 16, start);
    Put<uint64_t>(r, 24, end);
    Put<uint32_t>(r, 40, 1);   // deviceId
    Put<uint32_t>(r, 44, 2);   // contextId
    Put<uint32_t>(r, 48, 7);   // streamId
    Put<uint32_t>(r, 92, 55);  // correlationId
    Put<const char*>(r, 104, name);
    if (bytes >= 160) {
      Put<uint64_t>(r, 144, 0x900000003ull);  // graphNodeId
      Put<uint32_t>(r, 156, 9);               // graphId
    }
    return r;
  }

  std::vector<test::RawRecord> Read(TestSegment* segment) {
    ActivityReader reader(Next);
    reader.ReadBuffer(bytes_.data(), bytes_.size());
    devices_seen = reader.devices_seen();
    return segment->Drain();
  }

  uint64_t devices_seen = 0;

 private:
  std::vector<uint8_t> bytes_;
};

std::vector<shm::ActivityRecord> Activities(const std::vector<test::RawRecord>& records) {
  return test::Only<shm::ActivityRecord>(records, shm::RecordType::kActivity);
}

TEST_P(ActivityReaderKernelTest, ReadsTheCommonPrefix) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(GetParam(), "gemm", 1000, 1500);
  const auto records = buffer.Read(&segment);
  const auto kernels = Activities(records);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].kind, static_cast<uint8_t>(shm::ActivityKind::kKernel));
  EXPECT_EQ(kernels[0].correlation, 55u);
  EXPECT_EQ(kernels[0].start_gpu_ns, 1000u);
  EXPECT_EQ(kernels[0].end_gpu_ns, 1500u);
  EXPECT_EQ(kernels[0].device, 1u);
  EXPECT_EQ(kernels[0].context, 2u);
  EXPECT_EQ(kernels[0].stream, 7u);
  EXPECT_EQ(kernels[0].header.flags, 0u);
  EXPECT_EQ(kernels[0].name, InternString("gemm"));
  EXPECT_EQ(kernels[0].graph, GetParam() >= 160 ? 9u : 0u);
  EXPECT_EQ(kernels[0].graph_node, GetParam() >= 160 ? 0x900000003ull : 0u);
  EXPECT_EQ(buffer.devices_seen, 2u);
  EXPECT_EQ(segment.header()->activities.load(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ActivityReaderKernelTest,
                         ::testing::Values(144, 160, 168, 176, 200, 208, 216, 264));

TEST(ActivityReaderTest, TwoKernelsInARow) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(144, "a", 1, 2);
  buffer.AddKernel(144, "b", 3, 4);
  const auto kernels = Activities(buffer.Read(&segment));
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_NE(kernels[0].name, kernels[1].name);
  EXPECT_EQ(kernels[0].graph_node, 0u);  // not the next record's first bytes
  EXPECT_EQ(kernels[1].start_gpu_ns, 3u);
}

TEST(ActivityReaderTest, ReadsACopy) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  uint8_t* r = buffer.Add(96, 1);
  Buffer::Put<uint8_t>(r, 4, 2);  // copyKind: device to host
  Buffer::Put<uint64_t>(r, 8, 4096);
  Buffer::Put<uint64_t>(r, 16, 10);
  Buffer::Put<uint64_t>(r, 24, 30);
  Buffer::Put<uint32_t>(r, 44, 77);
  const auto copies = Activities(buffer.Read(&segment));
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].kind, static_cast<uint8_t>(shm::ActivityKind::kMemcpy));
  EXPECT_EQ(copies[0].copy_kind, 2u);
  EXPECT_EQ(copies[0].bytes, 4096u);
  EXPECT_EQ(copies[0].correlation, 77u);
}

TEST(ActivityReaderTest, ReadsASet) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  uint8_t* r = buffer.Add(88, 2);
  Buffer::Put<uint64_t>(r, 8, 512);
  Buffer::Put<uint64_t>(r, 16, 10);
  Buffer::Put<uint64_t>(r, 24, 30);
  Buffer::Put<uint32_t>(r, 44, 78);
  const auto sets = Activities(buffer.Read(&segment));
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].kind, static_cast<uint8_t>(shm::ActivityKind::kMemset));
  EXPECT_EQ(sets[0].bytes, 512u);
  EXPECT_EQ(sets[0].correlation, 78u);
}

TEST(ActivityReaderTest, SumsWhatCuptiCosts) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  for (int i = 0; i < 2; ++i) {
    uint8_t* r = buffer.Add(40, 17);
    Buffer::Put<uint64_t>(r, 24, 100);
    Buffer::Put<uint64_t>(r, 32, 350);
  }
  buffer.Read(&segment);
  EXPECT_EQ(segment.header()->cupti_overhead_ns.load(), 500u);
}

class BadTimesTest : public ::testing::TestWithParam<std::pair<uint64_t, uint64_t>> {};

TEST_P(BadTimesTest, AreMarkedForTheAgentToCount) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(216, "k", GetParam().first, GetParam().second);
  const auto kernels = Activities(buffer.Read(&segment));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].header.flags, shm::kFlagBadTimestamp);
  EXPECT_EQ(segment.loss(shm::LossCounter::kInvalidTimestamp), 0u);
}

INSTANTIATE_TEST_SUITE_P(Times, BadTimesTest,
                         ::testing::Values(std::make_pair(0, 0), std::make_pair(0, 5),
                                           std::make_pair(5, 0), std::make_pair(6, 5)));

TEST(ActivityReaderTest, AKernelOfNoDurationIsValid) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(216, "k", 5, 5);
  EXPECT_EQ(Activities(buffer.Read(&segment))[0].header.flags, 0u);
}

TEST(ActivityReaderTest, CountsAKernelWithoutAName) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(216, nullptr, 1, 2);
  const auto kernels = Activities(buffer.Read(&segment));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, shm::kNoString);
  EXPECT_EQ(segment.loss(shm::LossCounter::kNoKernelName), 1u);
}

TEST(ActivityReaderTest, AReusedNameAddressIsReadAgainInTheNextBuffer) {
  TestSegment segment;
  segment.Use();
  char name[] = "first";
  uint32_t first = 0;
  {
    Buffer buffer;
    buffer.AddKernel(216, name, 1, 2);
    first = Activities(buffer.Read(&segment))[0].name;
  }
  strcpy(name, "other");
  Buffer buffer;
  buffer.AddKernel(216, name, 1, 2);
  EXPECT_NE(Activities(buffer.Read(&segment))[0].name, first);
}

TEST(ActivityReaderTest, ARecordTooShortForItsKindIsMalformed) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.Add(64, 10);
  EXPECT_TRUE(Activities(buffer.Read(&segment)).empty());
  EXPECT_EQ(segment.loss(shm::LossCounter::kActivityMalformed), 1u);
}

TEST(ActivityReaderTest, ARecordThatLeavesTheBufferIsMalformed) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(216, "k", 1, 2);
  sizes[0] = 1 << 20;
  sizes.push_back(216);  // the second one begins far outside
  EXPECT_TRUE(Activities(buffer.Read(&segment)).empty());
  EXPECT_EQ(segment.loss(shm::LossCounter::kActivityMalformed), 1u);
}

TEST(ActivityReaderTest, ARecordOfSizeZeroIsMalformed) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(216, "k", 1, 2);
  sizes[0] = 0;
  sizes.push_back(216);
  EXPECT_TRUE(Activities(buffer.Read(&segment)).empty());
  EXPECT_EQ(segment.loss(shm::LossCounter::kActivityMalformed), 1u);
}

TEST(ActivityReaderTest, CountsAnUnknownKindAndGoesOn) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.Add(40, 4242);
  buffer.AddKernel(216, "k", 1, 2);
  EXPECT_EQ(Activities(buffer.Read(&segment)).size(), 1u);
  EXPECT_EQ(segment.loss(shm::LossCounter::kActivityUnknownKind), 1u);
}

TEST(ActivityReaderTest, CountsABufferThatCuptiCannotWalk) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  buffer.AddKernel(216, "k", 1, 2);
  after_last = kCuptiInvalidKind;
  EXPECT_EQ(Activities(buffer.Read(&segment)).size(), 1u);
  EXPECT_EQ(segment.loss(shm::LossCounter::kActivityUnknownKind), 1u);
}

TEST(ActivityReaderTest, AnEmptyBufferIsNothing) {
  TestSegment segment;
  segment.Use();
  Buffer buffer;
  EXPECT_TRUE(buffer.Read(&segment).empty());
  EXPECT_EQ(segment.loss(shm::LossCounter::kActivityMalformed), 0u);
}

}  // namespace
}  // namespace flopsprof::injector
