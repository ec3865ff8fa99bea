// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_reader.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "collector/store/run_folder.h"
#include "sample_request.h"
#include "temporary_folder.h"

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

TEST(ReadRunTest, RefusesANewerFormat) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder);
  auto database = Database::Open(path + "/profile.db", SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(database->Execute("PRAGMA user_version=2").ok());
  const auto read = ReadRun(path);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(read.status().message().find("newer"), absl::string_view::npos);
}

TEST(ReadRunTest, ReadsARunOfBeforeATableWasAdded) {
  TemporaryFolder folder;
  const std::string path = FinishedRun(folder);
  auto database = Database::Open(path + "/profile.db", SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(database->Execute("DROP TABLE graphs").ok());
  const auto read = ReadRun(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->processes.size(), 1u);
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
