// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/cudnn_graph.h"

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace flopsprof::model {
namespace {

using Json = nlohmann::json;
using Sizes = std::vector<int64_t>;

constexpr size_t kMaxJsonBytes = 4u << 20;
constexpr size_t kMaxNodes = 1024;
constexpr size_t kMaxRank = 8;  // CUDNN_DIM_MAX
constexpr size_t kMaxNameBytes = 96;
constexpr int kMaxDepth = 16;

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

bool IsTrue(const Json* value) {
  return value != nullptr && value->is_boolean() && value->get<bool>();
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

// Short name of "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR".
std::string KindOf(const std::string& operation) {
  const std::string name = absl::AsciiStrToLower(
      absl::StripSuffix(absl::StripPrefix(operation, "CUDNN_BACKEND_OPERATION_"), "_DESCRIPTOR"));
  if (name.empty()) return "(no name)";
  if (name == "convolution_forward") return "conv_fwd";
  if (name == "convolution_backward_data") return "conv_dgrad";
  if (name == "convolution_backward_filter") return "conv_wgrad";
  return name.substr(0, kMaxNameBytes);
}

void ReadTensors(const Json* list, std::map<std::string, CudnnTensor>* tensors) {
  if (list == nullptr || !list->is_array()) return;
  for (const Json& json : *list) {
    CudnnTensor tensor;
    tensor.name = Text(Member(json, "name"));
    if (tensor.name.empty()) tensor.name = Text(Member(json, "uid"));
    if (tensor.name.empty()) continue;
    tensor.sizes = ReadSizes(Member(json, "dim"));
    tensor.data_type = Text(Member(json, "dataType")).substr(0, kMaxNameBytes);
    const Json* vector = Member(json, "vectCount");
    tensor.vectorized = vector != nullptr && *vector != 1;
    const Json* ragged = Member(json, "isRagged");  // a list of the tensor of offsets
    tensor.ragged = ragged != nullptr && *ragged != false && !ragged->empty();
    tensor.is_virtual = IsTrue(Member(json, "isVirtual"));
    tensor.by_value = IsTrue(Member(json, "isByValue"));
    tensors->emplace(tensor.name, std::move(tensor));
  }
}

CudnnNode ReadNode(const Json& json, std::map<std::string, CudnnTensor>* tensors, bool inner) {
  CudnnNode node;
  node.kind = KindOf(Text(Member(json, "operation")));
  if (!json.is_object()) return node;
  if (const Json* subgraph = Member(json, "subgraph"); subgraph != nullptr && !inner) {
    ReadTensors(Member(*subgraph, "tensors"), tensors);
    const Json* nodes = Member(*subgraph, "nodes");
    for (size_t i = 0; nodes != nullptr && nodes->is_array() && i < nodes->size(); i++) {
      if (i == kMaxNodes) break;
      node.subgraph.push_back(ReadNode((*nodes)[i], tensors, /*inner=*/true));
    }
  }
  for (const auto& [name, value] : json.items()) {
    const std::string key = absl::AsciiStrToLower(name);
    if (value.is_array()) {
      node.lists.emplace(key, ReadSizes(&value));
      continue;
    }
    const std::string text = Text(&value);
    if (text.empty()) continue;
    const auto tensor = tensors->find(text);
    if (tensor != tensors->end()) node.tensors.emplace(key, &tensor->second);
    node.texts.emplace(key, text);
  }
  return node;
}

TensorCores ReadNotes(const Json* notes) {
  if (notes == nullptr || !notes->is_array()) return TensorCores::kUnknown;
  bool tensor_cores = false;
  bool narrower_inputs = false;
  for (const Json& note : *notes) {
    tensor_cores = tensor_cores || note == 0 || note == "CUDNN_NUMERICAL_NOTE_TENSOR_CORE";
    narrower_inputs =
        narrower_inputs || note == 1 || note == "CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS";
  }
  if (narrower_inputs) return TensorCores::kNarrowerInputs;
  return tensor_cores ? TensorCores::kYes : TensorCores::kNo;
}

// False: an override of a form that nobody can apply; then no size of the graph is to be trusted.
// The sizes of intermediate results follow from those of the others and are not in the list:
// they are forgotten.
bool ApplyOverrides(const Json* list, std::map<std::string, CudnnTensor>* tensors) {
  if (list == nullptr) return true;
  if (!list->is_array()) return false;
  for (auto& [name, tensor] : *tensors) {
    if (tensor.is_virtual) tensor.sizes.clear();
  }
  for (const Json& json : *list) {
    const auto found = tensors->find(Text(Member(json, "uid")));
    const Sizes sizes = ReadSizes(Member(json, "dim"));
    if (found == tensors->end() || sizes.empty()) return false;
    found->second.sizes = sizes;
  }
  return true;
}

}  // namespace

const CudnnTensor* CudnnNode::Find(std::string_view role) const {
  const auto found = tensors.find(std::string(role));
  return found == tensors.end() ? nullptr : found->second;
}

std::string_view CudnnNode::Text(const char* key) const {
  const auto found = texts.find(key);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<int64_t> CudnnNode::List(const char* key) const {
  const auto found = lists.find(key);
  return found == lists.end() ? Sizes() : found->second;
}

std::optional<CudnnGraph> ReadCudnnGraph(std::string_view text) {
  if (text.size() > kMaxJsonBytes) return std::nullopt;
  bool too_deep = false;
  const auto limit_depth = [&too_deep](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  const Json root = Json::parse(text, limit_depth, /*allow_exceptions=*/false);
  if (root.is_discarded() || too_deep || !root.is_object()) return std::nullopt;
  const Json* json = Member(root, "operationGraph");
  if (json == nullptr) json = &root;
  const Json* nodes = Member(*json, "nodes");
  if (nodes == nullptr || !nodes->is_array() || nodes->empty() || nodes->size() > kMaxNodes) {
    return std::nullopt;
  }
  CudnnGraph graph;
  graph.finalize_mode = Text(Member(*json, "finalizeMode"));
  const Json* notes = Member(root, "numericalNotes");
  graph.tensor_cores = ReadNotes(notes != nullptr ? notes : Member(*json, "numericalNotes"));
  ReadTensors(Member(*json, "tensors"), &graph.tensors);
  if (!ApplyOverrides(Member(root, "overrides"), &graph.tensors)) return std::nullopt;
  for (const Json& node : *nodes) {
    graph.nodes.push_back(ReadNode(node, &graph.tensors, /*inner=*/false));
  }
  return graph;
}

}  // namespace flopsprof::model
