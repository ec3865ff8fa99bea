// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/operation_flops.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "proto/shm/operations.h"

namespace flopsprof::model {
namespace {

using shm::OperationFamily;
using shm::OperationReason;

// Order of sizes of kAttention, see proto/shm/operations.h.
enum Attention { kBatch, kHeads, kKeyHeads, kQueries, kKeys, kDim, kValueDim, kLeft, kRight };

bool SizesKnown(const shm::OperationCall& call) { return call.reason == 0; }

std::optional<FlopCount> Product(const shm::OperationCall& call, int64_t factor,
                                 std::initializer_list<int> sizes) {
  SizeProduct product;
  product.Times(factor);
  for (const int index : sizes) product.Times(call.sizes[index]);
  return product.value();
}

// 2 * batch * heads * queries * keys * (of_dim * D + of_value * Dv). Query heads: grouped key
// heads are used by several of them.
std::optional<FlopCount> AttentionProducts(const shm::OperationCall& call, int64_t of_dim,
                                           int64_t of_value) {
  const int64_t width =
      of_dim * int64_t{call.sizes[kDim]} + of_value * int64_t{call.sizes[kValueDim]};
  return SizeProduct()
      .Times(2)
      .Times(call.sizes[kBatch])
      .Times(call.sizes[kHeads])
      .Times(call.sizes[kQueries])
      .Times(call.sizes[kKeys])
      .Times(width)
      .value();
}

OperationWork AttentionBackward(const shm::OperationCall& call) {
  OperationWork work;
  // QK^T again, then dV = P^T dO, dP = dO V^T, dQ = dS K, dK = dS^T Q.
  work.flops = AttentionProducts(call, 3, 2);
  work.recompute_flops = AttentionProducts(call, 1, 0).value_or(0);
  return work;
}

int GradientCount(uint8_t wanted) {
  return ((wanted & shm::kConvInputGradient) != 0) + ((wanted & shm::kConvWeightGradient) != 0);
}

// How many of `keys` lie below i + x, summed over i = 0 ... queries - 1.
FlopCount KeysBelow(int64_t x, int64_t queries, int64_t keys) {
  const int64_t first = std::clamp<int64_t>(1 - x, 0, queries);       // the first that sees any
  const int64_t all = std::clamp<int64_t>(keys - x, first, queries);  // from here on it sees all
  // first + x, ..., all - 1 + x
  const auto count = static_cast<FlopCount>(all - first);
  const auto ends = static_cast<FlopCount>(first + all - 1 + 2 * x);
  const FlopCount some = count == 0 ? 0 : count * ends / 2;
  return some + static_cast<FlopCount>(queries - all) * static_cast<FlopCount>(keys);
}

std::string TypeText(int8_t type) {
  switch (type) {  // c10::ScalarType
    case 1:
      return "i8";
    case 5:
      return "f16";
    case 6:
      return "f32";
    case 7:
      return "f64";
    case 15:
      return "bf16";
    case 23:
      return "e5m2";
    case 24:
      return "e4m3";
    default:
      return type < 0 ? "type unknown" : absl::StrCat("type", int{type});
  }
}

const char* MaskText(uint8_t mask) {
  switch (mask) {
    case shm::kMaskNone:
      return "";
    case shm::kMaskCausalTopLeft:
      return " causal=top_left";
    default:
      return " causal";
  }
}

std::string AttentionShape(const shm::OperationCall& call) {
  const uint32_t* size = call.sizes;
  std::string text = absl::StrCat("batch=", size[kBatch], " q=", size[kHeads], "x", size[kQueries],
                                  "x", size[kDim], " kv=", size[kKeyHeads], "x", size[kKeys], "x",
                                  size[kValueDim], MaskText(call.variant));
  if (size[kLeft] != 0) absl::StrAppend(&text, " left=", size[kLeft] - 1);
  if (size[kRight] != 0) absl::StrAppend(&text, " right=", size[kRight] - 1);
  return text;
}

std::string ConvolutionShape(const shm::OperationCall& call) {
  const uint32_t* size = call.sizes;
  std::string text = absl::StrCat("n=", size[0], " out=", size[1], " in=", size[2],
                                  " groups=", size[9], " y=", size[3], "x", size[4], "x", size[5],
                                  " kernel=", size[6], "x", size[7], "x", size[8]);
  if ((call.variant & shm::kConvInputGradient) != 0) absl::StrAppend(&text, " dgrad");
  if ((call.variant & shm::kConvWeightGradient) != 0) absl::StrAppend(&text, " wgrad");
  return text;
}

const char* ReasonText(uint8_t reason) {
  switch (static_cast<OperationReason>(reason)) {
    case OperationReason::kNone:
      return "";
    case OperationReason::kLengthsOnDevice:
      return "lengths of the sequences are in GPU memory";
    case OperationReason::kNotReadable:
      return "sizes not readable";
    case OperationReason::kTooLarge:
      return "a size beyond 32 bits";
    case OperationReason::kFormulaOff:
      return "formula off";
  }
  return "reason not known";
}

bool IsAttention(const shm::OperationCall& call) {
  const OperationFamily family = shm::FamilyOf(call.operation);
  return family == OperationFamily::kAttention || family == OperationFamily::kAttentionBackward;
}

}  // namespace

OperationWork WorkOf(const shm::OperationCall& call) {
  OperationWork work;
  const OperationFamily family = shm::FamilyOf(call.operation);
  if (family == OperationFamily::kNoProducts) {
    work.products = false;
    work.flops = 0;
    return work;
  }
  if (!SizesKnown(call)) return work;
  switch (family) {
    case OperationFamily::kAttention:
      work.flops = AttentionProducts(call, 1, 1);
      return work;
    case OperationFamily::kAttentionBackward:
      return AttentionBackward(call);
    case OperationFamily::kConvolution:
      work.flops = Product(call, 2, {0, 1, 2, 3, 4, 5, 6, 7, 8});
      return work;
    case OperationFamily::kConvolutionBackward:
      // Each gradient has as many products as the forward pass.
      work.flops = Product(call, 2 * GradientCount(call.variant), {0, 1, 2, 3, 4, 5, 6, 7, 8});
      return work;
    case OperationFamily::kProduct:
      work.flops = Product(call, 2, {0, 1, 2, 3});
      return work;
    default:
      return work;
  }
}

std::string OperationText(const shm::OperationCall& call) {
  const char* name = shm::OperationName(call.operation);
  return name != nullptr ? name : absl::StrCat("operation", call.operation);
}

std::string OperationShape(const shm::OperationCall& call) {
  if (!SizesKnown(call) && call.reason != static_cast<uint8_t>(OperationReason::kFormulaOff)) {
    return absl::StrCat("sizes unknown ", TypeText(call.type));
  }
  const uint32_t* size = call.sizes;
  std::string text;
  switch (shm::FamilyOf(call.operation)) {
    case OperationFamily::kAttention:
    case OperationFamily::kAttentionBackward:
      text = AttentionShape(call);
      break;
    case OperationFamily::kConvolution:
    case OperationFamily::kConvolutionBackward:
      text = ConvolutionShape(call);
      break;
    case OperationFamily::kProduct:
      text = absl::StrCat("m=", size[0], " n=", size[1], " k=", size[2], " batch=", size[3],
                          " groups=", size[4]);
      break;
    default:
      return "";
  }
  return absl::StrCat(text, " ", TypeText(call.type));
}

std::string OperationComputeType(const shm::OperationCall& call) {
  switch (call.type) {
    case 1:
      return "int8";
    case 5:
      return "fp16";
    case 6:
      return "fp32";
    case 7:
      return "fp64";
    case 15:
      return "bf16";
    case 23:
    case 24:
      return "fp8";
    default:
      return "";
  }
}

std::optional<int64_t> OperationSize(const shm::OperationCall& call, std::string_view name) {
  static constexpr const char* kAttentionNames[] = {"batch", "heads", "kv_heads", "queries",
                                                    "keys",  "dim",   "value_dim"};
  static constexpr const char* kConvolutionNames[] = {"n",  "out", "in", "y0", "y1",
                                                      "y2", "k0",  "k1", "k2", "groups"};
  static constexpr const char* kProductNames[] = {"m", "n", "k", "batch", "groups"};
  const auto find = [&](const auto& names) -> std::optional<int64_t> {
    for (size_t i = 0; i < std::size(names); ++i) {
      if (name == names[i]) return call.sizes[i];
    }
    return std::nullopt;
  };
  switch (shm::FamilyOf(call.operation)) {
    case OperationFamily::kAttention:
    case OperationFamily::kAttentionBackward:
      if (name == "pairs") return static_cast<int64_t>(MaskedPairs(call));
      return find(kAttentionNames);
    case OperationFamily::kConvolutionBackward:
      if (name == "gradients") return GradientCount(call.variant);
      return find(kConvolutionNames);
    case OperationFamily::kConvolution:
      return find(kConvolutionNames);
    case OperationFamily::kProduct:
      return find(kProductNames);
    default:
      return std::nullopt;
  }
}

FlopCount MaskedPairs(const shm::OperationCall& call) {
  const int64_t queries = call.sizes[kQueries];
  const int64_t keys = call.sizes[kKeys];
  // Query i is at key i + offset.
  const int64_t offset = call.variant == shm::kMaskCausalBottomRight ? keys - queries : 0;
  int64_t right = call.sizes[kRight] == 0 ? keys + queries : int64_t{call.sizes[kRight]} - 1;
  if (call.variant != shm::kMaskNone) right = 0;
  const FlopCount upto = KeysBelow(offset + right + 1, queries, keys);
  if (call.sizes[kLeft] == 0) return upto;
  return upto - KeysBelow(offset - (int64_t{call.sizes[kLeft]} - 1), queries, keys);
}

std::string OperationDetail(const shm::OperationCall& call) {
  if (call.reason != 0) return ReasonText(call.reason);
  if (!IsAttention(call)) return "";
  const bool masked =
      call.variant != shm::kMaskNone || call.sizes[kLeft] != 0 || call.sizes[kRight] != 0;
  if (!masked) return "";
  const uint64_t dense = uint64_t{call.sizes[kQueries]} * call.sizes[kKeys];  // two of 32 bits
  return absl::StrCat("mask leaves ", static_cast<uint64_t>(MaskedPairs(call)), " of ", dense,
                      " pairs; counted dense");
}

}  // namespace flopsprof::model
