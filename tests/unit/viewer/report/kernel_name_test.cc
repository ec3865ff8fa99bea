// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

TEST(ReadableKernelNameTest, DropsWhatSaysNothing) {
  EXPECT_EQ(ReadableKernelName("_ZN2at6native12_GLOBAL__N_14fillIfEEvPT_i"), "fill<float>");
}

TEST(ReadableKernelNameTest, LeavesPlainNames) {
  EXPECT_EQ(ReadableKernelName("ampere_sgemm_128x64_tn"), "ampere_sgemm_128x64_tn");
  EXPECT_EQ(ReadableKernelName("_Zbroken"), "_Zbroken");
  EXPECT_EQ(ReadableKernelName("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
}

}  // namespace
}  // namespace flopsprof::viewer
