// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Calls cuDNN as programs without PyTorch do: the older calls, a plan whose sizes are overridden
// at execution, descriptors that are not whole. Sizes are round; what they make is worked out in
// tests/integration/cudnn_calls_test.py.
//
//   g++ -std=c++17 -I.../cudnn/include -I.../cu13/include cudnn_calls.cc -l:libcudnn.so.9 ...
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <cudnn_subquadratic_ops.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

cudnnHandle_t handle;
float memory[64];  // nothing is computed on the stand-in
const float one = 1, zero = 0;

void Must(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: status %d\n", what, status);
  std::exit(1);
}
#define MUST(call) Must(call, #call)

cudnnTensorDescriptor_t Tensor(std::vector<int> sizes) {
  std::vector<int> strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i > 0; i--) strides[i - 1] = strides[i] * sizes[i];
  cudnnTensorDescriptor_t tensor;
  MUST(cudnnCreateTensorDescriptor(&tensor));
  MUST(cudnnSetTensorNdDescriptor(tensor, CUDNN_DATA_HALF, static_cast<int>(sizes.size()),
                                  sizes.data(), strides.data()));
  return tensor;
}

cudnnFilterDescriptor_t Filter(std::vector<int> sizes) {
  cudnnFilterDescriptor_t filter;
  MUST(cudnnCreateFilterDescriptor(&filter));
  MUST(cudnnSetFilterNdDescriptor(filter, CUDNN_DATA_HALF, CUDNN_TENSOR_NCHW,
                                  static_cast<int>(sizes.size()), sizes.data()));
  return filter;
}

