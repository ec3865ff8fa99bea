// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cudnn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

// Builds plans through the public backend API the way cudnn-frontend does: operation graph,
// heuristics, the first engine configuration that finalises.
namespace sim::cudnn::test {

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    EXPECT_EQ(cudnnBackendCreateDescriptor(type, &descriptor_), CUDNN_STATUS_SUCCESS);
  }
  ~Descriptor() {
    if (descriptor_ != nullptr) cudnnBackendDestroyDescriptor(descriptor_);
  }
  Descriptor(Descriptor&& other) noexcept : descriptor_(other.descriptor_) {
    other.descriptor_ = nullptr;
  }
  Descriptor(const Descriptor&) = delete;

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  Descriptor& Set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
                  const void* elements) {
    EXPECT_EQ(cudnnBackendSetAttribute(descriptor_, name, type, count, elements),
              CUDNN_STATUS_SUCCESS)
        << name;
    return *this;
  }
  Descriptor& Integers(cudnnBackendAttributeName_t name, std::vector<int64_t> values) {
    return Set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
  }
  Descriptor& DataType(cudnnBackendAttributeName_t name, cudnnDataType_t type) {
    return Set(name, CUDNN_TYPE_DATA_TYPE, 1, &type);
  }
  Descriptor& Float(cudnnBackendAttributeName_t name, float value) {
    return Set(name, CUDNN_TYPE_FLOAT, 1, &value);
  }
  Descriptor& Refer(cudnnBackendAttributeName_t name, const Descriptor& other) {
    cudnnBackendDescriptor_t child = other.get();
    return Set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &child);
  }
  Descriptor& Handle(cudnnBackendAttributeName_t name, cudnnHandle_t handle) {
    return Set(name, CUDNN_TYPE_HANDLE, 1, &handle);
  }
  cudnnStatus_t Finalize() { return cudnnBackendFinalize(descriptor_); }

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

// A tensor of half precision, channels last.
inline Descriptor Tensor(int64_t id, std::vector<int64_t> dims) {
  const int64_t c = dims[1];
  const int64_t h = dims[2];
  const int64_t w = dims[3];
  Descriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  tensor.DataType(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_HALF)
      .Integers(CUDNN_ATTR_TENSOR_DIMENSIONS, dims)
      .Integers(CUDNN_ATTR_TENSOR_STRIDES, {c * h * w, 1, w * c, c})
      .Integers(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id})
      .Integers(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
  EXPECT_EQ(tensor.Finalize(), CUDNN_STATUS_SUCCESS);
  return tensor;
}

struct ConvolutionShape {
  std::vector<int64_t> pad = {0, 0};
  std::vector<int64_t> stride = {1, 1};
  std::vector<int64_t> dilation = {1, 1};
};

inline Descriptor Convolution(const ConvolutionShape& shape) {
  Descriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  convolution.DataType(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .Set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode)
      .Integers(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2})
      .Integers(CUDNN_ATTR_CONVOLUTION_DILATIONS, shape.dilation)
      .Integers(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, shape.stride)
      .Integers(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, shape.pad)
      .Integers(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, shape.pad);
  EXPECT_EQ(convolution.Finalize(), CUDNN_STATUS_SUCCESS);
  return convolution;
}

// A graph of one operation, its first plan, and what a program does with it.
class Plan {
 public:
  Plan(cudnnHandle_t handle, const Descriptor& operation)
      : graph_(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR),
        heuristic_(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR),
        configuration_(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR),
        plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    graph_.Handle(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle)
        .Refer(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    EXPECT_EQ(graph_.Finalize(), CUDNN_STATUS_SUCCESS);
    const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
    heuristic_.Refer(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_)
        .Set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    EXPECT_EQ(heuristic_.Finalize(), CUDNN_STATUS_SUCCESS);
    cudnnBackendDescriptor_t configuration = configuration_.get();
    int64_t count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(heuristic_.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &configuration),
              CUDNN_STATUS_SUCCESS);
    EXPECT_GE(count, 1);
    plan_.Handle(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle)
        .Refer(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration_);
    EXPECT_EQ(plan_.Finalize(), CUDNN_STATUS_SUCCESS);
  }

  cudnnBackendDescriptor_t get() const { return plan_.get(); }

  // CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, asked for as documented: size, then text.
  std::string Json() const {
    int64_t size = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(get(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                       CUDNN_TYPE_CHAR, 0, &size, nullptr),
              CUDNN_STATUS_SUCCESS);
    std::string text(static_cast<size_t>(size), '\0');
    EXPECT_EQ(cudnnBackendGetAttribute(get(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                       CUDNN_TYPE_CHAR, size, &size, text.data()),
              CUDNN_STATUS_SUCCESS);
    return text.c_str();
  }

  int64_t WorkspaceBytes() const {
    int64_t bytes = -1;
    int64_t count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                       CUDNN_TYPE_INT64, 1, &count, &bytes),
              CUDNN_STATUS_SUCCESS);
    return bytes;
  }

 private:
  Descriptor graph_;
  Descriptor heuristic_;
  Descriptor configuration_;
  Descriptor plan_;
};

}  // namespace sim::cudnn::test
