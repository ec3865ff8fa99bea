// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What is added up from memory is what a reader of the folder has at the same position.
#include "collector/store/live_run.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <map>

#include "collector/model/summary_json.h"
#include "live/block_samples.h"
#include "run_log_fixture.h"

namespace flopsprof::store {
namespace {

v1::UploadRequest OfRank(int rank, uint64_t sequence, uint64_t amount) {
  v1::UploadRequest request = SampleRequest(sequence, amount);
  request.set_agent_id(absl::StrCat("agent-", rank));
  v1::ProcessProfile& process = *request.mutable_processes(0);
  process.mutable_key()->set_pid(100 + rank);
  process.mutable_info()->set_rank(rank);
  process.mutable_info()->set_used_gpu(true);
  process.mutable_steps(0)->set_step(static_cast<uint32_t>(sequence));
  return request;
}

// Rows with numbers of which `defined` have a meaning.
v1::UploadRequest OfNumbers(uint64_t sequence, bool defined) {
  v1::UploadRequest request = SampleRequest(sequence, 1);
  request.set_agent_id("agent-n");
  v1::ProcessProfile& process = *request.mutable_processes(0);
  const v1::ProcessKey key = process.key();
  process = defined ? DefineTimes(0, 3) : v1::ProcessProfile();
  *process.mutable_key() = key;
  process.mutable_key()->set_pid(7);
  process.mutable_info()->set_rank(9);
  process.mutable_info()->set_used_gpu(true);
  process.set_numbering(1);
  v1::RowBlock& block = defined ? *process.mutable_blocks(0) : *process.add_blocks();
  block.set_table(kTimes);
  block.set_runs(Runs({0, 2}));
  AddColumn(kActivities, {5, 6}, &block);
  return request;
}

class LiveRunTest : public RunLogTest {
 protected:
  // A run whose rows stay in memory until Merge.
  std::unique_ptr<RunFolder> MakeLive() {
    RunFolder::Options options;
    options.path = path_;
    options.least_save_pause = absl::InfiniteDuration();
    return *RunFolder::Create(options, "run-1", v1::RunInfo());
  }

