// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Hooks of operations without products, embedding bags and RNN cells: the time of their kernels is
// known to hold none, so that it is not unknown. No sizes are read.

#include "injector/operations/operation_hook.h"

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
