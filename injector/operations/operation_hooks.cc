// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Stands in front of the functions of libtorch_cuda that PyTorch's dispatcher calls for its
// operations on a GPU: whoever asks for one, Python, C++, a backward node or compiled code, ends
// here, tensors are real and sizes are final. Every other operation costs nothing.
//
// A function's symbol holds the types of its arguments, so that a PyTorch with other arguments
// does not meet a hook that would misread them: there the operation stays unknown. What the
// symbol does not hold is the result: all of these return tensors or tuples of tensors, through
// memory that `result` points to.

#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/loader/real_function.h"
#include "injector/operations/operation_scope.h"
#include "injector/operations/operation_sizes.h"
#include "injector/operations/tensor_reader.h"

// The unwinder calls this for the frame of a hook that an exception leaves. It never stops one.
extern "C" __attribute__((visibility("hidden"), used)) int flopsprof_operation_unwinds(
    int, int actions, uint64_t, void*, void*) {
  constexpr int kCleanupPhase = 2;    // _UA_CLEANUP_PHASE
  constexpr int kContinueUnwind = 8;  // _URC_CONTINUE_UNWIND
  if ((actions & kCleanupPhase) != 0) flopsprof::injector::AbandonOperation();
  return kContinueUnwind;
}

// Once in each hook: names the function above as the personality of the frame (0x1b: relative to
// the place, four bytes).
#define FLOPSPROF_UNWINDS __asm__ volatile(".cfi_personality 0x1b, flopsprof_operation_unwinds")

// A hook by the mangled name of its function. Never inlined: its frame is what unwinds.
#define FLOPSPROF_OPERATION(function, symbol, ...)                                  \
  extern "C" __attribute__((visibility("default"), used, noinline)) void* function( \
      __VA_ARGS__) __asm__(symbol);                                                 \
  void* function(__VA_ARGS__)

