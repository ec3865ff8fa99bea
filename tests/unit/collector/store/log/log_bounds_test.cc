// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The layout of README.md by hand, and files that are made to be expensive.

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <filesystem>

#include "log_samples.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint32_t kZlib = 0xedb88320;
constexpr uint32_t kCastagnoli = 0x82f63b78;  // CRC-32C

// A bit at a time.
uint32_t Crc(const std::string& bytes, uint32_t polynomial = kCastagnoli) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0u);
  }
  return ~crc;
}

std::string Little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string HeaderByHand(uint64_t log_id, uint64_t first) {
  const std::string fixed = "FLOPSLOG" + Little(2, 4);
  const std::string own = Little(log_id, 8) + Little(first, 8);
  return fixed + Little(Crc(fixed, kZlib), 4) + own + Little(Crc(own), 4);
}

std::string FrameHeaderByHand(uint64_t payload_bytes, uint64_t sequence, uint32_t payload_crc,
                              char packing = 1) {
  const std::string header = std::string("FLG") + packing + Little(payload_bytes, 4) +
                             Little(sequence, 8) + Little(kLogId, 8) + Little(1'000 * sequence, 8) +
                             Little(payload_crc, 4);
  return header + Little(Crc(header), 4);
}

class LogBoundsTest : public ::testing::Test {
 protected:
  LogBoundsTest() { std::filesystem::create_directory(log_); }

  TemporaryFolder folder_;
  const std::string log_ = folder_ / "log";
};

TEST_F(LogBoundsTest, BytesAreAsInTheReadme) {
  // A frame of zstd: magic, one byte of size, one block that is not compressed and the last.
  const std::string payload = std::string("\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00", 9) + "hello";
  const std::string bytes =
      HeaderByHand(kLogId, 7) + FrameHeaderByHand(payload.size(), 7, Crc(payload)) + payload;
  std::string ours = EncodeSegmentHeader({kLogId, 7});
  AppendFrame(kLogId, 7, 7'000, payload, &ours);
  EXPECT_EQ(ours, bytes);
  EXPECT_EQ(bytes.size(), 36 + 40 + 14u);
  WriteFile(SegmentPath(log_, 1), bytes);
  LogReader reader(*LogSegments::Open(log_), 6, kLogId);
  LogRecord record;
  ASSERT_TRUE(*reader.Next(&record));
  EXPECT_EQ(record.sequence, 7u);
  EXPECT_EQ(record.utc_ns, 7'000);
  EXPECT_EQ(record.payload, "hello");
  EXPECT_FALSE(*reader.Next(&record));
  EXPECT_THAT(reader.TakeDamage(), IsEmpty());
}

TEST_F(LogBoundsTest, APayloadMayBeAsItCame) {
  const std::string payload = "hello, not packed";
  std::string ours;
  AppendFrame(kLogId, 7, 7'000, payload, &ours, Packing::kNone);
  EXPECT_EQ(ours, FrameHeaderByHand(payload.size(), 7, Crc(payload), 2) + payload);
  std::filesystem::remove_all(log_);
  const auto writer = OpenLog(log_);
  ASSERT_TRUE(writer->Append(PayloadOf(1), 1'000, Packing::kNone).ok());
  AppendTo(writer.get(), 2);
  EXPECT_NE(ReadFile(SegmentPath(log_, 1)).find(PayloadOf(1)), std::string::npos);
  const ReadLog read = ReadAll(log_);
  EXPECT_THAT(read.records, SizeIs(2));
  EXPECT_TRUE(read.all_true);
  for (const char unknown : {'\0', '\3', '\x7f'}) {
    std::string bytes = EncodeSegmentHeader({kLogId, 1});
    bytes += FrameHeaderByHand(payload.size(), 1, Crc(payload), unknown) + payload;
    WriteFile(SegmentPath(log_, 1), bytes);
    EXPECT_THAT(ReadAll(log_).records, IsEmpty());
    EXPECT_THAT(ReadAll(log_).damage, SizeIs(1));
  }
}

TEST_F(LogBoundsTest, MoreFilesThanAProcessMayOpenAreRead) {
  constexpr uint64_t kFiles = 1100;
  for (uint64_t n = 1; n <= kFiles; ++n) {
    std::string bytes = EncodeSegmentHeader({kLogId, n});
    AppendFrame(kLogId, n, static_cast<int64_t>(n) * 1000, Compress(PayloadOf(n)), &bytes);
    WriteFile(SegmentPath(log_, n), bytes);
  }
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few = {1024, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  const ReadLog read = ReadAll(log_);
  const auto writer = OpenLog(log_);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.records, SizeIs(kFiles));
  EXPECT_TRUE(read.all_true);
  EXPECT_EQ(writer->end().sequence, kFiles);
}

TEST_F(LogBoundsTest, AFileWithoutAnEndTakesNoMoreThanABound) {
  AppendTo(OpenLog(log_).get(), 3);
  std::filesystem::resize_file(SegmentPath(log_, 1), uint64_t{1} << 40);
  const ReadLog read = ReadAll(log_);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.records, SizeIs(3));
  EXPECT_THAT(read.damage, IsEmpty());
}

// Headers without an end, each of a payload that goes to the end of the file: 100 GB of checksums.
TEST_F(LogBoundsTest, HeadersWithinHeadersAreNotCheckedForHours) {
  constexpr size_t kHeaders = 70'000;
  std::string bytes = HeaderByHand(kLogId, 1);
  for (size_t i = 0; i < kHeaders; ++i) {
    bytes += FrameHeaderByHand((kHeaders - i - 1) * kFrameHeaderBytes, 1 + i, 0);
  }
  WriteFile(SegmentPath(log_, 1), bytes);
  const clock_t begin = clock();
  const ReadLog read = ReadAll(log_);
  // Without a bound each header's bytes are checked: 70,000 times 1 MB on average.
  const double seconds = static_cast<double>(clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 20);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.records, IsEmpty());
  EXPECT_THAT(read.damage, SizeIs(1));
}

}  // namespace
}  // namespace flopsprof::store
