// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "operation_graph.h"

#include <algorithm>
#include <set>

namespace sim::cudnn {
namespace {

double Product(const std::vector<int64_t>& dimensions, size_t from = 0) {
  double product = 1;
  for (size_t i = from; i < dimensions.size(); i++) product *= dimensions[i];
  return product;
}

// 2 x (elements of the output of the forward convolution) x (filter elements behind each).
double ConvolutionFlops(const DescriptorPtr& filter, const DescriptorPtr& output) {
  const std::vector<int64_t> w = Dimensions(filter);
  const std::vector<int64_t> y = Dimensions(output);
  if (w.size() < 3 || y.size() < 3) return 0;
  return 2 * Product(y) * Product(w, 1);
}

// QK^T and PV, dense.
double AttentionFlops(const DescriptorPtr& query, const DescriptorPtr& key,
                      const DescriptorPtr& value) {
  const std::vector<int64_t> q = Dimensions(query);
  const std::vector<int64_t> k = Dimensions(key);
  const std::vector<int64_t> v = Dimensions(value);
  if (q.size() < 4 || k.size() < 4 || v.size() < 4) return 0;
  return 2.0 * q[0] * q[1] * q[2] * k[2] * (q[3] + v[3]);
}

double FlopsOf(const Descriptor& op) {
  switch (op.type()) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return ConvolutionFlops(op.Child(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
                              op.Child(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y));
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return ConvolutionFlops(op.Child(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W),
                              op.Child(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY));
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return ConvolutionFlops(op.Child(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW),
                              op.Child(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY));
    case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR: {
      const std::vector<int64_t> a = Dimensions(op.Child(CUDNN_ATTR_OPERATION_MATMUL_ADESC));
      const std::vector<int64_t> c = Dimensions(op.Child(CUDNN_ATTR_OPERATION_MATMUL_CDESC));
      return a.empty() || c.empty() ? 0 : 2 * Product(c) * a.back();
    }
    case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
      return AttentionFlops(op.Child(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC),
                            op.Child(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC),
                            op.Child(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC));
    case CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR:
      return 2.5 * AttentionFlops(op.Child(CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC),
                                  op.Child(CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC),
                                  op.Child(CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC));
    default:
      return 0;
  }
}

std::string DimensionText(const std::vector<int64_t>& dimensions) {
  std::string text;
  for (int64_t dimension : dimensions) {
    text += (text.empty() ? "" : "x") + std::to_string(dimension);
  }
  return text;
}

double BytesPerElement(const Descriptor& tensor) {
  switch (tensor.Integer32(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT)) {
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
      return 8;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
      return 2;
    case CUDNN_DATA_INT8:
    case CUDNN_DATA_UINT8:
    case CUDNN_DATA_BOOLEAN:
    case CUDNN_DATA_FP8_E4M3:
    case CUDNN_DATA_FP8_E5M2:
      return 1;
    default:
      return 4;
  }
}

}  // namespace

const OperationType* FindOperationType(cudnnBackendDescriptorType_t type) {
  static const std::vector<OperationType> types = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       "CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR",
       "conv_fwd",
       {{CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, "X"},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, "W"},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, "Y"}}},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       "CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR",
       "conv_dgrad",
       {{CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, "dX"},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, "W"},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, "dY"}}},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       "CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR",
       "conv_wgrad",
       {{CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, "X"},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, "dW"},
        {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, "dY"}}},
      {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
       "CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR",
       "matmul",
       {{CUDNN_ATTR_OPERATION_MATMUL_ADESC, "matA"},
        {CUDNN_ATTR_OPERATION_MATMUL_BDESC, "matB"},
        {CUDNN_ATTR_OPERATION_MATMUL_CDESC, "matC"}}},
      {CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR,
       "CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR",
       "sdpa_fwd",
       {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, "Q"},
        {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, "K"},
        {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, "V"},
        {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, "O"}}},
      {CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR,
       "CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR",
       "sdpa_bwd",
       {{CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, "Q"},
        {CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, "K"},
        {CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC, "V"},
        {CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, "O"},
        {CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, "dO"},
        {CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, "dQ"},
        {CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC, "dK"},
        {CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC, "dV"}}},
  };
  for (const OperationType& candidate : types) {
    if (candidate.type == type) return &candidate;
  }
  return nullptr;
}

std::vector<int64_t> Dimensions(const DescriptorPtr& tensor) {
  return tensor ? tensor->Integers(CUDNN_ATTR_TENSOR_DIMENSIONS) : std::vector<int64_t>();
}

GraphCost CostOf(const Descriptor& graph) {
  constexpr double kElementsPerBlock = 128 * 128;
  GraphCost cost;
  std::set<const Descriptor*> seen;
  double largest = 0;
  const Descriptor::Attribute* operations = graph.Find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  if (operations == nullptr) return cost;
  for (const DescriptorPtr& op : operations->descriptors) {
    if (op == nullptr) continue;
    cost.flop_count += FlopsOf(*op);
    const OperationType* type = FindOperationType(op->type());
    if (type == nullptr) continue;
    cost.name += std::string("_") + type->short_name;
    cost.shape += (cost.shape.empty() ? "" : " ") + std::string(type->short_name);
    for (const TensorRole& role : type->tensors) {
      const DescriptorPtr tensor = op->Child(role.attribute);
      if (!tensor) continue;
      cost.shape += " " + std::string(role.key) + "=" + DimensionText(Dimensions(tensor));
      if (!seen.insert(tensor.get()).second) continue;
      const double elements = Product(Dimensions(tensor));
      largest = std::max(largest, elements);
      if (!tensor->Boolean(CUDNN_ATTR_TENSOR_IS_VIRTUAL)) {
        cost.bytes += elements * BytesPerElement(*tensor);
      }
    }
  }
  cost.blocks = static_cast<unsigned>(std::clamp(largest / kElementsPerBlock, 1.0, 65535.0));
  return cost;
}

}  // namespace sim::cudnn
