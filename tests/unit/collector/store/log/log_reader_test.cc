// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/log_reader.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <set>

#include "tests/support/sanitizers.h"

#include "faulty_files.h"
#include "log_samples.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Where each record's frame ends, of records that were written one at a time.
std::vector<uint64_t> WriteLog(const std::string& folder, uint64_t records) {
  std::vector<uint64_t> ends = {kSegmentHeaderBytes};
  const auto writer = OpenLog(folder);
  for (uint64_t n = 1; n <= records; ++n) {
    AppendTo(writer.get(), n);
    ends.push_back(writer->end().offset);
  }
  return ends;
}

class LogReaderTest : public ::testing::Test {
 protected:
  std::string Path() const { return SegmentPath(log_, 1); }
  void WriteByte(size_t at, char byte) const {
    std::fstream file(Path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at)).put(byte);
  }

  TemporaryFolder folder_;
  const std::string log_ = folder_ / "log";
};

TEST_F(LogReaderTest, ReadsWhatWasWritten) {
  WriteLog(log_, 300);
  const ReadLog read = ReadAll(log_);
  EXPECT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.records, SizeIs(300));
  EXPECT_TRUE(read.all_true);
  EXPECT_THAT(read.damage, IsEmpty());
}

TEST_F(LogReaderTest, ReadsOnlyWhatIsBehindANumber) {
  WriteLog(log_, 20);
  const ReadLog read = ReadAll(log_, 17);
  ASSERT_THAT(read.records, SizeIs(3));
  EXPECT_EQ(read.records.begin()->first, 18u);
  EXPECT_THAT(ReadAll(log_, 20).records, IsEmpty());
  EXPECT_THAT(ReadAll(log_, 500).records, IsEmpty());
}

TEST_F(LogReaderTest, NoFolderIsAnEmptyLog) {
  const ReadLog read = ReadAll(log_);
  EXPECT_TRUE(read.status.ok());
  EXPECT_THAT(read.records, IsEmpty());
}

// A write that was not finished is no damage: nobody was told that it is there.
TEST_F(LogReaderTest, KeepsWhatIsBeforeACutAtAnyByte) {
  const std::vector<uint64_t> ends = WriteLog(log_, 40);
  for (uint64_t length = ends.back() + 1; length-- > 0;) {
    std::filesystem::resize_file(Path(), length);
    const ReadLog read = ReadAll(log_);
    ASSERT_TRUE(read.status.ok()) << length << read.status;
    const auto kept = std::upper_bound(ends.begin(), ends.end(), length) - ends.begin() - 1;
    ASSERT_EQ(read.records.size(), static_cast<size_t>(std::max<int64_t>(kept, 0))) << length;
    ASSERT_TRUE(read.all_true) << length;
    ASSERT_THAT(read.damage, IsEmpty()) << length;
    const uint64_t torn = length - (kept < 0 ? 0 : ends[static_cast<size_t>(kept)]);
    ASSERT_EQ(read.torn_bytes, torn) << length;
  }
}

// As a file system may leave it that lost its power: longer than what was written.
TEST_F(LogReaderTest, ZerosAtTheEndAreNoDamage) {
  WriteLog(log_, 5);
  WriteFile(Path(), ReadFile(Path()) + std::string(4096, '\0'));
  const ReadLog read = ReadAll(log_);
  EXPECT_THAT(read.records, SizeIs(5));
  EXPECT_THAT(read.damage, IsEmpty());
  EXPECT_EQ(read.torn_bytes, 4096u);
}

// Number of the record in whose frame a byte is; 0: in the header of the file.
uint64_t RecordAt(const std::vector<uint64_t>& ends, uint64_t offset) {
  return static_cast<uint64_t>(std::upper_bound(ends.begin(), ends.end(), offset) - ends.begin());
}

void ExpectAllBut(const ReadLog& read, const std::set<uint64_t>& hit, uint64_t count) {
  ASSERT_TRUE(read.status.ok()) << read.status;
  ASSERT_TRUE(read.all_true);
  std::set<uint64_t> expected;
  for (uint64_t n = 1; n <= count; ++n) {
    if (hit.count(n) == 0) expected.insert(n);
  }
  std::set<uint64_t> found;
  for (const auto& [sequence, payload] : read.records) found.insert(sequence);
  ASSERT_EQ(found, expected);
}

