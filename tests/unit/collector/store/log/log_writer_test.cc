// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/log_writer.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "faulty_files.h"
#include "log_samples.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LogWriterTest : public ::testing::Test {
 protected:
  absl::Status TryAppend(LogWriter* writer, uint64_t sequence) {
    return writer->Append(PayloadOf(sequence), static_cast<int64_t>(sequence) * 1000).status();
  }
  void ExpectWhole(uint64_t records) {
    const ReadLog read = ReadAll(log_);
    EXPECT_TRUE(read.status.ok()) << read.status;
    EXPECT_THAT(read.records, SizeIs(records));
    EXPECT_TRUE(read.all_true);
    EXPECT_THAT(read.damage, IsEmpty());
  }

  TemporaryFolder folder_;
  const std::string log_ = folder_ / "log";
  FaultyFiles disk_;
};

TEST_F(LogWriterTest, ManyThreadsShareASync) {
  constexpr int kThreads = 64;
  constexpr int kEach = 50;
  const auto writer = OpenLog(log_, &disk_);
  disk_.before_sync = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  std::mutex mutex;
  std::set<uint64_t> sequences;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kEach; ++n) {
        const auto sequence = writer->Append("any", 1);
        ASSERT_TRUE(sequence.ok());
        // What is acknowledged is there.
        ASSERT_GE(writer->end().sequence, *sequence);
        const std::lock_guard<std::mutex> lock(mutex);
        ASSERT_TRUE(sequences.insert(*sequence).second);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(*sequences.begin(), 1u);
  EXPECT_EQ(*sequences.rbegin(), static_cast<uint64_t>(kThreads * kEach));
  EXPECT_THAT(sequences, SizeIs(kThreads * kEach));
  EXPECT_THAT(ReadAll(log_).records, SizeIs(kThreads * kEach));
  EXPECT_LT(disk_.syncs, kThreads * kEach / 4);
  EXPECT_EQ(static_cast<uint64_t>(disk_.syncs), writer->sync_count());
}

