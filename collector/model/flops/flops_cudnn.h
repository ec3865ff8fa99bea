// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work of a cuDNN execution plan from its operation graph, as the library describes it in JSON
// (attribute 405, member "operationGraph").

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/model/flops/flop_count.h"

namespace flopsprof::model {

struct CudnnTensor;

struct CudnnOperation {
  std::string kind;   // "conv_fwd", "conv_dgrad", "conv_wgrad", "matmul", "sdpa_fwd", "sdpa_bwd",
                      // else the library's name in small letters: "pointwise", "norm_forward"
  std::string shape;  // "x=8x3x32x32 w=6x3x5x5 y=8x6x28x28 pad=0,0 stride=1,1 dilation=1,1 f32"
  bool products = false;  // by its kind: products, or (pointwise, norm ...) none
  // nullopt: an operation that this program does not know, or one with absurd or missing sizes.
  std::optional<FlopCount> flops;
  std::string unknown_reason;  // why not, when flops are not known
  // The part of `flops` that repeats QK^T in an attention backward.
  FlopCount recompute_flops = 0;
  std::string data_type;     // "CUDNN_DATA_HALF"; "" = operands differ
  std::string compute_type;  // "" = cannot be told
  // Both operands are intermediate results of the widest type: the engine runs them in the type of
  // the graph's other products.
  bool follows_others = false;
  std::pair<int64_t, int64_t> pairs = {0, 0};  // fused attention: queries, keys of one head
};

struct CudnnPlan {
  bool readable = false;  // false: not JSON of the known form; nothing else is valid
  std::vector<CudnnOperation> operations;
  bool has_products = false;  // some operation has, or may have, products
  bool flops_known = false;
  std::string unknown_reason;     // why flops are not known
  FlopCount flops = 0;            // all operations, recompute included; valid when known
  FlopCount recompute_flops = 0;  // see CudnnOperation
  // Flops of the pairs that a causal mask leaves, when the graph is attention with such a mask.
  // `flops` counts all pairs.
  std::optional<FlopCount> causal_flops;
  std::string compute_type;  // of the products, when they agree
  // Canonical text of all operations: plans with the same text have the same flops and types.
  std::string shape;
  // Names of the operations: "conv_fwd + pointwise x2", with the mask of attention.
  std::string description;
};

// More products than any attention has.
constexpr size_t kMaxAttentionProducts = 16;

void AppendTensor(std::string_view role, const CudnnTensor& tensor, CudnnOperation* operation);

// Accepts what ReadCudnnGraph accepts. Any other or hostile input gives readable = false, never a
// crash. Not cheap (~20 us): once per plan.
CudnnPlan ParseCudnnPlan(std::string_view json);

}  // namespace flopsprof::model
