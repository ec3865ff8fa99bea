// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What a run folder's log and profile.db are to each other.

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "run_log_fixture.h"
#include "sqlite_wals.h"
#include "tests/support/wait_until.h"

namespace flopsprof::store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(RunLogTest, AReaderHasWhatIsOnlyInTheLog) {
  LeaveATail(3, 8);
  ExpectAll(Read(), 8);
  // It has changed nothing.
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(*database->QueryInt("SELECT merged FROM log_position"), 3);
  ExpectAll(Read(), 8);
}

TEST_F(RunLogTest, AReaderHasWhatIsAcknowledgedWhileProfileDbTakesNothing) {
  const auto run = Make();
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  ASSERT_TRUE(run->Merge().ok());
  HoldDatabase();
  for (uint64_t n = 2; n <= 5; ++n) {
    ASSERT_TRUE(run->Apply(SampleRequest(n, n)).ok());
    ExpectAll(Read(), n);
  }
  holder_.reset();
  ASSERT_TRUE(run->Merge().ok());
  ExpectAll(Read(), 5);
}

TEST_F(RunLogTest, ALaterCollectorMergesTheRestOnce) {
  LeaveATail(3, 8);
  {
    auto run = RunFolder::Open(path_);
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_TRUE((*run)->Merge().ok());
    ExpectAll(Read(), 8);
    ASSERT_TRUE((*run)->Apply(SampleRequest(9, 9)).ok());
    ASSERT_TRUE((*run)->Finish().ok());
  }
  ExpectAll(Read(), 9);
  EXPECT_THAT(*ListSegments(path_ + "/log"), IsEmpty());
}

TEST_F(RunLogTest, FinishLeavesTheRestInTheLogWhenProfileDbTakesNothing) {
  const auto run = Make();
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  ASSERT_TRUE(run->Merge().ok());
  HoldDatabase();
  ASSERT_TRUE(run->Apply(SampleRequest(2, 2)).ok());
  EXPECT_TRUE(absl::IsUnavailable(run->Finish(absl::ZeroDuration())));
  const model::RunProfile read = Read();
  EXPECT_TRUE(read.finished);
  ExpectAll(read, 2);
  holder_.reset();
  ASSERT_TRUE(run->Finish().ok());
  ExpectAll(Read(), 2);
  EXPECT_THAT(*ListSegments(path_ + "/log"), IsEmpty());
}

TEST_F(RunLogTest, ItsOwnThreadMerges) {
  const auto run = Make();
  for (uint64_t n = 1; n <= 3; ++n) {
    ASSERT_TRUE(run->Apply(SampleRequest(n, n)).ok());
    EXPECT_TRUE(flopsprof::testing::WaitUntil([&] {
      auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
      return *database->QueryInt("SELECT merged FROM log_position") == static_cast<int64_t>(n);
    }));
  }
}

// A log that grows for as long as profile.db takes nothing would be read by every reader.
TEST_F(RunLogTest, ApplyIsHeldBackWhereProfileDbDoesNotKeepUp) {
  RunFolder::Options options;
  options.path = path_;
  options.most_bytes_ahead = 1;
  options.patience = absl::Milliseconds(50);
  const auto run = *RunFolder::Create(options, "run-1", v1::RunInfo());
  HoldDatabase();
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  const absl::Status held_back = run->Apply(SampleRequest(2, 2));
  EXPECT_TRUE(absl::IsUnavailable(held_back)) << held_back;
  EXPECT_THAT(std::string(held_back.message()), HasSubstr("profile.db does not keep up"));
  ExpectAll(Read(), 1);
  holder_.reset();
  ASSERT_TRUE(run->Merge().ok());
  ASSERT_TRUE(run->Apply(SampleRequest(2, 2)).ok());
  ExpectAll(Read(), 2);
}

