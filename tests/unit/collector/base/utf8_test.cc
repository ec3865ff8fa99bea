// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/utf8.h"

#include <gtest/gtest.h>

namespace flopsprof::base {
namespace {

// Bytes and code of the first character.
std::pair<size_t, char32_t> First(std::string_view text) {
  const Utf8Character character = DecodeUtf8(text);
  return {character.bytes, character.code};
}

using Decoded = std::pair<size_t, char32_t>;

TEST(DecodeUtf8Test, ReadsTheSmallestAndLargestOfEachLength) {
  EXPECT_EQ(First(std::string_view("\0", 1)), Decoded(1, 0));
  EXPECT_EQ(First("\x7f"), Decoded(1, 0x7F));
  EXPECT_EQ(First("\xc2\x80"), Decoded(2, 0x80));
  EXPECT_EQ(First("\xdf\xbf"), Decoded(2, 0x7FF));
  EXPECT_EQ(First("\xe0\xa0\x80"), Decoded(3, 0x800));
  EXPECT_EQ(First("\xef\xbf\xbf"), Decoded(3, 0xFFFF));
  EXPECT_EQ(First("\xf0\x90\x80\x80"), Decoded(4, 0x10000));
  EXPECT_EQ(First("\xf4\x8f\xbf\xbf"), Decoded(4, 0x10FFFF));
}

TEST(DecodeUtf8Test, RefusesWhatRfc3629Forbids) {
  for (const char* text :
       {"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3(", "\xe2\x82", "\xf0\x9f\x98"}) {
    EXPECT_EQ(DecodeUtf8(text).bytes, 0u) << ::testing::PrintToString(std::string(text));
  }
}

TEST(AppendUtf8Test, WritesWhatDecodeReads) {
  std::string text;
  for (const char32_t code : {U'a', U'\u00e9', U'\u20ac', U'\U0001F600'}) AppendUtf8(code, &text);
  EXPECT_EQ(text, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(EndOfCharacterTest, NeverCutsACharacter) {
  EXPECT_EQ(EndOfCharacter("a\xe2\x82\xac", 3), 1u);
  EXPECT_EQ(EndOfCharacter("a\xe2\x82\xac", 4), 4u);
  EXPECT_EQ(EndOfCharacter("ab", 9), 2u);
}

}  // namespace
}  // namespace flopsprof::base