  // The sums of memory, `at_once` processes with all rows or fewer, as bytes and as JSON.
  static std::string Live(RunFolder* run, uint64_t at_once) {
    LiveProgress progress;
    const auto live = SumLiveRun(run, absl::Seconds(30), &progress, at_once);
    EXPECT_TRUE(live.ok()) << live.status();
    if (!live.ok()) return "";
    EXPECT_EQ(live->at, run->position());
    return model::ToJson(live->sums.summary) + model::ToBytes(live->sums);
  }
  std::string OfFolder() {
    const auto database = RunDatabase::Open(path_);
    EXPECT_TRUE(database.ok()) << database.status();
    const auto sums = SumRun(database->get());
    EXPECT_TRUE(sums.ok()) << sums.status();
    return model::ToJson(sums->sums.summary) + model::ToBytes(sums->sums);
  }
  void ExpectTheSame(RunFolder* run) {
    const std::string of_folder = OfFolder();
    EXPECT_GT(of_folder.size(), 1000u);
    EXPECT_EQ(Live(run, kMostLiveAtOnce), of_folder);
    EXPECT_EQ(Live(run, 0), of_folder);
  }
};

TEST_F(LiveRunTest, MemoryGivesWhatTheFolderGivesInTheMiddleOfARun) {
  const auto run = MakeLive();
  ASSERT_TRUE(run->Apply(OfRank(0, 1, 5)).ok());
  ExpectTheSame(run.get());
  ASSERT_TRUE(run->Apply(OfNumbers(1, true)).ok());
  ASSERT_TRUE(run->Merge().ok());  // stored
  for (int rank = 0; rank < 4; ++rank) {
    ASSERT_TRUE(run->Apply(OfRank(rank, 2, 10 + static_cast<uint64_t>(rank))).ok());
  }
  ASSERT_TRUE(run->Apply(OfNumbers(2, false)).ok());
  ExpectTheSame(run.get());
  ASSERT_TRUE(run->NoteProblem("the launcher could not do this").ok());
  ASSERT_TRUE(run->Apply(OfRank(3, 3, 1)).ok());
  ExpectTheSame(run.get());
}

TEST_F(LiveRunTest, RowsThatNobodyHasDefinedAreCounted) {
  const auto run = MakeLive();
  ASSERT_TRUE(run->Apply(OfRank(0, 1, 5)).ok());
  ASSERT_TRUE(run->Apply(OfNumbers(1, false)).ok());
  ExpectTheSame(run.get());
  EXPECT_NE(Live(run.get(), 0).find("rows_undefined"), std::string::npos);
}

TEST_F(LiveRunTest, ACollectorThatGoesOnHasWhatTheOneBeforeHadLeft) {
  LeaveATail(3, 7);
  holder_.reset();
  const auto run = *RunFolder::Open(path_);
  ExpectTheSame(run.get());
  ASSERT_TRUE(run->Apply(SampleRequest(8, 8)).ok());
  ExpectTheSame(run.get());
}

// What is stored of rank 1 is not whole: its rows are set aside, and the report says so.
TEST_F(LiveRunTest, AProcessThatIsSetAsideIsSaid) {
  {
    const auto run = MakeLive();
    ASSERT_TRUE(run->Apply(OfRank(0, 1, 5)).ok());
    v1::UploadRequest more = OfRank(1, 1, 6);
    v1::TimeRow& time = *more.mutable_processes(0)->add_times();
    time.set_scope(9);
    time.set_activities(1);
    ASSERT_TRUE(run->Apply(more).ok());
    ASSERT_TRUE(run->Merge().ok());
  }
  Change("DELETE FROM times WHERE place=0 AND process_id=2");
  const auto run = *RunFolder::Open(path_);
  ASSERT_TRUE(run->Apply(OfRank(1, 2, 7)).ok());
  ASSERT_TRUE(run->Apply(OfRank(0, 2, 7)).ok());
  EXPECT_NE(Live(run.get(), 0).find("rows_set_aside"), std::string::npos);
  ExpectTheSame(run.get());
}

// Rows that a report reads stay where they are while others are stored and cut to size.
TEST_F(LiveRunTest, WhatIsFrozenIsNotMovedByAPassOfTheMerge) {
  const auto run = MakeLive();
  v1::UploadRequest request = OfRank(0, 1, 5);
  for (uint32_t i = 0; i < 100; ++i) {
    v1::TimeRow& time = *request.mutable_processes(0)->add_times();
    time.set_scope(100 + i);
    time.set_activities(1);
  }
  ASSERT_TRUE(run->Apply(request).ok());
  ASSERT_TRUE(run->Merge().ok());
  // The same rows again: a pass after which none is new cuts the tables to size.
  request.set_sequence(2);
  ASSERT_TRUE(run->Apply(request).ok());
  auto frozen = run->Freeze(absl::Seconds(30));
  ASSERT_TRUE(frozen.ok()) << frozen.status();
  std::map<int64_t, size_t> bytes;
  for (const auto& [id, live] : frozen->rows.processes) bytes[id] = live->bytes();
  ASSERT_FALSE(bytes.empty());
  ASSERT_TRUE(run->Merge().ok());
  size_t changed = 0;
  for (const auto& [id, live] : frozen->rows.processes) {
    EXPECT_EQ(live->bytes(), bytes[id]);
    changed += live->is_changed() ? 0 : 1;
  }
  EXPECT_GT(changed, 0u) << "nothing was stored";
  run->Thaw(*std::move(frozen));
}

TEST_F(LiveRunTest, ATableThatIsDamagedIsNamed) {
  {
    const auto run = MakeLive();
    v1::UploadRequest request = OfRank(0, 1, 5);
    for (uint32_t step = 100; step < 4'000; ++step) {
      v1::StepRow& row = *request.mutable_processes(0)->add_steps();
      row.set_step(step);
      row.set_begin_mono_ns(step);
    }
    ASSERT_TRUE(run->Apply(request).ok());
    ASSERT_TRUE(run->Finish().ok());
  }
  Overwrite("steps");
  const auto run = *RunFolder::Open(path_);
  v1::UploadRequest more = OfRank(1, 1, 7);
  more.mutable_processes(0)->clear_steps();  // the merge does not touch the table
  ASSERT_TRUE(run->Apply(more).ok());
  EXPECT_NE(Live(run.get(), kMostLiveAtOnce).find("the table steps of profile.db is damaged"),
            std::string::npos);
}

TEST_F(LiveRunTest, AFinishedRunIsReadFromItsFolder) {
  const auto run = MakeLive();
  ASSERT_TRUE(run->Apply(OfRank(0, 1, 5)).ok());
  ASSERT_TRUE(run->Finish().ok());
  LiveProgress progress;
  const auto live = SumLiveRun(run.get(), absl::Seconds(30), &progress);
  EXPECT_TRUE(absl::IsFailedPrecondition(live.status())) << live.status();
}

TEST_F(LiveRunTest, WhatIsNotWantedAnyMoreIsNotMade) {
  const auto run = MakeLive();
  ASSERT_TRUE(run->Apply(OfRank(0, 1, 5)).ok());
  LiveProgress progress;
  progress.cancelled = true;
  EXPECT_TRUE(absl::IsCancelled(SumLiveRun(run.get(), absl::Seconds(30), &progress).status()));
  EXPECT_NE(Live(run.get(), 0), "");
}

}  // namespace
}  // namespace flopsprof::store