TEST_F(LogReaderTest, AFlippedBitCostsTheRecordThatItIsIn) {
  constexpr uint64_t kRecords = 300;
  const std::vector<uint64_t> ends = WriteLog(log_, kRecords);
  const std::string whole = ReadFile(Path());
  std::mt19937_64 random(20261130);
  for (int i = 0; i < test::CasesOf(10'000); ++i) {
    const size_t bit = random() % (8 * whole.size());
    const char flipped = static_cast<char>(whole[bit / 8] ^ (1 << (bit % 8)));
    WriteByte(bit / 8, flipped);
    const ReadLog read = ReadAll(log_);
    WriteByte(bit / 8, whole[bit / 8]);
    const uint64_t hit = RecordAt(ends, bit / 8);
    ExpectAllBut(read, {hit}, kRecords);
    if (HasFatalFailure()) FAIL() << "bit " << bit;
    if (hit == 0) continue;  // the header of the file: nothing is lost
    ASSERT_THAT(read.damage, SizeIs(1)) << bit;
    const LogDamage& damage = read.damage[0];
    ASSERT_EQ(damage.file, "00000001.flog");
    ASSERT_EQ(damage.offset, ends[hit - 1]) << bit;
    ASSERT_EQ(damage.bytes, ends[hit] - ends[hit - 1]) << bit;
    // Behind the last one nothing tells.
    ASSERT_EQ(damage.lost_records, hit == kRecords ? 0 : 1) << bit;
  }
}

TEST_F(LogReaderTest, ManyFlippedBitsCostTheRecordsThatTheyAreIn) {
  constexpr uint64_t kRecords = 300;
  const std::vector<uint64_t> ends = WriteLog(log_, kRecords);
  const std::string whole = ReadFile(Path());
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = whole;
    std::set<uint64_t> hit;
    for (int flip = 0; flip < 50; ++flip) {
      const size_t at = random() % whole.size();
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
      // Twice the same bit of a record is no damage.
      hit.insert(RecordAt(ends, at));
    }
    for (auto n = hit.begin(); n != hit.end();) {
      const bool same = *n > 0 && bytes.compare(ends[*n - 1], ends[*n] - ends[*n - 1], whole,
                                                ends[*n - 1], ends[*n] - ends[*n - 1]) == 0;
      n = same ? hit.erase(n) : std::next(n);
    }
    WriteFile(Path(), bytes);
    const ReadLog read = ReadAll(log_);
    ExpectAllBut(read, hit, kRecords);
    if (HasFatalFailure()) FAIL() << "round " << i;
    uint64_t lost = 0;
    for (const LogDamage& damage : read.damage) lost += damage.lost_records;
    uint64_t counted = 0;  // all but those behind the last that is whole
    for (const uint64_t n : hit) counted += n > 0 && n < read.records.rbegin()->first ? 1 : 0;
    ASSERT_EQ(lost, counted) << "round " << i;
  }
}

TEST_F(LogReaderTest, APayloadThatLooksLikeAFrameIsNone) {
  std::string inner;
  AppendFrame(kLogId + 1, 1, 1000, Compress("forged"), &inner);
  std::string bytes = EncodeSegmentHeader({kLogId, 1});
  AppendFrame(kLogId, 1, 1000, inner, &bytes);
  AppendFrame(kLogId, 2, 2000, Compress(PayloadOf(2)), &bytes);
  bytes[kSegmentHeaderBytes] ^= 1;  // the outer frame is not seen any more
  std::filesystem::create_directory(log_);
  WriteFile(Path(), bytes);
  const ReadLog read = ReadAll(log_);
  EXPECT_THAT(read.records, SizeIs(1));
  ASSERT_THAT(read.damage, SizeIs(1));
  EXPECT_EQ(read.damage[0].lost_records, 1u);
}

