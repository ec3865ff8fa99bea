// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/peaks.h"

#include <gtest/gtest.h>

namespace flopsprof::model {
namespace {

double Peak(std::string_view device, std::string_view type) {
  const DevicePeaks* peaks = FindPeaks(device);
  return peaks == nullptr ? -1 : peaks->For(type).value_or(-1);
}

TEST(PeaksTest, KnowsCardsByTheirDriverNames) {
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "bf16"), 312e12);
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "tf32"), 156e12);
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "fp32"), 19.5e12);
  EXPECT_EQ(Peak("NVIDIA H100 80GB HBM3", "bf16"), 989.4e12);
  EXPECT_EQ(Peak("Tesla V100-SXM2-16GB", "fp16"), 125e12);
  EXPECT_EQ(Peak("NVIDIA L4", "fp32"), 30.3e12);
}

TEST(PeaksTest, VariantsOfACardAreToldApart) {
  EXPECT_EQ(Peak("NVIDIA H100 PCIe", "bf16"), 756e12);
  EXPECT_EQ(Peak("NVIDIA L40", "bf16"), 181e12);
  EXPECT_EQ(Peak("NVIDIA L40S", "bf16"), 362e12);
  EXPECT_EQ(Peak("NVIDIA H20", "bf16"), 148e12);
}

TEST(PeaksTest, NeverGuesses) {
  EXPECT_EQ(FindPeaks("NVIDIA H900"), nullptr);
  EXPECT_EQ(FindPeaks(""), nullptr);
  EXPECT_EQ(FindPeaks("NVIDIA A100-SXM4-40GB MIG 1g.5gb"), nullptr);
  EXPECT_EQ(Peak("Tesla V100-SXM2-16GB", "bf16"), -1);
}

TEST(PeaksTest, EveryCardNamesItsSourceAndHasPositiveRates) {
  for (const DevicePeaks& peaks : AllPeaks()) {
    EXPECT_FALSE(peaks.source.empty()) << peaks.card;
    EXPECT_FALSE(peaks.types.empty()) << peaks.card;
    for (const TypePeak& peak : peaks.types) EXPECT_GT(peak.flop_per_s, 1e11) << peaks.card;
  }
}

}  // namespace
}  // namespace flopsprof::model
