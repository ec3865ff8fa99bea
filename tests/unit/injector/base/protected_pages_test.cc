// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/protected_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <thread>

#include "injector/base/pages.h"

namespace flopsprof::injector {
namespace {

constexpr size_t kProtectedBytes = 4096;

class ProtectedWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    places_ = static_cast<void**>(MapPages(kProtectedBytes));
    mprotect(places_, kProtectedBytes, PROT_READ);
    range_.begin = reinterpret_cast<uintptr_t>(places_);
    range_.end = range_.begin + kProtectedBytes;
  }
  void TearDown() override { munmap(places_, kProtectedBytes); }

  void** places_;
  AddressRange range_;
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
  EXPECT_EXIT(places_[0] = nullptr, ::testing::KilledBySignal(SIGSEGV), "");
#endif
}

TEST_F(ProtectedWriterTest, RefusesPagesThatCannotBeMadeWritable) {
  AddressRange nowhere;
  nowhere.begin = kProtectedBytes;
  nowhere.end = 2 * kProtectedBytes;
  ProtectedWriter writer(nowhere);
  EXPECT_FALSE(writer.Write(reinterpret_cast<void**>(kProtectedBytes), nullptr));
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
