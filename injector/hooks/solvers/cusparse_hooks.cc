// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cuSPARSE's generic products: the number of nonzeros is in the descriptors, on the host. Each
// nonzero takes part in one multiply-add for each column (SpMM), or is a product of two vectors
// (SDDMM); recorded as a product of m = nonzeros.

#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/hooks/solvers/library_call.h"

namespace flopsprof::injector {
namespace {

constexpr char kCusparse[] = "libcusparse.so";
constexpr int kNotSupported = 10;  // CUSPARSE_STATUS_NOT_SUPPORTED

// cusparseFormat_t of those whose nonzeros are single elements: CSR, CSC, COO.
constexpr bool IsElementwise(int format) { return format >= 1 && format <= 3; }

struct SparseMatrix {
  int64_t rows = 0, cols = 0, nonzeros = 0;
};
struct DenseMatrix {
  int64_t rows = 0, cols = 0;
  int batch = 1;
};

shm::UnknownReason Read(const void* caller, void* descriptor, SparseMatrix* matrix) {
  static RealFunction real_format("cusparseSpMatGetFormat", kCusparse);
  static RealFunction real_size("cusparseSpMatGetSize", kCusparse);
  const auto get_format = reinterpret_cast<int (*)(void*, int*)>(real_format.Find(caller));
  const auto get_size =
      reinterpret_cast<int (*)(void*, int64_t*, int64_t*, int64_t*)>(real_size.Find(caller));
  int format = 0;
  if (descriptor == nullptr || get_format == nullptr || get_size == nullptr ||
      get_format(descriptor, &format) != 0) {
    return shm::UnknownReason::kGetterFailed;
  }
  if (!IsElementwise(format)) return shm::UnknownReason::kNoFormula;
  if (get_size(descriptor, &matrix->rows, &matrix->cols, &matrix->nonzeros) != 0) {
    return shm::UnknownReason::kGetterFailed;
  }
  return shm::UnknownReason::kNone;
}

shm::UnknownReason Read(const void* caller, void* descriptor, DenseMatrix* matrix) {
  static RealFunction real("cusparseDnMatGet", kCusparse);
  static RealFunction real_batch("cusparseDnMatGetStridedBatch", kCusparse);
  const auto get =
      reinterpret_cast<int (*)(void*, int64_t*, int64_t*, int64_t*, void**, int*, int*)>(
          real.Find(caller));
  const auto get_batch = reinterpret_cast<int (*)(void*, int*, int64_t*)>(real_batch.Find(caller));
  int64_t leading = 0, stride = 0;
  void* values = nullptr;
  int type = 0, order = 0;
  const bool known =
      descriptor != nullptr && get != nullptr && get_batch != nullptr &&
      get(descriptor, &matrix->rows, &matrix->cols, &leading, &values, &type, &order) == 0 &&
      get_batch(descriptor, &matrix->batch, &stride) == 0;
  return known ? shm::UnknownReason::kNone : shm::UnknownReason::kGetterFailed;
}

void End(LibraryCallScope* call, int status, shm::UnknownReason reason, Product product) {
  if (status != 0 || reason == shm::UnknownReason::kNone) {
    call->EndProduct(status, product);
  } else {
    call->End(status, {product.type_a, 0, reason, {}});
  }
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: all of the file's hooks
using flopsprof::shm::ApiId;
using flopsprof::shm::UnknownReason;

FLOPSPROF_EXPORT int cusparseSpMV(void* handle, int opA, void* alpha, void* matA, void* vecX,
                                  void* beta, void* vecY, int computeType, int alg, void* buffer) {
  static RealFunction real("cusparseSpMV", kCusparse);
  const void* caller = __builtin_return_address(0);
  auto* const function =
      reinterpret_cast<int (*)(void*, int, void*, void*, void*, void*, void*, int, int, void*)>(
          EnterLibrary(&real, &caller));
  if (function == nullptr) return kNotSupported;
  LibraryCallScope call(ApiId::cusparseSpMV, HandleKind::kCusparse, handle, caller);
  const int status = function(handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg, buffer);
  if (!call.counted()) return status;
  OwnCalls own(call.call()->thread());
  SparseMatrix a;
  const UnknownReason reason = Read(caller, matA, &a);
  End(&call, status, reason, {a.nonzeros, 1, 1, 1, computeType, computeType, computeType, 0});
  return status;
}

FLOPSPROF_EXPORT int cusparseSpMM(void* handle, int opA, int opB, void* alpha, void* matA,
                                  void* matB, void* beta, void* matC, int computeType, int alg,
                                  void* buffer) {
  static RealFunction real("cusparseSpMM", kCusparse);
  const void* caller = __builtin_return_address(0);
  auto* const function =
      reinterpret_cast<int (*)(void*, int, int, void*, void*, void*, void*, void*, int, int,
                               void*)>(EnterLibrary(&real, &caller));
  if (function == nullptr) return kNotSupported;
  LibraryCallScope call(ApiId::cusparseSpMM, HandleKind::kCusparse, handle, caller);
  const int status =
      function(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, buffer);
  if (!call.counted()) return status;
  OwnCalls own(call.call()->thread());
  SparseMatrix a;
  DenseMatrix c;
  UnknownReason reason = Read(caller, matA, &a);
  if (reason == UnknownReason::kNone) reason = Read(caller, matC, &c);
  End(&call, status, reason,
      {a.nonzeros, c.cols, 1, c.batch, computeType, computeType, computeType, 0});
  return status;
}

FLOPSPROF_EXPORT int cusparseSDDMM(void* handle, int opA, int opB, void* alpha, void* matA,
                                   void* matB, void* beta, void* matC, int computeType, int alg,
                                   void* buffer) {
  static RealFunction real("cusparseSDDMM", kCusparse);
  const void* caller = __builtin_return_address(0);
  auto* const function =
      reinterpret_cast<int (*)(void*, int, int, void*, void*, void*, void*, void*, int, int,
                               void*)>(EnterLibrary(&real, &caller));
  if (function == nullptr) return kNotSupported;
  LibraryCallScope call(ApiId::cusparseSDDMM, HandleKind::kCusparse, handle, caller);
  const int status =
      function(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg, buffer);
  if (!call.counted()) return status;
  OwnCalls own(call.call()->thread());
  DenseMatrix a;
  SparseMatrix c;
  UnknownReason reason = Read(caller, matA, &a);
  if (reason == UnknownReason::kNone) reason = Read(caller, matC, &c);
  End(&call, status, reason,
      {c.nonzeros, 1, opA == kOpN ? a.cols : a.rows, a.batch, computeType, computeType, computeType,
       0});
  return status;
}