void Convolutions() {
  // Four groups, dilation 2: x [2,8,20,20], w [16,2,3,3], y [2,16,16,16].
  const int pad[] = {0, 0, 0}, stride[] = {1, 1, 1}, dilation[] = {2, 2, 2};
  cudnnConvolutionDescriptor_t convolution;
  MUST(cudnnCreateConvolutionDescriptor(&convolution));
  MUST(cudnnSetConvolutionNdDescriptor(convolution, 2, pad, stride, dilation,
                                       CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  MUST(cudnnSetConvolutionGroupCount(convolution, 4));
  const auto x = Tensor({2, 8, 20, 20});
  const auto w = Filter({16, 2, 3, 3});
  const auto y = Tensor({2, 16, 16, 16});
  MUST(cudnnConvolutionForward(handle, &one, x, memory, w, memory, convolution,
                               CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, nullptr, 0, &zero,
                               y, memory));
  MUST(cudnnConvolutionBackwardData(handle, &one, w, memory, y, memory, convolution,
                                    CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, nullptr, 0, &zero, x,
                                    memory));
  MUST(cudnnConvolutionBackwardFilter(handle, &one, x, memory, y, memory, convolution,
                                      CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, nullptr, 0, &zero, w,
                                      memory));
  // Three dimensions, with bias and activation: x [1,4,6,6,6], w [8,4,1,1,1], y [1,8,6,6,6].
  cudnnConvolutionDescriptor_t plain;
  MUST(cudnnCreateConvolutionDescriptor(&plain));
  MUST(cudnnSetConvolutionNdDescriptor(plain, 3, pad, stride, stride, CUDNN_CROSS_CORRELATION,
                                       CUDNN_DATA_FLOAT));
  cudnnActivationDescriptor_t relu;
  MUST(cudnnCreateActivationDescriptor(&relu));
  MUST(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0));
  const auto deep = Tensor({1, 8, 6, 6, 6});
  MUST(cudnnConvolutionBiasActivationForward(
      handle, &one, Tensor({1, 4, 6, 6, 6}), memory, Filter({8, 4, 1, 1, 1}), memory, plain,
      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, nullptr, 0, &zero, deep, memory,
      Tensor({1, 8, 1, 1, 1}), memory, relu, deep, memory));
}

void CausalConvolutions() {
  // 2 sequences of 50 steps, 8 channels, 4 taps.
  const auto half = CUDNN_DATA_HALF;
  const auto silu = CUDNN_CAUSAL_CONV1D_ACTIVATION_SILU;
  MUST(cudnnCausalConv1dForward(nullptr, memory, memory, memory, memory, 2, 8, 50, 4, half, silu));
  MUST(cudnnCausalConv1dNwhForward(nullptr, memory, memory, memory, memory, 2, 8, 50, 4, half,
                                   silu));
  MUST(cudnnCausalConv1dBackward(nullptr, memory, memory, memory, memory, memory, memory, memory, 2,
                                 8, 50, 4, half, CUDNN_DATA_FLOAT, silu));
  MUST(cudnnCausalConv1dNwhBackward(nullptr, memory, memory, memory, memory, memory, memory, memory,
                                    2, 8, 50, 4, half, CUDNN_DATA_FLOAT, silu));
}

cudnnRNNDescriptor_t Network(cudnnRNNMode_t cell, cudnnDirectionMode_t direction,
                             cudnnRNNInputMode_t input_mode, int input, int hidden, int projection,
                             int layers) {
  cudnnRNNDescriptor_t network;
  MUST(cudnnCreateRNNDescriptor(&network));
  MUST(cudnnSetRNNDescriptor_v8(network, CUDNN_RNN_ALGO_STANDARD, cell, CUDNN_RNN_DOUBLE_BIAS,
                                direction, input_mode, CUDNN_DATA_HALF, CUDNN_DATA_FLOAT,
                                CUDNN_TENSOR_OP_MATH, input, hidden, projection, layers, nullptr,
                                CUDNN_RNN_PADDED_IO_ENABLED));
  return network;
}

cudnnRNNDataDescriptor_t Sequences(int vector, std::vector<int> lengths, int longest) {
  cudnnRNNDataDescriptor_t data;
  MUST(cudnnCreateRNNDataDescriptor(&data));
  const unsigned short padding = 0;
  MUST(cudnnSetRNNDataDescriptor(data, CUDNN_DATA_HALF, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                                 longest, static_cast<int>(lengths.size()), vector, lengths.data(),
                                 const_cast<unsigned short*>(&padding)));
  return data;
}

void Train(cudnnRNNDescriptor_t network, cudnnRNNDataDescriptor_t x, cudnnRNNDataDescriptor_t y) {
  MUST(cudnnRNNForward(handle, network, CUDNN_FWD_MODE_TRAINING, nullptr, x, memory, y, memory,
                       nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 64, memory, 64, memory,
                       64, memory));
  MUST(cudnnRNNBackwardData_v8(handle, network, nullptr, y, memory, memory, x, memory, nullptr,
                               nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 64,
                               memory, 64, memory, 64, memory));
  MUST(cudnnRNNBackwardWeights_v8(handle, network, CUDNN_WGRAD_MODE_ADD, nullptr, x, memory,
                                  nullptr, nullptr, y, memory, 64, memory, 64, memory, 64, memory));
}

void Networks() {
  // 5 + 3 + 2 = 10 tokens, not 3 * 5.
  Train(Network(CUDNN_LSTM, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, 8, 16, 4, 2),
        Sequences(8, {5, 3, 2}, 5), Sequences(4, {5, 3, 2}, 5));
  Train(Network(CUDNN_GRU, CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, 8, 16, 16, 2),
        Sequences(8, {5, 3, 2}, 5), Sequences(32, {5, 3, 2}, 5));
  Train(Network(CUDNN_RNN_TANH, CUDNN_UNIDIRECTIONAL, CUDNN_SKIP_INPUT, 16, 16, 16, 1),
        Sequences(16, {7}, 7), Sequences(16, {7}, 7));
  // More sequences than the hook has room for on its stack.
  const std::vector<int> many(5000, 1);
  MUST(cudnnRNNForward(
      handle, Network(CUDNN_RNN_RELU, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, 2, 2, 2, 1),
      CUDNN_FWD_MODE_INFERENCE, nullptr, Sequences(2, many, 1), memory, Sequences(2, many, 1),
      memory, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 64, memory, 64, memory, 0,
      nullptr));
}

cudnnSeqDataDescriptor_t SequenceData(int vector, std::vector<int> lengths, int longest) {
  cudnnSeqDataDescriptor_t data;
  MUST(cudnnCreateSeqDataDescriptor(&data));
  const int sizes[] = {longest, static_cast<int>(lengths.size()), 1, vector};
  const cudnnSeqDataAxis_t axes[] = {CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_TIME_DIM,
                                     CUDNN_SEQDATA_BEAM_DIM, CUDNN_SEQDATA_VECT_DIM};
  MUST(cudnnSetSeqDataDescriptor(data, CUDNN_DATA_HALF, 4, sizes, axes, lengths.size(),
                                 lengths.data(), nullptr));
  return data;
}

void MultiHeadAttention() {
  // Two heads; sizes 8, 8, 12 projected to 4, 4, 6, outputs to 8. Lengths 3, 2 and 4, 1.
  cudnnAttnDescriptor_t attention;
  MUST(cudnnCreateAttnDescriptor(&attention));
  MUST(cudnnSetAttnDescriptor(attention, CUDNN_ATTN_QUERYMAP_ALL_TO_ONE, 2, 1.0, CUDNN_DATA_HALF,
                              CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH, nullptr, nullptr, 8, 8, 12, 4,
                              4, 6, 8, 4, 4, 2, 1));
  const auto q = SequenceData(8, {3, 2}, 4);
  const auto k = SequenceData(8, {4, 1}, 4);
  const auto v = SequenceData(12, {4, 1}, 4);
  const auto o = SequenceData(8, {3, 2}, 4);
  const int low[] = {0, 0, 0, 0}, high[] = {4, 4, 4, 4};
  MUST(cudnnMultiHeadAttnForward(handle, attention, -1, low, high, nullptr, nullptr, q, memory,
                                 nullptr, k, memory, v, memory, o, memory, 64, memory, 64, memory,
                                 64, memory));
  MUST(cudnnMultiHeadAttnBackwardData(handle, attention, low, high, nullptr, nullptr, o, memory, q,
                                      memory, memory, k, memory, memory, v, memory, memory, 64,
                                      memory, 64, memory, 64, memory));
  MUST(cudnnMultiHeadAttnBackwardWeights(handle, attention, CUDNN_WGRAD_MODE_ADD, q, memory, k,
                                         memory, v, memory, o, memory, 64, memory, memory, 64,
                                         memory, 64, memory));
}

using Descriptor = cudnnBackendDescriptor_t;

Descriptor Make(cudnnBackendDescriptorType_t type) {
  Descriptor descriptor;
  MUST(cudnnBackendCreateDescriptor(type, &descriptor));
  return descriptor;
}

void Set(Descriptor descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
         size_t count, const void* values) {
  Must(cudnnBackendSetAttribute(descriptor, name, type, static_cast<int64_t>(count), values),
       "cudnnBackendSetAttribute");
}

Descriptor GraphTensor(int64_t id, std::vector<int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size() - 1; i > 0; i--) strides[i - 1] = strides[i] * sizes[i];
  const Descriptor tensor = Make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const cudnnDataType_t type = CUDNN_DATA_HALF;
  const int64_t alignment = 16;
  Set(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  Set(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, sizes.size(), sizes.data());
  Set(tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides.size(), strides.data());
  Set(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
  Set(tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
  MUST(cudnnBackendFinalize(tensor));
  return tensor;
}

void Refer(Descriptor from, cudnnBackendAttributeName_t name, Descriptor to) {
  Set(from, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &to);
}

// The first plan of a graph of one operation that finalises.
Descriptor PlanOf(Descriptor operation, bool override_shapes) {
  const Descriptor graph = Make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  const bool yes = true;
  Refer(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  if (override_shapes) {
    Set(graph, CUDNN_ATTR_OPERATIONGRAPH_IS_OVERRIDE_SHAPE_ENABLED, CUDNN_TYPE_BOOLEAN, 1, &yes);
  }
  Set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  MUST(cudnnBackendFinalize(graph));
  const Descriptor heuristic = Make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  Refer(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  Set(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  MUST(cudnnBackendFinalize(heuristic));
  int64_t count = 0;
  MUST(cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr));
  std::vector<Descriptor> configs;
  for (int64_t i = 0; i < count; i++) configs.push_back(Make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  MUST(cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count, configs.data()));
  for (int64_t i = 0; i < count; i++) {
    const Descriptor plan = Make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    Set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    Refer(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configs[static_cast<size_t>(i)]);
    if (cudnnBackendFinalize(plan) == CUDNN_STATUS_SUCCESS) return plan;
    MUST(cudnnBackendDestroyDescriptor(plan));
  }
  std::fprintf(stderr, "no engine\n");
  std::exit(1);
}

// A product of [4,64,32] and [4,32,48].
Descriptor Product() {
  const Descriptor precision = Make(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  Set(precision, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  MUST(cudnnBackendFinalize(precision));
  const Descriptor product = Make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  Refer(product, CUDNN_ATTR_OPERATION_MATMUL_ADESC, GraphTensor(1, {4, 64, 32}));
  Refer(product, CUDNN_ATTR_OPERATION_MATMUL_BDESC, GraphTensor(2, {4, 32, 48}));
  Refer(product, CUDNN_ATTR_OPERATION_MATMUL_CDESC, GraphTensor(3, {4, 64, 48}));
  Refer(product, CUDNN_ATTR_OPERATION_MATMUL_DESC, precision);
  MUST(cudnnBackendFinalize(product));
  return product;
}

Descriptor GraphConvolution() {
  const Descriptor convolution = Make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const cudnnDataType_t type = CUDNN_DATA_FLOAT;
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  const int64_t dimensions = 2, ones[] = {1, 1}, pad[] = {1, 1};
  Set(convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  Set(convolution, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  Set(convolution, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &dimensions);
  Set(convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, ones);
  Set(convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, ones);
  Set(convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pad);
  Set(convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pad);
  MUST(cudnnBackendFinalize(convolution));
  return convolution;
}

Descriptor Forward(Descriptor x, Descriptor w, Descriptor y) {
  const float alpha = 1, beta = 0;
  const Descriptor operation = Make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, GraphConvolution());
  Set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1, &alpha);
  Set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, 1, &beta);
  MUST(cudnnBackendFinalize(operation));
  return operation;
}

Descriptor WeightGradient(Descriptor x, Descriptor dw, Descriptor dy) {
  const float alpha = 1, beta = 0;
  const Descriptor operation = Make(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, x);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, dw);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, dy);
  Refer(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, GraphConvolution());
  Set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_TYPE_FLOAT, 1, &alpha);
  Set(operation, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, CUDNN_TYPE_FLOAT, 1, &beta);
  MUST(cudnnBackendFinalize(operation));
  return operation;
}

// x [2,8,10,10], w [16,8,3,3], y [2,16,10,10].
Descriptor Forward() {
  return Forward(GraphTensor(1, {2, 8, 10, 10}), GraphTensor(2, {16, 8, 3, 3}),
                 GraphTensor(3, {2, 16, 10, 10}));
}

Descriptor WeightGradient() {
  return WeightGradient(GraphTensor(1, {2, 8, 10, 10}), GraphTensor(2, {16, 8, 3, 3}),
                        GraphTensor(3, {2, 16, 10, 10}));
}

void Execute(Descriptor plan, const std::vector<std::vector<int64_t>>& shapes) {
  const Descriptor pack = Make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const int64_t ids[] = {1, 2, 3};
  void* pointers[] = {memory, memory, memory};
  void* workspace = memory;
  Set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids);
  Set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers);
  Set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  if (!shapes.empty()) {
    std::vector<std::vector<int64_t>> strides;
    for (const auto& shape : shapes) strides.push_back({shape[1] * shape[2], shape[2], 1});
    Set(pack, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_UNIQUE_IDS, CUDNN_TYPE_INT64, shapes.size(), ids);
    Set(pack, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_SHAPES, CUDNN_TYPE_VOID_PTR, 1, &shapes);
    Set(pack, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_STRIDES, CUDNN_TYPE_VOID_PTR, 1, &strides);
  }
  MUST(cudnnBackendFinalize(pack));
  MUST(cudnnBackendExecute(handle, plan, pack));
  MUST(cudnnBackendDestroyDescriptor(pack));
}

void Overrides() {
  const Descriptor plan = PlanOf(Product(), /*override_shapes=*/true);
  Execute(plan, {});
  for (int i = 0; i < 3; i++) Execute(plan, {{2, 16, 32}, {2, 32, 8}, {2, 16, 8}});
  Execute(plan, {{1, 16, 32}, {1, 32, 8}, {1, 16, 8}});
  Execute(plan, {});
  Execute(plan, {{2, 16, 32}});  // the other two no longer fit
}

// A plan that was stored as text and is read back, as programs do that start often.
void Deserialised() {
  const Descriptor made = PlanOf(Forward(), /*override_shapes=*/false);
  int64_t bytes = 0;
  MUST(cudnnBackendGetAttribute(made, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                CUDNN_TYPE_CHAR, 0, &bytes, nullptr));
  std::vector<char> text(static_cast<size_t>(bytes));
  MUST(cudnnBackendGetAttribute(made, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                CUDNN_TYPE_CHAR, bytes, &bytes, text.data()));
  MUST(cudnnBackendDestroyDescriptor(made));
  const Descriptor read = Make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  Set(read, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
  Set(read, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, text.size(),
      text.data());
  MUST(cudnnBackendFinalize(read));
  Execute(read, {});
}

// Where the library does not describe its plans, the first one is missed.
void WithoutJson() {
  Execute(PlanOf(Product(), /*override_shapes=*/false), {});
  for (const Descriptor operation : {Product(), Forward(), WeightGradient()}) {
    const Descriptor plan = PlanOf(operation, /*override_shapes=*/false);
    Execute(plan, {});
    Execute(plan, {});
  }
}

// Time of the first execution of each of several plans, less that of the second.
void FirstSight() {
  std::vector<double> first_us;
  for (int64_t channels = 8; channels <= 512; channels *= 2) {
    for (const int64_t size : {7, 14, 28}) {
      for (const bool gradient : {false, true}) {
        const auto x = GraphTensor(1, {2, channels, size, size});
        const auto w = GraphTensor(2, {16, channels, 3, 3});
        const auto y = GraphTensor(3, {2, 16, size, size});
        const Descriptor plan = PlanOf(gradient ? WeightGradient(x, w, y) : Forward(x, w, y),
                                       /*override_shapes=*/false);
        double took[2];
        for (double& us : took) {
          const auto begin = std::chrono::steady_clock::now();
          Execute(plan, {});
          us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                   .count();
        }
        first_us.push_back(took[0] - took[1]);
        MUST(cudnnBackendDestroyDescriptor(plan));
      }
    }
  }
  std::sort(first_us.begin(), first_us.end());
  std::printf("first sight of %zu plans: median %.0f us, nine of ten below %.0f us\n",
              first_us.size(), first_us[first_us.size() / 2], first_us[first_us.size() * 9 / 10]);
}

// A plan that becomes nodes of a graph, which is a child of another and replayed.
void Populated() {
  const Descriptor plan = PlanOf(Forward(), /*override_shapes=*/false);
  const Descriptor pack = Make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  const int64_t ids[] = {1, 2, 3};
  void* pointers[] = {memory, memory, memory};
  void* workspace = memory;
  Set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids);
  Set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, pointers);
  Set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  MUST(cudnnBackendFinalize(pack));
  cudaGraph_t graph, parent;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  cudaGraphCreate(&graph, 0);
  cudaGraphCreate(&parent, 0);
  MUST(cudnnBackendExecute(handle, plan, pack));
  MUST(cudnnBackendPopulateCudaGraph(handle, plan, pack, graph));
  cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph);
  cudaGraphInstantiate(&executable, parent, 0);
  for (int i = 0; i < 100; i++) cudaGraphLaunch(executable, nullptr);
}

