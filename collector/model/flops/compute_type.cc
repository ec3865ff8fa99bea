// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/compute_type.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "proto/shm/api_ids.h"

namespace flopsprof::model {
namespace {

using shm::ApiId;

// library_types.h, cudaDataType_t: text, complex, peak when it is the type of both operands.
struct DataType {
  const char* text;
  NumberKind kind;
  const char* peak;
};
constexpr NumberKind kReal = NumberKind::kReal;
constexpr NumberKind kComplex = NumberKind::kComplex;
constexpr std::array<DataType, 34> kDataTypes = {{
    {"f32", kReal, "fp32"},      {"f64", kReal, "fp64"},    {"f16", kReal, "fp16"},
    {"i8", kReal, "int8"},       {"c32", kComplex, "fp32"}, {"c64", kComplex, "fp64"},
    {"c16", kComplex, "fp16"},   {"ci8", kComplex, "int8"}, {"u8", kReal, "int8"},
    {"cu8", kComplex, "int8"},   {"i32", kReal, ""},        {"ci32", kComplex, ""},
    {"u32", kReal, ""},          {"cu32", kComplex, ""},    {"bf16", kReal, "bf16"},
    {"cbf16", kComplex, "bf16"}, {"i4", kReal, "int4"},     {"ci4", kComplex, "int4"},
    {"u4", kReal, "int4"},       {"cu4", kComplex, "int4"}, {"i16", kReal, ""},
    {"ci16", kComplex, ""},      {"u16", kReal, ""},        {"cu16", kComplex, ""},
    {"i64", kReal, ""},          {"ci64", kComplex, ""},    {"u64", kReal, ""},
    {"cu64", kComplex, ""},      {"e4m3", kReal, "fp8"},    {"e5m2", kReal, "fp8"},
    {"ue8m0", kReal, ""},        {"e2m3", kReal, "fp6"},    {"e3m2", kReal, "fp6"},
    {"e2m1", kReal, "fp4"},
}};
constexpr int kF32 = 0, kF64 = 1, kF16 = 2, kC32 = 4, kC64 = 5;

// cublas_api.h, cublasComputeType_t.
enum ComputeType : uint8_t {
  kCompute32F = 68,
  kCompute32FPedantic = 69,
  kCompute32FFast16F = 74,
  kCompute32FFast16BF = 75,
  kCompute32FFastTf32 = 77,
  kCompute32FEmulated = 78,
  kCompute64FEmulated = 79,
};

// cublas_api.h, cublasMath_t: values, not bits, below 16; 16 is a flag (no reduced precision).
enum MathMode : uint8_t {
  kMathTensorOp = 1,
  kMathPedantic = 2,
  kMathTf32 = 3,
  kMathFp32Emulated = 4,
  kMathFp64Emulated = 8,
};
constexpr uint8_t kMathModeMask = 15;

bool IsLevel3(uint16_t api) {
  const auto id = static_cast<ApiId>(api);
  return !(id >= ApiId::cublasSgemv_v2 && id <= ApiId::cublasDotEx);
}

// Peak of fp32 operands. An explicit compute type wins over the handle's math mode, except that
// plain CUBLAS_COMPUTE_32F means "as the handle says".
const char* SinglePrecisionPeak(uint8_t compute_type, uint8_t math_mode) {
  switch (compute_type) {
    case kCompute32FPedantic:
      return "fp32";
    case kCompute32FFast16F:
      return "fp16";
    case kCompute32FFast16BF:
      return "bf16";
    case kCompute32FFastTf32:
      return "tf32";
    case kCompute32FEmulated:
      return "fp32_emulated";
    case 0:
    case kCompute32F:
      break;
    default:
      return "";
  }
  switch (math_mode & kMathModeMask) {
    case kMathTensorOp:  // "for single precision uses CUBLAS_COMPUTE_32F_FAST_16F"
      return "fp16";
    case kMathTf32:
      return "tf32";
    case kMathFp32Emulated:
      return "fp32_emulated";
    default:
      return "fp32";
  }
}

}  // namespace

int FixedDataType(uint16_t api) {
  switch (static_cast<ApiId>(api)) {
    case ApiId::cublasSgemm_v2:
    case ApiId::cublasSgemmStridedBatched:
    case ApiId::cublasSgemmBatched:
    case ApiId::cublasSgemv_v2:
    case ApiId::cublasSdot_v2:
      return kF32;
    case ApiId::cublasDgemm_v2:
    case ApiId::cublasDgemmStridedBatched:
    case ApiId::cublasDgemmBatched:
    case ApiId::cublasDgemv_v2:
    case ApiId::cublasDdot_v2:
      return kF64;
    case ApiId::cublasHgemm:
    case ApiId::cublasHgemmStridedBatched:
    case ApiId::cublasHgemmBatched:
      return kF16;
    case ApiId::cublasCgemm_v2:
    case ApiId::cublasCgemmStridedBatched:
    case ApiId::cublasCgemmBatched:
    case ApiId::cublasCgemv_v2:
      return kC32;
    case ApiId::cublasZgemm_v2:
    case ApiId::cublasZgemmStridedBatched:
    case ApiId::cublasZgemmBatched:
    case ApiId::cublasZgemv_v2:
      return kC64;
    default:
      return -1;
  }
}

NumberKind NumberKindOf(uint8_t type) {
  return type < kDataTypes.size() ? kDataTypes[type].kind : NumberKind::kUnknown;
}

std::string DataTypeText(uint8_t type) {
  return type < kDataTypes.size() ? kDataTypes[type].text : absl::StrCat("type", int{type});
}

std::string GemmComputeType(const shm::GemmCall& call) {
  const int fixed = FixedDataType(call.api);
  const int type_a = fixed >= 0 ? fixed : call.type_a;
  const int type_b = fixed >= 0 ? fixed : call.type_b;
  if (type_a >= static_cast<int>(kDataTypes.size()) ||
      type_b >= static_cast<int>(kDataTypes.size())) {
    return "";
  }
  const std::string_view peak = kDataTypes[type_a].peak;
  if (peak != kDataTypes[type_b].peak) return "";  // mixed operands: no one peak
  if (peak == "fp64") {
    const bool emulated = call.compute_type == kCompute64FEmulated ||
                          (call.math_mode & kMathModeMask) == kMathFp64Emulated;
    return emulated && IsLevel3(call.api) ? "fp64_emulated" : "fp64";
  }
  if (peak == "fp32") {
    if (!IsLevel3(call.api)) return "fp32";  // no tensor cores there
    return SinglePrecisionPeak(call.compute_type, call.math_mode);
  }
  return std::string(peak);
}

std::string CudnnComputeType(std::string_view data_type, TensorCores tensor_cores) {
  if (data_type == "CUDNN_DATA_FLOAT") {
    switch (tensor_cores) {
      case TensorCores::kYes:
        return "tf32";
      case TensorCores::kNo:
        return "fp32";
      case TensorCores::kUnknown:
        return "fp32_or_tf32";
      case TensorCores::kNarrowerInputs:
        return "";
    }
  }
  if (data_type == "CUDNN_DATA_DOUBLE") return "fp64";
  if (data_type == "CUDNN_DATA_HALF") return "fp16";
  if (data_type == "CUDNN_DATA_BFLOAT16") return "bf16";
  if (data_type == "CUDNN_DATA_INT8" || data_type == "CUDNN_DATA_UINT8") return "int8";
  if (data_type == "CUDNN_DATA_FP8_E4M3" || data_type == "CUDNN_DATA_FP8_E5M2") return "fp8";
  if (data_type == "CUDNN_DATA_FP4_E2M1") return "fp4";
  return "";
}

std::string MathText(const shm::GemmCall& call) {
  std::string text;
  if (call.compute_type != 0) absl::StrAppend(&text, "compute=", int{call.compute_type});
  if (call.math_mode != 0) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "math=", int{call.math_mode});
  }
  return text;
}

}  // namespace flopsprof::model
