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
  return LaunchOne(handle, "sim_cudnn_batch_norm_bwd");
}

API cudnnStatus_t cudnnBatchNormalizationBackwardEx(void* handle) {
  return LaunchOne(handle, "sim_cudnn_batch_norm_bwd");
}

API cudnnStatus_t cudnnBatchNormalizationForwardInference(void* handle) {
  return LaunchOne(handle, "sim_cudnn_batch_norm_inference");
}

API cudnnStatus_t cudnnBatchNormalizationForwardTraining(void* handle) {
  return LaunchOne(handle, "sim_cudnn_batch_norm_fwd");
}

API cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(void* handle) {
  return LaunchOne(handle, "sim_cudnn_batch_norm_fwd");
}

API cudnnStatus_t cudnnConvolutionBackwardBias(void* handle) {
  return LaunchOne(handle, "sim_cudnn_conv_bias_grad");
}

API cudnnStatus_t cudnnCTCLoss(void* handle) { return LaunchOne(handle, "sim_cudnn_ctc_loss"); }

API cudnnStatus_t cudnnCTCLoss_v8(void* handle) { return LaunchOne(handle, "sim_cudnn_ctc_loss"); }

API cudnnStatus_t cudnnDropoutBackward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_dropout_bwd");
}

API cudnnStatus_t cudnnDropoutForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_dropout_fwd");
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
  return LaunchOne(handle, "sim_cudnn_pooling_bwd");
}

API cudnnStatus_t cudnnPoolingForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_pooling_fwd");
}

API cudnnStatus_t cudnnReduceTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_reduce"); }

API cudnnStatus_t cudnnScaleTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_scale"); }

API cudnnStatus_t cudnnSetTensor(void* handle) { return LaunchOne(handle, "sim_cudnn_set"); }

API cudnnStatus_t cudnnSoftmaxBackward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_softmax_bwd");
}

API cudnnStatus_t cudnnSoftmaxForward(void* handle) {
  return LaunchOne(handle, "sim_cudnn_softmax_fwd");
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
