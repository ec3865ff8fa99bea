// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops_cudnn.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "collector/model/compute_type.h"

namespace flopsprof::model {
namespace {

using Json = nlohmann::json;
using Sizes = std::vector<int64_t>;

constexpr size_t kMaxJsonBytes = 4u << 20;
constexpr size_t kMaxNodes = 1024;
constexpr size_t kMaxRank = 8;
constexpr size_t kMaxNameBytes = 96;
constexpr int kMaxDepth = 16;

struct Tensor {
  Sizes sizes;
  std::string data_type;    // "CUDNN_DATA_HALF"
  bool vectorized = false;  // several elements in one: the sizes do not say how many
};

const Json* Member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string Text(const Json* value) {
  if (value == nullptr) return "";
  if (value->is_string()) return value->get_ref<const std::string&>();
  if (value->is_number_integer()) return value->dump();  // tensors may be named by number
  return "";
}

// Empty when it is not a list of sizes.
Sizes ReadSizes(const Json* value) {
  Sizes sizes;
  if (value == nullptr || !value->is_array() || value->size() > kMaxRank) return {};
  for (const Json& size : *value) {
    if (!size.is_number_integer()) return {};
    sizes.push_back(size.get<int64_t>());  // above 2^63: negative, hence refused later
  }
  return sizes;
}

std::string ShortType(const std::string& data_type) {
  return absl::AsciiStrToLower(absl::StripPrefix(data_type, "CUDNN_DATA_"));
}

// Short name of "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR".
std::string KindOf(const std::string& operation) {
  const std::string name = absl::AsciiStrToLower(
      absl::StripSuffix(absl::StripPrefix(operation, "CUDNN_BACKEND_OPERATION_"), "_DESCRIPTOR"));
  if (name == "convolution_forward") return "conv_fwd";
  if (name == "convolution_backward_data") return "conv_dgrad";
  if (name == "convolution_backward_filter") return "conv_wgrad";
  return name.substr(0, kMaxNameBytes);
}

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
                                            "softmax",
                                            "transpose",
                                            "slice",
                                            "rope_fwd",
                                            "rope_bwd"};
  return std::find(std::begin(kNames), std::end(kNames), kind) != std::end(kNames);
}

// One node of the graph with its tensors by role ("x", "w"): libraries differ in the case of
// the role's name ("dX", "DX").
class Node {
 public:
  Node(const Json& json, const std::map<std::string, Tensor>& tensors) : json_(json) {
    for (const auto& [key, value] : json.items()) {
      const auto tensor = tensors.find(Text(&value));
      if (tensor != tensors.end()) roles_[absl::AsciiStrToLower(key)] = &tensor->second;
    }
  }
  // Null: no such tensor, or one whose sizes do not say everything.
  const Tensor* Find(const char* role) const {
    const auto found = roles_.find(role);
    return found == roles_.end() || found->second->vectorized ? nullptr : found->second;
  }
  bool HasKeyLike(std::string_view part) const {
    for (const auto& [key, value] : json_.items()) {
      if (absl::StrContains(absl::AsciiStrToLower(key),
                            absl::string_view(part.data(), part.size())))
        return true;
    }
    return false;
  }
  Sizes List(const char* name) const { return ReadSizes(Member(json_, name)); }

 private:
  const Json& json_;
  std::map<std::string, const Tensor*> roles_;
};

void AppendTensor(std::string* shape, const char* role, const Tensor& tensor) {
  absl::StrAppend(shape, shape->empty() ? "" : " ", role, "=", absl::StrJoin(tensor.sizes, "x"));
}

void AppendList(std::string* shape, const char* name, const Sizes& list) {
  if (!list.empty()) absl::StrAppend(shape, " ", name, "=", absl::StrJoin(list, ","));
}

