// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared code of the generated hooks of calls that are less frequent. Nothing here is inlined,
// because there are more than a thousand such hooks, and each should be small.

#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/hooks/call_scope.h"
#include "injector/hooks/cublas/cublas_call.h"
#include "injector/loader/real_function.h"

namespace flopsprof::injector {

// By value in the older cuBLAS calls (cuComplex.h).
struct ComplexFloat {
  float x, y;
};
struct alignas(16) ComplexDouble {
  double x, y;
};

// Which library's handle a call has: how its stream, and for cuBLAS its math mode, is asked for.
enum class HandleKind : uint8_t {
  kNone,
  kCublas,
  kCublasVector,  // level 1 and 2, whose work no math mode changes
  kCusolverDn,
  kCusolverSp,
  kCusparse,
};

// Groups of one call that are recorded one by one: as many as half of a ring of the usual size.
constexpr int64_t kMaxParts = 8192;

// Sizes and kinds of a call as they are recorded (shm::LibraryCall).
struct LibraryArguments {
  int type;  // cudaDataType; -1: none
  int variant;
  shm::UnknownReason reason;
  int64_t sizes[5];
};

// A hooked call while it runs.
class LibraryCallScope {
 public:
  FLOPSPROF_APART LibraryCallScope(shm::ApiId api, HandleKind kind, const void* handle,
                                   const void* caller);
  FLOPSPROF_APART ~LibraryCallScope();
  LibraryCallScope(const LibraryCallScope&) = delete;
  LibraryCallScope& operator=(const LibraryCallScope&) = delete;

  // After the call, when `counted`: its record, or that of its failure.
  FLOPSPROF_APART void End(int status, const LibraryArguments& arguments);
  FLOPSPROF_APART void EndProduct(int status, const Product& product);
  // A product per group; `product` has the types. Index: int or int64_t, as the call's sizes.
  template <class Index>
  void EndGroups(int status, const Product& product, int64_t groups, const void* m, const void* n,
                 const void* k, const void* group_size);

  bool counted() const { return call_.counted(); }
  CallScope* call() { return &call_; }

 private:
  uint8_t MathMode() const;

  CallScope call_;
  const HandleKind kind_;
  const void* const handle_;
  const void* const caller_;
};

// RealFunction::Enter, not inlined.
FLOPSPROF_APART void* EnterLibrary(RealFunction* real, const void** caller);

// The older cuBLAS calls have letters where the newer ones have enumerations.
constexpr bool IsOpN(int trans) { return trans == kOpN || trans == 'N' || trans == 'n'; }
// 0: left, 1: right (cublasSideMode_t).
constexpr int SideOf(int side) { return side == 0 || side == 'L' || side == 'l' ? 0 : 1; }

}  // namespace flopsprof::injector
