// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Hooks of flash and memory-efficient attention, forward and backward.

#include "injector/operations/attention_arguments.h"
#include "injector/operations/operation_hook.h"
#include "injector/operations/operation_sizes.h"

namespace {

// -1: none, and no sequence or window has that size.
int64_t OrNone(const OptionalInt& optional) { return optional.has ? optional.value : -1; }

void DescribeFlash(OperationScope* operation, const FlashArguments& flash) {
  DescribeAttention(AttentionOfFlash(flash), operation->call());
  AskCapture(operation, flash.query);
}

void DescribeEfficient(OperationScope* operation, const EfficientArguments& efficient) {
  DescribeAttention(AttentionOfEfficient(efficient), operation->call());
  AskCapture(operation, efficient.query);
}

}  // namespace

// Of PyTorch 2.4 to 2.10, by the declarations; cuda12_test.py tries it.
#define FLASH_FORWARD_OLD                                                           \
  "_ZN2at6native24_flash_attention_forwardERKNS_6TensorES3_S3_RKSt8optionalIS1_ES7" \
  "_lldbbS4_IdES4_IlES9_S7_S7_"
FLOPSPROF_OPERATION(FlashForwardOld, FLASH_FORWARD_OLD, void* result, TensorRef q, TensorRef k,
                    TensorRef v, OptionalTensorRef cum_q, OptionalTensorRef cum_k, int64_t max_q,
                    int64_t max_k, double dropout, bool causal, bool debug, OptionalDouble scale,
                    OptionalInt left, OptionalInt right, OptionalTensorRef used_k,
                    OptionalTensorRef alibi) {
  FLOPSPROF_RUN(
      FlashForwardOld, FLASH_FORWARD_OLD, kFlashAttention,
      DescribeFlash(&operation, {q, k, v, HasTensor(cum_q) ? cum_q : nullptr, max_q, max_k, causal,
                                 OrNone(left), OrNone(right), HasTensor(used_k)}),
      result, q, k, v, cum_q, cum_k, max_q, max_k, dropout, causal, debug, scale, left, right,
      used_k, alibi);
}

#define FLASH_FORWARD                                                               \
  "_ZN2at6native24_flash_attention_forwardERKNS_6TensorES3_S3_RKSt8optionalIS1_ES7" \
  "_lldbbS4_IdES4_IlES9_S7_S7_S7_S9_"
FLOPSPROF_OPERATION(FlashForward, FLASH_FORWARD, void* result, TensorRef q, TensorRef k,
                    TensorRef v, OptionalTensorRef cum_q, OptionalTensorRef cum_k, int64_t max_q,
                    int64_t max_k, double dropout, bool causal, bool debug, OptionalDouble scale,
                    OptionalInt left, OptionalInt right, OptionalTensorRef used_k,
                    OptionalTensorRef alibi, OptionalTensorRef blocks, OptionalInt splits) {
  FLOPSPROF_RUN(FlashForward, FLASH_FORWARD, kFlashAttention,
                DescribeFlash(&operation, {q, k, v, HasTensor(cum_q) ? cum_q : nullptr, max_q,
                                           max_k, causal, OrNone(left), OrNone(right),
                                           HasTensor(used_k) || HasTensor(blocks)}),
                result, q, k, v, cum_q, cum_k, max_q, max_k, dropout, causal, debug, scale, left,
                right, used_k, alibi, blocks, splits);
}

#define FLASH_FORWARD_INPLACE                                                              \
  "_ZN2at6native43_flash_attention_forward_no_dropout_inplaceERNS_6TensorERKS1_S4_S4_RKSt" \
  "8optionalIS1_ES8_lldbbS5_IdES5_IlESA_S8_S8_S8_SA_"
