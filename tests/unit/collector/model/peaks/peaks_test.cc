// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/peaks/peaks.h"

#include <gtest/gtest.h>

#include <set>

#include "collector/model/peaks/peaks_cards.h"

namespace flopsprof::model {
namespace {

double Peak(std::string_view device, std::string_view type, uint32_t sm_count = 0) {
  const DevicePeaks* peaks = FindPeaks(device, sm_count);
  return peaks == nullptr ? -1 : peaks->For(type).value_or(-1);
}

TEST(PeaksTest, KnowsCardsByTheirDriverNames) {
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "bf16"), 312e12);
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "tf32"), 156e12);
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "fp32"), 19.5e12);
  EXPECT_EQ(Peak("NVIDIA H100 80GB HBM3", "bf16"), 989.4e12);
  EXPECT_EQ(Peak("Tesla V100-SXM2-16GB", "fp16"), 125e12);
  EXPECT_EQ(Peak("NVIDIA L4", "fp32"), 30.3e12);
  EXPECT_EQ(Peak("NVIDIA GeForce RTX 4090", "bf16"), 165.2e12);
  EXPECT_EQ(Peak("NVIDIA TITAN V", "fp16"), 110e12);
  EXPECT_EQ(Peak("NVIDIA B300", "bf16"), 2250e12);
}

TEST(PeaksTest, VariantsOfACardAreToldApart) {
  EXPECT_EQ(Peak("NVIDIA H100 PCIe", "bf16"), 756e12);
  EXPECT_EQ(Peak("NVIDIA L40", "bf16"), 181.05e12);
  EXPECT_EQ(Peak("NVIDIA L40S", "bf16"), 366.5e12);
  EXPECT_EQ(Peak("NVIDIA H20", "bf16"), 148e12);
  // Two cards of one name.
  EXPECT_EQ(Peak("NVIDIA GeForce RTX 3080", "fp32", 68), 29.8e12);
  EXPECT_EQ(Peak("NVIDIA GeForce RTX 3080", "fp32", 70), 30.6e12);
  EXPECT_EQ(Peak("NVIDIA GeForce RTX 3080", "fp32", 58), -1);
}

TEST(PeaksTest, NeverGuesses) {
  EXPECT_EQ(FindPeaks("NVIDIA H900"), nullptr);
  EXPECT_EQ(FindPeaks(""), nullptr);
  EXPECT_EQ(FindPeaks("NVIDIA A100-SXM4-40GB MIG 1g.5gb"), nullptr);
  EXPECT_EQ(FindPeaks("NVIDIA GeForce RTX 4090 Laptop GPU"), nullptr);
  EXPECT_EQ(FindPeaks("NVIDIA RTX PRO 6000 Blackwell"), nullptr);
  EXPECT_EQ(Peak("Tesla V100-SXM2-16GB", "bf16"), -1);
  EXPECT_EQ(Peak("NVIDIA B300", "fp4"), -1);
  EXPECT_EQ(Peak("NVIDIA H100 80GB HBM3", "fp32_or_tf32"), -1);
}

TEST(PeaksTest, AGeForceAddsUpInFp32AtHalfRate) {
  const DevicePeaks& peaks = *FindPeaks("NVIDIA GeForce RTX 3090");
  std::set<std::pair<std::string, double>> fp16;
  for (const TypePeak& peak : peaks.types) {
    if (peak.type == "fp16") fp16.emplace(peak.accumulate, peak.flop_per_s);
  }
  EXPECT_EQ(fp16, (std::set<std::pair<std::string, double>>{{"fp32", 71e12}, {"fp16", 142e12}}));
  EXPECT_EQ(peaks.For("fp16"), 71e12);
}

// Figures with sparsity as the maker prints them, not computed. Looked up in public copies of the
// documents: A100, A40, L4, L40, L40S, H100 SXM, H200. Written down from memory: the others.
TEST(PeaksTest, SparseFiguresAreThoseOfTheMaker) {
  struct Figure {
    const char* device;
    const char* type;
    double tera;
  };
  for (const Figure& figure : {
           Figure{"NVIDIA A100-SXM4-80GB", "tf32_sparse", 312},
           Figure{"NVIDIA A100-SXM4-80GB", "bf16_sparse", 624},
           Figure{"NVIDIA A100-SXM4-80GB", "int8_sparse", 1248},
           Figure{"NVIDIA A30", "fp16_sparse", 330},
           Figure{"NVIDIA A40", "fp16_sparse", 299.4},
           Figure{"NVIDIA A10", "fp16_sparse", 250},
           Figure{"NVIDIA RTX A6000", "fp16_sparse", 309.7},
           Figure{"NVIDIA GeForce RTX 3090", "fp16_sparse", 142},
           Figure{"NVIDIA L4", "fp16_sparse", 242},
           Figure{"NVIDIA L4", "fp8_sparse", 485},
           Figure{"NVIDIA L40", "fp16_sparse", 362.1},
           Figure{"NVIDIA L40S", "tf32_sparse", 366},
           Figure{"NVIDIA L40S", "bf16_sparse", 733},
           Figure{"NVIDIA L40S", "fp8_sparse", 1466},
           Figure{"NVIDIA GeForce RTX 4090", "fp8_sparse", 660.6},
           Figure{"NVIDIA H100 80GB HBM3", "bf16_sparse", 1978.9},
           Figure{"NVIDIA H100 80GB HBM3", "fp8_sparse", 3957.8},
           Figure{"NVIDIA H100 NVL", "bf16_sparse", 1671},
           Figure{"NVIDIA H200", "fp8_sparse", 3958},
       }) {
    EXPECT_NEAR(Peak(figure.device, figure.type) / (figure.tera * 1e12), 1, 0.005)
        << figure.device << " " << figure.type;
  }
}

