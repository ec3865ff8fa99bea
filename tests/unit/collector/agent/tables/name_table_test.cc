// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/name_table.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

TEST(ToValidUtf8Test, KeepsValidText) {
  EXPECT_EQ(ToValidUtf8("conv1 \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "conv1 \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(ToValidUtf8Test, ReplacesWhatIsNotUtf8) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(ToValidUtf8("\xff"), bad);
  EXPECT_EQ(ToValidUtf8("\xc0\x80"), bad + bad);            // overlong
  EXPECT_EQ(ToValidUtf8("\xed\xa0\x80"), bad + bad + bad);  // surrogate
  EXPECT_EQ(ToValidUtf8("a\xe2\x82"), "a" + bad + bad);     // cut
  EXPECT_EQ(ToValidUtf8(std::string_view("\0x", 2)), bad + "x");
}

TEST(NameTableTest, TheFirstDefinitionCounts) {
  NameTable names;
  EXPECT_EQ(names.Find(3), nullptr);
  names.Define(3, "a");
  names.Define(3, "b");
  EXPECT_EQ(*names.Find(3), "a");
}

TEST(NameTableTest, NoTextIsLongerThanACollectorTakes) {
  NameTable names;
  names.Define(1, std::string(65'536, '\xff'));
  names.Define(2, std::string(65'535, 'x') + "\xc3\xa4");
  EXPECT_EQ(names.Find(1)->size(), 65'535u);  // 21,845 replacements of 3 bytes
  EXPECT_EQ(*names.Find(2), std::string(65'535, 'x'));
}

TEST(NameTableTest, KnowsIdsOfOneText) {
  NameTable names;
  names.Define(3, "a");
  names.Define(4, "a");
  names.Define(5, "");
  EXPECT_EQ(names.Canonical(4), 3u);
  EXPECT_EQ(names.Canonical(5), 0u);
  EXPECT_EQ(names.Canonical(9), 9u);
}

TEST(NameTableTest, IsBoundedInNumberAndBytes) {
  NameTable many;
  for (uint32_t id = 1; id <= (1u << 17) + 5; id++) many.Define(id, std::to_string(id));
  EXPECT_EQ(many.refused_count(), 5u);
  NameTable large;
  for (uint32_t id = 1; id <= 600; id++) large.Define(id, std::string(70'000, 'x'));
  EXPECT_EQ(large.refused_count(), 600u - 512u);  // 32 MiB of 64 KiB each
}

}  // namespace
}  // namespace flopsprof::agent