// All that come while a sync runs share the next one.
TEST_F(LogWriterTest, WhatComesDuringASyncSharesTheNextOne) {
  constexpr size_t kThreads = 64;
  const auto writer = OpenLog(log_, &disk_);
  std::atomic<bool> first{true};
  disk_.before_sync = [&] {
    if (!first.exchange(false)) return;
    while (writer->waiting_count() < kThreads - 1) std::this_thread::yield();
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(writer->Append("any", 1).ok()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(disk_.syncs, 2);
  EXPECT_EQ(writer->end().sequence, kThreads);
}

TEST_F(LogWriterTest, NamesAreOnTheDiskBeforeWhatIsInTheFiles) {
  const auto writer = OpenLog(log_, &disk_);
  AppendTo(writer.get(), 2);
  const std::string parent = std::filesystem::path(log_).parent_path().filename();
  EXPECT_THAT(disk_.done,
              ElementsAre("sync folder " + parent, "create 00000001.flog", "sync folder log",
                          "append", "append", "sync", "append", "sync"));
}

TEST_F(LogWriterTest, GoesOnWhenThereWasNoMemory) {
  const auto writer = OpenLog(log_, &disk_);
  AppendTo(writer.get(), 2);
  disk_.no_memory = true;
  EXPECT_TRUE(absl::IsResourceExhausted(TryAppend(writer.get(), 3)));
  disk_.no_memory = false;
  AppendTo(writer.get(), 4);
  ExpectWhole(4);
}

TEST_F(LogWriterTest, AFullDiskIsAnErrorAndWhatWasStoredStays) {
  const auto writer = OpenLog(log_, &disk_);
  AppendTo(writer.get(), 10);
  // Every number of bytes that may still fit, up to the whole frame.
  for (int64_t room = 0; room < static_cast<int64_t>(kFrameHeaderBytes); ++room) {
    disk_.room = room;
    const absl::Status full = TryAppend(writer.get(), 11);
    ASSERT_TRUE(absl::IsResourceExhausted(full)) << full;
    EXPECT_THAT(std::string(full.message()), HasSubstr("No space left on device"));
    ExpectWhole(10);
  }
  disk_.room = INT64_MAX;
  AppendTo(writer.get(), 12);
  ExpectWhole(12);
}

TEST_F(LogWriterTest, AFailedSyncIsAnErrorAndWhatWasStoredStays) {
  const auto writer = OpenLog(log_, &disk_);
  AppendTo(writer.get(), 10);
  disk_.fail_sync = true;
  EXPECT_TRUE(absl::IsUnavailable(TryAppend(writer.get(), 11)));
  ExpectWhole(10);
  EXPECT_EQ(writer->end().sequence, 10u);
  disk_.fail_sync = false;
  AppendTo(writer.get(), 12);
  ExpectWhole(12);
}

TEST_F(LogWriterTest, WritesNothingBehindWhatItCouldNotCut) {
  const auto writer = OpenLog(log_, &disk_);
  AppendTo(writer.get(), 10);
  disk_.room = 20;
  disk_.fail_truncate = true;
  EXPECT_FALSE(TryAppend(writer.get(), 11).ok());
  disk_.room = INT64_MAX;
  EXPECT_FALSE(TryAppend(writer.get(), 11).ok());
  ExpectWhole(10);
  disk_.fail_truncate = false;
  AppendTo(writer.get(), 12);
  ExpectWhole(12);
}

TEST_F(LogWriterTest, ADiskThatIsFullWhereANewFileBeginsIsTriedAgain) {
  const auto writer = OpenLog(log_, &disk_, 100);
  AppendTo(writer.get(), 5);
  disk_.fail_create = true;
  uint64_t failed = 0;
  while (failed == 0) {
    const uint64_t next = writer->end().sequence + 1;
    if (!TryAppend(writer.get(), next).ok()) failed = next;
  }
  ExpectWhole(failed - 1);
  disk_.fail_create = false;
  disk_.room = 10;  // not even its header
  EXPECT_TRUE(absl::IsResourceExhausted(TryAppend(writer.get(), failed)));
  disk_.room = INT64_MAX;
  AppendTo(writer.get(), failed + 5);
  ExpectWhole(failed + 5);
}

TEST_F(LogWriterTest, GoesOnBehindWhatAnEarlierOneLeft) {
  for (uint64_t last = 3; last <= 12; last += 3) AppendTo(OpenLog(log_).get(), last);
  ExpectWhole(12);
}

TEST_F(LogWriterTest, GoesOnBehindATailThatWasCutAtAnyByte) {
  AppendTo(OpenLog(log_).get(), 6);
  const std::string path = SegmentPath(log_, 1);
  for (uint64_t length = std::filesystem::file_size(path) + 1; length-- > 0;) {
    std::filesystem::resize_file(path, length);
    const uint64_t kept = ReadAll(log_).records.size();
    AppendTo(OpenLog(log_).get(), kept + 2);
    ExpectWhole(kept + 2);
    if (HasFailure()) FAIL() << length;
    std::filesystem::remove(SegmentPath(log_, 2));
  }
}

// Nothing says whether the last record, which is damaged, was acknowledged: readers say that there
// may have been one, also when others have followed.
TEST_F(LogWriterTest, ADamagedEndStaysNamedWhenItGoesOn) {
  AppendTo(OpenLog(log_).get(), 6);
  const std::string path = SegmentPath(log_, 1);
  std::string bytes = ReadFile(path);
  bytes.back() ^= 1;
  WriteFile(path, bytes);
  ASSERT_THAT(ReadAll(log_).damage, SizeIs(1));
  AppendTo(OpenLog(log_).get(), 8);
  const ReadLog read = ReadAll(log_);
  ASSERT_THAT(read.records, SizeIs(7));  // 1 to 5, 7, 8
  EXPECT_TRUE(read.all_true);
  ASSERT_THAT(read.damage, SizeIs(1));
  EXPECT_EQ(read.damage[0].file, "00000001.flog");
  EXPECT_EQ(read.damage[0].lost_records, 1u);
}

TEST_F(LogWriterTest, DropsFilesOfWhichNothingIsNeeded) {
  const auto writer = OpenLog(log_, nullptr, 300);
  AppendTo(writer.get(), 40);
  const size_t before = ListSegments(log_)->size();
  writer->DropThrough(20, false);
  const size_t after = ListSegments(log_)->size();
  EXPECT_LT(after, before);
  const ReadLog read = ReadAll(log_, 20);
  EXPECT_THAT(read.records, SizeIs(20));
  EXPECT_THAT(read.damage, IsEmpty());
  writer->DropThrough(39, true);
  EXPECT_THAT(ReadAll(log_, 39).records, SizeIs(1));
  writer->DropThrough(40, true);
  EXPECT_THAT(*ListSegments(log_), IsEmpty());
  AppendTo(writer.get(), 42);
  EXPECT_THAT(ReadAll(log_, 40).records, SizeIs(2));
}

TEST_F(LogWriterTest, NoticesThatItsFileWasDeletedAndGoesOnInAnother) {
  const auto writer = OpenLog(log_);
  AppendTo(writer.get(), 5);
  std::filesystem::remove_all(log_);
  const absl::Status deleted = TryAppend(writer.get(), 6);
  EXPECT_TRUE(absl::IsUnavailable(deleted)) << deleted;
  EXPECT_THAT(std::string(deleted.message()), HasSubstr("was deleted"));
  AppendTo(writer.get(), 7);
  const ReadLog read = ReadAll(log_);
  EXPECT_THAT(read.records, SizeIs(2));
  ASSERT_THAT(read.damage, SizeIs(1));
  EXPECT_EQ(read.damage[0].lost_records, 5u);
}

TEST_F(LogWriterTest, IsAloneInItsFolder) {
  const auto writer = OpenLog(log_);
  LogWriter::Options options;
  options.folder = log_;
  const auto second = LogWriter::Open(options);
  EXPECT_TRUE(absl::IsUnavailable(second.status()));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("another collector"));
}

TEST_F(LogWriterTest, IsPrivate) {
  const auto writer = OpenLog(log_);
  AppendTo(writer.get(), 1);
  struct stat info = {};
  stat(log_.c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777u, 0700u);
  stat(SegmentPath(log_, 1).c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777u, 0600u);
}

TEST_F(LogWriterTest, TakesPayloadsOfAnySize) {
  const auto writer = OpenLog(log_);
  std::string noise(3 << 20, '\0');
  uint32_t state = 1;
  for (char& c : noise) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (const std::string& payload : {std::string(), std::string("x"), noise}) {
    ASSERT_TRUE(writer->Append(payload, 1).ok());
  }
  EXPECT_EQ(writer->Append(std::string(kMaxPayloadBytes + 1, 'x'), 1).status().code(),
            absl::StatusCode::kInvalidArgument);
  const ReadLog read = ReadAll(log_);
  ASSERT_THAT(read.records, SizeIs(3));
  EXPECT_EQ(read.records.at(3), noise);
}

}  // namespace
}  // namespace flopsprof::store
