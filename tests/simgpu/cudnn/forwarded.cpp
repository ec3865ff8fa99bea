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
#undef API
#define API extern "C" __attribute__((naked))
API cudnnStatus_t cudnnSetCallback() FORWARD(cudnnSetCallback)
API cudnnStatus_t cudnnGetCallback() FORWARD(cudnnGetCallback)
API cudnnStatus_t cudnnGraphVersionCheck() FORWARD(cudnnGraphVersionCheck)
API cudnnStatus_t cudnnCreateTensorDescriptor() FORWARD(cudnnCreateTensorDescriptor)
API cudnnStatus_t cudnnSetTensor4dDescriptor() FORWARD(cudnnSetTensor4dDescriptor)
API cudnnStatus_t cudnnSetTensor4dDescriptorEx() FORWARD(cudnnSetTensor4dDescriptorEx)
API cudnnStatus_t cudnnGetTensor4dDescriptor() FORWARD(cudnnGetTensor4dDescriptor)
API cudnnStatus_t cudnnSetTensorNdDescriptor() FORWARD(cudnnSetTensorNdDescriptor)
API cudnnStatus_t cudnnSetTensorNdDescriptorEx() FORWARD(cudnnSetTensorNdDescriptorEx)
API cudnnStatus_t cudnnGetTensorNdDescriptor() FORWARD(cudnnGetTensorNdDescriptor)
API cudnnStatus_t cudnnGetTensorSizeInBytes() FORWARD(cudnnGetTensorSizeInBytes)
API cudnnStatus_t cudnnDestroyTensorDescriptor() FORWARD(cudnnDestroyTensorDescriptor)
API cudnnStatus_t cudnnInitTransformDest() FORWARD(cudnnInitTransformDest)
API cudnnStatus_t cudnnCreateTensorTransformDescriptor() FORWARD(cudnnCreateTensorTransformDescriptor)
API cudnnStatus_t cudnnSetTensorTransformDescriptor() FORWARD(cudnnSetTensorTransformDescriptor)
API cudnnStatus_t cudnnGetTensorTransformDescriptor() FORWARD(cudnnGetTensorTransformDescriptor)
API cudnnStatus_t cudnnDestroyTensorTransformDescriptor() FORWARD(cudnnDestroyTensorTransformDescriptor)
API cudnnStatus_t cudnnCreateOpTensorDescriptor() FORWARD(cudnnCreateOpTensorDescriptor)
API cudnnStatus_t cudnnSetOpTensorDescriptor() FORWARD(cudnnSetOpTensorDescriptor)
API cudnnStatus_t cudnnGetOpTensorDescriptor() FORWARD(cudnnGetOpTensorDescriptor)
API cudnnStatus_t cudnnDestroyOpTensorDescriptor() FORWARD(cudnnDestroyOpTensorDescriptor)
API cudnnStatus_t cudnnCreateReduceTensorDescriptor() FORWARD(cudnnCreateReduceTensorDescriptor)
API cudnnStatus_t cudnnSetReduceTensorDescriptor() FORWARD(cudnnSetReduceTensorDescriptor)
API cudnnStatus_t cudnnGetReduceTensorDescriptor() FORWARD(cudnnGetReduceTensorDescriptor)
API cudnnStatus_t cudnnDestroyReduceTensorDescriptor() FORWARD(cudnnDestroyReduceTensorDescriptor)
API cudnnStatus_t cudnnCreateFilterDescriptor() FORWARD(cudnnCreateFilterDescriptor)
API cudnnStatus_t cudnnSetFilter4dDescriptor() FORWARD(cudnnSetFilter4dDescriptor)
API cudnnStatus_t cudnnGetFilter4dDescriptor() FORWARD(cudnnGetFilter4dDescriptor)
API cudnnStatus_t cudnnSetFilterNdDescriptor() FORWARD(cudnnSetFilterNdDescriptor)
API cudnnStatus_t cudnnGetFilterNdDescriptor() FORWARD(cudnnGetFilterNdDescriptor)
API cudnnStatus_t cudnnGetFilterSizeInBytes() FORWARD(cudnnGetFilterSizeInBytes)
API cudnnStatus_t cudnnDestroyFilterDescriptor() FORWARD(cudnnDestroyFilterDescriptor)
API cudnnStatus_t cudnnCreatePoolingDescriptor() FORWARD(cudnnCreatePoolingDescriptor)
API cudnnStatus_t cudnnSetPooling2dDescriptor() FORWARD(cudnnSetPooling2dDescriptor)
API cudnnStatus_t cudnnGetPooling2dDescriptor() FORWARD(cudnnGetPooling2dDescriptor)
API cudnnStatus_t cudnnSetPoolingNdDescriptor() FORWARD(cudnnSetPoolingNdDescriptor)
API cudnnStatus_t cudnnGetPoolingNdDescriptor() FORWARD(cudnnGetPoolingNdDescriptor)
API cudnnStatus_t cudnnGetPoolingNdForwardOutputDim() FORWARD(cudnnGetPoolingNdForwardOutputDim)
API cudnnStatus_t cudnnGetPooling2dForwardOutputDim() FORWARD(cudnnGetPooling2dForwardOutputDim)
API cudnnStatus_t cudnnDestroyPoolingDescriptor() FORWARD(cudnnDestroyPoolingDescriptor)
API cudnnStatus_t cudnnCreateActivationDescriptor() FORWARD(cudnnCreateActivationDescriptor)
API cudnnStatus_t cudnnSetActivationDescriptor() FORWARD(cudnnSetActivationDescriptor)
API cudnnStatus_t cudnnGetActivationDescriptor() FORWARD(cudnnGetActivationDescriptor)
API cudnnStatus_t cudnnSetActivationDescriptorSwishBeta() FORWARD(cudnnSetActivationDescriptorSwishBeta)
API cudnnStatus_t cudnnGetActivationDescriptorSwishBeta() FORWARD(cudnnGetActivationDescriptorSwishBeta)
API cudnnStatus_t cudnnDestroyActivationDescriptor() FORWARD(cudnnDestroyActivationDescriptor)
API cudnnStatus_t cudnnCreateLRNDescriptor() FORWARD(cudnnCreateLRNDescriptor)
API cudnnStatus_t cudnnSetLRNDescriptor() FORWARD(cudnnSetLRNDescriptor)
API cudnnStatus_t cudnnGetLRNDescriptor() FORWARD(cudnnGetLRNDescriptor)
API cudnnStatus_t cudnnDestroyLRNDescriptor() FORWARD(cudnnDestroyLRNDescriptor)
API cudnnStatus_t cudnnDeriveBNTensorDescriptor() FORWARD(cudnnDeriveBNTensorDescriptor)
API cudnnStatus_t cudnnDeriveNormTensorDescriptor() FORWARD(cudnnDeriveNormTensorDescriptor)
API cudnnStatus_t cudnnCreateSpatialTransformerDescriptor() FORWARD(cudnnCreateSpatialTransformerDescriptor)
API cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor() FORWARD(cudnnSetSpatialTransformerNdDescriptor)
API cudnnStatus_t cudnnDestroySpatialTransformerDescriptor() FORWARD(cudnnDestroySpatialTransformerDescriptor)
API cudnnStatus_t cudnnCreateDropoutDescriptor() FORWARD(cudnnCreateDropoutDescriptor)
API cudnnStatus_t cudnnDestroyDropoutDescriptor() FORWARD(cudnnDestroyDropoutDescriptor)
API cudnnStatus_t cudnnDropoutGetReserveSpaceSize() FORWARD(cudnnDropoutGetReserveSpaceSize)
API cudnnStatus_t cudnnOpsVersionCheck() FORWARD(cudnnOpsVersionCheck)
API cudnnStatus_t cudnnCreateRNNDescriptor() FORWARD(cudnnCreateRNNDescriptor)
API cudnnStatus_t cudnnDestroyRNNDescriptor() FORWARD(cudnnDestroyRNNDescriptor)
API cudnnStatus_t cudnnSetRNNDescriptor_v8() FORWARD(cudnnSetRNNDescriptor_v8)
API cudnnStatus_t cudnnGetRNNDescriptor_v8() FORWARD(cudnnGetRNNDescriptor_v8)
API cudnnStatus_t cudnnRNNSetClip_v8() FORWARD(cudnnRNNSetClip_v8)
API cudnnStatus_t cudnnRNNSetClip_v9() FORWARD(cudnnRNNSetClip_v9)
API cudnnStatus_t cudnnRNNGetClip_v8() FORWARD(cudnnRNNGetClip_v8)
API cudnnStatus_t cudnnRNNGetClip_v9() FORWARD(cudnnRNNGetClip_v9)
API cudnnStatus_t cudnnCreateRNNDataDescriptor() FORWARD(cudnnCreateRNNDataDescriptor)
API cudnnStatus_t cudnnDestroyRNNDataDescriptor() FORWARD(cudnnDestroyRNNDataDescriptor)
API cudnnStatus_t cudnnSetRNNDataDescriptor() FORWARD(cudnnSetRNNDataDescriptor)
API cudnnStatus_t cudnnGetRNNDataDescriptor() FORWARD(cudnnGetRNNDataDescriptor)
API cudnnStatus_t cudnnCreateSeqDataDescriptor() FORWARD(cudnnCreateSeqDataDescriptor)
API cudnnStatus_t cudnnDestroySeqDataDescriptor() FORWARD(cudnnDestroySeqDataDescriptor)
API cudnnStatus_t cudnnSetSeqDataDescriptor() FORWARD(cudnnSetSeqDataDescriptor)
API cudnnStatus_t cudnnGetSeqDataDescriptor() FORWARD(cudnnGetSeqDataDescriptor)
API cudnnStatus_t cudnnCreateAttnDescriptor() FORWARD(cudnnCreateAttnDescriptor)
API cudnnStatus_t cudnnDestroyAttnDescriptor() FORWARD(cudnnDestroyAttnDescriptor)
API cudnnStatus_t cudnnSetAttnDescriptor() FORWARD(cudnnSetAttnDescriptor)
API cudnnStatus_t cudnnGetAttnDescriptor() FORWARD(cudnnGetAttnDescriptor)
API cudnnStatus_t cudnnAdvVersionCheck() FORWARD(cudnnAdvVersionCheck)
API cudnnStatus_t cudnnCreateCTCLossDescriptor() FORWARD(cudnnCreateCTCLossDescriptor)
API cudnnStatus_t cudnnSetCTCLossDescriptor() FORWARD(cudnnSetCTCLossDescriptor)
API cudnnStatus_t cudnnSetCTCLossDescriptorEx() FORWARD(cudnnSetCTCLossDescriptorEx)
API cudnnStatus_t cudnnSetCTCLossDescriptor_v8() FORWARD(cudnnSetCTCLossDescriptor_v8)
API cudnnStatus_t cudnnSetCTCLossDescriptor_v9() FORWARD(cudnnSetCTCLossDescriptor_v9)
API cudnnStatus_t cudnnGetCTCLossDescriptor() FORWARD(cudnnGetCTCLossDescriptor)
API cudnnStatus_t cudnnGetCTCLossDescriptorEx() FORWARD(cudnnGetCTCLossDescriptorEx)
API cudnnStatus_t cudnnGetCTCLossDescriptor_v8() FORWARD(cudnnGetCTCLossDescriptor_v8)
API cudnnStatus_t cudnnGetCTCLossDescriptor_v9() FORWARD(cudnnGetCTCLossDescriptor_v9)
API cudnnStatus_t cudnnDestroyCTCLossDescriptor() FORWARD(cudnnDestroyCTCLossDescriptor)
API cudnnStatus_t cudnnCreateConvolutionDescriptor() FORWARD(cudnnCreateConvolutionDescriptor)
API cudnnStatus_t cudnnDestroyConvolutionDescriptor() FORWARD(cudnnDestroyConvolutionDescriptor)
API cudnnStatus_t cudnnSetConvolutionMathType() FORWARD(cudnnSetConvolutionMathType)
API cudnnStatus_t cudnnGetConvolutionMathType() FORWARD(cudnnGetConvolutionMathType)
API cudnnStatus_t cudnnSetConvolutionGroupCount() FORWARD(cudnnSetConvolutionGroupCount)
API cudnnStatus_t cudnnGetConvolutionGroupCount() FORWARD(cudnnGetConvolutionGroupCount)
API cudnnStatus_t cudnnSetConvolutionReorderType() FORWARD(cudnnSetConvolutionReorderType)
API cudnnStatus_t cudnnGetConvolutionReorderType() FORWARD(cudnnGetConvolutionReorderType)
API cudnnStatus_t cudnnSetConvolution2dDescriptor() FORWARD(cudnnSetConvolution2dDescriptor)
API cudnnStatus_t cudnnGetConvolution2dDescriptor() FORWARD(cudnnGetConvolution2dDescriptor)
API cudnnStatus_t cudnnSetConvolutionNdDescriptor() FORWARD(cudnnSetConvolutionNdDescriptor)
API cudnnStatus_t cudnnGetConvolutionNdDescriptor() FORWARD(cudnnGetConvolutionNdDescriptor)
API cudnnStatus_t cudnnGetConvolution2dForwardOutputDim() FORWARD(cudnnGetConvolution2dForwardOutputDim)
API cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim() FORWARD(cudnnGetConvolutionNdForwardOutputDim)
API cudnnStatus_t cudnnCnnVersionCheck() FORWARD(cudnnCnnVersionCheck)
API cudnnStatus_t cudnnCreateFusedOpsConstParamPack() FORWARD(cudnnCreateFusedOpsConstParamPack)
API cudnnStatus_t cudnnDestroyFusedOpsConstParamPack() FORWARD(cudnnDestroyFusedOpsConstParamPack)
API cudnnStatus_t cudnnSetFusedOpsConstParamPackAttribute() FORWARD(cudnnSetFusedOpsConstParamPackAttribute)
API cudnnStatus_t cudnnGetFusedOpsConstParamPackAttribute() FORWARD(cudnnGetFusedOpsConstParamPackAttribute)
API cudnnStatus_t cudnnCreateFusedOpsVariantParamPack() FORWARD(cudnnCreateFusedOpsVariantParamPack)
API cudnnStatus_t cudnnDestroyFusedOpsVariantParamPack() FORWARD(cudnnDestroyFusedOpsVariantParamPack)
API cudnnStatus_t cudnnSetFusedOpsVariantParamPackAttribute() FORWARD(cudnnSetFusedOpsVariantParamPackAttribute)
API cudnnStatus_t cudnnGetFusedOpsVariantParamPackAttribute() FORWARD(cudnnGetFusedOpsVariantParamPackAttribute)
API cudnnStatus_t cudnnCreateFusedOpsPlan() FORWARD(cudnnCreateFusedOpsPlan)
API cudnnStatus_t cudnnDestroyFusedOpsPlan() FORWARD(cudnnDestroyFusedOpsPlan)
API cudnnStatus_t cudnnSubquadraticOpsVersionCheck() FORWARD(cudnnSubquadraticOpsVersionCheck)
// clang-format on