// 2 * (elements of the forward's output) * (filter elements behind each of them): the filter is
// K x C/groups x ..., so groups and any rank are in it; the two gradients make the same products.
void Convolution(const Node& node, const char* x_role, const char* w_role, const char* y_role,
                 CudnnOperation* operation) {
  const Tensor* x = node.Find(x_role);
  const Tensor* w = node.Find(w_role);
  const Tensor* y = node.Find(y_role);
  if (x == nullptr || w == nullptr || y == nullptr) return;
  AppendTensor(&operation->shape, x_role, *x);
  AppendTensor(&operation->shape, w_role, *w);
  AppendTensor(&operation->shape, y_role, *y);
  AppendList(&operation->shape, "pad", node.List("pad"));
  AppendList(&operation->shape, "stride", node.List("stride"));
  AppendList(&operation->shape, "dilation", node.List("dilation"));
  operation->compute_type = x->data_type == w->data_type ? x->data_type : "";
  const size_t rank = w->sizes.size();
  if (rank < 3 || x->sizes.size() != rank || y->sizes.size() != rank) return;
  // The parts have to fit together, or the roles are not what we take them for.
  const bool fits = w->sizes[1] > 0 && x->sizes[1] % w->sizes[1] == 0 &&
                    y->sizes[1] == w->sizes[0] && x->sizes[0] == y->sizes[0];
  if (!fits) return;
  SizeProduct product;
  product.Times(2);
  for (int64_t size : y->sizes) product.Times(size);
  for (size_t i = 1; i < rank; i++) product.Times(w->sizes[i]);
  operation->flops = product.value();
}

// C[..., m, n] = A[..., m, k] B[..., k, n]; batch sizes of A and B may be 1 (broadcast).
void Matmul(const Node& node, CudnnOperation* operation) {
  const Tensor* a = node.Find("mata");
  const Tensor* b = node.Find("matb");
  const Tensor* c = node.Find("matc");
  if (a == nullptr || b == nullptr || c == nullptr) return;
  AppendTensor(&operation->shape, "a", *a);
  AppendTensor(&operation->shape, "b", *b);
  AppendTensor(&operation->shape, "c", *c);
  operation->compute_type = a->data_type == b->data_type ? a->data_type : "";
  // Sizes that a tensor on the device narrows at run time.
  if (node.HasKeyLike("override")) return;
  const size_t rank = c->sizes.size();
  if (rank < 2 || a->sizes.size() != rank || b->sizes.size() != rank) return;
  const int64_t k = a->sizes[rank - 1];
  if (b->sizes[rank - 2] != k || a->sizes[rank - 2] != c->sizes[rank - 2] ||
      b->sizes[rank - 1] != c->sizes[rank - 1]) {
    return;
  }
  SizeProduct product;
  product.Times(2).Times(k);
  for (int64_t size : c->sizes) product.Times(size);
  operation->flops = product.value();
}

// Forward: QK^T and PV over all pairs (a causal mask is not subtracted), as many heads as Q has.
// Backward: dV, dP, dQ, dK and QK^T once more.
void Attention(const Node& node, bool backward, CudnnOperation* operation) {
  const Tensor* q = node.Find("q");
  const Tensor* k = node.Find("k");
  const Tensor* v = node.Find("v");
  if (q == nullptr || k == nullptr || v == nullptr) return;
  AppendTensor(&operation->shape, "q", *q);
  AppendTensor(&operation->shape, "k", *k);
  AppendTensor(&operation->shape, "v", *v);
  operation->compute_type = q->data_type == k->data_type ? q->data_type : "";
  // Lengths that only the device knows: the sizes here are upper bounds.
  if (node.HasKeyLike("seq") || node.HasKeyLike("ragged") || node.HasKeyLike("page")) return;
  if (q->sizes.size() != 4 || k->sizes.size() != 4 || v->sizes.size() != 4) return;
  const int64_t d = q->sizes[3];
  const bool fits = k->sizes[3] == d && k->sizes[2] == v->sizes[2] && q->sizes[0] == k->sizes[0];
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
  const int64_t dv = v->sizes[3];
  constexpr int64_t kMaxHeadSize = 1 << 20;  // so that the sums below cannot overflow
  if (d < 0 || dv < 0 || d > kMaxHeadSize || dv > kMaxHeadSize) return;
  operation->flops = pairs_times(backward ? 2 * (3 * d + 2 * dv) : 2 * (d + dv));
  if (backward) operation->recompute_flops = pairs_times(2 * d).value_or(0);
}

