// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_reader.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "collector/store/run_folder.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"
#include "sample_request.h"
#include "temporary_folder.h"
#include "tests/support/no_room_for_threads.h"

namespace flopsprof::store {
namespace {

std::string FinishedRun(const TemporaryFolder& folder) {
  RunFolder::Options options;
  options.path = folder / "run";
  auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
  EXPECT_TRUE(run.ok()) << run.status();
  EXPECT_TRUE((*run)->Apply(SampleRequest(1, 5)).ok());
  EXPECT_TRUE((*run)->Finish().ok());
  return (*run)->path();
}

TEST(ReadRunTest, SaysWhenThereIsNoRun) {
  TemporaryFolder folder;
  EXPECT_EQ(ReadRun(folder / "none").status().code(), absl::StatusCode::kNotFound);
  const auto not_a_run = ReadRun(folder.path());
  EXPECT_EQ(not_a_run.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(not_a_run.status().message().find("profile.db"), absl::string_view::npos);
}

TEST(ReadRunTest, ReadsARunThatIsStillBeingWritten) {
  TemporaryFolder folder;
  RunFolder::Options options;
  options.path = folder / "run";
  auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE((*run)->Apply(SampleRequest(1, 5)).ok());
  const auto read = ReadRun((*run)->path());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->processes.size(), 1u);
}

TEST(ReadRunTest, ReadsTheSameWithoutRoomForThreads) {
  TemporaryFolder folder;
  RunFolder::Options options;
  options.path = folder / "run";
  auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
  ASSERT_TRUE(run.ok()) << run.status();
  v1::UploadRequest request = SampleRequest(1, 5);
  const v1::ProcessProfile sample = request.processes(0);
  for (int pid = 101; pid < 164; ++pid) {
    v1::ProcessProfile& process = *request.add_processes();
    process = sample;
    process.mutable_key()->set_pid(pid);
  }
  ASSERT_TRUE((*run)->Apply(request).ok());
  ASSERT_TRUE((*run)->Finish().ok());
  const auto expected = ReadRun((*run)->path());
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_EQ(expected->processes.size(), 64u);
  const testing::NoRoomForThreads no_room;
  const auto read = ReadRun((*run)->path());
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->processes.size(), 64u);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(read->processes[i],
                                                                   expected->processes[i]));
  }
}

// A writer that was killed in the middle of a transaction: pages of it are in profile.db already,
// and its journal has what they were.
TEST(ReadRunTest, TakesBackWhatAKilledWriterHadHalfDone) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder);
  const auto before = ReadRun(path);
  ASSERT_TRUE(before.ok()) << before.status();
  const std::string killed = folder / "killed";
  {
    auto db = Database::Open(path + "/profile.db", SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(db.ok());
    // With a cache of few pages changed ones go to the file before the end.
    const absl::Status half = db->Execute(
        "PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN;"
        "UPDATE scope_calls SET calls = calls * 3; UPDATE steps SET gpu_busy_ns = 1;"
        "CREATE TABLE padding(x); INSERT INTO padding SELECT zeroblob(100000)"
        " FROM (VALUES (1), (2), (3), (4)); UPDATE scope_calls SET calls = calls + 1");
    ASSERT_TRUE(half.ok()) << half;
    std::filesystem::copy(path, killed, std::filesystem::copy_options::recursive);
    ASSERT_TRUE(db->Execute("ROLLBACK").ok());
  }
  ASSERT_TRUE(std::filesystem::exists(killed + "/profile.db-journal"));
  const auto read = ReadRun(killed);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->processes.size(), before->processes.size());
  EXPECT_TRUE(
      google::protobuf::util::MessageDifferencer::Equals(read->processes[0], before->processes[0]));
}

// Pids of the processes that are read, and the sum of what their scopes were called.
std::pair<std::vector<int>, uint64_t> PidsAndCalls(const std::string& path) {
  const auto read = ReadRun(path);
  EXPECT_TRUE(read.ok()) << read.status();
  std::pair<std::vector<int>, uint64_t> result;
  for (const v1::ProcessProfile& process : read->processes) {
    result.first.push_back(process.key().pid());
    for (const v1::ScopeCallRow& row : process.scope_calls()) result.second += row.calls();
  }
  return result;
}

TEST(ReadRunTest, GivesEveryProcessOnceWhetherThreadsReadThemOrNot) {
  TemporaryFolder folder;
  RunFolder::Options options;
  options.path = folder / "run";
  auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
  ASSERT_TRUE(run.ok());
  std::vector<int> pids;
  v1::UploadRequest request;
  request.set_run_id("run-1");
  request.set_agent_id("agent");
  request.set_sequence(1);
  request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  for (int pid = 1; pid <= 101; ++pid) {  // many enough for several threads
    pids.push_back(pid);
    v1::ProcessProfile& process = *request.add_processes();
    process.mutable_key()->set_node("node");
    process.mutable_key()->set_pid(pid);
    v1::ScopeCallRow& row = *process.add_scope_calls();
    row.set_scope(1);
    row.set_calls(static_cast<uint64_t>(pid));
  }
  ASSERT_TRUE((*run)->Apply(request).ok());
  const std::pair<std::vector<int>, uint64_t> expected = {pids, 101 * 102 / 2};
  EXPECT_EQ(PidsAndCalls((*run)->path()), expected);  // live: one thread
  ASSERT_TRUE((*run)->Finish().ok());
  EXPECT_EQ(PidsAndCalls((*run)->path()), expected);
}

