// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Expected texts are those of Python 3.11 and of DeepSpeed 0.19.8.

#include "viewer/deepspeed/units.h"

#include <gtest/gtest.h>

#include "viewer/deepspeed/python_text.h"

namespace flopsprof::viewer::deepspeed {
namespace {

TEST(PythonTextTest, FloatsAreTheShortestTexts) {
  EXPECT_EQ(FloatText(0), "0.0");
  EXPECT_EQ(FloatText(5), "5.0");
  EXPECT_EQ(FloatText(1489.43), "1489.43");
  EXPECT_EQ(FloatText(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(FloatText(0.0001), "0.0001");
  EXPECT_EQ(FloatText(0.00001), "1e-05");
  EXPECT_EQ(FloatText(9999999999999998), "9999999999999998.0");
  EXPECT_EQ(FloatText(1e16), "1e+16");
}

TEST(PythonTextTest, TwoDigitsHaveAPointOrAnExponent) {
  EXPECT_EQ(TwoDigits(0), "0.0");
  EXPECT_EQ(TwoDigits(3), "3.0");
  EXPECT_EQ(TwoDigits(10), "1e+01");
  EXPECT_EQ(TwoDigits(13.4), "1.3e+01");
  EXPECT_EQ(TwoDigits(0.0344), "0.034");
  EXPECT_EQ(TwoDigits(0.000041), "4.1e-05");
  EXPECT_EQ(TwoDigits(1310), "1.3e+03");
}

TEST(PythonTextTest, RoundingIsOfTheExactBinaryValue) {
  EXPECT_EQ(Round2(2.675), 2.67);
  EXPECT_EQ(Round2(0.125), 0.12);
  EXPECT_EQ(Round2(0.375), 0.38);
}

TEST(PythonTextTest, TextsAreQuotedAsByRepr) {
  EXPECT_EQ(Quoted("Net"), "'Net'");
  EXPECT_EQ(Quoted("it's"), "\"it's\"");
  EXPECT_EQ(Quoted("a'\"\\"), "'a\\'\"\\\\'");
}

TEST(UnitsTest, TheNewestOnesChooseTheUnitBeforeTheyRound) {
  const Units& units = NewestUnits();
  EXPECT_EQ(units.number(Number{0}), "0 ");
  EXPECT_EQ(units.number(Number{999}), "999 ");
  EXPECT_EQ(units.number(Number{999999}), "1000 K");
  EXPECT_EQ(units.number(Number{62006}), "62.01 K");
  EXPECT_EQ(units.number(Number{1.234567e18}), "1.23457e+06 T");
  EXPECT_EQ(units.macs(Number{1.29e9}), "1.29 GMACs");
  EXPECT_EQ(units.params(Number{1.29e9}), "1.29 B");
  EXPECT_EQ(units.params(Number{999}), "999");
  EXPECT_EQ(units.rate(Number{0.5}), "500 mFLOPS");
  EXPECT_EQ(units.duration(0.0005), "500 us");
  EXPECT_EQ(units.duration(1e-7), "0.1 us");
  EXPECT_EQ(units.share(456, 62006), "0.74%");
  EXPECT_EQ(units.share(1, 0), "0%");
}

TEST(UnitsTest, TheOldOnesHaveFloats) {
  const Units& units = OldUnits();
  EXPECT_EQ(units.number(Number{999}), "999");
  EXPECT_EQ(units.macs(Number{4.127195e13}), "41271.95 GMACs");
  EXPECT_EQ(units.params(Number{61706}), "61.71 k");
  EXPECT_EQ(units.rate(Number{0, false}), "0.0 FLOPS");
  EXPECT_EQ(units.duration(0.0), "0");
  EXPECT_EQ(units.timer(0.0), "0.0");
  EXPECT_EQ(units.duration(0.00053), "530.0 us");
  EXPECT_EQ(units.share(456, 62006), "0.74%");
  EXPECT_EQ(units.share(1, 1), "100.00%");
}

TEST(UnitsTest, WhatIsNotKnownIsSaid) {
  for (const Units* units : {&NewestUnits(), &OldUnits()}) {
    EXPECT_EQ(units->number({}), "unknown");
    EXPECT_EQ(units->duration({}), "unknown");
    EXPECT_EQ(units->share({}, 1), "unknown");
    EXPECT_EQ(units->share(1, {}), "unknown");
    EXPECT_EQ(units->rate(Rate({}, 1)), "unknown");
    EXPECT_EQ(units->rate(Rate(Number{1}, {})), "unknown");
  }
}

}  // namespace
}  // namespace flopsprof::viewer::deepspeed