CudnnOperation ReadNode(const Json& json, const std::map<std::string, Tensor>& tensors,
                        TensorCores tensor_cores) {
  CudnnOperation operation;
  operation.kind = KindOf(Text(Member(json, "operation")));
  if (operation.kind.empty()) operation.kind = "(no name)";
  if (HasNoProducts(operation.kind)) {
    operation.flops = 0;
    return operation;
  }
  operation.products = true;
  const Node node(json, tensors);
  if (operation.kind == "conv_fwd") {
    Convolution(node, "x", "w", "y", &operation);
  } else if (operation.kind == "conv_dgrad") {
    Convolution(node, "dx", "w", "dy", &operation);
  } else if (operation.kind == "conv_wgrad") {
    Convolution(node, "x", "dw", "dy", &operation);
  } else if (operation.kind == "matmul") {
    Matmul(node, &operation);
  } else if (operation.kind == "sdpa_fwd" || operation.kind == "sdpa_bwd") {
    Attention(node, operation.kind == "sdpa_bwd", &operation);
  }
  if (!operation.compute_type.empty()) {
    absl::StrAppend(&operation.shape, " ", ShortType(operation.compute_type));
  }
  operation.compute_type = CudnnComputeType(operation.compute_type, tensor_cores);
  return operation;
}

std::map<std::string, Tensor> ReadTensors(const Json* list) {
  std::map<std::string, Tensor> tensors;
  if (list == nullptr || !list->is_array()) return tensors;
  for (const Json& json : *list) {
    std::string name = Text(Member(json, "name"));
    if (name.empty()) name = Text(Member(json, "uid"));
    if (name.empty()) continue;
    Tensor tensor;
    tensor.sizes = ReadSizes(Member(json, "dim"));
    tensor.data_type = Text(Member(json, "dataType")).substr(0, kMaxNameBytes);
    const Json* vector = Member(json, "vectCount");
    tensor.vectorized = vector != nullptr && *vector != 1;
    tensors.emplace(std::move(name), std::move(tensor));
  }
  return tensors;
}

TensorCores ReadNotes(const Json& root, const Json& graph) {
  const Json* notes = Member(root, "numericalNotes");
  if (notes == nullptr) notes = Member(graph, "numericalNotes");
  if (notes == nullptr || !notes->is_array()) return TensorCores::kUnknown;
  for (const Json& note : *notes) {
    if (note == 0 || note == "CUDNN_NUMERICAL_NOTE_TENSOR_CORE") return TensorCores::kYes;
  }
  return TensorCores::kNo;
}

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

void Sum(CudnnPlan* plan) {
  plan->flops_known = true;
  bool first = true;
  std::vector<std::string> shapes;
  for (const CudnnOperation& operation : plan->operations) {
    shapes.push_back(operation.shape.empty() ? operation.kind
                                             : absl::StrCat(operation.kind, " ", operation.shape));
    plan->flops_known = plan->flops_known && operation.flops.has_value();
    plan->flops += operation.flops.value_or(0);  // <= kMaxNodes * kMaxCallFlops < 2^128
    plan->recompute_flops += operation.recompute_flops;
    if (!operation.products) continue;
    plan->has_products = true;
    if (first) {
      plan->compute_type = operation.compute_type;
    } else if (plan->compute_type != operation.compute_type) {
      plan->compute_type.clear();
    }
    first = false;
  }
  if (plan->flops > kMaxCallFlops) plan->flops_known = false;
  if (!plan->flops_known) plan->flops = plan->recompute_flops = 0;
  plan->shape = absl::StrJoin(shapes, "; ");
  plan->description = Describe(plan->operations);
}

}  // namespace

CudnnPlan ParseCudnnPlan(std::string_view text) {
  CudnnPlan plan;
  if (text.size() > kMaxJsonBytes) return plan;
  bool too_deep = false;
  const auto limit_depth = [&too_deep](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  const Json root = Json::parse(text, limit_depth, /*allow_exceptions=*/false);
  if (root.is_discarded() || too_deep || !root.is_object()) return plan;
  const Json* graph = Member(root, "operationGraph");
  if (graph == nullptr) graph = &root;
  const Json* nodes = Member(*graph, "nodes");
  if (nodes == nullptr || !nodes->is_array() || nodes->empty() || nodes->size() > kMaxNodes) {
    return plan;
  }
  const std::map<std::string, Tensor> tensors = ReadTensors(Member(*graph, "tensors"));
  const TensorCores tensor_cores = ReadNotes(root, *graph);
  plan.readable = true;
  for (const Json& node : *nodes) {
    plan.operations.push_back(ReadNode(node, tensors, tensor_cores));
  }
  Sum(&plan);
  return plan;
}

}  // namespace flopsprof::model
