// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What options of a report say together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "viewer/cli/define_options.h"

namespace flopsprof::viewer {
namespace {

using ::testing::HasSubstr;

TEST(ErrorInReportTest, RowsAreGroupedWhereThereAreSuch) {
  ReportOptions options;
  options.views = {"kernels"};
  options.group_by = GroupBy::kClass;
  EXPECT_THAT(ErrorInReport(options), HasSubstr("--group-by class is for --view modules"));
  options.group_by = GroupBy::kNode;
  EXPECT_THAT(ErrorInReport(options), HasSubstr("--group-by node is for --view ranks"));
  options.group_by = GroupBy::kRank;
  EXPECT_THAT(ErrorInReport(options), HasSubstr("--group-by rank is for --view ranks"));
  for (const char* view : {"ranks", "all"}) {
    options.views = {"kernels", view};
    EXPECT_EQ(ErrorInReport(options), "");
  }
  options.views.clear();
  EXPECT_EQ(ErrorInReport(options), "");
}

}  // namespace
}  // namespace flopsprof::viewer
