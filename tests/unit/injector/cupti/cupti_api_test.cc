// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_api.h"

#include <gtest/gtest.h>

namespace flopsprof::injector {
namespace {

struct Release {
  int cuda_major;
  uint32_t version;  // CUPTI_API_VERSION of cupti_version.h
};

// 11.8, 12.0 and 12.1, 12.2 to 12.4, 12.6, 12.8, 12.9, 13.0.
constexpr Release kReleases[] = {{11, 18}, {12, 18}, {12, 20}, {12, 21},    {12, 22},
                                 {12, 24}, {12, 26}, {12, 28}, {13, 130001}};

TEST(CuptiApiTest, AReleasesCuptiIsOfItsMajorVersion) {
  for (const Release& release : kReleases) {
    EXPECT_TRUE(CuptiIsOfCuda(release.cuda_major, release.version)) << release.version;
  }
}

TEST(CuptiApiTest, ACuptiOfAnotherMajorVersionIsNot) {
  EXPECT_FALSE(CuptiIsOfCuda(13, 18));
  EXPECT_FALSE(CuptiIsOfCuda(12, 17));
  EXPECT_FALSE(CuptiIsOfCuda(11, 20));
  EXPECT_FALSE(CuptiIsOfCuda(13, 28));
  EXPECT_FALSE(CuptiIsOfCuda(12, 130001));
  EXPECT_FALSE(CuptiIsOfCuda(11, 12));
}

}  // namespace
}  // namespace flopsprof::injector
