// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all hooks of cuBLAS products share.

#include <stdint.h>

#include "injector/hooks/call_scope.h"

namespace flopsprof::injector {

constexpr int kCublasNotSupported = 15;  // CUBLAS_STATUS_NOT_SUPPORTED
constexpr int kOpN = 0;                  // CUBLAS_OP_N

// cudaDataType (library_types.h).
enum DataType : int {
  kReal32F = 0,
  kReal64F = 1,
  kReal16F = 2,
  kComplex32F = 4,
  kComplex64F = 5,
};

// A product as it is recorded: 2*m*n*k*batch real operations.
struct Product {
  int64_t m, n, k;
  int64_t batch;
  int type_a, type_b, type_c;  // cudaDataType
  int compute_type;            // cublasComputeType_t; 0: follows from the call's name
};

// Before the real call: is the handle's stream being captured?
void BeginCublasCall(CallScope* call, void* handle, const void* caller);

// After it: the record of the product with the handle's math mode, or of the failure.
void EndCublasCall(CallScope* call, int status, void* handle, const void* caller,
                   const Product& product);

// The record of a product.
void EmitGemm(const CallScope& call, const Product& product, uint8_t math_mode, uint8_t epilogue,
              bool sizes_known);

}  // namespace flopsprof::injector
