// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernels/cublas_kernel_names.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/strip.h>

namespace flopsprof::model {
namespace {

// "void f<...>(...)" or "_Z12f..." to "f...". Of a nested name only the first part is needed.
absl::string_view WithoutDecoration(absl::string_view name) {
  absl::ConsumePrefix(&name, "void ");
  if (!absl::ConsumePrefix(&name, "_Z")) return name;
  absl::ConsumePrefix(&name, "N");
  while (!name.empty() && absl::ascii_isdigit(static_cast<unsigned char>(name.front())))
    name.remove_prefix(1);
  return name;
}

// sm80_xmma_gemm_..., of any architecture.
bool IsXmmaGemm(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "sm")) return false;
  while (!name.empty() && absl::ascii_isdigit(static_cast<unsigned char>(name.front())))
    name.remove_prefix(1);
  return absl::StartsWith(name, "_xmma_gemm_");
}

// ampere_sgemm_128x64_tn, turing_fp16_s1688gemm_fp16_64x64_...: cuDNN's own have another prefix.
bool IsArchitectureGemm(absl::string_view name) {
  for (const char* architecture : {"volta_", "turing_", "ampere_"}) {
    if (absl::StartsWith(name, architecture)) return absl::StrContains(name, "gemm");
  }
  return false;
}

}  // namespace

// Names as they stand in libcublasLt.so.13 and libcublas.so.13 of the wheel nvidia-cublas
// 13.1.1.3. Left out is cutlass_*, which programs that use CUTLASS have as well.
bool IsNameOfCublasProduct(absl::string_view name) {
  const absl::string_view plain = WithoutDecoration(name);
  for (absl::string_view prefix : {"nvjet_sm", "gemmSN_", "gemmk1_kernel", "gemv2N_kernel",
                                   "gemv2T_kernel", "gemvNSP_kernel", "cublasLt"}) {
    if (absl::StartsWith(plain, prefix)) return true;
  }
  return IsXmmaGemm(plain) || IsArchitectureGemm(plain);
}

}  // namespace flopsprof::model