FLOPSPROF_OPERATION(FlashForwardInplace, FLASH_FORWARD_INPLACE, void* result, void* out,
                    TensorRef q, TensorRef k, TensorRef v, OptionalTensorRef cum_q,
                    OptionalTensorRef cum_k, int64_t max_q, int64_t max_k, double dropout,
                    bool causal, bool debug, OptionalDouble scale, OptionalInt left,
                    OptionalInt right, OptionalTensorRef used_k, OptionalTensorRef alibi,
                    OptionalTensorRef blocks, OptionalInt splits) {
  FLOPSPROF_RUN(FlashForwardInplace, FLASH_FORWARD_INPLACE, kFlashAttention,
                DescribeFlash(&operation, {q, k, v, HasTensor(cum_q) ? cum_q : nullptr, max_q,
                                           max_k, causal, OrNone(left), OrNone(right),
                                           HasTensor(used_k) || HasTensor(blocks)}),
                result, out, q, k, v, cum_q, cum_k, max_q, max_k, dropout, causal, debug, scale,
                left, right, used_k, alibi, blocks, splits);
}

#define FLASH_BACKWARD                                                                 \
  "_ZN2at6native25_flash_attention_backwardERKNS_6TensorES3_S3_S3_S3_S3_S3_S3_lldbS3_" \
  "S3_St8optionalIdES4_IlES6_"
FLOPSPROF_OPERATION(FlashBackward, FLASH_BACKWARD, void* result, TensorRef grad, TensorRef q,
                    TensorRef k, TensorRef v, TensorRef out, TensorRef logsumexp, TensorRef cum_q,
                    TensorRef cum_k, int64_t max_q, int64_t max_k, double dropout, bool causal,
                    TensorRef seed, TensorRef unused, OptionalDouble scale, OptionalInt left,
                    OptionalInt right) {
  FLOPSPROF_RUN(FlashBackward, FLASH_BACKWARD, kFlashAttentionBackward,
                DescribeFlash(&operation, {q, k, v, IsEmptyTensor(cum_q) ? nullptr : cum_q, max_q,
                                           max_k, causal, OrNone(left), OrNone(right), false}),
                result, grad, q, k, v, out, logsumexp, cum_q, cum_k, max_q, max_k, dropout, causal,
                seed, unused, scale, left, right);
}

#define EFFICIENT_FORWARD                                                                   \
  "_ZN2at6native28_efficient_attention_forwardERKNS_6TensorES3_S3_RKSt8optionalIS1_ES7_S7_" \
  "S4_IlES8_dlbS4_IdES7_S8_"
FLOPSPROF_OPERATION(EfficientForward, EFFICIENT_FORWARD, void* result, TensorRef q, TensorRef k,
                    TensorRef v, OptionalTensorRef bias, OptionalTensorRef cum_q,
                    OptionalTensorRef cum_k, OptionalInt max_q, OptionalInt max_k, double dropout,
                    int64_t mask, bool logsumexp, OptionalDouble scale, OptionalTensorRef used_k,
                    OptionalInt window) {
  FLOPSPROF_RUN(EfficientForward, EFFICIENT_FORWARD, kEfficientAttention,
                DescribeEfficient(&operation, {q, k, v, cum_q, OrNone(max_q), OrNone(max_k), mask,
                                               OrNone(window), HasTensor(used_k)}),
                result, q, k, v, bias, cum_q, cum_k, max_q, max_k, dropout, mask, logsumexp, scale,
                used_k, window);
}

#define EFFICIENT_BACKWARD                                                                   \
  "_ZN2at6native29_efficient_attention_backwardERKNS_6TensorES3_S3_S3_RKSt8optionalIS1_ES3_" \
  "S7_S7_llS3_dS3_S3_lbS4_IdES4_IlES9_b"
FLOPSPROF_OPERATION(EfficientBackward, EFFICIENT_BACKWARD, void* result, TensorRef grad,
                    TensorRef q, TensorRef k, TensorRef v, OptionalTensorRef bias, TensorRef out,
                    OptionalTensorRef cum_q, OptionalTensorRef cum_k, int64_t max_q, int64_t max_k,
                    TensorRef logsumexp, double dropout, TensorRef seed, TensorRef offset,
                    int64_t mask, bool bias_gradient, OptionalDouble scale, OptionalInt splits,
                    OptionalInt window, bool shared) {
  FLOPSPROF_RUN(
      EfficientBackward, EFFICIENT_BACKWARD, kEfficientAttentionBackward,
      DescribeEfficient(&operation, {q, k, v, cum_q, max_q, max_k, mask, OrNone(window), false}),
      result, grad, q, k, v, bias, out, cum_q, cum_k, max_q, max_k, logsumexp, dropout, seed,
      offset, mask, bias_gradient, scale, splits, window, shared);
}
