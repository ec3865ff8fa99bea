// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/solvers/library_call.h"

#include "injector/graphs/capture_state.h"

namespace flopsprof::injector {
namespace {

using GetStream = int (*)(void* handle, void** stream);
using GetMode = int (*)(void* handle, int* mode);

GetStream StreamGetter(HandleKind kind, const void* caller) {
  static RealFunction cublas("cublasGetStream_v2", "libcublas.so");
  static RealFunction cusolver_dn("cusolverDnGetStream", "libcusolver.so");
  static RealFunction cusolver_sp("cusolverSpGetStream", "libcusolver.so");
  static RealFunction cusparse("cusparseGetStream", "libcusparse.so");
  RealFunction* real = nullptr;
  switch (kind) {
    case HandleKind::kNone:
      return nullptr;
    case HandleKind::kCublas:
    case HandleKind::kCublasVector:
      real = &cublas;
      break;
    case HandleKind::kCusolverDn:
      real = &cusolver_dn;
      break;
    case HandleKind::kCusolverSp:
      real = &cusolver_sp;
      break;
    case HandleKind::kCusparse:
      real = &cusparse;
      break;
  }
  return reinterpret_cast<GetStream>(real->Find(caller));
}

}  // namespace

void* EnterLibrary(RealFunction* real, const void** caller) { return real->Enter(caller); }

LibraryCallScope::LibraryCallScope(shm::ApiId api, HandleKind kind, const void* handle,
                                   const void* caller)
    : call_(api), kind_(kind), handle_(handle), caller_(caller) {
  if (!call_.counted() || !AnyCaptureIsActive() || handle == nullptr) return;
  OwnCalls own(call_.thread());
  const GetStream get = StreamGetter(kind, caller);
  void* stream = nullptr;
  if (get != nullptr && get(const_cast<void*>(handle), &stream) == 0) {
    call_.AskCapture(stream, caller);
  }
}

LibraryCallScope::~LibraryCallScope() = default;

uint8_t LibraryCallScope::MathMode() const {
  static RealFunction real("cublasGetMathMode", "libcublas.so");
  if (kind_ != HandleKind::kCublas || handle_ == nullptr) return 0;
  const auto get = reinterpret_cast<GetMode>(real.Find(caller_));
  int mode = 0;
  if (get != nullptr) get(const_cast<void*>(handle_), &mode);
  return static_cast<uint8_t>(mode);
}

void LibraryCallScope::End(int status, const LibraryArguments& arguments) {
  if (status != 0) return call_.EmitFailure(status);
  OwnCalls own(call_.thread());
  const uint8_t math_mode = MathMode();
  EmitCallInPlace<shm::LibraryCall>([&](shm::LibraryCall* record) {
    record->header = call_.Header(shm::RecordType::kLibraryCall);
    record->call = call_.id();
    record->scope = call_.attribution().scope;
    record->api = call_.api();
    record->type = static_cast<uint8_t>(arguments.type);
    record->math_mode = math_mode;
    record->variant = static_cast<uint8_t>(arguments.variant);
    record->reason = static_cast<uint8_t>(arguments.reason);
    for (int i = 0; i < 5; ++i) record->sizes[i] = arguments.sizes[i];
  });
  call_.NoteSuccess();
}

void LibraryCallScope::EndProduct(int status, const Product& product) {
  if (status != 0) return call_.EmitFailure(status);
  OwnCalls own(call_.thread());
  EmitGemm(call_, product, MathMode(), 0, true);
}

template <class Index>
void LibraryCallScope::EndGroups(int status, const Product& product, int64_t groups, const void* m,
                                 const void* n, const void* k, const void* group_size) {
  if (status != 0) return call_.EmitFailure(status);
  OwnCalls own(call_.thread());
  Product group = product;
  group.m = group.n = group.k = group.batch = 0;
  if (groups <= 0) return EmitGemm(call_, group, MathMode(), 0, true);  // accepted: nothing to do
  if (m == nullptr || n == nullptr || k == nullptr || group_size == nullptr || groups > kMaxParts) {
    CountLoss(shm::LossCounter::kGemmSizesUnknown);
    group.m = static_cast<int64_t>(groups > kMaxParts ? shm::UnknownReason::kTooManyParts
                                                      : shm::UnknownReason::kGetterFailed);
    return EmitGemm(call_, group, MathMode(), 0, false);
  }
  if (!ReserveRoom(static_cast<uint64_t>(groups))) return CountCallWithoutRoom();
  const uint8_t math_mode = MathMode();
  for (int64_t i = 0; i < groups; ++i) {
    shm::GemmCall record{};
    record.header = call_.Header(shm::RecordType::kGemmCall);
    if (i + 1 < groups) record.header.flags |= shm::kFlagMore;
    record.call = call_.id();
    record.scope = call_.attribution().scope;
    record.api = call_.api();
    record.type_a = static_cast<uint8_t>(product.type_a);
    record.type_b = static_cast<uint8_t>(product.type_b);
    record.type_c = static_cast<uint8_t>(product.type_c);
    record.compute_type = static_cast<uint8_t>(product.compute_type);
    record.math_mode = math_mode;
    record.m = static_cast<const Index*>(m)[i];
    record.n = static_cast<const Index*>(n)[i];
    record.k = static_cast<const Index*>(k)[i];
    record.batch = static_cast<const Index*>(group_size)[i];
    i + 1 < groups ? EmitPart(&record) : EmitLastPart(&record);
  }
  call_.NoteSuccess();
}

template void LibraryCallScope::EndGroups<int>(int, const Product&, int64_t, const void*,
                                               const void*, const void*, const void*);
template void LibraryCallScope::EndGroups<int64_t>(int, const Product&, int64_t, const void*,
                                                   const void*, const void*, const void*);

}  // namespace flopsprof::injector
