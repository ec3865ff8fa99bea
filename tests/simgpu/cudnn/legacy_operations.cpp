// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of the legacy API that launch something and whose arguments nobody here needs: one
// kernel each, on the stream of the handle, which is their first argument. This file does not
// include cudnn.h, so that it need not repeat parameters it ignores.
#include "sim.h"
#include "simcore.h"

using cudnnStatus_t = int;

namespace {

// Begins as HandleState (handle.h) does.
struct Handle {
  void* stream;
};

cudnnStatus_t LaunchOne(void* handle, const char* kernel) {
  constexpr cudnnStatus_t kBadParam = 2000;
  if (handle == nullptr) return kBadParam;
  void* const stream = static_cast<Handle*>(handle)->stream;
  sim_log_call("%s stream=%u", sim_call_name(), sim_stream_id(stream));
  constexpr unsigned kBlocks = 64;
  constexpr unsigned kThreads = 256;
  constexpr int kDriver = 1;
  sim_launch_lib(kernel, stream, kBlocks, 1, 1, kThreads, 0, 0, kDriver);
  return 0;
}

// What is not simulated says so instead of succeeding without work.
cudnnStatus_t NotSupported() { return 3000; }

}  // namespace

API cudnnStatus_t cudnnActivationForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_activation_fwd");
}

API cudnnStatus_t cudnnActivationBackward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_activation_bwd");
}

API cudnnStatus_t cudnnAddTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_add"); }

API cudnnStatus_t cudnnBatchNormalizationBackward(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn21bn_bw_1C11_kernel_newIff6float2Li32ELb0ELi3EEEvT0_S2_S2_S2_"
                   "17cudnnTensorStructPKT_S3_S6_S3_PS4_PKS2_PS2_SA_S9_S9_S2_");
}

API cudnnStatus_t cudnnBatchNormalizationBackwardEx(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn21bn_bw_1C11_kernel_newIff6float2Li32ELb0ELi3EEEvT0_S2_S2_S2_"
                   "17cudnnTensorStructPKT_S3_S6_S3_PS4_PKS2_PS2_SA_S9_S9_S2_");
}

API cudnnStatus_t cudnnBatchNormalizationForwardInference(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn26bn_fw_inf_1C11_kernel_NCHWIafLb0ELi2EEEvT0_S1_"
                   "17cudnnTensorStructPKT_S2_PS3_S2_PKS1_S8_S8_S8_S1_");
}

API cudnnStatus_t cudnnBatchNormalizationForwardTraining(void* handle) {
  return LaunchOne(
      handle,
      "_ZN5cudnn25bn_fw_tr_1C11_kernel_NCHWIddlLi32ELb0ELi2ELb0EEEv17cudnnTensorStructPKT_S1_PS2_"
      "PKT0_S8_S6_S6_PS6_S9_S9_S9_S6_S6_");
}

API cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(void* handle) {
  return LaunchOne(
      handle,
      "_ZN5cudnn25bn_fw_tr_1C11_kernel_NCHWIddlLi32ELb0ELi2ELb0EEEv17cudnnTensorStructPKT_S1_PS2_"
      "PKT0_S8_S6_S6_PS6_S9_S9_S9_S6_S6_");
}

API cudnnStatus_t cudnnConvolutionBackwardBias(void* handle) {
  return LaunchOne(handle, "sim_cudnn_conv_bias_grad");
}

API cudnnStatus_t cudnnCTCLoss(void* handle) { return LaunchOne(handle, "sim_cudnn_ctc_loss"); }

API cudnnStatus_t cudnnCTCLoss_v8(void* handle) { return LaunchOne(handle, "sim_cudnn_ctc_loss"); }

API cudnnStatus_t cudnnDropoutBackward(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn10dropout_bpIddLi6ELi2ELi1EEEvPKT_17cudnnTensorStructPS1_S4_fPji");
}

API cudnnStatus_t cudnnDropoutForward(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn10dropout_fpIddLi6ELi2ELi1EEEvPKT_17cudnnTensorStructPS1_S4_"
                   "fP17curandStateXORWOWPji");
}

API cudnnStatus_t cudnnLRNCrossChannelBackward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_lrn_bwd");
}

API cudnnStatus_t cudnnLRNCrossChannelForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_lrn_fwd");
}

API cudnnStatus_t cudnnNormalizationBackward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_norm_bwd");
}

