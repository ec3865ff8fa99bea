// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points that take no handle and touch no device: descriptors and their sizes. The real
// library answers them, whatever their arguments are, so this file does not include cudnn.h:
// each function jumps to the real one with all argument registers and the stack as they were.
#include "sim.h"

using cudnnStatus_t = int;

namespace sim::cudnn {
void* FindReal(const char* name);  // real_cudnn.h
}

namespace {

// CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED, what the real libcudnn.so.9 answers in this case.
cudnnStatus_t NoRealLibrary() { return 1008; }

}  // namespace

extern "C" __attribute__((visibility("hidden"), used)) void* sim_cudnn_resolve(const char* name) {
  void* found = sim::cudnn::FindReal(name);
  return found != nullptr ? found : reinterpret_cast<void*>(&NoRealLibrary);
}

// Saves the argument registers (six integers, eight vectors), resolves the name in rax, and
// jumps to what was found.
__asm__(R"(
  .text
  .type sim_cudnn_forward, @function
sim_cudnn_forward:
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  sub $136, %rsp
  movups %xmm0, 0(%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  mov %rax, %rdi
  call sim_cudnn_resolve
  movups 0(%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  add $136, %rsp
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  jmp *%rax
)");

#define FORWARD(name)                 \
  {                                   \
    __asm__(                          \
        "lea 1f(%rip), %rax\n"        \
        "jmp sim_cudnn_forward\n"     \
        "1: .asciz \"" #name "\"\n"); \
  }

// clang-format off
#pragma GCC diagnostic ignored "-Wreturn-type"
#define NAKED __attribute__((naked))
API NAKED cudnnStatus_t cudnnSetCallback() FORWARD(cudnnSetCallback)
API NAKED cudnnStatus_t cudnnGetCallback() FORWARD(cudnnGetCallback)
API NAKED cudnnStatus_t cudnnGraphVersionCheck() FORWARD(cudnnGraphVersionCheck)
API NAKED cudnnStatus_t cudnnCreateTensorDescriptor() FORWARD(cudnnCreateTensorDescriptor)
API NAKED cudnnStatus_t cudnnSetTensor4dDescriptor() FORWARD(cudnnSetTensor4dDescriptor)
API NAKED cudnnStatus_t cudnnSetTensor4dDescriptorEx() FORWARD(cudnnSetTensor4dDescriptorEx)
API NAKED cudnnStatus_t cudnnGetTensor4dDescriptor() FORWARD(cudnnGetTensor4dDescriptor)
API NAKED cudnnStatus_t cudnnSetTensorNdDescriptor() FORWARD(cudnnSetTensorNdDescriptor)
API NAKED cudnnStatus_t cudnnSetTensorNdDescriptorEx() FORWARD(cudnnSetTensorNdDescriptorEx)
API NAKED cudnnStatus_t cudnnGetTensorNdDescriptor() FORWARD(cudnnGetTensorNdDescriptor)
API NAKED cudnnStatus_t cudnnGetTensorSizeInBytes() FORWARD(cudnnGetTensorSizeInBytes)
API NAKED cudnnStatus_t cudnnDestroyTensorDescriptor() FORWARD(cudnnDestroyTensorDescriptor)
API NAKED cudnnStatus_t cudnnInitTransformDest() FORWARD(cudnnInitTransformDest)
API NAKED cudnnStatus_t cudnnCreateTensorTransformDescriptor() FORWARD(cudnnCreateTensorTransformDescriptor)
API NAKED cudnnStatus_t cudnnSetTensorTransformDescriptor() FORWARD(cudnnSetTensorTransformDescriptor)
API NAKED cudnnStatus_t cudnnGetTensorTransformDescriptor() FORWARD(cudnnGetTensorTransformDescriptor)
API NAKED cudnnStatus_t cudnnDestroyTensorTransformDescriptor() FORWARD(cudnnDestroyTensorTransformDescriptor)
API NAKED cudnnStatus_t cudnnCreateOpTensorDescriptor() FORWARD(cudnnCreateOpTensorDescriptor)
API NAKED cudnnStatus_t cudnnSetOpTensorDescriptor() FORWARD(cudnnSetOpTensorDescriptor)
API NAKED cudnnStatus_t cudnnGetOpTensorDescriptor() FORWARD(cudnnGetOpTensorDescriptor)
API NAKED cudnnStatus_t cudnnDestroyOpTensorDescriptor() FORWARD(cudnnDestroyOpTensorDescriptor)
API NAKED cudnnStatus_t cudnnCreateReduceTensorDescriptor() FORWARD(cudnnCreateReduceTensorDescriptor)
API NAKED cudnnStatus_t cudnnSetReduceTensorDescriptor() FORWARD(cudnnSetReduceTensorDescriptor)
API NAKED cudnnStatus_t cudnnGetReduceTensorDescriptor() FORWARD(cudnnGetReduceTensorDescriptor)
API NAKED cudnnStatus_t cudnnDestroyReduceTensorDescriptor() FORWARD(cudnnDestroyReduceTensorDescriptor)
API NAKED cudnnStatus_t cudnnCreateFilterDescriptor() FORWARD(cudnnCreateFilterDescriptor)
API NAKED cudnnStatus_t cudnnSetFilter4dDescriptor() FORWARD(cudnnSetFilter4dDescriptor)
API NAKED cudnnStatus_t cudnnGetFilter4dDescriptor() FORWARD(cudnnGetFilter4dDescriptor)
API NAKED cudnnStatus_t cudnnSetFilterNdDescriptor() FORWARD(cudnnSetFilterNdDescriptor)
API NAKED cudnnStatus_t cudnnGetFilterNdDescriptor() FORWARD(cudnnGetFilterNdDescriptor)
API NAKED cudnnStatus_t cudnnGetFilterSizeInBytes() FORWARD(cudnnGetFilterSizeInBytes)
API NAKED cudnnStatus_t cudnnDestroyFilterDescriptor() FORWARD(cudnnDestroyFilterDescriptor)
API NAKED cudnnStatus_t cudnnCreatePoolingDescriptor() FORWARD(cudnnCreatePoolingDescriptor)
API NAKED cudnnStatus_t cudnnSetPooling2dDescriptor() FORWARD(cudnnSetPooling2dDescriptor)
API NAKED cudnnStatus_t cudnnGetPooling2dDescriptor() FORWARD(cudnnGetPooling2dDescriptor)
API NAKED cudnnStatus_t cudnnSetPoolingNdDescriptor() FORWARD(cudnnSetPoolingNdDescriptor)
API NAKED cudnnStatus_t cudnnGetPoolingNdDescriptor() FORWARD(cudnnGetPoolingNdDescriptor)
API NAKED cudnnStatus_t cudnnGetPoolingNdForwardOutputDim() FORWARD(cudnnGetPoolingNdForwardOutputDim)
API NAKED cudnnStatus_t cudnnGetPooling2dForwardOutputDim() FORWARD(cudnnGetPooling2dForwardOutputDim)
API NAKED cudnnStatus_t cudnnDestroyPoolingDescriptor() FORWARD(cudnnDestroyPoolingDescriptor)
API NAKED cudnnStatus_t cudnnCreateActivationDescriptor() FORWARD(cudnnCreateActivationDescriptor)
API NAKED cudnnStatus_t cudnnSetActivationDescriptor() FORWARD(cudnnSetActivationDescriptor)
API NAKED cudnnStatus_t cudnnGetActivationDescriptor() FORWARD(cudnnGetActivationDescriptor)
API NAKED cudnnStatus_t cudnnSetActivationDescriptorSwishBeta() FORWARD(cudnnSetActivationDescriptorSwishBeta)
API NAKED cudnnStatus_t cudnnGetActivationDescriptorSwishBeta() FORWARD(cudnnGetActivationDescriptorSwishBeta)
API NAKED cudnnStatus_t cudnnDestroyActivationDescriptor() FORWARD(cudnnDestroyActivationDescriptor)
API NAKED cudnnStatus_t cudnnCreateLRNDescriptor() FORWARD(cudnnCreateLRNDescriptor)
API NAKED cudnnStatus_t cudnnSetLRNDescriptor() FORWARD(cudnnSetLRNDescriptor)
API NAKED cudnnStatus_t cudnnGetLRNDescriptor() FORWARD(cudnnGetLRNDescriptor)
API NAKED cudnnStatus_t cudnnDestroyLRNDescriptor() FORWARD(cudnnDestroyLRNDescriptor)
API NAKED cudnnStatus_t cudnnDeriveBNTensorDescriptor() FORWARD(cudnnDeriveBNTensorDescriptor)
API NAKED cudnnStatus_t cudnnDeriveNormTensorDescriptor() FORWARD(cudnnDeriveNormTensorDescriptor)
API NAKED cudnnStatus_t cudnnCreateSpatialTransformerDescriptor() FORWARD(cudnnCreateSpatialTransformerDescriptor)
API NAKED cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor() FORWARD(cudnnSetSpatialTransformerNdDescriptor)
API NAKED cudnnStatus_t cudnnDestroySpatialTransformerDescriptor() FORWARD(cudnnDestroySpatialTransformerDescriptor)
API NAKED cudnnStatus_t cudnnCreateDropoutDescriptor() FORWARD(cudnnCreateDropoutDescriptor)
API NAKED cudnnStatus_t cudnnDestroyDropoutDescriptor() FORWARD(cudnnDestroyDropoutDescriptor)
API NAKED cudnnStatus_t cudnnDropoutGetReserveSpaceSize() FORWARD(cudnnDropoutGetReserveSpaceSize)
API NAKED cudnnStatus_t cudnnOpsVersionCheck() FORWARD(cudnnOpsVersionCheck)
API NAKED cudnnStatus_t cudnnCreateRNNDescriptor() FORWARD(cudnnCreateRNNDescriptor)
API NAKED cudnnStatus_t cudnnDestroyRNNDescriptor() FORWARD(cudnnDestroyRNNDescriptor)
API NAKED cudnnStatus_t cudnnSetRNNDescriptor_v8() FORWARD(cudnnSetRNNDescriptor_v8)
API NAKED cudnnStatus_t cudnnGetRNNDescriptor_v8() FORWARD(cudnnGetRNNDescriptor_v8)
API NAKED cudnnStatus_t cudnnRNNSetClip_v8() FORWARD(cudnnRNNSetClip_v8)
API NAKED cudnnStatus_t cudnnRNNSetClip_v9() FORWARD(cudnnRNNSetClip_v9)
API NAKED cudnnStatus_t cudnnRNNGetClip_v8() FORWARD(cudnnRNNGetClip_v8)
API NAKED cudnnStatus_t cudnnRNNGetClip_v9() FORWARD(cudnnRNNGetClip_v9)
API NAKED cudnnStatus_t cudnnCreateRNNDataDescriptor() FORWARD(cudnnCreateRNNDataDescriptor)
API NAKED cudnnStatus_t cudnnDestroyRNNDataDescriptor() FORWARD(cudnnDestroyRNNDataDescriptor)
API NAKED cudnnStatus_t cudnnSetRNNDataDescriptor() FORWARD(cudnnSetRNNDataDescriptor)
API NAKED cudnnStatus_t cudnnGetRNNDataDescriptor() FORWARD(cudnnGetRNNDataDescriptor)
API NAKED cudnnStatus_t cudnnCreateSeqDataDescriptor() FORWARD(cudnnCreateSeqDataDescriptor)
API NAKED cudnnStatus_t cudnnDestroySeqDataDescriptor() FORWARD(cudnnDestroySeqDataDescriptor)
API NAKED cudnnStatus_t cudnnSetSeqDataDescriptor() FORWARD(cudnnSetSeqDataDescriptor)
API NAKED cudnnStatus_t cudnnGetSeqDataDescriptor() FORWARD(cudnnGetSeqDataDescriptor)
API NAKED cudnnStatus_t cudnnCreateAttnDescriptor() FORWARD(cudnnCreateAttnDescriptor)
API NAKED cudnnStatus_t cudnnDestroyAttnDescriptor() FORWARD(cudnnDestroyAttnDescriptor)
API NAKED cudnnStatus_t cudnnSetAttnDescriptor() FORWARD(cudnnSetAttnDescriptor)
API NAKED cudnnStatus_t cudnnGetAttnDescriptor() FORWARD(cudnnGetAttnDescriptor)
API NAKED cudnnStatus_t cudnnAdvVersionCheck() FORWARD(cudnnAdvVersionCheck)
API NAKED cudnnStatus_t cudnnCreateCTCLossDescriptor() FORWARD(cudnnCreateCTCLossDescriptor)
API NAKED cudnnStatus_t cudnnSetCTCLossDescriptor() FORWARD(cudnnSetCTCLossDescriptor)
API NAKED cudnnStatus_t cudnnSetCTCLossDescriptorEx() FORWARD(cudnnSetCTCLossDescriptorEx)
API NAKED cudnnStatus_t cudnnSetCTCLossDescriptor_v8() FORWARD(cudnnSetCTCLossDescriptor_v8)
API NAKED cudnnStatus_t cudnnSetCTCLossDescriptor_v9() FORWARD(cudnnSetCTCLossDescriptor_v9)
API NAKED cudnnStatus_t cudnnGetCTCLossDescriptor() FORWARD(cudnnGetCTCLossDescriptor)
API NAKED cudnnStatus_t cudnnGetCTCLossDescriptorEx() FORWARD(cudnnGetCTCLossDescriptorEx)
API NAKED cudnnStatus_t cudnnGetCTCLossDescriptor_v8() FORWARD(cudnnGetCTCLossDescriptor_v8)
API NAKED cudnnStatus_t cudnnGetCTCLossDescriptor_v9() FORWARD(cudnnGetCTCLossDescriptor_v9)
API NAKED cudnnStatus_t cudnnDestroyCTCLossDescriptor() FORWARD(cudnnDestroyCTCLossDescriptor)
API NAKED cudnnStatus_t cudnnCreateConvolutionDescriptor() FORWARD(cudnnCreateConvolutionDescriptor)
API NAKED cudnnStatus_t cudnnDestroyConvolutionDescriptor() FORWARD(cudnnDestroyConvolutionDescriptor)
API NAKED cudnnStatus_t cudnnSetConvolutionMathType() FORWARD(cudnnSetConvolutionMathType)
API NAKED cudnnStatus_t cudnnGetConvolutionMathType() FORWARD(cudnnGetConvolutionMathType)
API NAKED cudnnStatus_t cudnnSetConvolutionGroupCount() FORWARD(cudnnSetConvolutionGroupCount)
API NAKED cudnnStatus_t cudnnGetConvolutionGroupCount() FORWARD(cudnnGetConvolutionGroupCount)
API NAKED cudnnStatus_t cudnnSetConvolutionReorderType() FORWARD(cudnnSetConvolutionReorderType)
API NAKED cudnnStatus_t cudnnGetConvolutionReorderType() FORWARD(cudnnGetConvolutionReorderType)
API NAKED cudnnStatus_t cudnnSetConvolution2dDescriptor() FORWARD(cudnnSetConvolution2dDescriptor)
API NAKED cudnnStatus_t cudnnGetConvolution2dDescriptor() FORWARD(cudnnGetConvolution2dDescriptor)
API NAKED cudnnStatus_t cudnnSetConvolutionNdDescriptor() FORWARD(cudnnSetConvolutionNdDescriptor)
API NAKED cudnnStatus_t cudnnGetConvolutionNdDescriptor() FORWARD(cudnnGetConvolutionNdDescriptor)
API NAKED cudnnStatus_t cudnnGetConvolution2dForwardOutputDim() FORWARD(cudnnGetConvolution2dForwardOutputDim)
API NAKED cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim() FORWARD(cudnnGetConvolutionNdForwardOutputDim)
API NAKED cudnnStatus_t cudnnCnnVersionCheck() FORWARD(cudnnCnnVersionCheck)
API NAKED cudnnStatus_t cudnnCreateFusedOpsConstParamPack() FORWARD(cudnnCreateFusedOpsConstParamPack)
API NAKED cudnnStatus_t cudnnDestroyFusedOpsConstParamPack() FORWARD(cudnnDestroyFusedOpsConstParamPack)
API NAKED cudnnStatus_t cudnnSetFusedOpsConstParamPackAttribute() FORWARD(cudnnSetFusedOpsConstParamPackAttribute)
API NAKED cudnnStatus_t cudnnGetFusedOpsConstParamPackAttribute() FORWARD(cudnnGetFusedOpsConstParamPackAttribute)
API NAKED cudnnStatus_t cudnnCreateFusedOpsVariantParamPack() FORWARD(cudnnCreateFusedOpsVariantParamPack)
API NAKED cudnnStatus_t cudnnDestroyFusedOpsVariantParamPack() FORWARD(cudnnDestroyFusedOpsVariantParamPack)
API NAKED cudnnStatus_t cudnnSetFusedOpsVariantParamPackAttribute() FORWARD(cudnnSetFusedOpsVariantParamPackAttribute)
API NAKED cudnnStatus_t cudnnGetFusedOpsVariantParamPackAttribute() FORWARD(cudnnGetFusedOpsVariantParamPackAttribute)
API NAKED cudnnStatus_t cudnnCreateFusedOpsPlan() FORWARD(cudnnCreateFusedOpsPlan)
API NAKED cudnnStatus_t cudnnDestroyFusedOpsPlan() FORWARD(cudnnDestroyFusedOpsPlan)
API NAKED cudnnStatus_t cudnnSubquadraticOpsVersionCheck() FORWARD(cudnnSubquadraticOpsVersionCheck)
    // clang-format on
