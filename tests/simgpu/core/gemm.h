// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A matrix product that a library is asked for: as ledger and call log show it.
#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace simgpu {

struct GemmShape {
  char ta = 'n', tb = 'n';
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int64_t lda = 0, ldb = 0, ldc = 0;
  int a_type = 0, b_type = 0, c_type = 0;  // cudaDataType
  int compute_type = 0;                    // cublasComputeType_t
  int math_mode = 0;                       // cublasMath_t of the handle
};

// Numbers the GEMM (from 1 in this process), sets the shape of the outermost library call
// in the ledger ("falsify_shape" strikes here), and writes the call log. Returns the number.
uint64_t NoteGemm(const GemmShape& shape, const void* a, const void* b, const void* c,
                  void* stream);

// Puts the product on the stream: one kernel, or what the fault script makes of it ("split_k",
// "product_memset", "other_thread"). `number`: of NoteGemm.
void LaunchGemm(uint64_t number, const char* kernel, const GemmShape& shape, void* stream);

// Runs a part of a library's call on a thread of the library, and waits for it. The ledger says
// whose call it is.
void OnAnotherThread(const std::function<void()>& work);

// Whether the library looks at its operands, and there is a null among these
// ("strict_arguments").
bool RefusesNull(const void* a, const void* b, const void* c);

bool IsComplex(int data_type);
int ElementBits(int data_type);

// Real operations of the product: 2 per multiply-add, 8 if complex.
double GemmFlops(const GemmShape& shape);
// Bytes that the operands have.
double GemmBytes(const GemmShape& shape);

}  // namespace simgpu
#pragma GCC visibility pop
