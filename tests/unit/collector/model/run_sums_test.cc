// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/run_sums.h"

#include <gtest/gtest.h>

#include "collector/model/summary_json.h"
#include "sample_run.h"
#include "tests/support/sanitizers.h"

namespace flopsprof::model {
namespace {

RunSums SampleSums() { return SumRun(SampleRun()); }

TEST(RunSumsTest, AreReadAsTheyWereWritten) {
  const RunSums sums = SampleSums();
  const std::optional<RunSums> read = FromBytes(ToBytes(sums));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(ToJson(read->summary), ToJson(sums.summary));
  EXPECT_EQ(ToBytes(*read), ToBytes(sums));
}

TEST(RunSumsTest, KeepNumbersOfEveryWidthAndWhatIsNotKnown) {
  RunSums sums;
  sums.summary.totals.work.flops[1] = FlopCount{1} << 100 | 7;
  sums.summary.totals.work.flops[2].reset();
  sums.summary.totals.utilisation.mfu = 0.1;
  sums.summary.totals.flops_by_type["bf16"] = 5;
  sums.summary.job.exit_code = -11;
  sums.summary.job.start_utc_ns = INT64_MIN;
  sums.summary.processes.push_back(
      {"node", -1, 3, std::nullopt, std::string("a\0b", 3), "lost", 7});
  sums.report.time_in_no_step_ns = UINT64_MAX;
  sums.report.steps.push_back({.step = 4'000'000'000, .middle_two_ns = 9, .exposed_unknown = true});
  sums.summary.programs.resize(2);
  sums.report.programs.resize(2);
  sums.report.programs[1].rank_steps = 3;
  const std::optional<RunSums> read = FromBytes(ToBytes(sums));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->summary.totals.work.flops[1], FlopCount{1} << 100 | 7);
  EXPECT_FALSE(read->summary.totals.work.flops[2].has_value());
  EXPECT_EQ(read->summary.totals.utilisation.mfu, 0.1);
  EXPECT_FALSE(read->summary.totals.utilisation.hfu.has_value());
  EXPECT_EQ(read->summary.totals.flops_by_type.at("bf16"), FlopCount{5});
  EXPECT_EQ(read->summary.job.exit_code, -11);
  EXPECT_EQ(read->summary.job.start_utc_ns, INT64_MIN);
  EXPECT_EQ(read->summary.processes.at(0).command, std::string("a\0b", 3));
  EXPECT_EQ(read->summary.processes.at(0).pid, -1);
  EXPECT_FALSE(read->summary.processes.at(0).rank.has_value());
  EXPECT_EQ(read->summary.processes.at(0).exit_code, 7);
  EXPECT_EQ(read->report.time_in_no_step_ns, UINT64_MAX);
  EXPECT_EQ(read->report.steps.at(0).step, 4'000'000'000);
  EXPECT_EQ(read->report.steps.at(0).middle_two_ns, 9u);
  EXPECT_TRUE(read->report.steps.at(0).exposed_unknown);
  EXPECT_EQ(read->report.programs.at(1).rank_steps, 3u);
}

TEST(RunSumsTest, OfBytesThatAreCutOrLongerThereAreNone) {
  const std::string bytes = ToBytes(SampleSums());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(FromBytes(std::string_view(bytes).substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(FromBytes(bytes + '\0').has_value());
}

TEST(RunSumsTest, ProgramsWithoutTheirSumsAreRefused) {
  RunSums sums;
  sums.summary.programs.resize(2);
  sums.report.programs.resize(1);
  EXPECT_FALSE(FromBytes(ToBytes(sums)).has_value());
}

TEST(RunSumsTest, AnyBytesMayBeGiven) {
  const std::string bytes = ToBytes(SampleSums());
  for (size_t at = 0; at < bytes.size(); at += test::StrideOf(3)) {
    for (const char value : {'\x7f', '\xff'}) {
      std::string other = bytes;
      other[at] = value;
      const std::optional<RunSums> read = FromBytes(other);
      if (!read.has_value()) continue;
      EXPECT_FALSE(ToJson(read->summary).empty());
    }
  }
}

TEST(RunSumsTest, ProgramsOfProgramsAreRefused) {
  RunSums sums;
  sums.summary.programs.resize(1);
  sums.report.programs.resize(1);
  EXPECT_TRUE(FromBytes(ToBytes(sums)).has_value());
  sums.report.programs[0].programs.resize(1);
  EXPECT_FALSE(FromBytes(ToBytes(sums)).has_value());
}

}  // namespace
}  // namespace flopsprof::model
