// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "plan_json.h"

#include <map>
#include <vector>

#include "operation_graph.h"

namespace sim::cudnn {
namespace {

std::string Quoted(const std::string& text) { return '"' + text + '"'; }

std::string List(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); i++) {
    text += (i > 0 ? "," : "") + std::to_string(values[i]);
  }
  return text + "]";
}

const char* DataTypeName(int32_t type) {
  switch (type) {
    case CUDNN_DATA_FLOAT:
      return "CUDNN_DATA_FLOAT";
    case CUDNN_DATA_DOUBLE:
      return "CUDNN_DATA_DOUBLE";
    case CUDNN_DATA_HALF:
      return "CUDNN_DATA_HALF";
    case CUDNN_DATA_BFLOAT16:
      return "CUDNN_DATA_BFLOAT16";
    case CUDNN_DATA_INT8:
      return "CUDNN_DATA_INT8";
    case CUDNN_DATA_INT32:
      return "CUDNN_DATA_INT32";
    case CUDNN_DATA_INT64:
      return "CUDNN_DATA_INT64";
    case CUDNN_DATA_BOOLEAN:
      return "CUDNN_DATA_BOOLEAN";
    case CUDNN_DATA_FP8_E4M3:
      return "CUDNN_DATA_FP8_E4M3";
    case CUDNN_DATA_FP8_E5M2:
      return "CUDNN_DATA_FP8_E5M2";
    default:
      return "CUDNN_DATA_UNKNOWN";
  }
}

std::string TensorName(const Descriptor& tensor) {
  const std::vector<int64_t> id = tensor.Integers(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  return Quoted(std::to_string(id.empty() ? 0 : id[0]));
}

std::string TensorJson(const Descriptor& tensor) {
  const int32_t type = tensor.Integer32(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT);
  const auto boolean = [&](int name) { return tensor.Boolean(name) ? "true" : "false"; };
  return "{\"name\":" + TensorName(tensor) + ",\"dataType\":" + Quoted(DataTypeName(type)) +
         ",\"dim\":" + List(tensor.Integers(CUDNN_ATTR_TENSOR_DIMENSIONS)) +
         ",\"stride\":" + List(tensor.Integers(CUDNN_ATTR_TENSOR_STRIDES)) +
         ",\"isVirtual\":" + boolean(CUDNN_ATTR_TENSOR_IS_VIRTUAL) +
         ",\"isByValue\":" + boolean(CUDNN_ATTR_TENSOR_IS_BY_VALUE) + "}";
}

// Padding, strides and dilations of a convolution operation, empty for others.
std::string ConvolutionJson(const Descriptor& op) {
  DescriptorPtr convolution;
  for (int name : {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC}) {
    if (convolution == nullptr) convolution = op.Child(name);
  }
  if (convolution == nullptr) return "";
  const bool flipped =
      convolution->Integer32(CUDNN_ATTR_CONVOLUTION_CONV_MODE, 0) == CUDNN_CONVOLUTION;
  const int32_t type = convolution->Integer32(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  return std::string(",\"mode\":\"") + (flipped ? "CUDNN_CONVOLUTION" : "CUDNN_CROSS_CORRELATION") +
         "\",\"mathPrec\":" + Quoted(DataTypeName(type)) +
         ",\"pad\":" + List(convolution->Integers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS)) +
         ",\"stride\":" + List(convolution->Integers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES)) +
         ",\"dilation\":" + List(convolution->Integers(CUDNN_ATTR_CONVOLUTION_DILATIONS));
}

std::string NodeJson(const Descriptor& op, std::map<std::string, std::string>* tensors) {
  const OperationType* type = FindOperationType(op.type());
  if (type == nullptr) {
    return "{\"operation\":" + Quoted("UNKNOWN_" + std::to_string(op.type())) + "}";
  }
  std::string json = "{\"operation\":" + Quoted(type->name) + ConvolutionJson(op);
  for (const TensorRole& role : type->tensors) {
    const DescriptorPtr tensor = op.Child(role.attribute);
    if (tensor == nullptr) continue;
    const std::string name = TensorName(*tensor);
    tensors->emplace(name, TensorJson(*tensor));
    json += "," + Quoted(role.key) + ":" + name;
  }
  return json + "}";
}

}  // namespace

std::string PlanJson(const Descriptor& plan) {
  std::map<std::string, std::string> tensors;
  std::string nodes;
  const DescriptorPtr graph = GraphOf(plan);
  const Descriptor::Attribute* operations =
      graph ? graph->Find(CUDNN_ATTR_OPERATIONGRAPH_OPS) : nullptr;
  if (operations != nullptr) {
    for (const DescriptorPtr& op : operations->descriptors) {
      if (op) nodes += (nodes.empty() ? "" : ",") + NodeJson(*op, &tensors);
    }
  }
  std::string list;
  for (const auto& [name, json] : tensors) list += (list.empty() ? "" : ",") + json;
  return "{\"cudnnVersion\":" + std::to_string(CUDNN_VERSION) +
         ",\"schemaVersion\":4,\"operationGraph\":{\"tensors\":[" + list + "],\"nodes\":[" + nodes +
         "]},\"engine\":{\"engineId\":0,\"smVersion\":900,\"knobChoices\":{}}}";
}

}  // namespace sim::cudnn
