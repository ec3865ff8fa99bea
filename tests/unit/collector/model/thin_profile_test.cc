// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/thin_profile.h"

#include <gtest/gtest.h>

#include <map>

#include "collector/model/run_sums.h"
#include "collector/model/summary_json.h"
#include "sample_run.h"

namespace flopsprof::model {
namespace {

// Rows of processes that are in memory beside the thin ones.
class RowsInMemory : public RowSource {
 public:
  RowsInMemory(const RunProfile& whole, const RunProfile& thin) : whole_(whole), thin_(thin) {}

  void Begin(const std::vector<const v1::ProcessProfile*>& thin) override {
    order_ = thin;
    next_ = 0;
    ++times_;
  }
  std::unique_ptr<v1::ProcessProfile> Next() override {
    const auto at = static_cast<size_t>(order_.at(next_++) - thin_.processes.data());
    return std::make_unique<v1::ProcessProfile>(whole_.processes[at]);
  }
  int times() const { return times_; }

 private:
  const RunProfile& whole_;
  const RunProfile& thin_;
  std::vector<const v1::ProcessProfile*> order_;
  size_t next_ = 0;
  int times_ = 0;
};

// How often the rows were read.
int ExpectEqualSums(RunProfile run) {
  run.is_bounded = true;
  RunProfile thin = run;
  for (v1::ProcessProfile& process : thin.processes) MakeThin(&process);
  RowsInMemory rows(run, thin);
  const RunSums sums = SumRun(thin, &rows);
  EXPECT_EQ(ToJson(sums.summary), ToJson(SumRun(run).summary));
  EXPECT_EQ(ToBytes(sums), ToBytes(SumRun(run)));
  return rows.times();
}

TEST(ThinProfileTest, SumsInTurnAreThoseOfAllRows) { EXPECT_EQ(ExpectEqualSums(SampleRun()), 1); }

TEST(ThinProfileTest, TheOrderOfProcessesDoesNotMatter) {
  RunProfile run = SampleRun();
  std::swap(run.processes[0], run.processes[1]);
  ExpectEqualSums(run);
}

TEST(ThinProfileTest, OfSeveralModelsTheMainOneIsThatOfAllRanks) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) {
    if (process.scopes().empty()) continue;
    ProfileBuilder other(process.info().rank(), 7);
    other.ModuleScope(90, 0, "", "Critic", 90).Listed(90, 0, "", "Critic", 90, 5);
    other.Gemm(90, v1::PHASE_BACKWARD, process.info().rank() == 0 ? 90'000 : 1);
    process.MergeFrom([&] {
      v1::ProcessProfile rows = other.profile();
      rows.clear_key();
      rows.clear_info();
      return rows;
    }());
  }
  EXPECT_EQ(ExpectEqualSums(run), 2);  // once to see which is the main one
}

TEST(ThinProfileTest, EachOfSeveralProgramsHasItsOwnSums) {
  RunProfile run;
  for (const int pid : {101, 102}) {
    v1::ProcessProfile process = SampleRank(-1, 100 + static_cast<uint64_t>(pid));
    process.mutable_key()->set_pid(pid);
    process.clear_collectives();  // they are no ranks of one group
    run.processes.push_back(process);
  }
  EXPECT_EQ(SumRun(run).report.programs.size(), 2u);
  EXPECT_EQ(ExpectEqualSums(run), 3);  // all, and each
}

TEST(ThinProfileTest, ARunWithoutRowsIsEmpty) { EXPECT_EQ(ExpectEqualSums(RunProfile()), 1); }

TEST(ThinProfileTest, OnlyWhatIsComparedStays) {
  v1::ProcessProfile process = SampleRun().processes[0];
  const v1::ProcessProfile whole = process;
  MakeThin(&process);
  EXPECT_TRUE(HasOneModel(process));
  EXPECT_EQ(process.scopes(0).class_name(), "DistributedDataParallel");
  EXPECT_EQ(process.modules_size(), 1);
  EXPECT_EQ(process.calls_size(), 2);
  EXPECT_EQ(process.calls(0).flops().low(), 1300u);  // 1000 + 300 of the forward
  EXPECT_EQ(process.calls(1).flops().low(), 2600u);  // 2000 + 600 of the backward
  EXPECT_EQ(process.times_size(), 1);
  EXPECT_TRUE(process.kernels().empty());
  EXPECT_EQ(process.steps_size(), whole.steps_size());
  EXPECT_EQ(process.notes_size(), whole.notes_size());
}

}  // namespace
}  // namespace flopsprof::model
