// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/pages.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace flopsprof::injector {
namespace {

constexpr size_t kBytes = 4096;

bool IsWritable(const void* place) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(place);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%zx-%zx %4s", &begin, &end, rights) != 3) continue;
    if (address >= begin && address < end) return rights[1] == 'w';
  }
  return false;
}

// Where the kernel gives only what it has, address space that nobody may write costs nothing.
TEST(GrowingPagesTest, OnlyWhatIsInUseIsOpen) {
  constexpr size_t kReserved = size_t{128} << 20;
  GrowingPages pages;
  ASSERT_TRUE(pages.Reserve(kReserved));
  auto* const begin = static_cast<char*>(pages.begin());
  EXPECT_FALSE(IsWritable(begin));
  ASSERT_TRUE(pages.Open(1));
  EXPECT_TRUE(IsWritable(begin));
  EXPECT_FALSE(IsWritable(begin + (size_t{2} << 20)));
  ASSERT_TRUE(pages.Open(kReserved));
  EXPECT_TRUE(IsWritable(begin + kReserved - 1));
  EXPECT_EQ(begin[kReserved - 1], 0);
  EXPECT_FALSE(pages.Open(kReserved + 1));
  pages.Refuse();
  EXPECT_FALSE(pages.Reserve(kBytes));
}

}  // namespace
}  // namespace flopsprof::injector