TEST_F(RunLogTest, WhatAnEarlierCollectorLeftHoldsBackToo) {
  LeaveATail(1, 3);
  LogWriter::Options options;
  options.folder = path_ + "/log";
  {
    auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
    options.log_id = static_cast<uint64_t>(*database->QueryInt("SELECT log_id FROM log_position"));
  }
  options.after_sequence = 1;
  EXPECT_EQ((*LogWriter::Open(options))->bytes_found(),
            SampleRequest(2, 2).ByteSizeLong() + SampleRequest(3, 3).ByteSizeLong());
}

TEST_F(RunLogTest, FinishEndsWithItsPatienceAndTheRestIsReadFromTheLog) {
  constexpr uint64_t kRequests = 1000;
  {
    RunFolder::Options options;
    options.path = path_;
    options.longest_transaction = absl::ZeroDuration();  // a transaction a request
    const auto run = *RunFolder::Create(options, "run-1", v1::RunInfo());
    HoldDatabase();
    for (uint64_t n = 1; n <= kRequests; ++n) ASSERT_TRUE(run->Apply(SampleRequest(n, n)).ok());
    holder_.reset();
    const absl::Status rest = run->Finish(absl::ZeroDuration());
    EXPECT_TRUE(absl::IsUnavailable(rest)) << rest;
    EXPECT_THAT(std::string(rest.message()), HasSubstr("/log and not in profile.db yet"));
    EXPECT_TRUE(Read().finished);
    ExpectAll(Read(), kRequests);
  }
  // Nor does its end take the time that Finish was not given.
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  EXPECT_LT(*database->QueryInt("SELECT merged FROM log_position"), 500);
  ExpectAll(Read(), kRequests);
}

TEST_F(RunLogTest, WhatWasFinishedGoesOn) {
  const auto run = Make();
  for (uint64_t n = 1; n <= 6; ++n) {
    ASSERT_TRUE(run->Apply(SampleRequest(n, n)).ok());
    EXPECT_FALSE(Read().finished);
    if (n % 2 == 0) {
      ASSERT_TRUE(run->Finish().ok());
      EXPECT_TRUE(Read().finished);
    }
    ExpectAll(Read(), n);
  }
}

TEST_F(RunLogTest, AFullDiskUnderTheLogIsAnErrorAndWhatWasStoredStays) {
  FaultyFiles disk;
  const auto run = Make(&disk);
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  disk.room = 100;
  const absl::Status full = run->Apply(SampleRequest(2, 2));
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("free space"));
  ExpectAll(Read(), 1);
  disk.room = INT64_MAX;
  disk.fail_sync = true;
  EXPECT_TRUE(absl::IsUnavailable(run->Apply(SampleRequest(2, 2))));
  ExpectAll(Read(), 1);
  disk.fail_sync = false;
  ASSERT_TRUE(run->Apply(SampleRequest(2, 2)).ok());
  ExpectAll(Read(), 2);
}

// A limit that profile.db's write-ahead log is beyond and the log's file is not.
TEST_F(RunLogTest, AFullDiskUnderProfileDbLosesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    const auto run = Make();
    if (!run->Apply(SampleRequest(1, 1)).ok() || !run->Merge().ok()) _exit(1);
    signal(SIGXFSZ, SIG_IGN);
    struct stat info = {};
    stat((path_ + "/profile.db-wal").c_str(), &info);
    rlimit limit = {static_cast<rlim_t>(info.st_size), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (uint64_t n = 2; n <= 9; ++n) {
      v1::UploadRequest request = SampleRequest(n, n);
      // More than SQLite keeps in memory until the end of a transaction; in the log it is small.
      if (n < 9)
        request.mutable_processes(0)->mutable_info()->set_command(std::string(4 << 20, 'x'));
      if (!run->Apply(request).ok()) _exit(2);
    }
    if (!absl::IsResourceExhausted(run->Merge())) _exit(3);
    const auto meanwhile = ReadRun(path_);
    if (!meanwhile.ok() || meanwhile->agents[0].newest_sequence != 9) _exit(4);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!run->Merge().ok()) _exit(5);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  ExpectAll(Read(), 9);
  // By itself too.
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(*database->QueryInt("SELECT merged FROM log_position"), 9);
  EXPECT_EQ(*database->QueryInt("SELECT sequence FROM agents"), 9);
}

