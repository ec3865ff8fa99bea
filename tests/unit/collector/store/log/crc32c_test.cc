// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/crc32c.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace flopsprof::store {
namespace {

// RFC 3720, B.4, and the usual check value.
TEST(Crc32cTest, IsThatOfTheStandard) {
  std::string upwards;
  for (char c = 0; c < 32; ++c) upwards += c;
  for (const auto crc : {Crc32c, Crc32cByTableForTesting}) {
    EXPECT_EQ(crc(std::string(32, '\0')), 0x8a9136aau);
    EXPECT_EQ(crc(std::string(32, '\xff')), 0x62a8ab43u);
    EXPECT_EQ(crc(upwards), 0x46dd794eu);
    EXPECT_EQ(crc("123456789"), 0xe3069283u);
    EXPECT_EQ(crc(""), 0u);
  }
}

// Of all lengths and alignments.
TEST(Crc32cTest, TheTableGivesWhatTheInstructionDoes) {
  std::mt19937_64 random(20261201);
  std::string bytes(300, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  for (size_t begin = 0; begin < 9; ++begin) {
    for (size_t size = 0; size < 280; ++size) {
      const std::string_view part = std::string_view(bytes).substr(begin, size);
      ASSERT_EQ(Crc32c(part), Crc32cByTableForTesting(part)) << begin << " " << size;
    }
  }
}

}  // namespace
}  // namespace flopsprof::store
