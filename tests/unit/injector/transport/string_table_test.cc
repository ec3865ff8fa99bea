// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/string_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/address_space.h"

namespace flopsprof::injector {
namespace {

// Tables are not destroyed in the product: tests leak them as well.
StringTable* NewTable() {
  static std::vector<std::unique_ptr<StringTable>> tables;
  tables.push_back(std::make_unique<StringTable>());
  return tables.back().get();
}

uint32_t Id(StringTable* table, const std::string& text) {
  const StringTable::Entry* entry = table->Intern(text.data(), text.size());
  return entry == nullptr ? 0 : entry->id;
}

TEST(StringTableTest, SameTextSameId) {
  StringTable* table = NewTable();
  std::string copy = "kernel";
  EXPECT_EQ(Id(table, "kernel"), 1u);
  EXPECT_EQ(Id(table, copy), 1u);
  EXPECT_EQ(Id(table, "kernel2"), 2u);
}

TEST(StringTableTest, APrefixIsAnotherString) {
  StringTable* table = NewTable();
  EXPECT_NE(Id(table, "abc"), Id(table, "ab"));
}

TEST(StringTableTest, KeepsItsOwnCopy) {
  StringTable* table = NewTable();
  std::string text = "first";
  const StringTable::Entry* entry = table->Intern(text.data(), text.size());
  text = "other";
  EXPECT_EQ(std::string(entry->text, entry->bytes), "first");
}

TEST(StringTableTest, CutsWhatIsTooLong) {
  StringTable* table = NewTable();
  const std::string text(StringTable::kMaxStringBytes + 10, 'x');
  EXPECT_EQ(table->Intern(text.data(), text.size())->bytes, StringTable::kMaxStringBytes);
}

TEST(StringTableTest, IsFullAfterItsNumberOfStrings) {
  StringTable* table = NewTable();
  for (uint32_t i = 0; i < StringTable::kMaxStrings; ++i)
    ASSERT_NE(Id(table, std::to_string(i)), 0u);
  EXPECT_EQ(Id(table, "one more"), 0u);
  EXPECT_EQ(Id(table, "17"), 18u);
}

TEST(StringTableTest, IsFullAfterItsBytesOfText) {
  StringTable* table = NewTable();
  const std::string long_text(StringTable::kMaxStringBytes - 8, 'x');
  uint32_t kept = 0;
  while (kept < 5000 && Id(table, long_text + std::to_string(kept)) != 0) ++kept;
  EXPECT_GT(kept, 1900u);
  EXPECT_LE(kept, StringTable::kMaxTextBytes / long_text.size());
}

// 8 MiB of the parts that there is room for, at each name.
TEST(StringTableTest, ATableThatCannotBeMadeKeepsNoAddressSpace) {
  const auto refused = [table = NewTable()] { return Id(table, "kernel") == 0; };
  EXPECT_EXIT(_exit(test::KeepsAddressSpaceWhenRefused(StringTable::kMaxTextBytes - 1, refused)),
              ::testing::ExitedWithCode(0), "");
}

TEST(StringTableTest, ThreadsAgreeOnIds) {
  StringTable* table = NewTable();
  constexpr int kThreads = 4;
  std::vector<std::vector<uint32_t>> ids(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) ids[t].push_back(Id(table, std::to_string(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[0], ids[3]);
  EXPECT_EQ(std::set<uint32_t>(ids[0].begin(), ids[0].end()).size(), 2000u);
}

}  // namespace
}  // namespace flopsprof::injector
