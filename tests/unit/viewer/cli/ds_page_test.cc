// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ds_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temp_folder.h"

namespace flopsprof::viewer {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(WriteBesideTest, NothingThatIsThereIsChanged) {
  const testing::TempFolder folder;
  const std::string path = folder.File("a/b/flops.txt");
  EXPECT_EQ(*WriteBeside(path, "one"), path);
  EXPECT_EQ(*WriteBeside(path, "two"), folder.File("a/b/flops.flopsprof.txt"));
  EXPECT_EQ(*WriteBeside(path, "three"), folder.File("a/b/flops.flopsprof-2.txt"));
  EXPECT_EQ(TextOf(path), "one");
  EXPECT_EQ(TextOf(folder.File("a/b/flops.flopsprof.txt")), "two");
  EXPECT_EQ(TextOf(folder.File("a/b/flops.flopsprof-2.txt")), "three");
  const std::string bare = folder.File("flops");
  std::ofstream(bare) << "theirs";
  EXPECT_EQ(*WriteBeside(bare, "ours"), folder.File("flops.flopsprof"));
  EXPECT_EQ(TextOf(bare), "theirs");
}

TEST(WriteBesideTest, ALinkOrAFolderIsNotFollowed) {
  const testing::TempFolder folder;
  ASSERT_EQ(symlink(folder.File("target").c_str(), folder.File("link.txt").c_str()), 0);
  EXPECT_EQ(*WriteBeside(folder.File("link.txt"), "x"), folder.File("link.flopsprof.txt"));
  EXPECT_FALSE(std::filesystem::exists(folder.File("target")));
  std::filesystem::create_directory(folder.File("d"));
  EXPECT_EQ(*WriteBeside(folder.File("d"), "x"), folder.File("d.flopsprof"));
}

TEST(WriteBesideTest, APlaceThatCannotBeIsAnError) {
  const testing::TempFolder folder;
  std::ofstream(folder.File("file")) << "x";
  const auto written = WriteBeside(folder.File("file/flops.txt"), "x");
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(std::string(written.status().message()),
              HasSubstr(folder.File("file/flops.txt") + ": Not a directory"));
  EXPECT_FALSE(WriteBeside("/dev/full/x", "x").ok());
}

TEST(ReportCommandTest, HasAllThatTheBlockSays) {
  DsBlock block;
  EXPECT_EQ(ReportCommand(block, "out"), "flopsprof report --style deepspeed --step 1 out");
  block.steps = {5, 8};
  block.module_depth = 2;
  block.top_modules = 3;
  block.detailed = false;
  block.recompute_fwd_factor = 1.5;
  EXPECT_EQ(ReportCommand(block, ""),
            "flopsprof report --style deepspeed --step 5:8 --depth 2 --top 3 --no-detailed "
            "--recompute-fwd-factor 1.5 RUN");
}

TEST(RecordedStepsTextTest, SaysWhichThereAre) {
  model::StepsSummary steps;
  EXPECT_EQ(RecordedStepsText(steps), "the run has no steps");
  steps.first = steps.last = 4;
  EXPECT_EQ(RecordedStepsText(steps), "the run has step 4 alone");
  steps.last = 9;
  EXPECT_EQ(RecordedStepsText(steps), "the run has steps 4 to 9");
}

}  // namespace
}  // namespace flopsprof::viewer
