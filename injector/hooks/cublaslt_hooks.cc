// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cublasLtMatmul: sizes and types are in opaque descriptors, which the library's own getters
// read. Descriptors are mutable and often on the stack, so nothing is remembered by address.

#include <stddef.h>
#include <stdint.h>

#include "injector/hooks/cublas_call.h"
#include "injector/hooks/real_function.h"
#include "injector/platform.h"

namespace flopsprof::injector {
namespace {

constexpr char kCublasLt[] = "libcublasLt.so";

// cublasLtMatrixLayoutAttribute_t and cublasLtMatmulDescAttributes_t (cublasLt.h).
enum LayoutAttribute : int { kType = 0, kRows = 2, kCols = 3, kBatchCount = 5, kBatchMode = 8 };
enum DescAttribute : int { kComputeType = 0, kTransA = 3, kEpilogue = 7 };
constexpr int32_t kBatchModeGrouped = 2;  // CUBLASLT_BATCH_MODE_GROUPED: sizes on the device

using GetAttribute = int (*)(const void* object, int attribute, void* value, size_t bytes,
                             size_t* written);

struct Getters {
  GetAttribute layout;
  GetAttribute desc;

  explicit Getters(const void* caller) {
    static RealFunction real_layout("cublasLtMatrixLayoutGetAttribute", kCublasLt);
    static RealFunction real_desc("cublasLtMatmulDescGetAttribute", kCublasLt);
    layout = reinterpret_cast<GetAttribute>(real_layout.Find(caller));
    desc = reinterpret_cast<GetAttribute>(real_desc.Find(caller));
  }
};

template <class T>
bool Read(GetAttribute get, const void* object, int attribute, T* value) {
  size_t written = 0;
  return get != nullptr && get(object, attribute, value, sizeof(T), &written) == 0;
}

bool IsGrouped(GetAttribute get, const void* layout) {
  int32_t mode = 0;  // libraries without the attribute know no groups
  return Read(get, layout, kBatchMode, &mode) && mode == kBatchModeGrouped;
}

// False: a size is not known.
bool ReadProduct(const Getters& get, const void* desc, const void* a, const void* b, const void* d,
                 Product* product, uint32_t* epilogue) {
  int32_t transposed = 0;
  int32_t compute_type = 0;
  uint32_t type_a = 0;
  uint32_t type_b = 0;
  uint32_t type_d = 0;
  uint64_t m = 0;
  uint64_t n = 0;
  uint64_t k = 0;
  int32_t batch = 0;
  Read(get.desc, desc, kEpilogue, epilogue);
  const bool known = Read(get.desc, desc, kTransA, &transposed) &&
                     Read(get.desc, desc, kComputeType, &compute_type) &&
                     Read(get.layout, a, kType, &type_a) && Read(get.layout, b, kType, &type_b) &&
                     Read(get.layout, d, kType, &type_d) && Read(get.layout, d, kRows, &m) &&
                     Read(get.layout, d, kCols, &n) && Read(get.layout, d, kBatchCount, &batch) &&
                     Read(get.layout, a, transposed == kOpN ? kCols : kRows, &k);
  const bool grouped = known && IsGrouped(get.layout, d);
  *product = {
      static_cast<int64_t>(m),  static_cast<int64_t>(n),  static_cast<int64_t>(k),  batch,
      static_cast<int>(type_a), static_cast<int>(type_b), static_cast<int>(type_d), compute_type};
  if (known && !grouped) return true;
  product->m = static_cast<int64_t>(grouped ? shm::UnknownReason::kSizesOnDevice
                                            : shm::UnknownReason::kGetterFailed);
  product->n = product->k = product->batch = 0;
  return false;
}

}  // namespace
}  // namespace flopsprof::injector

FLOPSPROF_EXPORT int cublasLtMatmul(void* handle, void* desc, void* alpha, void* A, void* a,
                                    void* B, void* b, void* beta, void* C, void* c, void* D,
                                    void* d, void* algo, void* workspace, size_t workspace_bytes,
                                    void* stream) {
  using namespace flopsprof::injector;  // NOLINT: one function
  static RealFunction real("cublasLtMatmul", kCublasLt);
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
  const bool known = ReadProduct(Getters(caller), desc, a, b, d, &product, &epilogue);
  if (!known) CountLoss(flopsprof::shm::LossCounter::kGemmSizesUnknown);
  EmitGemm(call, product, 0, static_cast<uint8_t>(epilogue), known);
  return status;
}
