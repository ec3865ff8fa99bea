// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Hooks of the depthwise convolutions that PyTorch does without cuDNN.

#include "injector/operations/operation_hook.h"
#include "injector/operations/operation_sizes.h"

namespace {

// std::array<bool, n>
struct TwoFlags {
  bool flag[2];
};
struct ThreeFlags {
  bool flag[3];
};

uint8_t Gradients(bool input, bool weight) {
  return static_cast<uint8_t>((input ? flopsprof::shm::kConvInputGradient : 0) |
                              (weight ? flopsprof::shm::kConvWeightGradient : 0));
}

void Describe(OperationScope* operation, const ConvolutionArguments& convolution) {
  DescribeConvolution(convolution, operation->call());
  AskCapture(operation, convolution.input);
}

}  // namespace

#define CONVOLUTION(function, symbol, id)                                                      \
  FLOPSPROF_OPERATION(function, symbol, void* result, TensorRef input, TensorRef weight,       \
                      IntList kernel, OptionalTensorRef bias, IntList stride, IntList padding, \
                      IntList dilation) {                                                      \
    FLOPSPROF_RUN(                                                                             \
        function, symbol, id,                                                                  \
        Describe(&operation, {input, weight, nullptr, kernel, stride, padding, dilation, 0}),  \
        result, input, weight, kernel, bias, stride, padding, dilation);                       \
  }
CONVOLUTION(DepthwiseConv2d,
            "_ZN2at6native21conv_depthwise2d_cudaERKNS_6TensorES3_N3c108ArrayRefIlEERKSt8optional"
            "IS1_ES6_S6_S6_",
            kDepthwiseConv2d)
CONVOLUTION(DepthwiseConv3d,
            "_ZN2at6native21conv_depthwise3d_cudaERKNS_6TensorES3_N3c108ArrayRefIlEERKSt8optional"
            "IS1_ES6_S6_S6_",
            kDepthwiseConv3d)

#define CONVOLUTION_BACKWARD(function, symbol, id, Flags)                                       \
  FLOPSPROF_OPERATION(function, symbol, void* result, TensorRef grad, TensorRef input,          \
                      TensorRef weight, IntList kernel, IntList stride, IntList padding,        \
                      IntList dilation, Flags wanted) {                                         \
    FLOPSPROF_RUN(function, symbol, id,                                                         \
                  Describe(&operation, {input, weight, grad, kernel, stride, padding, dilation, \
                                        Gradients(wanted.flag[0], wanted.flag[1])}),            \
                  result, grad, input, weight, kernel, stride, padding, dilation, wanted);      \
  }
CONVOLUTION_BACKWARD(
    DepthwiseConv2dBackward,
    "_ZN2at6native30conv_depthwise2d_backward_cudaERKNS_6TensorES3_S3_N3c108ArrayRef"
    "IlEES6_S6_S6_St5arrayIbLm2EE",
    kDepthwiseConv2dBackward, TwoFlags)
CONVOLUTION_BACKWARD(
    DepthwiseConv3dBackward,
    "_ZN2at6native30conv_depthwise3d_backward_cudaERKNS_6TensorES3_S3_N3c108ArrayRef"
    "IlEES6_S6_S6_St5arrayIbLm3EE",
    kDepthwiseConv3dBackward, ThreeFlags)
