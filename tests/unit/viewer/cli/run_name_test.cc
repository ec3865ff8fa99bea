// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/run_name.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace flopsprof::viewer {
namespace {

TEST(JobNameTest, IsTheScriptsName) {
  EXPECT_EQ(JobName({"torchrun", "--nproc-per-node", "2", "src/train.py", "--lr", "1"}, ""),
            "train");
  EXPECT_EQ(JobName({"python", "-m", "pkg.train"}, ""), "pkg.train");
  EXPECT_EQ(JobName({"python", "-m", "torch.distributed.run", "x.py"}, ""), "x");
  EXPECT_EQ(JobName({"/usr/bin/sleep", "1"}, ""), "sleep");
}

TEST(JobNameTest, IsTheSchedulersNumberWhenThereIsOne) {
  EXPECT_EQ(JobName({"python", "train.py"}, "48213"), "48213");
}

TEST(JobNameTest, CannotBecomeAPath) {
  EXPECT_EQ(JobName({"python", "-m", "../../etc"}, ""), "______etc");
}

TEST(ExpandRunFolderTest, ReplacesPlaceholders) {
  setenv("FLOPSPROF_TEST_NAME", "value", 1);
  const RunFacts facts{"train", "node-a", 42, absl::FromUnixSeconds(1795812000)};
  EXPECT_EQ(ExpandRunFolder("p/%j-%h-%p", facts), "p/train-node-a-42");
  EXPECT_EQ(ExpandRunFolder("%t", facts), "20261127T204000Z");
  EXPECT_EQ(ExpandRunFolder("%q{FLOPSPROF_TEST_NAME}/x", facts), "value/x");
  EXPECT_EQ(ExpandRunFolder("100%%", facts), "100%");
  EXPECT_EQ(ExpandRunFolder("%z %q{x 5%", facts), "%z %q{x 5%");
}

}  // namespace
}  // namespace flopsprof::viewer