// Half-built, missing, refused: nothing of it may be counted, or end the program.
void BadCalls() {
  const auto y = Tensor({1, 1, 4, 4});
  cudnnFilterDescriptor_t empty;
  MUST(cudnnCreateFilterDescriptor(&empty));
  cudnnConvolutionDescriptor_t convolution;
  MUST(cudnnCreateConvolutionDescriptor(&convolution));
  cudnnConvolutionForward(handle, &one, y, memory, nullptr, memory, convolution,
                          CUDNN_CONVOLUTION_FWD_ALGO_GEMM, nullptr, 0, &zero, y, memory);
  cudnnConvolutionForward(handle, &one, y, memory, empty, memory, convolution,
                          CUDNN_CONVOLUTION_FWD_ALGO_GEMM, nullptr, 0, &zero, y, memory);
  cudnnConvolutionForward(nullptr, &one, y, memory, empty, memory, convolution,
                          CUDNN_CONVOLUTION_FWD_ALGO_GEMM, nullptr, 0, &zero, y, memory);
  cudnnRNNForward(handle, nullptr, CUDNN_FWD_MODE_TRAINING, nullptr, nullptr, memory, nullptr,
                  memory, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 64, memory, 64,
                  memory, 64, memory);
  cudnnMultiHeadAttnForward(handle, nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr,
                            memory, nullptr, nullptr, memory, nullptr, memory, nullptr, memory, 64,
                            memory, 64, memory, 64, memory);
  cudnnBackendExecute(handle, nullptr, nullptr);
  cudnnBackendExecute(nullptr, nullptr, nullptr);
  cudnnBackendSetAttribute(nullptr, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_SHAPES, CUDNN_TYPE_VOID_PTR, 1,
                           nullptr);
  cudnnBackendDestroyDescriptor(nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  void* data = nullptr;
  cudaMalloc(&data, sizeof memory);  // CUDA begins
  MUST(cudnnCreate(&handle));
  if (std::strcmp(what, "convolutions") == 0) Convolutions();
  if (std::strcmp(what, "causal") == 0) CausalConvolutions();
  if (std::strcmp(what, "networks") == 0) Networks();
  if (std::strcmp(what, "attention") == 0) MultiHeadAttention();
  if (std::strcmp(what, "overrides") == 0) Overrides();
  if (std::strcmp(what, "deserialised") == 0) Deserialised();
  if (std::strcmp(what, "without_json") == 0) WithoutJson();
  if (std::strcmp(what, "every") == 0) {
    Convolutions();
    CausalConvolutions();
    Networks();
    MultiHeadAttention();
    Deserialised();
  }
  if (std::strcmp(what, "populated") == 0) Populated();
  if (std::strcmp(what, "first_sight") == 0) FirstSight();
  if (std::strcmp(what, "bad") == 0) BadCalls();
  cudaDeviceSynchronize();
  std::printf("done\n");
}