TEST_F(LogReaderTest, AMissingFileIsNamedWithItsCount) {
  {
    const auto writer = OpenLog(log_, nullptr, 400);
    AppendTo(writer.get(), 30);
  }
  ASSERT_GT(ListSegments(log_)->size(), 3u);
  const uint64_t first = ReadSegmentHeader(SegmentPath(log_, 2))->first_sequence;
  const uint64_t next = ReadSegmentHeader(SegmentPath(log_, 3))->first_sequence;
  std::filesystem::remove(SegmentPath(log_, 2));
  const ReadLog read = ReadAll(log_);
  EXPECT_EQ(read.records.size(), 30 - (next - first));
  ASSERT_THAT(read.damage, SizeIs(1));
  EXPECT_EQ(read.damage[0].lost_records, next - first);
  EXPECT_THAT(ToText(read.damage[0]), HasSubstr("missing"));
}

TEST_F(LogReaderTest, RefusesANewerVersionAndSaysWhatToDo) {
  WriteLog(log_, 3);
  std::string bytes = ReadFile(Path());
  // By hand from README.md: the version is at 8, the checksum of the 12 bytes before it at 12.
  std::string header = "FLOPSLOG" + std::string("\x03\0\0\0", 4);
  header += std::string("\x2a\x3a\x50\x3b", 4);
  WriteFile(Path(), header + bytes.substr(16));
  const ReadLog read = ReadAll(log_);
  EXPECT_EQ(read.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(read.status.message()), HasSubstr("newer flopsprof"));
  EXPECT_THAT(std::string(read.status.message()), HasSubstr("update"));
}

TEST_F(LogReaderTest, RefusesAnOlderVersionAndChangesNothing) {
  WriteLog(log_, 3);
  const std::string bytes = ReadFile(Path());
  const std::string header = "FLOPSLOG" + std::string("\x01\0\0\0\xa1\xf2\x59\x91", 8);
  WriteFile(Path(), header + bytes.substr(16));
  const ReadLog read = ReadAll(log_);
  EXPECT_EQ(read.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(read.status.message()), HasSubstr("older flopsprof"));
  LogWriter::Options options;
  options.folder = log_;
  options.log_id = kLogId;
  EXPECT_EQ(LogWriter::Open(options).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadFile(Path()), header + bytes.substr(16));
}

TEST_F(LogReaderTest, NamesAnotherToolsFileAndGoesOn) {
  WriteLog(log_, 3);
  for (const std::string& content : {std::string("hello"), std::string(5000, 'x')}) {
    WriteFile(SegmentPath(log_, 2), content);
    LogReader reader(*LogSegments::Open(log_), 0, kLogId);
    LogRecord record;
    for (uint64_t n = 1; n <= 3; ++n) ASSERT_TRUE(*reader.Next(&record));
    EXPECT_FALSE(*reader.Next(&record));
    EXPECT_THAT(reader.TakeDamage(), IsEmpty());
    ASSERT_THAT(reader.strays(), SizeIs(1));
    EXPECT_THAT(reader.strays()[0], HasSubstr("log/00000002.flog is not a log of flopsprof"));
  }
}

TEST_F(LogReaderTest, RefusesTheLogOfAnotherRun) {
  WriteLog(log_, 3);
  LogReader reader(*LogSegments::Open(log_), 0, kLogId + 1);
  LogRecord record;
  const auto read = reader.Next(&record);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("another run"));
}

TEST_F(LogReaderTest, LeavesFilesOfOtherNamesAlone) {
  WriteLog(log_, 3);
  WriteFile(log_ + "/notes.txt", "mine");
  for (const char* name : {"00000002.flog.bak", "00000002.log", "2.flog", "+0000002.flog",
                           "000000002.flog", "99999999999999999999.flog", "0000000x.flog"}) {
    WriteFile(log_ + "/" + name, "mine");
  }
  EXPECT_THAT(*ListSegments(log_), ElementsAre(1));
  EXPECT_THAT(ReadAll(log_).records, SizeIs(3));
}

