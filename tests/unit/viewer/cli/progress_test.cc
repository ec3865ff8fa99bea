// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ProgressTest : public ::testing::Test {
 protected:
  ProgressPrinter Make(ProgressMode mode) {
    return ProgressPrinter(mode, [this](std::string_view text) { lines_.emplace_back(text); });
  }
  static absl::Time At(double seconds) { return absl::FromUnixSeconds(0) + absl::Seconds(seconds); }

  ProgressFacts two_ranks_{.process_count = 3, .rank_count = 2};
  std::vector<std::string> lines_;
};

TEST_F(ProgressTest, PlainSaysStartThatStepsAreSeenAndEveryMinute) {
  ProgressPrinter printer = Make(ProgressMode::kPlain);
  printer.Start(At(0), "profiling train");
  two_ranks_.step = 5;  // steps 0 to 4 were faster than the first look
  printer.Update(At(1), two_ranks_);
  two_ranks_.step = 7;
  printer.Update(At(2), two_ranks_);
  printer.Update(At(62), two_ranks_);
  printer.End(At(63), two_ranks_, "the job ended");
  EXPECT_THAT(lines_, ElementsAre("flopsprof: profiling train\n",
                                  "flopsprof: steps are seen, now step 5  2 ranks  after 1.00 s\n",
                                  "flopsprof: step 7  2 ranks  after 62.0 s\n",
                                  "flopsprof: the job ended after 63.0 s\n"));
}

TEST_F(ProgressTest, ATerminalLineIsRewrittenFourTimesASecondAtMost) {
  ProgressPrinter printer = Make(ProgressMode::kTty);
  printer.Start(At(0), "profiling");
  for (int i = 1; i <= 20; ++i) printer.Update(At(i * 0.05), two_ranks_);
  EXPECT_EQ(lines_.size(), 1 + 4u);
  EXPECT_THAT(lines_.back(), ::testing::StartsWith("\rflopsprof: "));
}

TEST_F(ProgressTest, AShorterLineCoversALongerOne) {
  ProgressPrinter printer = Make(ProgressMode::kTty);
  printer.Start(At(0), "profiling");
  two_ranks_.step = 1000;
  printer.Update(At(1), two_ranks_);
  two_ranks_.step = 1;
  printer.Update(At(2), two_ranks_);
  EXPECT_EQ(lines_[1].size(), lines_[2].size());
}

TEST_F(ProgressTest, NoneIsSilent) {
  ProgressPrinter printer = Make(ProgressMode::kNone);
  printer.Start(At(0), "profiling");
  printer.Update(At(100), two_ranks_);
  printer.End(At(200), two_ranks_, "end");
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(ProgressTest, JsonIsOneObjectALineAndUnknownIsNull) {
  ProgressPrinter printer = Make(ProgressMode::kJson);
  printer.Start(At(0), "profiling");
  EXPECT_THAT(lines_[0], HasSubstr("\"event\":\"start\""));
  EXPECT_THAT(lines_[0], HasSubstr("\"step\":null"));
}

TEST_F(ProgressTest, JsonOfTheFirstStepHasTheNewestOne) {
  ProgressPrinter printer = Make(ProgressMode::kJson);
  printer.Start(At(0), "profiling");
  two_ranks_.step = 2;
  printer.Update(At(1), two_ranks_);
  two_ranks_.step = 9;
  printer.Update(At(61), two_ranks_);
  EXPECT_THAT(lines_[1], HasSubstr("\"event\":\"first_step\""));
  EXPECT_THAT(lines_[1], HasSubstr("\"step\":2"));
  EXPECT_THAT(lines_[2], HasSubstr("\"event\":\"progress\""));
  EXPECT_THAT(lines_[2], HasSubstr("\"step\":9"));
}

TEST_F(ProgressTest, LostRecordsAreLoud) {
  two_ranks_.lost_record_count = 5;
  EXPECT_THAT(ProgressText(two_ranks_), HasSubstr("! 5 records lost"));
}

}  // namespace
}  // namespace flopsprof::viewer
