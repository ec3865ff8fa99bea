// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace flopsprof::viewer {
namespace {

TEST(NumbersTest, UnknownIsAQuestionMarkNeverZero) {
  EXPECT_EQ(FormatSi(std::nullopt), "?");
  EXPECT_EQ(FormatCount(std::nullopt), "?");
  EXPECT_EQ(FormatExact(std::nullopt), "?");
  EXPECT_EQ(FormatSeconds(std::nullopt, true), "?");
  EXPECT_EQ(FormatShare(std::nullopt), "?");
  EXPECT_EQ(FormatShare(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(FormatBytes(std::nullopt), "?");
}

TEST(NumbersTest, ShowsThreeOrFourDigitsWithAPrefix) {
  EXPECT_EQ(FormatSi(0), "0");
  EXPECT_EQ(FormatSi(120), "120");
  EXPECT_EQ(FormatSi(999), "999");
  EXPECT_EQ(FormatSi(1000), "1.00 k");
  EXPECT_EQ(FormatSi(5213760), "5.21 M");
  EXPECT_EQ(FormatSi(10427520), "10.4 M");
  EXPECT_EQ(FormatSi(108.8e12), "108.8 T");
  EXPECT_EQ(FormatSi(989.4e12), "989.4 T");
}

TEST(NumbersTest, RoundsUpIntoTheNextPrefix) {
  EXPECT_EQ(FormatSi(999949), "999.9 k");
  EXPECT_EQ(FormatSi(999960), "1.00 M");
  EXPECT_EQ(FormatSi(9.996e6), "10.0 M");
}

TEST(NumbersTest, CountsThousandsAsPeopleDo) {
  EXPECT_EQ(FormatCount(62006), "62.0 K");
  EXPECT_EQ(FormatCount(8.03e9), "8.03 B");
}

TEST(NumbersTest, WritesExactIntegersBeyond64Bits) {
  EXPECT_EQ(FormatExact(model::FlopCount{0}), "0");
  EXPECT_EQ(FormatExact(model::FlopCount{15210240}), "15,210,240");
  EXPECT_EQ(FormatExact(model::FlopCount{1} << 64), "18,446,744,073,709,551,616");
}

TEST(NumbersTest, ChoosesTheUnitOfATime) {
  EXPECT_EQ(FormatSeconds(0.0, true), "0");
  EXPECT_EQ(FormatSeconds(87e-9, true), "87 ns");
  EXPECT_EQ(FormatSeconds(12.34e-6, true), "12.3 µs");
  EXPECT_EQ(FormatSeconds(12.34e-6, false), "12.3 us");
  EXPECT_EQ(FormatSeconds(0.1034, true), "103.4 ms");
  EXPECT_EQ(FormatSeconds(1.934, true), "1.93 s");
  EXPECT_EQ(FormatSeconds(0.99996, true), "1.00 s");
  EXPECT_EQ(FormatSeconds(123.0, true), "2 min 03 s");
  EXPECT_EQ(FormatSeconds(3725.0, true), "1 h 02 min");
}

TEST(NumbersTest, ASmallShareIsNotNothing) {
  EXPECT_EQ(FormatShare(0), "0");
  EXPECT_EQ(FormatShare(0.0001), "<0.1%");
  EXPECT_EQ(FormatShare(0.342), "34.2%");
  EXPECT_EQ(FormatShare(1), "100.0%");
}

TEST(NumbersTest, NotQuiteAllIsNotAll) { EXPECT_EQ(FormatShare(0.99999), ">99.9%"); }

TEST(NumbersTest, Bytes) {
  EXPECT_EQ(FormatBytes(512), "512 B");
  EXPECT_EQ(FormatBytes(248024), "248.0 kB");
}

}  // namespace
}  // namespace flopsprof::viewer
