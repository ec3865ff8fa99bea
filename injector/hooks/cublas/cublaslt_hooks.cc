// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cublasLtMatmul: sizes and types are in descriptors, cublaslt_descriptors.h.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/hooks/cublas/cublas_call.h"
#include "injector/hooks/cublas/cublaslt_descriptors.h"
#include "injector/loader/real_function.h"

FLOPSPROF_EXPORT int cublasLtMatmul(void* handle, void* desc, void* alpha, void* A, void* a,
                                    void* B, void* b, void* beta, void* C, void* c, void* D,
                                    void* d, void* algo, void* workspace, size_t workspace_bytes,
                                    void* stream) {
  using namespace flopsprof::injector;  // NOLINT: one function
  static RealFunction real("cublasLtMatmul", "libcublasLt.so");
  const void* caller = __builtin_return_address(0);
  auto* const function =
      reinterpret_cast<int (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                               void*, void*, void*, void*, size_t, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCublasNotSupported;
  CallScope call(flopsprof::shm::ApiId::cublasLtMatmul);
  if (call.counted()) call.AskCapture(stream, caller);
  const int status = function(handle, desc, alpha, A, a, B, b, beta, C, c, D, d, algo, workspace,
                              workspace_bytes, stream);
  if (!call.counted()) return status;
  if (status != 0) {
    call.EmitFailure(status);
    return status;
  }
  OwnCalls own(call.thread());
  Product product{};
  uint32_t epilogue = 0;
  const bool known = ReadLtProduct(caller, {desc, a, b, d}, &product, &epilogue);
  if (!known) CountLoss(flopsprof::shm::LossCounter::kGemmSizesUnknown);
  EmitGemm(call, product, 0, static_cast<uint8_t>(epilogue), known);
  return status;
}
