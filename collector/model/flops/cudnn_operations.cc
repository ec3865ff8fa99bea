// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/cudnn_operations.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "collector/model/flops/cudnn_attention.h"

namespace flopsprof::model {
namespace {

constexpr std::string_view kFloat = "CUDNN_DATA_FLOAT";

// Operations without products. One that is neither here nor computed below is unknown.
bool HasNoProducts(const std::string& kind) {
  static const std::string_view kNames[] = {"pointwise",
                                            "gen_stats",
                                            "reduction",
                                            "bn_finalize_statistics",
                                            "bn_bwd_weights",
                                            "resample_fwd",
                                            "resample_bwd",
                                            "concat",
                                            "signal",
                                            "norm_forward",
                                            "norm_backward",
                                            "reshape",
                                            "rng",
                                            "paged_cache_load",
                                            "block_scale_quantize",
                                            "block_scale_dequantize",
                                            "expand_band_matrix",
                                            "contract_band_matrix",
                                            "diagonal_band_mask",
                                            "padding_mask",
                                            "speculative_mask",
                                            "softmax",
                                            "transpose",
                                            "slice",
                                            "rope_fwd",
                                            "rope_bwd"};
  return std::find(std::begin(kNames), std::end(kNames), kind) != std::end(kNames);
}

std::string ShortType(const std::string& data_type) {
  return absl::AsciiStrToLower(absl::StripPrefix(data_type, "CUDNN_DATA_"));
}

void AppendList(std::string_view name, const std::vector<int64_t>& list,
                CudnnOperation* operation) {
  if (list.empty()) return;
  absl::StrAppend(&operation->shape, " ", absl::string_view(name.data(), name.size()), "=",
                  absl::StrJoin(list, ","));
}

// The tensors of one operation in this order; their sizes are in its shape. Empty: one of them is
// missing, or its sizes do not say everything, and the reason is set.
std::vector<const CudnnTensor*> Operands(const CudnnNode& node,
                                         std::initializer_list<std::string_view> roles,
                                         CudnnOperation* operation) {
  std::vector<const CudnnTensor*> operands;
  for (std::string_view role : roles) {
    const CudnnTensor* tensor = node.Find(role);
    if (tensor == nullptr) return {};
    const std::string_view short_role =
        role.rfind("mat", 0) == 0 ? role.substr(3) : role;  // "mata" -> "a"
    AppendTensor(short_role, *tensor, operation);
    operands.push_back(tensor);
  }
  for (const CudnnTensor* tensor : operands) {
    if (tensor->vectorized) operation->unknown_reason = "vectorized tensors";
    if (tensor->ragged) operation->unknown_reason = "lengths are on the device";
    if (tensor->sizes.empty()) operation->unknown_reason = "a tensor without sizes";
  }
  return operation->unknown_reason.empty() ? operands : std::vector<const CudnnTensor*>();
}

// Type in which two operands are multiplied. An intermediate result of the widest type is no
// evidence: the graph names the type of its accumulator there.
void SetType(const CudnnTensor& a, const CudnnTensor& b, CudnnOperation* operation) {
  const bool a_says = !(a.is_virtual && a.data_type == kFloat);
  const bool b_says = !(b.is_virtual && b.data_type == kFloat);
  operation->follows_others = !a_says && !b_says;
  if (a.data_type == b.data_type || !b_says) {
    operation->data_type = a.data_type;
  } else if (!a_says) {
    operation->data_type = b.data_type;
  }
}

// 2 * (elements of the forward's output) * (filter elements behind each of them): the filter is
// K x C/groups x ..., so groups and any rank are in it; the two gradients make the same products.
void Convolution(const CudnnNode& node, std::initializer_list<std::string_view> roles,
                 CudnnOperation* operation) {
  const auto operands = Operands(node, roles, operation);
  if (operands.empty()) return;
  AppendList("pad", node.List("pad"), operation);
  AppendList("stride", node.List("stride"), operation);
  AppendList("dilation", node.List("dilation"), operation);
  const CudnnTensor& x = *operands[0];
  const CudnnTensor& w = *operands[1];
  const CudnnTensor& y = *operands[2];
  // The two that are multiplied: the third is the result.
  if (node.kind == "conv_fwd") {
    SetType(x, w, operation);
  } else if (node.kind == "conv_dgrad") {
    SetType(w, y, operation);
  } else {
    SetType(x, y, operation);
  }
  const size_t rank = w.sizes.size();
  if (rank < 3 || x.sizes.size() != rank || y.sizes.size() != rank) return;
  // The parts have to fit together, or the roles are not what we take them for.
  const bool fits = w.sizes[1] > 0 && x.sizes[1] % w.sizes[1] == 0 && y.sizes[1] == w.sizes[0] &&
                    x.sizes[0] == y.sizes[0];
  if (!fits) return;
  SizeProduct product;
  product.Times(2);
  for (int64_t size : y.sizes) product.Times(size);
  for (size_t i = 1; i < rank; i++) product.Times(w.sizes[i]);
  operation->flops = product.value();
}

// C[..., m, n] = A[..., m, k] B[..., k, n]; a batch size of A or B may be a part of C's
// (broadcast, grouped queries).
void Matmul(const CudnnNode& node, CudnnOperation* operation) {
  const auto operands = Operands(node, {"mata", "matb", "matc"}, operation);
  if (operands.empty()) return;
  const auto& a = operands[0]->sizes;
  const auto& b = operands[1]->sizes;
  const auto& c = operands[2]->sizes;
  SetType(*operands[0], *operands[1], operation);
  for (const char* role : {"moverride", "noverride", "koverride"}) {
    if (node.Find(role) == nullptr) continue;
    operation->unknown_reason = "sequence lengths are on the device";
    return;
  }
  const size_t rank = c.size();
  if (rank < 2 || a.size() != rank || b.size() != rank) return;
  const int64_t k = a[rank - 1];
  if (b[rank - 2] != k || a[rank - 2] != c[rank - 2] || b[rank - 1] != c[rank - 1]) return;
  for (size_t i = 0; i + 2 < rank; i++) {
    if (a[i] <= 0 || b[i] <= 0 || c[i] % a[i] != 0 || c[i] % b[i] != 0) return;
  }
  SizeProduct product;
  product.Times(2).Times(k);
  for (int64_t size : c) product.Times(size);
  operation->flops = product.value();
}

// Tokens[1, t, k] by the weights of their expert [e, k, n] into [1, t', n]: each row of the longer
// of the two once, whichever expert it goes to ("gather" reads a token several times, "scatter"
// writes one several times).
void GroupedMatmul(const CudnnNode& node, CudnnOperation* operation) {
  const auto operands = Operands(node, {"token", "weight", "output"}, operation);
  if (operands.empty()) return;
  const auto& token = operands[0]->sizes;
  const auto& weight = operands[1]->sizes;
  const auto& output = operands[2]->sizes;
  SetType(*operands[0], *operands[1], operation);
  if (token.size() != 3 || weight.size() != 3 || output.size() != 3) return;
  const std::string_view mode = node.Text("mode");
  const bool plain = mode == "CUDNN_MOE_GROUPED_MATMUL_MODE_NONE";
  const bool fits = token[0] == 1 && output[0] == 1 && token[2] == weight[1] &&
                    output[2] == weight[2] && (!plain || token[1] == output[1]);
  if (!fits) return;
  const int64_t rows = std::max(token[1], output[1]);
  operation->flops = SizeProduct().Times(2).Times(rows).Times(weight[1]).Times(weight[2]).value();
}

// Gradient of the weights: tokens[1, t, k] and gradients[1, t, n] into [e, k, n].
void GroupedMatmulBackward(const CudnnNode& node, CudnnOperation* operation) {
  const auto operands = Operands(node, {"token", "doutput", "dweight"}, operation);
  if (operands.empty()) return;
  const auto& token = operands[0]->sizes;
  const auto& gradient = operands[1]->sizes;
  const auto& weight = operands[2]->sizes;
  SetType(*operands[0], *operands[1], operation);
  if (token.size() != 3 || gradient.size() != 3 || weight.size() != 3) return;
  const bool fits = token[0] == 1 && gradient[0] == 1 && token[1] == gradient[1] &&
                    token[2] == weight[1] && gradient[2] == weight[2];
  if (!fits) return;
  operation->flops =
      SizeProduct().Times(2).Times(token[1]).Times(token[2]).Times(gradient[2]).value();
}

// False: an operation that this program does not know.
bool Count(const CudnnNode& node, CudnnOperation* operation) {
  const std::string& kind = node.kind;
  if (kind == "conv_fwd") {
    Convolution(node, {"x", "w", "y"}, operation);
  } else if (kind == "conv_dgrad") {
    Convolution(node, {"dx", "w", "dy"}, operation);
  } else if (kind == "conv_wgrad") {
    Convolution(node, {"x", "dw", "dy"}, operation);
  } else if (kind == "matmul") {
    Matmul(node, operation);
  } else if (kind == "sdpa_fwd" || kind == "sdpa_bwd") {
    CountFusedAttention(node, operation);
  } else if (kind == "moe_grouped_matmul") {
    GroupedMatmul(node, operation);
  } else if (kind == "moe_grouped_matmul_bwd") {
    GroupedMatmulBackward(node, operation);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void AppendTensor(std::string_view role, const CudnnTensor& tensor, CudnnOperation* operation) {
  absl::StrAppend(&operation->shape, operation->shape.empty() ? "" : " ",
                  absl::string_view(role.data(), role.size()), "=",
                  absl::StrJoin(tensor.sizes, "x"));
}

CudnnOperation CountCudnnOperation(const CudnnNode& node, TensorCores tensor_cores) {
  CudnnOperation operation;
  operation.kind = node.kind;
  if (HasNoProducts(operation.kind)) {
    operation.flops = 0;
    return operation;
  }
  operation.products = true;
  const bool known = Count(node, &operation);
  if (!operation.flops.has_value() && operation.unknown_reason.empty()) {
    operation.unknown_reason = known ? "sizes that do not fit together" : "no formula";
  }
  if (!operation.data_type.empty()) {
    absl::StrAppend(&operation.shape, " ", ShortType(operation.data_type));
  }
  operation.compute_type = CudnnComputeType(operation.data_type, tensor_cores);
  return operation;
}

}  // namespace flopsprof::model
