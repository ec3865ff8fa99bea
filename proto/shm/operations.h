// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations of the framework that launch kernels of their own, without a library call, and the
// meaning of the sizes in shm::OperationCall. Numbers are never reused; add at the end.

#include <stdint.h>

namespace flopsprof::shm {

// Number, family of sizes, name as PyTorch registers it.
#define FLOPSPROF_OPERATIONS(X)                                                                \
  X(kFlashAttention, 1, kAttention, "aten::_flash_attention_forward")                          \
  X(kFlashAttentionBackward, 2, kAttentionBackward, "aten::_flash_attention_backward")         \
  X(kEfficientAttention, 3, kAttention, "aten::_efficient_attention_forward")                  \
  X(kEfficientAttentionBackward, 4, kAttentionBackward, "aten::_efficient_attention_backward") \
  X(kDepthwiseConv2d, 5, kConvolution, "aten::_conv_depthwise2d")                              \
  X(kDepthwiseConv2dBackward, 6, kConvolutionBackward, "aten::_conv_depthwise2d_backward")     \
  X(kDepthwiseConv3d, 7, kConvolution, "aten::conv_depthwise3d")                               \
  X(kDepthwiseConv3dBackward, 8, kConvolutionBackward, "aten::conv_depthwise3d_backward")      \
  X(kGroupedMm, 9, kProduct, "aten::_grouped_mm")                                              \
  X(kScaledGroupedMm, 10, kProduct, "aten::_scaled_grouped_mm")                                \
  X(kEmbeddingBag, 11, kNoProducts, "aten::_embedding_bag")                                    \
  X(kEmbeddingBagForwardOnly, 12, kNoProducts, "aten::_embedding_bag_forward_only")            \
  X(kEmbeddingBagBackward, 13, kNoProducts, "aten::_embedding_bag_dense_backward")             \
  X(kEmbeddingBagWeightsBackward, 14, kNoProducts,                                             \
    "aten::_embedding_bag_per_sample_weights_backward")                                        \
  X(kLstmCell, 15, kNoProducts, "aten::_thnn_fused_lstm_cell")                                 \
  X(kLstmCellBackward, 16, kNoProducts, "aten::_thnn_fused_lstm_cell_backward_impl")           \
  X(kGruCell, 17, kNoProducts, "aten::_thnn_fused_gru_cell")                                   \
  X(kGruCellBackward, 18, kNoProducts, "aten::_thnn_fused_gru_cell_backward")

enum class OperationId : uint16_t {
  kUnspecified = 0,
#define FLOPSPROF_ENUM(id, number, family, name) id = number,
  FLOPSPROF_OPERATIONS(FLOPSPROF_ENUM)
#undef FLOPSPROF_ENUM
};

// What the sizes of an operation mean.
enum class OperationFamily : uint8_t {
  kUnspecified = 0,
  // batch, query heads, key heads, query length, key length, head dim, value head dim,
  // left window + 1, right window + 1 (0: no bound). Variant: AttentionMask.
  kAttention = 1,
  kAttentionBackward = 2,
  // batch, out channels, in channels of a group, three output sizes, three kernel sizes, groups;
  // absent dimensions are 1. Backward: variant 1 input gradient + 2 weight gradient.
  kConvolution = 3,
  kConvolutionBackward = 4,
  // m, n, k, batch, groups: 2*m*n*k*batch; rows are those of all groups together.
  kProduct = 5,
  kNoProducts = 6,  // nothing that the counting convention counts; no sizes
};
constexpr int kOperationSizes = 10;

enum AttentionMask : uint8_t {
  kMaskNone = 0,
  kMaskCausalTopLeft = 1,      // query i sees keys 0 ... i
  kMaskCausalBottomRight = 2,  // the last query sees the last key
};
constexpr uint8_t kConvInputGradient = 1;
constexpr uint8_t kConvWeightGradient = 2;

// Why the sizes of an operation are not known.
enum class OperationReason : uint8_t {
  kNone = 0,
  kLengthsOnDevice = 1,  // sequence lengths are in GPU memory
  kNotReadable = 2,      // PyTorch did not tell the sizes of a tensor
  kTooLarge = 3,         // a size does not fit
  kFormulaOff = 4,       // set by the reader: the user wants it unknown
};

constexpr const char* OperationName(uint16_t id) {
  switch (id) {
#define FLOPSPROF_NAME(id, number, family, name) \
  case number:                                   \
    return name;
    FLOPSPROF_OPERATIONS(FLOPSPROF_NAME)
#undef FLOPSPROF_NAME
    default:
      return nullptr;
  }
}

constexpr OperationFamily FamilyOf(uint16_t id) {
#define FLOPSPROF_FAMILY(name, number, family, text) \
  if (id == (number)) return OperationFamily::family;
  FLOPSPROF_OPERATIONS(FLOPSPROF_FAMILY)
#undef FLOPSPROF_FAMILY
  return OperationFamily::kUnspecified;
}

}  // namespace flopsprof::shm
