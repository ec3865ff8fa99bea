// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

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

class ProtectedWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    places_ = static_cast<void**>(MapPages(kBytes));
    mprotect(places_, kBytes, PROT_READ);
    range_.begin = reinterpret_cast<uintptr_t>(places_);
    range_.end = range_.begin + kBytes;
  }
  void TearDown() override { munmap(places_, kBytes); }

  void** places_;
  ProtectedRange range_;
};

TEST_F(ProtectedWriterTest, WritesAndLeavesThePagesReadOnly) {
  {
    ProtectedWriter writer(range_);
    EXPECT_TRUE(writer.Write(places_, this));
  }
  EXPECT_EQ(places_[0], this);
#if defined(__SANITIZE_ADDRESS__)
  EXPECT_DEATH(places_[0] = nullptr, "SEGV");  // it takes the signal, and says so
#else
  EXPECT_EXIT(places_[0] = nullptr, testing::KilledBySignal(SIGSEGV), "");
#endif
}

TEST_F(ProtectedWriterTest, RefusesPagesThatCannotBeMadeWritable) {
  ProtectedRange nowhere;
  nowhere.begin = kBytes;
  nowhere.end = 2 * kBytes;
  ProtectedWriter writer(nowhere);
  EXPECT_FALSE(writer.Write(reinterpret_cast<void**>(kBytes), nullptr));
  ProtectedWriter other(range_);  // the lock is free
  EXPECT_TRUE(other.Write(places_, nullptr));
}

// Without the common lock one closes the pages between the other's opening and writing.
TEST_F(ProtectedWriterTest, TwoThreadsThatPatchAtOnceLoseNoWrite) {
  constexpr int kRounds = 20000;
  const auto patch = [this](int place) {
    for (int round = 1; round <= kRounds; ++round) {
      ProtectedWriter writer(range_);
      writer.Write(places_ + place, places_ + round);
      writer.Write(places_ + place + 2, places_ + round);
    }
  };
  std::thread other(patch, 0);
  patch(1);
  other.join();
  for (int place = 0; place < 4; ++place) EXPECT_EQ(places_[place], places_ + kRounds);
}

}  // namespace
}  // namespace flopsprof::injector
