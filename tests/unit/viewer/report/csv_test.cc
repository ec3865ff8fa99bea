// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/csv.h"

#include <gtest/gtest.h>

namespace flopsprof::viewer {
namespace {

TEST(CsvTest, PlainTextStaysAsItIs) {
  EXPECT_EQ(CsvText("layers.0.fc"), "layers.0.fc");
  EXPECT_EQ(CsvText(""), "");
  EXPECT_EQ(CsvText("(outside)"), "(outside)");
}

TEST(CsvTest, QuotesWhatRfc4180WantsQuoted) {
  EXPECT_EQ(CsvText("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvText("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(CsvText("py main\ttrain.py\nc f"), "\"py main\ttrain.py\nc f\"");
}

TEST(CsvTest, TakesOutWhatSteersATerminal) {
  EXPECT_EQ(CsvText("\x1b]0;owned\x07"), "\xef\xbf\xbd]0;owned\xef\xbf\xbd");
  EXPECT_EQ(CsvText("a\rb"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(CsvText("\xc2\x9b[2J"), "\xef\xbf\xbd[2J");  // C1 CSI
  EXPECT_EQ(CsvText("a\xe2\x80\xae"
                    "b"),
            "a\xef\xbf\xbd"
            "b");  // right to left
  EXPECT_EQ(CsvText(std::string_view("a\0b", 3)),
            "a\xef\xbf\xbd"
            "b");
}

TEST(CsvTest, AFormulaIsText) {
  EXPECT_EQ(CsvText("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(CsvText("+1+1"), "'+1+1");
  EXPECT_EQ(CsvText("-2+3"), "'-2+3");
  EXPECT_EQ(CsvText("@SUM(A1:A9)"), "'@SUM(A1:A9)");
  EXPECT_EQ(CsvText("  =1"), "'  =1");
  EXPECT_EQ(CsvText("\t=1"), "\"'\t=1\"");
  EXPECT_EQ(CsvText("\xef\xbc\x9d"
                    "1"),
            "'\xef\xbc\x9d"
            "1");
  EXPECT_EQ(CsvText("=HYPERLINK(\"http://x\",\"y\")"),
            "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
  EXPECT_EQ(CsvText("-"), "'-");
}

TEST(CsvTest, ANumberStaysANumber) {
  for (const char* number : {"-12", "+5", "-0.5", "1e-9", "-1.5E+20", "12"}) {
    EXPECT_EQ(CsvText(number), number);
  }
}

TEST(CsvTest, TablesWithOtherColumnsAreJoinedByName) {
  const CsvRows first = RowsOfCsv("a,b\r\n1,\"x,\n\"\"y\"\r\n");
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1][1], "\"x,\n\"\"y\"");
  EXPECT_EQ(JoinedCsv({first, {}, RowsOfCsv("a,c\r\n2,\r\n3,4\r\n")}),
            "a,b,c\r\n1,\"x,\n\"\"y\",\r\n2,,\r\n3,,4\r\n");
  EXPECT_EQ(JoinedCsv({{}, {}}), "");
}

}  // namespace
}  // namespace flopsprof::viewer
