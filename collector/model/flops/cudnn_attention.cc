// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/cudnn_attention.h"

#include <algorithm>
#include <set>
#include <vector>

namespace flopsprof::model {
namespace {

bool IsProduct(const CudnnNode& node) {
  return node.kind == "matmul" || node.kind == "sdpa_fwd" || node.kind == "sdpa_bwd" ||
         node.kind.rfind("conv_", 0) == 0;
}

const CudnnTensor* OutputOf(const CudnnNode& node) {
  return node.Find(node.kind == "matmul" ? "matc" : "y");
}

// What the result of one product leads to without a further product on the way.
struct Reach {
  bool exponential = false;
  std::set<size_t> products;
};

Reach Follow(const CudnnGraph& graph, size_t from) {
  Reach reach;
  std::set<const CudnnTensor*> seen;
  std::vector<const CudnnTensor*> open = {OutputOf(graph.nodes[from])};
  while (!open.empty()) {
    const CudnnTensor* tensor = open.back();
    open.pop_back();
    if (tensor == nullptr || !seen.insert(tensor).second) continue;
    for (size_t i = 0; i < graph.nodes.size(); i++) {
      const CudnnNode& node = graph.nodes[i];
      const CudnnTensor* output = OutputOf(node);
      const bool reads = std::any_of(
          node.tensors.begin(), node.tensors.end(),
          [&](const auto& role) { return role.second == tensor && role.second != output; });
      if (!reads) continue;
      if (IsProduct(node)) {
        reach.products.insert(i);
        continue;
      }
      reach.exponential = reach.exponential || node.kind == "softmax" ||
                          node.Text("pointwisemode") == "CUDNN_POINTWISE_EXP";
      open.push_back(output);
    }
  }
  return reach;
}

bool Intersect(const std::set<size_t>& a, const std::set<size_t>& b) {
  return std::any_of(a.begin(), a.end(), [&b](size_t i) { return b.count(i) != 0; });
}

// Lengths that only the device knows: the sizes of the tensors are upper bounds.
bool LengthsOnTheDevice(const CudnnNode& node) {
  for (const auto& [role, tensor] : node.tensors) {
    const bool lengths =
        role.find("seqlen") != std::string::npos || role.find("page") != std::string::npos;
    if ((lengths && !tensor->by_value) || tensor->ragged) return true;
  }
  return std::any_of(node.subgraph.begin(), node.subgraph.end(), LengthsOnTheDevice);
}

// The library calls it "Q" forwards and "qDesc" backwards.
const CudnnTensor* FindOperand(const CudnnNode& node, const std::string& role) {
  const CudnnTensor* tensor = node.Find(role);
  return tensor != nullptr ? tensor : node.Find(role + "desc");
}

void AddMask(const CudnnNode& node, std::string_view* mask) {
  for (const CudnnNode& inner : node.subgraph) AddMask(inner, mask);
  if (node.kind != "diagonal_band_mask") return;
  const bool bounded = node.Find("leftbounddesc") != nullptr ||
                       node.Find("shiftrightbounddesc") != nullptr ||
                       node.Find("seqlenqdesc") != nullptr || node.Find("seqlenkvdesc") != nullptr;
  const bool causal = !bounded && node.Text("comparisonmode") == "CUDNN_POINTWISE_CMP_GE";
  *mask = causal && mask->empty() ? "causal" : "banded";
}

}  // namespace

void CountFusedAttention(const CudnnNode& node, CudnnOperation* operation) {
  const bool backward = node.kind == "sdpa_bwd";
  const CudnnTensor* q = FindOperand(node, "q");
  const CudnnTensor* k = FindOperand(node, "k");
  const CudnnTensor* v = FindOperand(node, "v");
  if (q == nullptr || k == nullptr || v == nullptr) return;
  AppendTensor("q", *q, operation);
  AppendTensor("k", *k, operation);
  AppendTensor("v", *v, operation);
  operation->data_type = q->data_type == k->data_type ? q->data_type : "";
  if (LengthsOnTheDevice(node)) {
    operation->unknown_reason = "sequence lengths are on the device";
    return;
  }
  if (node.Find("blockmask") != nullptr) {
    operation->unknown_reason = "the block mask is on the device";
    return;
  }
  if (q->sizes.size() != 4 || k->sizes.size() != 4 || v->sizes.size() != 4) return;
  const int64_t d = q->sizes[3];
  const int64_t dv = v->sizes[3];
  constexpr int64_t kMaxHeadSize = 1 << 20;  // so that the sums below cannot overflow
  const bool fits = k->sizes[3] == d && k->sizes[2] == v->sizes[2] && q->sizes[0] == k->sizes[0] &&
                    d >= 0 && dv >= 0 && d <= kMaxHeadSize && dv <= kMaxHeadSize;
  if (!fits) return;
  const auto pairs_times = [&](int64_t per_pair) {
    return SizeProduct()
        .Times(per_pair)
        .Times(q->sizes[0])
        .Times(q->sizes[1])
        .Times(q->sizes[2])
        .Times(k->sizes[2])
        .value();
  };
  operation->flops = pairs_times(backward ? 2 * (3 * d + 2 * dv) : 2 * (d + dv));
  if (backward) operation->recompute_flops = pairs_times(2 * d).value_or(0);
  operation->pairs = {q->sizes[2], k->sizes[2]};
}

std::string_view MaskOf(const CudnnGraph& graph) {
  std::string_view mask;
  for (const CudnnNode& node : graph.nodes) AddMask(node, &mask);
  return mask;
}

std::optional<FlopCount> CausalPairs(int64_t queries, int64_t keys) {
  constexpr int64_t kMaxLength = int64_t{1} << 40;
  if (queries < 0 || keys < 0 || queries > kMaxLength || keys > kMaxLength) return std::nullopt;
  // Query i sees keys 0 ... i, at most all of them.
  const FlopCount growing = static_cast<FlopCount>(std::min(queries, keys));
  const FlopCount full = static_cast<FlopCount>(queries) - growing;
  return growing * (growing + 1) / 2 + full * static_cast<FlopCount>(keys);
}

std::optional<size_t> FindRecomputedProduct(const CudnnGraph& graph) {
  std::vector<Reach> reach(graph.nodes.size());
  std::vector<size_t> products;
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    if (graph.nodes[i].kind != "matmul") continue;
    if (products.size() == kMaxAttentionProducts) return std::nullopt;
    products.push_back(i);
    reach[i] = Follow(graph, i);
  }
  std::optional<size_t> found;
  for (size_t scores : products) {
    if (!reach[scores].exponential || reach[scores].products.size() < 2) continue;
    const bool meets_another = std::any_of(products.begin(), products.end(), [&](size_t other) {
      return other != scores && !reach[other].exponential &&
             Intersect(reach[other].products, reach[scores].products);
    });
    if (!meets_another) continue;
    if (found.has_value()) return std::nullopt;  // two: a form that we do not know
    found = scores;
  }
  return found;
}

}  // namespace flopsprof::model
