// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers of the hooked library calls in records. Never reused; add at the end. Those of
// most calls are in library_api_ids.h, from 1024 on.

#include <stdint.h>

#include "proto/shm/library_api_ids.h"

namespace flopsprof::shm {

#define FLOPSPROF_APIS(X)                      \
  X(cublasSgemm_v2, 1)                         \
  X(cublasDgemm_v2, 2)                         \
  X(cublasCgemm_v2, 3)                         \
  X(cublasZgemm_v2, 4)                         \
  X(cublasGemmEx, 5)                           \
  X(cublasSgemmStridedBatched, 6)              \
  X(cublasDgemmStridedBatched, 7)              \
  X(cublasCgemmStridedBatched, 8)              \
  X(cublasZgemmStridedBatched, 9)              \
  X(cublasGemmStridedBatchedEx, 10)            \
  X(cublasSgemmBatched, 11)                    \
  X(cublasDgemmBatched, 12)                    \
  X(cublasCgemmBatched, 13)                    \
  X(cublasZgemmBatched, 14)                    \
  X(cublasGemmBatchedEx, 15)                   \
  X(cublasLtMatmul, 16)                        \
  X(cublasSgemmEx, 17)                         \
  X(cublasCgemmEx, 18)                         \
  X(cublasHgemm, 19)                           \
  X(cublasHgemmStridedBatched, 20)             \
  X(cublasHgemmBatched, 21)                    \
  X(cublasSgemv_v2, 22)                        \
  X(cublasDgemv_v2, 23)                        \
  X(cublasCgemv_v2, 24)                        \
  X(cublasZgemv_v2, 25)                        \
  X(cublasSdot_v2, 26)                         \
  X(cublasDdot_v2, 27)                         \
  X(cublasDotEx, 28)                           \
  X(cudnnBackendExecute, 64)                   \
  X(cudnnRNNForward, 65)                       \
  X(cudnnRNNBackwardData_v8, 66)               \
  X(cudnnRNNBackwardWeights_v8, 67)            \
  X(cudnnConvolutionForward, 68)               \
  X(cudnnConvolutionBackwardData, 69)          \
  X(cudnnConvolutionBackwardFilter, 70)        \
  X(cudnnConvolutionBiasActivationForward, 71) \
  X(cudnnMultiHeadAttnForward, 72)             \
  X(cudnnMultiHeadAttnBackwardData, 73)        \
  X(cudnnMultiHeadAttnBackwardWeights, 74)     \
  X(cudnnFusedOpsExecute, 75)                  \
  X(cudnnBackendPopulateCudaGraph, 76)         \
  X(cudnnCausalConv1dForward, 77)              \
  X(cudnnCausalConv1dBackward, 78)             \
  X(cudnnCausalConv1dNwhForward, 79)           \
  X(cudnnCausalConv1dNwhBackward, 80)          \
  X(cudnnRNNForwardTraining, 81)               \
  X(cudnnRNNForwardInference, 82)              \
  X(cudnnRNNBackwardData, 83)                  \
  X(cudnnRNNBackwardWeights, 84)               \
  X(cudnnRNNForwardTrainingEx, 85)             \
  X(cudnnRNNForwardInferenceEx, 86)            \
  X(cudnnRNNBackwardDataEx, 87)                \
  X(cudnnRNNBackwardWeightsEx, 88)             \
  X(ncclAllReduce, 128)                        \
  X(ncclAllGather, 129)                        \
  X(ncclReduceScatter, 130)                    \
  X(ncclBroadcast, 131)                        \
  X(ncclBcast, 132)                            \
  X(ncclReduce, 133)                           \
  X(ncclSend, 134)                             \
  X(ncclRecv, 135)                             \
  X(ncclGroupEnd, 136)                         \
  X(ncclAlltoAll, 137)                         \
  X(ncclGather, 138)                           \
  X(ncclScatter, 139)

enum class ApiId : uint16_t {
  kUnspecified = 0,
#define FLOPSPROF_ENUM(name, number) name = number,
  FLOPSPROF_APIS(FLOPSPROF_ENUM) FLOPSPROF_LIBRARY_APIS(FLOPSPROF_ENUM)
#undef FLOPSPROF_ENUM
};

constexpr const char* ApiName(uint16_t id) {
  switch (id) {
#define FLOPSPROF_NAME(name, number) \
  case number:                       \
    return #name;
    FLOPSPROF_APIS(FLOPSPROF_NAME)
    FLOPSPROF_LIBRARY_APIS(FLOPSPROF_NAME)
#undef FLOPSPROF_NAME
    default:
      return nullptr;
  }
}

}  // namespace flopsprof::shm