TEST(ReadRunTest, WritesNothingIntoTheFolder) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder);
  std::vector<std::string> before;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    before.push_back(entry.path());
  }
  ASSERT_TRUE(ReadRun(path).ok());
  std::vector<std::string> after;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    after.push_back(entry.path());
  }
  EXPECT_EQ(before, after);
}

// The writer was killed and left its write-ahead log; the reader is another user.
TEST(ReadRunTest, ReadsAnUnfinishedRunWhereItMayNotWrite) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to read as another user";
  TemporaryFolder folder;
  const std::string path = folder / "run";
  const pid_t writer = fork();
  if (writer == 0) {
    RunFolder::Options options;
    options.path = path;
    auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
    _exit(run.ok() && (*run)->Apply(SampleRequest(1, 5)).ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(path + "/profile.db-wal"));
  ASSERT_EQ(system(("chmod -R a+rX " + folder.path()).c_str()), 0);
  const pid_t reader = fork();
  if (reader == 0) {
    if (setuid(65534) != 0) _exit(2);
    const auto run = ReadRun(path);
    if (!run.ok()) fprintf(stderr, "%s\n", std::string(run.status().message()).c_str());
    _exit(run.ok() && run->processes.size() == 1 ? 0 : 1);
  }
  waitpid(reader, &status, 0);
  EXPECT_EQ(status, 0);
}

// Names and contents of all files of a folder.
std::map<std::string, std::string> FilesOf(const std::string& path) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

void SetFormat(const std::string& path, int format) {
  auto database = Database::Open(path + "/profile.db", SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(database->Execute("PRAGMA user_version=" + std::to_string(format)).ok());
}

void ExpectRefused(const std::string& path, const std::string& by, const std::string& advice) {
  const auto before = FilesOf(path);
  for (const absl::Status& status : {ReadRun(path).status(), RunFolder::Open(path).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("was made by " + by));
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(advice));
  }
  EXPECT_EQ(FilesOf(path), before);
}

TEST(ReadRunTest, ANewerFormatIsRefusedAndLeftAsItIs) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder);
  SetFormat(path, kSchemaVersion + 1);
  ExpectRefused(path, "a newer flopsprof (format 6, this one has 5)", "update flopsprof");
}

TEST(ReadRunTest, AnOlderFormatIsRefusedAndLeftAsItIs) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder);
  SetFormat(path, 1);
  ExpectRefused(path, "an older flopsprof (format 1, this one has 5)",
                "read it with the flopsprof that made it; nothing in its folder was changed");
}

// What a collector of then left when it was killed: a log, and run.json without a format.
TEST(ReadRunTest, TheLogOfAnOlderFormatIsRefusedWithoutItsProfileDb) {
  TemporaryFolder folder;
  const std::string path = folder / "run";
  RunFolder::Options options;
  options.path = path;
  {
    auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
    ASSERT_TRUE((*run)->Apply(SampleRequest(1, 5)).ok());
  }
  std::filesystem::remove(path + "/profile.db");
  std::ofstream(path + "/run.json") << R"({"schema": "flopsprof.run/1", "run_id": "run-1"})";
  ExpectRefused(path, "an older flopsprof (format 1", "read it with the flopsprof that made it");
}

TEST(ReadRunTest, RefusesWhatIsNotADatabase) {
  TemporaryFolder folder;
  std::ofstream(folder / "profile.db") << std::string(5000, 'x');
  const auto read = ReadRun(folder.path());
  EXPECT_EQ(read.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(read.status().message().find("damaged"), absl::string_view::npos);
}

TEST(ReadRunTest, SurvivesAFileCutAtAnyPlace) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder);
  const auto size = std::filesystem::file_size(path + "/profile.db");
  for (uintmax_t length = 0; length < size; length += size / 60 + 1) {
    const std::string cut = folder / ("cut" + std::to_string(length));
    std::filesystem::create_directory(cut);
    std::filesystem::copy_file(path + "/profile.db", cut + "/profile.db");
    std::filesystem::resize_file(cut + "/profile.db", length);
    EXPECT_FALSE(ReadRun(cut).ok()) << length;
  }
}

TEST(ReadRunTest, SurvivesFlippedBits) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder) + "/profile.db";
  std::ifstream file(path, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(file), {});
  for (size_t at = 0; at < whole.size(); at += whole.size() / 200 + 1) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const std::string copy = folder / "flipped.db";
    std::ofstream(copy, std::ios::binary | std::ios::trunc) << damaged;
    // Either an error or a profile; never a crash.
    const auto read = ReadRun(copy);
    EXPECT_TRUE(read.ok() || !read.status().message().empty());
  }
}

}  // namespace
}  // namespace flopsprof::store
