// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Names cut out of libcublasLt.so.13 (wheel nvidia-cublas 13.1.1.3) unless a line says otherwise.
#include "collector/model/kernels/cublas_kernel_names.h"

#include <gtest/gtest.h>

namespace flopsprof::model {
namespace {

TEST(CublasKernelNamesTest, KnowsTheLibrarysProducts) {
  for (const char* name : {
           "sm90_xmma_gemm_i8i32_i8i32_i32_tn_n_tilesize64x256x128_cgasize1x1x1",
           "ampere_cgemm_64x64_upper_tn", "ampere_h16816gemm_128x64_sliced1x2_ldg8_stages_64x6_tt",
           "turing_fp16_s1688gemm_fp16_64x64_sliced1x4_ldg8_relu_f2f_tt",
           "volta_sgemm_int8_64x64_upper_tn",
           "_Z16gemmSN_TN_kernelIfLi128ELi16ELi2ELi4ELi14ELi15ELb0E30cublasGemv",
           "_Z14gemvNSP_kernelIafffLi11ELi32ELi4ELi1024ELb1E18cublasGemvParamsExIi",
           "_Z20gemv2T_kernel_64addrIffffLi128ELi16ELi4ELi4ELb1E18cublasGemvParamsExIl",
           "_ZN8cublasLt19splitKreduce_kernelILi8ELi32Eif13__nv_fp8_e4m3fS1_Lb1Ef6",
           "void cublasLt::splitKreduce_kernel<8, 32, int>",    // the same, demangled
           "volta_sgemm_64x32_sliced1x4_nn",                    // NVIDIA/cutlass issue 533
           "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8",  // NVIDIA/cutlass issue 1025
       }) {
    EXPECT_TRUE(IsNameOfCublasProduct(name)) << name;
  }
}

TEST(CublasKernelNamesTest, LeavesOthersAlone) {
  for (const char* name : {
           "",
           "_Z",
           "sm",
           "relu_kernel",
           "ampere_something_else",
           "_5x_cudnn_ampere_fp16_s16816cudnn_fp16_6",  // libcudnn_engines_precompiled.so.9
           "cutlass_80_tensorop_f16_s16816gemm_relu_f16_128x128_32x4_tn_align8",
           "_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalINS1_17GroupProbl",
           "my_gemm_kernel",
       }) {
    EXPECT_FALSE(IsNameOfCublasProduct(name)) << name;
  }
}

}  // namespace
}  // namespace flopsprof::model
