// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "collector/store/run_folder.h"
#include "collector/store/run_reader.h"
#include "log/faulty_files.h"
#include "log/log_samples.h"
#include "sample_request.h"
#include "temporary_folder.h"

namespace flopsprof::store {

// A run folder whose log has what profile.db has not.
class RunLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<RunFolder> Make(LogFiles* files = LogFiles::Real()) {
    RunFolder::Options options;
    options.path = path_;
    options.log_files = files;
    auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? *std::move(run) : nullptr;
  }

  // A run of requests 1 to `count`, of which only those up to `merged` are in profile.db, as a kill
  // leaves it.
  void LeaveATail(uint64_t merged, uint64_t count) {
    const pid_t child = fork();
    if (child == 0) {
      const auto run = Make();
      for (uint64_t n = 1; n <= count; ++n) {
        if (n == merged + 1) {
          if (!run->Merge().ok()) _exit(1);
          HoldDatabase();
        }
        if (!run->Apply(SampleRequest(n, n)).ok()) _exit(1);
      }
      _exit(0);  // without a destructor
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READWRITE);
    ASSERT_EQ(*database->QueryInt("SELECT merged FROM log_position"), static_cast<int64_t>(merged));
  }

  void HoldDatabase() {
    holder_ =
        std::make_unique<Database>(*Database::Open(path_ + "/profile.db", SQLITE_OPEN_READWRITE));
    ASSERT_TRUE(holder_->Execute("BEGIN IMMEDIATE").ok());
  }

  void Change(const std::string& sql) {
    auto database =
        Database::Open(path_ + "/profile.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    const absl::Status status = database->Execute(sql);
    ASSERT_TRUE(status.ok()) << status;
  }

  void DeleteDatabase() {
    for (const char* name : {"/profile.db", "/profile.db-wal", "/profile.db-shm"}) {
      std::filesystem::remove(path_ + name);
    }
  }

  // The first page of a table of a finished run.
  void Overwrite(const std::string& table) {
    auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
    const int64_t page =
        *database->QueryInt("SELECT rootpage FROM sqlite_schema WHERE name='" + table + "'");
    const int64_t bytes = *database->QueryInt("PRAGMA page_size");
    std::fstream file(path_ + "/profile.db", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp((page - 1) * bytes);
    file << std::string(static_cast<size_t>(bytes), '\xee');
  }

  model::RunProfile Read() {
    auto run = ReadRun(path_);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? *std::move(run) : model::RunProfile();
  }

  // Requests of the first agent that profile.db and log have.
  uint64_t Stored() {
    const model::AgentState agent = Read().agents[0];
    return agent.newest_sequence - agent.missing;
  }

  // As a collector that was never ended and never restarted has it after requests 1 to `count`.
  void ExpectAll(const model::RunProfile& run, uint64_t count) {
    ASSERT_THAT(run.processes, ::testing::SizeIs(1));
    std::string differences;
    google::protobuf::util::MessageDifferencer compare;
    compare.ReportDifferencesToString(&differences);
    EXPECT_TRUE(compare.Compare(SampleSum(count), run.processes[0])) << differences;
    ASSERT_THAT(run.agents, ::testing::SizeIs(1));
    EXPECT_EQ(run.agents[0].missing, 0u);
    EXPECT_EQ(run.agents[0].newest_sequence, count);
    EXPECT_THAT(run.problems, ::testing::IsEmpty());
    EXPECT_THAT(run.log_damage, ::testing::IsEmpty());
  }

  std::string Segment(uint64_t number) const { return SegmentPath(path_ + "/log", number); }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "run";
  std::unique_ptr<Database> holder_;
};

}  // namespace flopsprof::store