API cudnnStatus_t cudnnNormalizationForwardInference(void* handle) {
  return LaunchOne(handle, "sim_cudnn_norm_inference");
}

API cudnnStatus_t cudnnNormalizationForwardTraining(void* handle) {
  return LaunchOne(handle, "sim_cudnn_norm_fwd");
}

API cudnnStatus_t cudnnOpTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_op_tensor"); }

API cudnnStatus_t cudnnPoolingBackward(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn21pooling_bw_kernel_maxIddNS_16averpooling_"
                   "funcIdLb1EEELb1EEEv17cudnnTensorStructPKT_S3_S6_S3_S6_S3_PS4_"
                   "18cudnnPoolingStructT0_S9_iNS_15reduced_divisorESA_");
}

API cudnnStatus_t cudnnPoolingForward(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn20pooling_fw_4d_kernelIafNS_16averpooling_"
                   "funcIfLb0EEEL18cudnnPoolingMode_t2ELb1EEEv17cudnnTensorStructPKT_S4_PS5_"
                   "18cudnnPoolingStructT0_SA_iNS_15reduced_divisorESB_");
}

API cudnnStatus_t cudnnReduceTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_reduce"); }

API cudnnStatus_t cudnnScaleTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_scale"); }

API cudnnStatus_t cudnnSetTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_set"); }

API cudnnStatus_t cudnnSoftmaxBackward(void* handle) {
  return LaunchOne(
      handle,
      "_ZN5cudnn17softmax_bw_kernelILi3EddLi256ELi1ELi1ELi2EEEv17cudnnTensorStructPKT0_S1_S4_S1_"
      "PS2_iT1_S6_ii");
}

API cudnnStatus_t cudnnSoftmaxForward(void* handle) {
  return LaunchOne(handle,
                   "_ZN5cudnn3ops17softmax_fw_"
                   "kernelILi3EafLi256ELi2ELi1ELi1EEEv17cudnnTensorStructPKT0_S2_PS3_iT1_S7_ii");
}

API cudnnStatus_t cudnnSpatialTfGridGeneratorBackward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_grid_bwd");
}

API cudnnStatus_t cudnnSpatialTfGridGeneratorForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_grid_fwd");
}

API cudnnStatus_t cudnnSpatialTfSamplerBackward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_sampler_bwd");
}

API cudnnStatus_t cudnnSpatialTfSamplerForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_sampler_fwd");
}

API cudnnStatus_t cudnnTransformFilter(void* handle) {
  return LaunchOne(handle, "sim_cudnn_transform_filter");
}

API cudnnStatus_t cudnnTransformTensor(void* handle) {
  return LaunchOne(handle, "sim_cudnn_transform");
}

API cudnnStatus_t cudnnTransformTensorEx(void* handle) {
  return LaunchOne(handle, "sim_cudnn_transform");
}

API cudnnStatus_t cudnnMultiHeadAttnForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_attention_fwd");
}

API cudnnStatus_t cudnnMultiHeadAttnBackwardData(void* handle) {
  return LaunchOne(handle, "sim_cudnn_attention_bwd_data");
}

API cudnnStatus_t cudnnMultiHeadAttnBackwardWeights(void* handle) {
  return LaunchOne(handle, "sim_cudnn_attention_bwd_weights");
}

API cudnnStatus_t cudnnBackendUpdateCudaGraph() { return NotSupported(); }

API cudnnStatus_t cudnnMakeFusedOpsPlan() { return NotSupported(); }

API cudnnStatus_t cudnnFusedOpsExecute() { return NotSupported(); }

API cudnnStatus_t cudnnIm2Col() { return NotSupported(); }

API cudnnStatus_t cudnnReorderFilterAndBias() { return NotSupported(); }

API cudnnStatus_t cudnnDivisiveNormalizationForward() { return NotSupported(); }

API cudnnStatus_t cudnnDivisiveNormalizationBackward() { return NotSupported(); }

API cudnnStatus_t cudnnGetMultiHeadAttnBuffers() { return NotSupported(); }

API cudnnStatus_t cudnnGetMultiHeadAttnWeights() { return NotSupported(); }

API cudnnStatus_t cudnnGetFoldedConvBackwardDataDescriptors() { return NotSupported(); }

API cudnnStatus_t cudnnFindConvolutionForwardAlgorithm() { return NotSupported(); }

API cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm() { return NotSupported(); }

API cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm() { return NotSupported(); }