TEST(PeaksTest, OnlyMatrixUnitsFromAmpereOnHaveASparseRate) {
  for (const DevicePeaks& peaks : AllPeaks()) {
    for (const TypePeak& peak : peaks.types) {
      if (!peak.sparse_flop_per_s.has_value()) continue;
      EXPECT_NE(peaks.architecture, "Volta");
      EXPECT_NE(peaks.architecture, "Turing");
      EXPECT_NE(peak.type, "fp64") << peaks.card;
      EXPECT_NE(peak.type, "fp32") << peaks.card;
    }
  }
}

TEST(PeaksTest, ASparseTypeHasTheSparsePeak) {
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "fp16_sparse"), 624e12);
  EXPECT_EQ(Peak("NVIDIA A100-SXM4-80GB", "fp64_sparse"), -1);
  EXPECT_EQ(Peak("Tesla T4", "fp16_sparse"), -1);
  EXPECT_EQ(PeaksOf("NVIDIA H900", 0, {{"fp16_sparse", 1e15}})->For("fp16_sparse"), 1e15);
}

// Each published figure is the product of its parts, up to the rounding of the maker's.
TEST(PeaksTest, EveryPublishedFigureFollowsFromItsParts) {
  constexpr double kRounding = 0.01;
  int checked = 0;
  for (const Card& card : AllCards()) {
    if (card.rates == nullptr) {
      EXPECT_FALSE(card.remark.empty()) << card.name << ": no parts and no word why";
      continue;
    }
    for (const Published& figure : card.published) {
      const SmRate* rate = nullptr;
      for (const SmRate& one : *card.rates) {
        if (one.type == figure.type && one.accumulate == figure.accumulate) rate = &one;
      }
      ASSERT_NE(rate, nullptr) << card.name << " " << figure.type;
      const int mhz = rate->tensor && card.tensor_mhz != 0 ? card.tensor_mhz : card.boost_mhz;
      const double tera = 1e-6 * card.sm_count * mhz * rate->flop_per_clock;
      EXPECT_NEAR(figure.tera / tera, 1, kRounding) << card.name << " " << figure.type;
      ++checked;
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(PeaksTest, EveryCardNamesItsSourceAndHasPositiveRates) {
  std::set<std::string> names;
  for (const DevicePeaks& peaks : AllPeaks()) {
    EXPECT_TRUE(names.insert(peaks.card).second) << peaks.card << " is there twice";
    EXPECT_NE(peaks.source.find("https://"), std::string::npos) << peaks.card;
    EXPECT_FALSE(peaks.types.empty()) << peaks.card;
    for (const TypePeak& peak : peaks.types) EXPECT_GT(peak.flop_per_s, 3e10) << peaks.card;
  }
}

TEST(PeaksTest, GivenPeaksTakeThePlaceOfThoseOfTheTable) {
  GivenPeaks given;
  EXPECT_EQ(ParseGivenPeaks("bf16=500T,fp8=1.5P", &given), "");
  EXPECT_EQ(ParseGivenPeaks("tf32=3e14", &given), "");
  const auto known = PeaksOf("NVIDIA H100 PCIe", 0, given);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->For("bf16"), 500e12);
  EXPECT_EQ(known->For("tf32"), 300e12);
  EXPECT_EQ(known->For("fp16"), 756e12);
  const auto unknown = PeaksOf("NVIDIA H900", 0, given);
  ASSERT_TRUE(unknown.has_value());
  EXPECT_EQ(unknown->For("fp8"), 1.5e15);
  EXPECT_EQ(unknown->For("fp16"), std::nullopt);
  EXPECT_NE(unknown->source.find("--peak"), std::string::npos);
  EXPECT_FALSE(PeaksOf("NVIDIA H900", 0, {}).has_value());
}

TEST(PeaksTest, WhatIsNoPeakIsRefusedWithTheForm) {
  for (const char* text : {"", "bf16", "bf16=", "=1e12", "bf16=fast", "bf16=-1e12", "bf16=5",
                           "bf16=nan", "bf16=1e12,,fp8=1e12"}) {
    GivenPeaks given;
    EXPECT_NE(ParseGivenPeaks(text, &given).find("TYPE=OPERATIONS_PER_SECOND"), std::string::npos)
        << text;
  }
}

TEST(PeaksTest, ATypeThatNoProductHasIsRefused) {
  GivenPeaks given;
  EXPECT_EQ(ParseGivenPeaks("nosuch=1T", &given).find("'nosuch' is no data type of products"), 0u);
  EXPECT_NE(ParseGivenPeaks("bf16=1T,BF16=1T", &given).find("known: bf16, fp16"),
            std::string::npos);
  EXPECT_EQ(given.count("nosuch"), 0u);
  EXPECT_EQ(ParseGivenPeaks("fp32_or_tf32=1T,fp64_emulated=1T,int8=1P", &given), "");
}

}  // namespace
}  // namespace flopsprof::model
