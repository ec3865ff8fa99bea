// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/text.h"

#include <gtest/gtest.h>

namespace flopsprof::viewer {
namespace {

TEST(TextTest, EscapeSequencesCannotReachTheTerminal) {
  EXPECT_EQ(CleanText("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(CleanText("a\nb\rc"), "a\uFFFDb\uFFFDc");
  EXPECT_EQ(CleanText("\u009b31m"), "\uFFFD31m");  // C1 form of the same
}

TEST(TextTest, BytesThatAreNotUtf8AreReplacedOneByOne) {
  EXPECT_EQ(CleanText("\xff\xfe"), "\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\xc3"), "\uFFFD");
  EXPECT_EQ(CleanText("\xc0\xaf"), "\uFFFD\uFFFD");             // overlong '/'
  EXPECT_EQ(CleanText("\xed\xa0\x80").substr(0, 3), "\uFFFD");  // surrogate
}

TEST(TextTest, DirectionCannotBeTurned) { EXPECT_EQ(CleanText("a\u202eb"), "a\uFFFDb"); }

TEST(TextTest, OrdinaryLettersStay) { EXPECT_EQ(CleanText("größe_層"), "größe_層"); }

TEST(TextTest, AsciiReplacesTheRest) { EXPECT_EQ(CleanAscii("größe\x1b"), "gr??e?"); }

TEST(TextTest, WidthIsInColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("größe"), 5u);
  EXPECT_EQ(DisplayWidth("層"), 2u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
}

TEST(TextTest, ShortensInTheMiddleOrAtTheEnd) {
  EXPECT_EQ(ShortenMiddle("abcdefghij", 7, true), "abc…hij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 8, false), "ab..ghij");
  EXPECT_EQ(ShortenEnd("abcdefghij", 5, true), "abcd…");
  EXPECT_EQ(ShortenEnd("abc", 3, true), "abc");
}

TEST(TextTest, NeverCutsAWideLetterInTwo) { EXPECT_EQ(ShortenEnd("層層層", 4, true), "層…"); }

TEST(TextTest, WrapsAtSpacesBehindAnIndent) {
  EXPECT_EQ(Wrap("one two three", 11, 2), "one two\n  three");
  EXPECT_EQ(Wrap("a_word_longer_than_the_line x", 8, 0), "a_word_longer_than_the_line\nx");
}

}  // namespace
}  // namespace flopsprof::viewer