TEST_F(RunLogTest, ThreadsShareSyncsAndNothingIsLost) {
  FaultyFiles disk;
  const auto run = Make(&disk);
  disk.before_sync = [] { usleep(5000); };  // of a disk that is as slow everywhere
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&run, i] {
      for (uint64_t n = 1; n <= 10; ++n) {
        v1::UploadRequest request = SampleRequest(n, n);
        request.set_agent_id("node-" + std::to_string(i));
        request.mutable_processes(0)->mutable_key()->set_node("node-" + std::to_string(i));
        EXPECT_TRUE(run->Apply(request).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const model::RunProfile read = Read();
  ASSERT_THAT(read.agents, SizeIs(16));
  for (const model::AgentState& agent : read.agents) EXPECT_EQ(agent.newest_sequence, 10u);
  EXPECT_LT(disk.syncs, 160 / 2);
}

// A request that the log takes as it is: its text does not get shorter.
v1::UploadRequest LongRequest(uint64_t sequence) {
  v1::UploadRequest request = SampleRequest(1, 1);
  request.set_sequence(sequence);
  std::string noise(3 << 20, '\0');
  uint32_t state = 1;
  for (char& c : noise) {
    c = static_cast<char>(' ' + ((state = state * 1664525 + 1013904223) >> 24) % 64);
  }
  request.mutable_processes(0)->mutable_info()->set_command(noise);
  return request;
}

// Also where what Finish has left is more than Apply lets be ahead.
TEST_F(RunLogTest, GoesOnAfterAFinishThatLeftTooMuch) {
  RunFolder::Options options;
  options.path = path_;
  options.most_bytes_ahead = 1;
  options.patience = absl::Milliseconds(10);
  const auto run = *RunFolder::Create(options, "run-1", v1::RunInfo());
  HoldDatabase();
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  ASSERT_FALSE(run->Finish(absl::ZeroDuration()).ok());
  holder_.reset();
  EXPECT_TRUE(absl::IsUnavailable(run->Apply(SampleRequest(2, 2))));
  EXPECT_TRUE(flopsprof::testing::WaitUntil([&] { return run->Apply(SampleRequest(2, 2)).ok(); }));
  ASSERT_TRUE(run->Finish().ok());
  ExpectAll(Read(), 2);
}

// A long run: what is merged is deleted from the log, which stays as small as it was.
TEST_F(RunLogTest, TheLogOfALongRunStaysSmall) {
  const auto run = Make();
  for (uint64_t n = 1; n <= 24; ++n) ASSERT_TRUE(run->Apply(LongRequest(n)).ok());
  ASSERT_TRUE(run->Merge().ok());
  ASSERT_GT((*ListSegments(path_ + "/log"))[0], 1u);
  EXPECT_LE(ListSegments(path_ + "/log")->size(), 2u);
  EXPECT_EQ(Read().agents[0].newest_sequence, 24u);
}

TEST_F(RunLogTest, WhatIsDeletedFromTheLogIsOnTheDiskInProfileDb) {
  SqliteWals wals;
  FaultyFiles disk;
  std::atomic<int> deleted{0};
  disk.before_delete = [&](const std::string&) {
    ++deleted;
    EXPECT_EQ(wals.unsynced(), 0u);
  };
  const auto run = Make(&disk);
  for (uint64_t n = 1; n <= 24; ++n) ASSERT_TRUE(run->Apply(LongRequest(n)).ok());
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_GT(deleted, 0);
  disk.before_delete = nullptr;
}

}  // namespace
}  // namespace flopsprof::store
