// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attention in cuDNN graphs: one fused operation, or products and softmax one by one.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "collector/model/flops/cudnn_graph.h"
#include "collector/model/flops/flops_cudnn.h"

namespace flopsprof::model {

// The node kinds "sdpa_fwd" and "sdpa_bwd". Forward: QK^T and PV over all pairs, as many heads as
// Q has. Backward: dV, dP, dQ, dK, and QK^T once more.
void CountFusedAttention(const CudnnNode& node, CudnnOperation* operation);

// How a graph masks its scores: "" (not at all), "causal" (key <= query, both from 0), "banded"
// (with a bound that is not in the graph: sliding window, bottom-right causal ...).
std::string_view MaskOf(const CudnnGraph& graph);

// Pairs of query and key that a causal mask leaves, of `queries` * `keys`.
std::optional<FlopCount> CausalPairs(int64_t queries, int64_t keys);

// In a backward of single operations: index of the product that makes QK^T again. It is the one
// that leads, through other operations than products, to an exponential or a softmax (P) and from
// there to at least two further products, which also another product (dP) leads to.
std::optional<size_t> FindRecomputedProduct(const CudnnGraph& graph);

}  // namespace flopsprof::model
