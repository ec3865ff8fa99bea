// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// cudnnRNN*: descriptors are the real library's; the weight space and the work, which the real
// library lays out and does only with a device, are made here.
#include <cstdio>

#include "handle.h"
#include "real_cudnn.h"
#include "rnn_layout.h"
#include "sim.h"

using namespace sim::cudnn;  // NOLINT: the entry points below are C functions

namespace {

size_t ElementBytes(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_DOUBLE:
      return 8;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
      return 2;
    default:
      return 4;
  }
}

bool Describe(cudnnRNNDescriptor_t descriptor, RnnShape* shape,
              cudnnDataType_t* data_type = nullptr) {
  cudnnRNNAlgo_t algorithm;
  cudnnRNNMode_t mode;
  cudnnRNNBiasMode_t bias;
  cudnnDirectionMode_t direction;
  cudnnRNNInputMode_t input;
  cudnnDataType_t type;
  cudnnDataType_t precision;
  cudnnMathType_t math;
  int32_t projection = 0;
  cudnnDropoutDescriptor_t dropout;
  uint32_t flags;
  const cudnnStatus_t status = CallReal<decltype(cudnnGetRNNDescriptor_v8)>(
      "cudnnGetRNNDescriptor_v8", descriptor, &algorithm, &mode, &bias, &direction, &input, &type,
      &precision, &math, &shape->input_size, &shape->hidden_size, &projection, &shape->layers,
      &dropout, &flags);
  if (status != CUDNN_STATUS_SUCCESS) return false;
  shape->gates = mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1;
  // Without a projection its size equals the hidden size.
  shape->projects = mode == CUDNN_LSTM && projection > 0 && projection != shape->hidden_size;
  shape->output_size = shape->projects ? projection : shape->hidden_size;
  shape->directions = direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
  shape->skips_input = input == CUDNN_SKIP_INPUT;
  shape->input_bias = bias == CUDNN_RNN_DOUBLE_BIAS || bias == CUDNN_RNN_SINGLE_INP_BIAS;
  shape->recurrent_bias = bias == CUDNN_RNN_DOUBLE_BIAS || bias == CUDNN_RNN_SINGLE_REC_BIAS;
  shape->element_bytes = ElementBytes(type);
  if (data_type != nullptr) *data_type = type;
  return true;
}

// Tokens of a batch: the sum of the sequence lengths.
double Tokens(cudnnRNNDataDescriptor_t data) {
  constexpr int kMaxBatch = 65536;
  cudnnDataType_t type;
  cudnnRNNDataLayout_t layout;
  int max_length = 0;
  int batch = 0;
  int vector = 0;
  double padding = 0;
  static thread_local int lengths[kMaxBatch];
  if (CallReal<decltype(cudnnGetRNNDataDescriptor)>(
          "cudnnGetRNNDataDescriptor", data, &type, &layout, &max_length, &batch, &vector,
          kMaxBatch, lengths, static_cast<void*>(&padding)) != CUDNN_STATUS_SUCCESS) {
    return 0;
  }
  double tokens = 0;
  for (int i = 0; i < batch && i < kMaxBatch; i++) tokens += lengths[i];
  return tokens;
}

// Per pseudo layer: one kernel for the input products of all steps, one for the recurrence.
cudnnStatus_t Run(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
                  cudnnRNNDataDescriptor_t data, const char* input_kernel,
                  const char* recurrent_kernel) {
  RnnShape shape;
  if (handle == nullptr || !Describe(descriptor, &shape)) return CUDNN_STATUS_BAD_PARAM;
  constexpr unsigned kBlocks = 64;
  const double tokens = Tokens(data);
  char text[160];
  std::snprintf(text, sizeof text, "gates=%d in=%d hidden=%d out=%d layers=%d dirs=%d tokens=%.0f",
                shape.gates, shape.input_size, shape.hidden_size, shape.output_size, shape.layers,
                shape.directions, tokens);
  NoteCall(*ToHandleState(handle), text);
  const int kernels = 2 * shape.layers * shape.directions;
  const double flops = 2 * RnnMacsPerToken(shape) * tokens / kernels;
  for (int i = 0; i < kernels; i++) {
    Launch(*ToHandleState(handle),
           {i % 2 == 0 ? input_kernel : recurrent_kernel, kBlocks, flops, 0});
  }
  return CUDNN_STATUS_SUCCESS;
}