namespace flopsprof::injector {
namespace {

constexpr const char* kLibrary = "libtorch_cuda.so";

// std::optional of a number, by value: passed as the same struct is.
struct OptionalInt {
  int64_t value;
  bool has;
};
struct OptionalDouble {
  double value;
  bool has;
};
struct OptionalType {
  int8_t value;
  bool has;
};
// std::array<bool, n>
struct TwoFlags {
  bool flag[2];
};
struct ThreeFlags {
  bool flag[3];
};

int64_t OrNone(const OptionalInt& optional) { return optional.has ? optional.value : -1; }

// Sequences of packed tokens: `bounds` has one entry more.
int64_t CountOfSequences(TensorRef bounds) {
  TensorSizes sizes;
  const bool known = TensorReader::Get().Sizes(bounds, &sizes) && sizes.rank == 1;
  return known ? sizes.size[0] - 1 : 0;
}

// Backward passes give an empty tensor where forward passes give none.
bool IsEmpty(TensorRef tensor) {
  TensorSizes sizes;
  return !TensorReader::Get().Sizes(tensor, &sizes) || sizes.rank != 1 || sizes.size[0] == 0;
}

void AskCapture(OperationScope* operation, TensorRef tensor) {
  Capture capture;
  if (TensorReader::Get().IsCaptured(tensor, &capture)) operation->SetCaptured(capture);
}

void DescribeFlash(OperationScope* operation, TensorRef query, TensorRef key, TensorRef value,
                   TensorRef bounds, int64_t longest_query, int64_t longest_key, bool causal,
                   const OptionalInt& window_left, const OptionalInt& window_right,
                   bool lengths_on_device) {
  AttentionArguments arguments = {};
  arguments.lengths_on_device = lengths_on_device;
  arguments.query = query;
  arguments.key = key;
  arguments.value = value;
  arguments.packed = bounds != nullptr;
  arguments.longest_query = longest_query;
  arguments.longest_key = longest_key;
  arguments.sequence_count = bounds != nullptr ? CountOfSequences(bounds) : 0;
  // The kernels align the mask with the last query and the last key.
  arguments.mask = causal ? shm::kMaskCausalBottomRight : shm::kMaskNone;
  arguments.window_left = OrNone(window_left);
  arguments.window_right = OrNone(window_right);
  DescribeAttention(arguments, operation->call());
  AskCapture(operation, query);
}

void DescribeEfficient(OperationScope* operation, TensorRef query, TensorRef key, TensorRef value,
                       OptionalTensorRef bounds, int64_t longest_query, int64_t longest_key,
                       int64_t mask, const OptionalInt& window, bool lengths_on_device) {
  AttentionArguments arguments = {};
  arguments.lengths_on_device = lengths_on_device;
  arguments.query = query;
  arguments.key = key;
  arguments.value = value;
  arguments.packed = HasTensor(bounds);
  arguments.longest_query = longest_query;
  arguments.longest_key = longest_key;
  arguments.sequence_count = arguments.packed ? CountOfSequences(bounds) : 0;
  // sdp::CustomMaskType: 0 none, 1 causal from top left, 2 from bottom right.
  arguments.mask = mask == 1   ? shm::kMaskCausalTopLeft
                   : mask == 2 ? shm::kMaskCausalBottomRight
                               : shm::kMaskNone;
  // A window of w keys, the query's own included.
  arguments.window_left = window.has && window.value > 0 ? window.value - 1 : -1;
  arguments.window_right = -1;
  DescribeAttention(arguments, operation->call());
  AskCapture(operation, query);
}

uint8_t Gradients(bool input, bool weight) {
  return static_cast<uint8_t>((input ? shm::kConvInputGradient : 0) |
                              (weight ? shm::kConvWeightGradient : 0));
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: the hooks below are outside of any namespace
using flopsprof::shm::OperationId;

// What every hook does: `describe` fills the record in, `...` are the arguments.
#define FLOPSPROF_RUN(function, symbol, id, describe, ...)                                \
  FLOPSPROF_UNWINDS;                                                                      \
  static RealFunction real(symbol, kLibrary);                                             \
  const void* caller = __builtin_return_address(0);                                       \
  auto* const real_function = reinterpret_cast<decltype(&function)>(real.Enter(&caller)); \
  OperationScope operation(OperationId::id);                                              \
  if (operation.counted()) {                                                              \
    describe;                                                                             \
  }                                                                                       \
  void* const returned = real_function(__VA_ARGS__);                                      \
  operation.End();                                                                        \
  return returned

// PyTorch 2.4 to 2.10, by the declarations; cuda12_test.py tries it.
#define FLASH_FORWARD_OLD                                                           \
  "_ZN2at6native24_flash_attention_forwardERKNS_6TensorES3_S3_RKSt8optionalIS1_ES7" \
  "_lldbbS4_IdES4_IlES9_S7_S7_"
FLOPSPROF_OPERATION(FlashForwardOld, FLASH_FORWARD_OLD, void* result, TensorRef q, TensorRef k,
                    TensorRef v, OptionalTensorRef cum_q, OptionalTensorRef cum_k, int64_t max_q,
                    int64_t max_k, double dropout, bool causal, bool debug, OptionalDouble scale,
                    OptionalInt left, OptionalInt right, OptionalTensorRef used_k,
                    OptionalTensorRef alibi) {
  FLOPSPROF_RUN(FlashForwardOld, FLASH_FORWARD_OLD, kFlashAttention,
                DescribeFlash(&operation, q, k, v, HasTensor(cum_q) ? cum_q : nullptr, max_q, max_k,
                              causal, left, right, HasTensor(used_k)),
                result, q, k, v, cum_q, cum_k, max_q, max_k, dropout, causal, debug, scale, left,
                right, used_k, alibi);
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
                DescribeFlash(&operation, q, k, v, HasTensor(cum_q) ? cum_q : nullptr, max_q, max_k,
                              causal, left, right, HasTensor(used_k) || HasTensor(blocks)),
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
                DescribeFlash(&operation, q, k, v, HasTensor(cum_q) ? cum_q : nullptr, max_q, max_k,
                              causal, left, right, HasTensor(used_k) || HasTensor(blocks)),
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
                DescribeFlash(&operation, q, k, v, IsEmpty(cum_q) ? nullptr : cum_q, max_q, max_k,
                              causal, left, right, false),
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
                DescribeEfficient(&operation, q, k, v, cum_q, OrNone(max_q), OrNone(max_k), mask,
                                  window, HasTensor(used_k)),
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
  FLOPSPROF_RUN(EfficientBackward, EFFICIENT_BACKWARD, kEfficientAttentionBackward,
                DescribeEfficient(&operation, q, k, v, cum_q, max_q, max_k, mask, window, false),
                result, grad, q, k, v, bias, out, cum_q, cum_k, max_q, max_k, logsumexp, dropout,
                seed, offset, mask, bias_gradient, scale, splits, window, shared);
}

#define CONVOLUTION(function, symbol, id)                                                      \
  FLOPSPROF_OPERATION(function, symbol, void* result, TensorRef input, TensorRef weight,       \
                      IntList kernel, OptionalTensorRef bias, IntList stride, IntList padding, \
                      IntList dilation) {                                                      \
    FLOPSPROF_RUN(                                                                             \
        function, symbol, id,                                                                  \
        {                                                                                      \
          DescribeConvolution({input, weight, nullptr, kernel, stride, padding, dilation, 0},  \
                              operation.call());                                               \
          AskCapture(&operation, input);                                                       \
        },                                                                                     \
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

#define CONVOLUTION_BACKWARD(function, symbol, id, Flags)                                \
  FLOPSPROF_OPERATION(function, symbol, void* result, TensorRef grad, TensorRef input,   \
                      TensorRef weight, IntList kernel, IntList stride, IntList padding, \
                      IntList dilation, Flags wanted) {                                  \
    FLOPSPROF_RUN(                                                                       \
        function, symbol, id,                                                            \
        {                                                                                \
          DescribeConvolution({input, weight, grad, kernel, stride, padding, dilation,   \
                               Gradients(wanted.flag[0], wanted.flag[1])},               \
                              operation.call());                                         \
          AskCapture(&operation, input);                                                 \
        },                                                                               \
        result, grad, input, weight, kernel, stride, padding, dilation, wanted);         \
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

#define GROUPED_MM                                                                         \
  "_ZN2at6native16_grouped_mm_cudaERKNS_6TensorES3_RKSt8optionalIS1_ES7_S4_IN3c1010Scalar" \
  "TypeEE"
FLOPSPROF_OPERATION(GroupedMm, GROUPED_MM, void* result, TensorRef a, TensorRef b,
                    OptionalTensorRef offsets, OptionalTensorRef bias, OptionalType type) {
  FLOPSPROF_RUN(
      GroupedMm, GROUPED_MM, kGroupedMm,
      {
        DescribeGroupedProduct(a, b, operation.call());
        AskCapture(&operation, a);
      },
      result, a, b, offsets, bias, type);
}

#define SCALED_GROUPED_MM                                                                       \
  "_ZN2at6native23_scaled_grouped_mm_cudaERKNS_6TensorES3_S3_S3_RKSt8optionalIS1_ES7_S7_S4_IN3" \
  "c1010ScalarTypeEEb"
FLOPSPROF_OPERATION(ScaledGroupedMm, SCALED_GROUPED_MM, void* result, TensorRef a, TensorRef b,
                    TensorRef scale_a, TensorRef scale_b, OptionalTensorRef offsets,
                    OptionalTensorRef bias, OptionalTensorRef scale_result, OptionalType type,
                    bool fast) {
  FLOPSPROF_RUN(
      ScaledGroupedMm, SCALED_GROUPED_MM, kScaledGroupedMm,
      {
        DescribeGroupedProduct(a, b, operation.call());
        AskCapture(&operation, a);
      },
      result, a, b, scale_a, scale_b, offsets, bias, scale_result, type, fast);
}

// Operations without products: their kernels' time is known to hold none.

#define EMBEDDING_BAG(function, symbol, id)                                                      \
  FLOPSPROF_OPERATION(function, symbol, void* result, TensorRef weight, TensorRef indices,       \
                      TensorRef offsets, bool by_frequency, int64_t mode, bool sparse,           \
                      OptionalTensorRef per_sample, bool last, int64_t padding) {                \
    FLOPSPROF_RUN(function, symbol, id, AskCapture(&operation, weight), result, weight, indices, \
                  offsets, by_frequency, mode, sparse, per_sample, last, padding);               \
  }
EMBEDDING_BAG(EmbeddingBag,
              "_ZN2at6native19_embedding_bag_cudaERKNS_6TensorES3_S3_blbRKSt8optionalIS1_Ebl",
              kEmbeddingBag)
EMBEDDING_BAG(EmbeddingBagForwardOnly,
              "_ZN2at6native32_embedding_bag_forward_only_cudaERKNS_6TensorES3_S3_blbRKSt8optional"
              "IS1_Ebl",
              kEmbeddingBagForwardOnly)

#define EMBEDDING_BAG_BACKWARD                                                                  \
  "_ZN2at6native34_embedding_bag_dense_backward_cudaERKNS_6TensorES3_S3_S3_S3_lblRKSt8optional" \
  "IS1_El"
FLOPSPROF_OPERATION(EmbeddingBagBackward, EMBEDDING_BAG_BACKWARD, void* result, TensorRef grad,
                    TensorRef indices, TensorRef bags, TensorRef sizes, TensorRef maxima,
                    int64_t rows, bool by_frequency, int64_t mode, OptionalTensorRef per_sample,
                    int64_t padding) {
  FLOPSPROF_RUN(EmbeddingBagBackward, EMBEDDING_BAG_BACKWARD, kEmbeddingBagBackward,
                AskCapture(&operation, grad), result, grad, indices, bags, sizes, maxima, rows,
                by_frequency, mode, per_sample, padding);
}

#define EMBEDDING_BAG_WEIGHTS_BACKWARD \
  "_ZN2at6native47_embedding_bag_per_sample_weights_backward_cudaERKNS_6TensorES3_S3_S3_S3_ll"
FLOPSPROF_OPERATION(EmbeddingBagWeightsBackward, EMBEDDING_BAG_WEIGHTS_BACKWARD, void* result,
                    TensorRef grad, TensorRef weight, TensorRef indices, TensorRef offsets,
                    TensorRef bags, int64_t mode, int64_t padding) {
  FLOPSPROF_RUN(EmbeddingBagWeightsBackward, EMBEDDING_BAG_WEIGHTS_BACKWARD,
                kEmbeddingBagWeightsBackward, AskCapture(&operation, grad), result, grad, weight,
                indices, offsets, bags, mode, padding);
}

#define RNN_CELL(function, symbol, id)                                                            \
  FLOPSPROF_OPERATION(function, symbol, void* result, TensorRef input_gates,                      \
                      TensorRef hidden_gates, TensorRef state, OptionalTensorRef input_bias,      \
                      OptionalTensorRef hidden_bias) {                                            \
    FLOPSPROF_RUN(function, symbol, id, AskCapture(&operation, input_gates), result, input_gates, \
                  hidden_gates, state, input_bias, hidden_bias);                                  \
  }
RNN_CELL(LstmCell,
         "_ZN2at6native26_thnn_fused_lstm_cell_cudaERKNS_6TensorES3_S3_RKSt8optionalIS1_ES7_",
         kLstmCell)
RNN_CELL(GruCell,
         "_ZN2at6native25_thnn_fused_gru_cell_cudaERKNS_6TensorES3_S3_RKSt8optionalIS1_ES7_",
         kGruCell)

#define LSTM_CELL_BACKWARD                                                                        \
  "_ZN2at6native40_thnn_fused_lstm_cell_backward_impl_cudaERKSt8optionalINS_6TensorEES5_RKS2_S7_" \
  "S7_b"
FLOPSPROF_OPERATION(LstmCellBackward, LSTM_CELL_BACKWARD, void* result, OptionalTensorRef grad_h,
                    OptionalTensorRef grad_c, TensorRef c, TensorRef c_out, TensorRef workspace,
                    bool has_bias) {
  FLOPSPROF_RUN(LstmCellBackward, LSTM_CELL_BACKWARD, kLstmCellBackward, AskCapture(&operation, c),
                result, grad_h, grad_c, c, c_out, workspace, has_bias);
}

#define GRU_CELL_BACKWARD "_ZN2at6native34_thnn_fused_gru_cell_backward_cudaERKNS_6TensorES3_b"
FLOPSPROF_OPERATION(GruCellBackward, GRU_CELL_BACKWARD, void* result, TensorRef grad,
                    TensorRef workspace, bool has_bias) {
  FLOPSPROF_RUN(GruCellBackward, GRU_CELL_BACKWARD, kGruCellBackward, AskCapture(&operation, grad),
                result, grad, workspace, has_bias);
}