TEST_F(LogReaderTest, GoesOnWithALogThatIsWritten) {
  const auto writer = OpenLog(log_, nullptr, 300);
  AppendTo(writer.get(), 2);
  LogReader reader(*LogSegments::Open(log_), 0, kLogId);
  LogRecord record;
  uint64_t expected = 0;
  for (const uint64_t last : {2, 3, 40, 41}) {
    AppendTo(writer.get(), last);
    ASSERT_TRUE(reader.Extend(writer->end()).ok());
    while (true) {
      const auto more = reader.Next(&record);
      ASSERT_TRUE(more.ok());
      if (!*more) break;
      ASSERT_EQ(record.sequence, ++expected);
    }
    ASSERT_EQ(expected, last);
  }
  EXPECT_THAT(reader.TakeDamage(), IsEmpty());
  EXPECT_EQ(reader.segment(), writer->end().segment);
}

// Reads on to what is durable; the numbers that it has found.
std::vector<uint64_t> ReadTo(const LogEnd& end, LogReader* reader) {
  std::vector<uint64_t> found;
  EXPECT_TRUE(reader->Extend(end).ok());
  LogRecord record;
  while (true) {
    const auto more = reader->Next(&record);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return found;
    EXPECT_EQ(record.payload, PayloadOf(record.sequence));
    found.push_back(record.sequence);
  }
}

// The merger asks for the end before it opens the files: one of them may be newer than that.
TEST_F(LogReaderTest, ReadsNothingOfAFileBehindTheEndThatItWasGiven) {
  const auto writer = OpenLog(log_, nullptr, 1);  // a record a file
  AppendTo(writer.get(), 1);
  const LogEnd stale = writer->end();
  AppendTo(writer.get(), 2);
  const std::string second = ReadFile(SegmentPath(log_, 2));
  WriteFile(SegmentPath(log_, 2), second.substr(0, second.size() / 2));
  LogReader reader(*LogSegments::Open(log_), 0, kLogId);
  EXPECT_THAT(ReadTo(stale, &reader), ElementsAre(1));
  WriteFile(SegmentPath(log_, 2), second);
  AppendTo(writer.get(), 3);
  EXPECT_THAT(ReadTo(writer->end(), &reader), ElementsAre(2, 3));
  EXPECT_THAT(reader.TakeDamage(), IsEmpty());
}

TEST_F(LogReaderTest, ReadsTheSecondRecordOfANumberWhoseFirstWasNeverSynced) {
  FaultyFiles disk;
  const auto writer = OpenLog(log_, &disk, 1);
  AppendTo(writer.get(), 1);
  const LogEnd before = writer->end();
  std::optional<LogReader> reader;
  disk.fail_sync = true;
  disk.before_sync = [&] {
    // Record 2 is in a new file, whole, and is about to be cut away.
    reader.emplace(*LogSegments::Open(log_), 0, kLogId);
    EXPECT_THAT(ReadTo(before, &*reader), ElementsAre(1));
  };
  EXPECT_TRUE(absl::IsUnavailable(writer->Append("never acknowledged", 1).status()));
  disk.before_sync = nullptr;
  disk.fail_sync = false;
  AppendTo(writer.get(), 3);
  EXPECT_THAT(ReadTo(writer->end(), &*reader), ElementsAre(2, 3));
  EXPECT_THAT(reader->TakeDamage(), IsEmpty());
}

TEST_F(LogReaderTest, ReadsFilesThatAreDeletedMeanwhile) {
  const auto writer = OpenLog(log_, nullptr, 300);
  AppendTo(writer.get(), 30);
  LogReader reader(*LogSegments::Open(log_), 0, kLogId);
  writer->DropThrough(30, true);
  EXPECT_THAT(*ListSegments(log_), IsEmpty());
  LogRecord record;
  for (uint64_t n = 1; n <= 30; ++n) {
    ASSERT_TRUE(*reader.Next(&record));
    ASSERT_EQ(record.payload, PayloadOf(n));
  }
  EXPECT_FALSE(*reader.Next(&record));
}

}  // namespace
}  // namespace flopsprof::store
