// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The convolution calls from before the backend API. Their descriptors are the real library's;
// the choice of an algorithm, which needs a device, is always the same one here.
#include <cstdio>

#include "handle.h"
#include "real_cudnn.h"
#include "sim.h"

using namespace sim::cudnn;  // NOLINT: the entry points below are C functions

namespace {

constexpr int kAlgorithm = 1;  // IMPLICIT_PRECOMP_GEMM forward, ALGO_1 backward

// Elements of a real tensor or filter descriptor; a filter's first dimension is left out.
double Elements(cudnnTensorDescriptor_t tensor) {
  cudnnDataType_t type;
  int rank = 0;
  int dimensions[CUDNN_DIM_MAX] = {};
  int strides[CUDNN_DIM_MAX] = {};
  CallReal<decltype(cudnnGetTensorNdDescriptor)>("cudnnGetTensorNdDescriptor", tensor,
                                                 CUDNN_DIM_MAX, &type, &rank, dimensions, strides);
  double elements = rank > 0 ? 1 : 0;
  for (int i = 0; i < rank; i++) elements *= dimensions[i];
  return elements;
}

double ElementsPerOutput(cudnnFilterDescriptor_t filter) {
  cudnnDataType_t type;
  cudnnTensorFormat_t format;
  int rank = 0;
  int dimensions[CUDNN_DIM_MAX] = {};
  CallReal<decltype(cudnnGetFilterNdDescriptor)>("cudnnGetFilterNdDescriptor", filter,
                                                 CUDNN_DIM_MAX, &type, &format, &rank, dimensions);
  double elements = rank > 0 ? 1 : 0;
  for (int i = 1; i < rank; i++) elements *= dimensions[i];
  return elements;
}

cudnnStatus_t Run(cudnnHandle_t handle, const char* name, cudnnFilterDescriptor_t filter,
                  cudnnTensorDescriptor_t output) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  constexpr double kOutputsPerBlock = 128 * 128;
  const double outputs = Elements(output);
  const double per_output = ElementsPerOutput(filter);
  char shape[64];
  std::snprintf(shape, sizeof shape, "outputs=%.0f filter=%.0f", outputs, per_output);
  NoteCall(*ToHandleState(handle), shape);
  const unsigned blocks = static_cast<unsigned>(outputs / kOutputsPerBlock) + 1;
  Launch(*ToHandleState(handle), {name, blocks, 2 * outputs * per_output, 0});
  return CUDNN_STATUS_SUCCESS;
}

template <class Performance>
cudnnStatus_t GiveAlgorithm(cudnnConvolutionDescriptor_t convolution, int requested, int* returned,
                            Performance* results) {
  if (returned == nullptr || results == nullptr || requested < 1) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  Performance best = {};
  best.algo = static_cast<decltype(best.algo)>(kAlgorithm);
  best.time = 0.01F;
  best.determinism = CUDNN_DETERMINISTIC;
  CallReal<decltype(cudnnGetConvolutionMathType)>("cudnnGetConvolutionMathType", convolution,
                                                  &best.mathType);
  results[0] = best;
  *returned = 1;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GiveZero(size_t* bytes) {
  *bytes = 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GiveOne(int* count) {
  *count = 1;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

API cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void*,
                                          cudnnTensorDescriptor_t, const void*,
                                          cudnnFilterDescriptor_t filter, const void*,
                                          cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t,
                                          void*, size_t, const void*,
                                          cudnnTensorDescriptor_t output, void*) {
  return Run(handle, "sim_cudnn_legacy_conv_fwd", filter, output);
}

API cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void*, cudnnTensorDescriptor_t, const void*,
    cudnnFilterDescriptor_t filter, const void*, cudnnConvolutionDescriptor_t,
    cudnnConvolutionFwdAlgo_t, void*, size_t, const void*, cudnnTensorDescriptor_t, const void*,
    cudnnTensorDescriptor_t, const void*, cudnnActivationDescriptor_t,
    cudnnTensorDescriptor_t output, void*) {
  return Run(handle, "sim_cudnn_legacy_conv_bias_act_fwd", filter, output);
}

API cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void*,
                                               cudnnFilterDescriptor_t filter, const void*,
                                               cudnnTensorDescriptor_t output_gradient, const void*,
                                               cudnnConvolutionDescriptor_t,
                                               cudnnConvolutionBwdDataAlgo_t, void*, size_t,
                                               const void*, cudnnTensorDescriptor_t, void*) {
  return Run(handle, "sim_cudnn_legacy_conv_dgrad", filter, output_gradient);
}

API cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void*,
                                                 cudnnTensorDescriptor_t, const void*,
                                                 cudnnTensorDescriptor_t output_gradient,
                                                 const void*, cudnnConvolutionDescriptor_t,
                                                 cudnnConvolutionBwdFilterAlgo_t, void*, size_t,
                                                 const void*,
                                                 cudnnFilterDescriptor_t filter_gradient, void*) {
  return Run(handle, "sim_cudnn_legacy_conv_wgrad", filter_gradient, output_gradient);
}

API cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t,
                                                         cudnnFilterDescriptor_t,
                                                         cudnnConvolutionDescriptor_t convolution,
                                                         cudnnTensorDescriptor_t, int requested,
                                                         int* returned,
                                                         cudnnConvolutionFwdAlgoPerf_t* results) {
  return GiveAlgorithm(convolution, requested, returned, results);
}

API cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t, int requested, int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return GiveAlgorithm(convolution, requested, returned, results);
}

API cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
    cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t, int requested, int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return GiveAlgorithm(convolution, requested, returned, results);
}

API cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t, cudnnTensorDescriptor_t, const void*, cudnnFilterDescriptor_t, const void*,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t, void*, int requested,
    int* returned, cudnnConvolutionFwdAlgoPerf_t* results, void*, size_t) {
  return GiveAlgorithm(convolution, requested, returned, results);
}

API cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t, cudnnFilterDescriptor_t, const void*, cudnnTensorDescriptor_t, const void*,
    cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t, void*, int requested,
    int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results, void*, size_t) {
  return GiveAlgorithm(convolution, requested, returned, results);
}

API cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t, cudnnTensorDescriptor_t, const void*, cudnnTensorDescriptor_t, const void*,
    cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t, void*, int requested,
    int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* results, void*, size_t) {
  return GiveAlgorithm(convolution, requested, returned, results);
}

API cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionFwdAlgo_t, size_t* bytes) {
  return GiveZero(bytes);
}

API cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnTensorDescriptor_t, cudnnConvolutionBwdDataAlgo_t, size_t* bytes) {
  return GiveZero(bytes);
}

API cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnConvolutionDescriptor_t,
    cudnnFilterDescriptor_t, cudnnConvolutionBwdFilterAlgo_t, size_t* bytes) {
  return GiveZero(bytes);
}

API cudnnStatus_t cudnnGetConvolutionForwardAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return GiveOne(count);
}

API cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return GiveOne(count);
}

API cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(cudnnHandle_t, int* count) {
  return GiveOne(count);
}
