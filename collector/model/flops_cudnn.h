// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work of a cuDNN execution plan from its operation graph, as the library describes it in JSON
// (attribute 405, member "operationGraph").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/model/flop_count.h"

namespace flopsprof::model {

struct CudnnOperation {
  std::string kind;   // "conv_fwd", "conv_dgrad", "conv_wgrad", "matmul", "sdpa_fwd", "sdpa_bwd",
                      // else the library's name in small letters: "pointwise", "norm_forward"
  std::string shape;  // "x=8x3x32x32 w=6x3x5x5 y=8x6x28x28 pad=0,0 stride=1,1 dilation=1,1 f32"
  bool products = false;  // by its kind: products, or (pointwise, norm ...) none
  // nullopt: an operation that this program does not know, or one with absurd or missing sizes.
  std::optional<FlopCount> flops;
  // Of these, QK^T made again by a fused attention backward.
  FlopCount recompute_flops = 0;
  std::string compute_type;
};

struct CudnnPlan {
  bool readable = false;  // false: not JSON of the known form; nothing else is valid
  std::vector<CudnnOperation> operations;
  bool has_products = false;  // some operation has, or may have, products
  bool flops_known = false;
  FlopCount flops = 0;            // all operations, recompute included; valid when known
  FlopCount recompute_flops = 0;  // see CudnnOperation
  std::string compute_type;       // of the products, when they agree
  // Canonical text of all operations: plans with the same text have the same flops and types.
  std::string shape;
  // Names of the operations: "conv_fwd + pointwise x2".
  std::string description;
};

// Accepts the operation graph itself or an object with the member "operationGraph", and beside
// "nodes" or that member an optional array "numericalNotes" of the engine's notes (0 = tensor
// cores). Any other or hostile input gives readable = false, never a crash. Not cheap (~20 us):
// once per plan.
CudnnPlan ParseCudnnPlan(std::string_view json);

}  // namespace flopsprof::model
