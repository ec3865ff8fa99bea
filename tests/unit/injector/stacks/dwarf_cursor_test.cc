// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/dwarf_cursor.h"

#include <gtest/gtest.h>

#include <vector>

namespace flopsprof::injector {
namespace {

DwarfCursor Over(const std::vector<uint8_t>& bytes) {
  return {bytes.data(), bytes.data() + bytes.size()};
}

// The examples of DWARF 5, section 7.6, tables 7.7 and 7.8.
TEST(DwarfCursorTest, ReadsNumbersOfAnyLength) {
  const std::vector<uint8_t> bytes = {0x02, 0xff, 0x00, 0x80, 0x01, 0x7e, 0x81, 0x7f};
  DwarfCursor in = Over(bytes);
  EXPECT_EQ(in.Uleb(), 2u);
  EXPECT_EQ(in.Uleb(), 127u);
  EXPECT_EQ(in.Uleb(), 128u);
  EXPECT_EQ(in.Sleb(), -2);
  EXPECT_EQ(in.Sleb(), -127);
  EXPECT_TRUE(in.good);
}

TEST(DwarfCursorTest, PastTheEndThereIsNothing) {
  const std::vector<uint8_t> bytes = {0x80};
  DwarfCursor in = Over(bytes);
  EXPECT_EQ(in.Uleb(), 0u);
  EXPECT_FALSE(in.good);
  DwarfCursor other = Over(bytes);
  other.Skip(2);
  EXPECT_FALSE(other.good);
}

TEST(DwarfCursorTest, APointerIsRelativeToItsPlaceOrTheHeader) {
  const std::vector<uint8_t> bytes = {0x10, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff};
  DwarfCursor in = Over(bytes);
  EXPECT_EQ(in.Pointer(0x13, 0), reinterpret_cast<uintptr_t>(bytes.data()) + 0x10);
  EXPECT_EQ(in.Pointer(0x3b, 0x1000), 0xff0u);
  EXPECT_TRUE(in.good);
}

TEST(DwarfCursorTest, OtherPointersAreNotRead) {
  const std::vector<uint8_t> bytes(16, 1);
  for (const uint8_t encoding : {0xff, 0x9b, 0x23, 0x01}) {
    DwarfCursor in = Over(bytes);
    EXPECT_EQ(in.Pointer(encoding, 0x1000), 0u);
    EXPECT_FALSE(in.good);
  }
}

}  // namespace
}  // namespace flopsprof::injector
