// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/flops_cudnn.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "collector/model/flops/cudnn_attention.h"
#include "collector/model/flops/cudnn_graph.h"
#include "collector/model/flops/cudnn_operations.h"

namespace flopsprof::model {
namespace {

std::string Describe(const std::vector<CudnnOperation>& operations) {
  std::vector<std::pair<std::string, int>> counted;
  for (const CudnnOperation& operation : operations) {
    if (!counted.empty() && counted.back().first == operation.kind) {
      counted.back().second++;
    } else {
      counted.emplace_back(operation.kind, 1);
    }
  }
  return absl::StrJoin(counted, " + ", [](std::string* out, const auto& entry) {
    absl::StrAppend(out, entry.first);
    if (entry.second > 1) absl::StrAppend(out, " x", entry.second);
  });
}

// The products of a backward that runs as single operations: which of them is the repeated one.
void SplitRecomputation(const CudnnGraph& graph, CudnnPlan* plan) {
  const std::optional<size_t> found = FindRecomputedProduct(graph);
  if (found.has_value()) {
    CudnnOperation& operation = plan->operations[*found];
    operation.recompute_flops = operation.flops.value_or(0);
    return;
  }
  if (graph.finalize_mode != "SDPA_BWD") return;
  for (CudnnOperation& operation : plan->operations) {
    if (operation.kind == "matmul" && operation.flops.has_value()) {
      operation.flops = std::nullopt;
      operation.unknown_reason = "attention backward of a form that is not known";
    }
  }
}

std::string PlanType(const std::vector<CudnnOperation>& operations) {
  const CudnnOperation* first = nullptr;
  for (const CudnnOperation& operation : operations) {
    if (!operation.products) continue;
    if (first == nullptr || (first->follows_others && !operation.follows_others)) {
      first = &operation;
    }
  }
  if (first == nullptr) return "";
  for (const CudnnOperation& operation : operations) {
    const bool says = operation.products && !operation.follows_others;
    if (says && operation.compute_type != first->compute_type) return "";
  }
  return first->compute_type;
}

// Queries and keys of the attention in a graph: those of the fused operation, or of the scores.
std::pair<int64_t, int64_t> PairsOf(const CudnnGraph& graph, const CudnnPlan& plan) {
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    if (plan.operations[i].pairs.first > 0) return plan.operations[i].pairs;
    if (graph.nodes[i].kind != "diagonal_band_mask") continue;
    const CudnnTensor* scores = graph.nodes[i].Find("y");
    if (scores == nullptr || scores->sizes.size() != 4) continue;
    return {scores->sizes[2], scores->sizes[3]};
  }
  return {0, 0};
}

// Each product of attention is a sum over the pairs of query and key.
void CountCausal(const CudnnGraph& graph, CudnnPlan* plan) {
  const auto [queries, keys] = PairsOf(graph, *plan);
  const std::optional<FlopCount> left = CausalPairs(queries, keys);
  if (!plan->flops_known || queries <= 0 || keys <= 0 || !left.has_value()) return;
  const FlopCount all = static_cast<FlopCount>(queries) * static_cast<FlopCount>(keys);
  if (plan->flops % all != 0) return;
  FlopCount causal = 0;
  if (__builtin_mul_overflow(plan->flops / all, *left, &causal)) return;
  plan->causal_flops = causal;
}

void Sum(const CudnnGraph& graph, CudnnPlan* plan) {
  plan->flops_known = true;
  std::vector<std::string> shapes;
  for (const CudnnOperation& operation : plan->operations) {
    shapes.push_back(operation.shape.empty() ? operation.kind
                                             : absl::StrCat(operation.kind, " ", operation.shape));
    plan->has_products = plan->has_products || operation.products;
    plan->flops += operation.flops.value_or(0);  // <= 2^10 nodes * kMaxCallFlops < 2^128
    plan->recompute_flops += operation.recompute_flops;
    if (operation.flops.has_value() || !plan->flops_known) continue;
    plan->flops_known = false;
    plan->unknown_reason = absl::StrCat(operation.kind, ": ", operation.unknown_reason);
  }
  if (plan->flops > kMaxCallFlops) {
    plan->flops_known = false;
    plan->unknown_reason = "absurd sizes";
  }
  if (!plan->flops_known) plan->flops = plan->recompute_flops = 0;
  plan->compute_type = PlanType(plan->operations);
  plan->shape = absl::StrJoin(shapes, "; ");
  plan->description = Describe(plan->operations);
  const std::string_view mask = MaskOf(graph);
  if (mask.empty()) return;
  const std::string text = absl::StrCat(", ", absl::string_view(mask.data(), mask.size()));
  absl::StrAppend(&plan->shape, text);
  absl::StrAppend(&plan->description, text);
  if (mask == "causal") CountCausal(graph, plan);
}

}  // namespace

CudnnPlan ParseCudnnPlan(std::string_view text) {
  CudnnPlan plan;
  const std::optional<CudnnGraph> graph = ReadCudnnGraph(text);
  if (!graph.has_value()) return plan;
  plan.readable = true;
  for (const CudnnNode& node : graph->nodes) {
    plan.operations.push_back(CountCudnnOperation(node, graph->tensor_cores));
  }
  SplitRecomputation(*graph, &plan);
  Sum(*graph, &plan);
  return plan;
}

}  // namespace flopsprof::model