// Describes a rows x columns matrix to a real tensor descriptor; null is allowed.
void SetShape(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int rows, int columns) {
  if (descriptor == nullptr) return;
  const int dimensions[] = {1, rows, columns};
  const int strides[] = {rows * columns, columns, 1};
  CallReal<decltype(cudnnSetTensorNdDescriptor)>("cudnnSetTensorNdDescriptor", descriptor, type, 3,
                                                 dimensions, strides);
}

}  // namespace

API cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t descriptor,
                                             size_t* bytes) {
  RnnShape shape;
  if (bytes == nullptr || !Describe(descriptor, &shape)) return CUDNN_STATUS_BAD_PARAM;
  *bytes = RnnWeightBytes(shape);
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnGetRNNWeightParams(
    cudnnHandle_t, cudnnRNNDescriptor_t descriptor, int32_t pseudo_layer, size_t weight_bytes,
    const void* weights, int32_t linear_layer, cudnnTensorDescriptor_t matrix_descriptor,
    void** matrix_address, cudnnTensorDescriptor_t bias_descriptor, void** bias_address) {
  RnnShape shape;
  cudnnDataType_t type;
  if (!Describe(descriptor, &shape, &type) || pseudo_layer < 0 || linear_layer < 0 ||
      pseudo_layer >= shape.layers * shape.directions || weight_bytes < RnnWeightBytes(shape)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const RnnParameter parameter = FindRnnParameter(shape, pseudo_layer, linear_layer);
  const auto at = [weights](size_t offset) {
    return static_cast<char*>(const_cast<void*>(weights)) + offset;
  };
  // Programs that ask for one of the two pass null for the other, as PyTorch does.
  if (matrix_address != nullptr) {
    *matrix_address = parameter.rows > 0 ? at(parameter.matrix_offset) : nullptr;
  }
  if (bias_address != nullptr) {
    *bias_address = parameter.has_bias ? at(parameter.bias_offset) : nullptr;
  }
  if (parameter.rows > 0) {
    SetShape(matrix_descriptor, type, parameter.rows, parameter.columns);
  }
  if (parameter.has_bias) SetShape(bias_descriptor, type, shape.hidden_size, 1);
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t descriptor,
                                            cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t data,
                                            size_t* work, size_t* reserve) {
  RnnShape shape;
  if (!Describe(descriptor, &shape)) return CUDNN_STATUS_BAD_PARAM;
  const double per_token = 1.0 * shape.layers * shape.directions * (shape.gates + 2) *
                           shape.hidden_size * static_cast<double>(shape.element_bytes);
  const size_t bytes = static_cast<size_t>(per_token * Tokens(data)) + 256;
  if (work != nullptr) *work = bytes;
  if (reserve != nullptr) *reserve = mode == CUDNN_FWD_MODE_TRAINING ? bytes : 0;
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
                                  cudnnForwardMode_t, const int32_t*, cudnnRNNDataDescriptor_t x,
                                  const void*, cudnnRNNDataDescriptor_t, void*,
                                  cudnnTensorDescriptor_t, const void*, void*,
                                  cudnnTensorDescriptor_t, const void*, void*, size_t, const void*,
                                  size_t, void*, size_t, void*) {
  return Run(handle, descriptor, x, "sim_cudnn_rnn_fwd_input", "sim_cudnn_rnn_fwd_recurrent");
}

API cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
                                          const int32_t*, cudnnRNNDataDescriptor_t, const void*,
                                          const void*, cudnnRNNDataDescriptor_t x, void*,
                                          cudnnTensorDescriptor_t, const void*, const void*, void*,
                                          cudnnTensorDescriptor_t, const void*, const void*, void*,
                                          size_t, const void*, size_t, void*, size_t, void*) {
  return Run(handle, descriptor, x, "sim_cudnn_rnn_bwd_data_input",
             "sim_cudnn_rnn_bwd_data_recurrent");
}

API cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
                                             cudnnWgradMode_t, const int32_t*,
                                             cudnnRNNDataDescriptor_t x, const void*,
                                             cudnnTensorDescriptor_t, const void*,
                                             cudnnRNNDataDescriptor_t, const void*, size_t, void*,
                                             size_t, void*, size_t, void*) {
  return Run(handle, descriptor, x, "sim_cudnn_rnn_bwd_weights_input",
             "sim_cudnn_rnn_bwd_weights_recurrent");
}
