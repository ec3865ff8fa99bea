// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "viewer/report/markdown.h"
#include "viewer/report/table.h"

namespace flopsprof::viewer {
namespace {

Table SampleTable() {
  Table table({{.header = "name", .right = false, .key = SortKey::kName},
               {.header = "time", .group = "GPU", .key = SortKey::kTime, .unit = "s"},
               {.header = "", .right = false}});
  table.AddRow({{"a,b"}, {"2.00 s", Tone::kPlain, "2"}, {"##"}});
  table.AddRow({{"=1+1"}, {"≥10.0 s", Tone::kPlain, "10", true}, {"####"}});
  table.AddRow({{"say \"x\""}, {"?"}, {""}});
  return table;
}

TEST(TableStylesTest, CsvHasOneHeaderRawNumbersAndTheNamesOfBounds) {
  EXPECT_EQ(SampleTable().RenderCsv(),
            "name,gpu_time_s,at_least\r\n"
            "\"a,b\",2,\r\n"
            "'=1+1,10,gpu_time_s\r\n"
            "\"say \"\"x\"\"\",,\r\n");
}

TEST(TableStylesTest, CsvWithoutBoundsHasNoColumnForThem) {
  Table table({{.header = "n", .right = false}});
  table.AddRow({{"x"}});
  EXPECT_EQ(table.RenderCsv(), "n\r\nx\r\n");
}

TEST(TableStylesTest, RowsAreSortedByTheNumberAndTheUnknownIsLast) {
  Table table = SampleTable();
  EXPECT_TRUE(table.Sort(SortKey::kTime));
  const std::string csv = table.RenderCsv();
  EXPECT_LT(csv.find("=1+1"), csv.find("a,b"));  // 10 before 2
  EXPECT_LT(csv.find("a,b"), csv.find("say"));
  EXPECT_TRUE(table.Sort(SortKey::kName));
  EXPECT_EQ(table.RenderCsv().find("'=1+1"), std::string("name,gpu_time_s,at_least\r\n").size());
  EXPECT_FALSE(table.Sort(SortKey::kMfu));
}

TEST(TableStylesTest, MarkdownIsATableOfGitHub) {
  EXPECT_EQ(SampleTable().RenderMarkdown(),
            "| name | GPU time |  |\n"
            "| --- | ---: | --- |\n"
            "| a,b | 2.00 s | \\#<!-- -->\\#<!-- --> |\n"
            "| \\=1\\+1 | ≥10.0 s | \\#<!-- -->\\#<!-- -->\\#<!-- -->\\#<!-- --> |\n"
            "| say \"x\" | ? |  |\n");
}

TEST(MarkdownTest, ANameIsShownAsItIs) {
  EXPECT_EQ(MarkdownText("a|b"), "a\\|b");
  EXPECT_EQ(MarkdownText("`x`"), "\\`x\\`");
  EXPECT_EQ(MarkdownText("<img src=x onerror=y>"), "&lt;img src\\=x onerror\\=y&gt;");
  EXPECT_EQ(MarkdownText("&lt;"), "&amp;lt;");
  EXPECT_EQ(MarkdownText("[x](y)"), "\\[x\\]\\(y\\)");
  EXPECT_EQ(MarkdownText("\\|"), "\\\\\\|");
  EXPECT_EQ(MarkdownText("@who"), "@<!-- -->who");
  EXPECT_EQ(MarkdownText("http://h www.h"), "http:<!-- -->//h www.<!-- -->h");
  EXPECT_EQ(MarkdownText("  a"), "&nbsp;&nbsp;a");
  EXPECT_EQ(MarkdownText("- a"), "\\- a");
  EXPECT_EQ(MarkdownText("-1"), "-1");
}

}  // namespace
}  // namespace flopsprof::viewer
