// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Hooks of grouped matrix products, plain and scaled.

#include "injector/operations/operation_hook.h"
#include "injector/operations/operation_sizes.h"

namespace {

void Describe(OperationScope* operation, TensorRef a, TensorRef b) {
  DescribeGroupedProduct(a, b, operation->call());
  AskCapture(operation, a);
}

}  // namespace

#define GROUPED_MM                                                                         \
  "_ZN2at6native16_grouped_mm_cudaERKNS_6TensorES3_RKSt8optionalIS1_ES7_S4_IN3c1010Scalar" \
  "TypeEE"
FLOPSPROF_OPERATION(GroupedMm, GROUPED_MM, void* result, TensorRef a, TensorRef b,
                    OptionalTensorRef offsets, OptionalTensorRef bias, OptionalType type) {
  FLOPSPROF_RUN(GroupedMm, GROUPED_MM, kGroupedMm, Describe(&operation, a, b), result, a, b,
                offsets, bias, type);
}

#define SCALED_GROUPED_MM                                                                       \
  "_ZN2at6native23_scaled_grouped_mm_cudaERKNS_6TensorES3_S3_S3_RKSt8optionalIS1_ES7_S7_S4_IN3" \
  "c1010ScalarTypeEEb"
FLOPSPROF_OPERATION(ScaledGroupedMm, SCALED_GROUPED_MM, void* result, TensorRef a, TensorRef b,
                    TensorRef scale_a, TensorRef scale_b, OptionalTensorRef offsets,
                    OptionalTensorRef bias, OptionalTensorRef scale_result, OptionalType type,
                    bool fast) {
  FLOPSPROF_RUN(ScaledGroupedMm, SCALED_GROUPED_MM, kScaledGroupedMm, Describe(&operation, a, b),
                result, a, b, scale_a, scale_b, offsets, bias, scale_result, type, fast);
}
