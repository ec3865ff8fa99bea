// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/table.h"

#include <gtest/gtest.h>

namespace flopsprof::viewer {
namespace {

Terminal Plain(size_t width) {
  Terminal terminal;
  terminal.width = width;
  return terminal;
}

TEST(TableTest, AlignsAndEndsLinesWithoutSpaces) {
  Table table(
      {{.header = "name", .right = false}, {.header = "n"}, {.header = "", .right = false}});
  table.AddRow({{"a"}, {"1"}, {""}});
  table.AddRow({{"long name"}, {"100"}, {"x"}});
  EXPECT_EQ(table.Render(Plain(80), 1),
            " name         n\n"
            " a            1\n"
            " long name  100  x\n");
}

TEST(TableTest, ShrinksTheFlexibleColumnFirst) {
  Table table({{.header = "k", .right = false, .flexible = true, .min_width = 5},
               {.header = "n", .drop_order = 1}});
  table.AddRow({{"abcdefghijkl"}, {"12"}});
  EXPECT_EQ(table.Render(Plain(10), 0), "k        n\nabcde…  12\n");
  EXPECT_TRUE(table.left_out().empty());
}

TEST(TableTest, LeavesColumnsOutInTheirOrderAndNamesThem) {
  Table table({{.header = "kkkkk", .right = false},
               {.header = "first", .drop_order = 2},
               {.header = "second", .drop_order = 1}});
  table.AddRow({{"a"}, {"1"}, {"2"}});
  EXPECT_EQ(table.Render(Plain(12), 0), "kkkkk  first\na          1\n");
  EXPECT_EQ(table.left_out(), std::vector<std::string>{"second"});
}

TEST(TableTest, WritesTheGroupAboveItsColumns) {
  Table table({{.header = "m", .right = false},
               {.header = "flops", .group = "forward"},
               {.header = "time", .group = "forward"}});
  table.AddRow({{"a"}, {"12345678"}, {"1 s"}});
  EXPECT_EQ(table.Render(Plain(80), 0),
            "   ── forward ───\n"
            "m     flops  time\n"
            "a  12345678   1 s\n");
}

TEST(TableTest, AGroupThatIsWiderThanItsColumnsHasItsName) {
  Table table({{.header = "m", .right = false},
               {.header = "f", .group = "weight gradient"},
               {.header = "time", .group = "weight gradient"}});
  table.AddRow({{"a"}, {"12"}, {"1 s"}});
  EXPECT_EQ(table.Render(Plain(22), 0),
            "   ─ weight gradient ─\n"
            "m              f  time\n"
            "a             12   1 s\n");
  // No room: numbers come first.
  EXPECT_EQ(table.Render(Plain(12), 0),
            "    weight…\n"
            "m   f  time\n"
            "a  12   1 s\n");
}

TEST(TableTest, MeaningDoesNotNeedColour) {
  Table table({{.header = "a"}});
  table.AddRow({{"1", Tone::kBad}});
  EXPECT_EQ(table.Render(Plain(80), 0), "a\n1\n");
}

}  // namespace
}  // namespace flopsprof::viewer
