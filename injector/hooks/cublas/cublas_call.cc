// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cublas/cublas_call.h"

#include "injector/graphs/capture_state.h"
#include "injector/loader/real_function.h"

namespace flopsprof::injector {
namespace {

constexpr char kCublas[] = "libcublas.so";

void* StreamOf(void* handle, const void* caller) {
  static RealFunction real("cublasGetStream_v2", kCublas);
  auto* const function = reinterpret_cast<int (*)(void*, void**)>(real.Find(caller));
  void* stream = nullptr;
  if (function != nullptr) function(handle, &stream);
  return stream;
}

// Asked at every call: the getter reads one field of the handle, and an own copy of the mode
// would be wrong whenever cublasSetMathMode is reached in a way that is not hooked.
uint8_t MathModeOf(void* handle, const void* caller) {
  static RealFunction real("cublasGetMathMode", kCublas);
  auto* const function = reinterpret_cast<int (*)(void*, int*)>(real.Find(caller));
  int mode = 0;
  if (function != nullptr) function(handle, &mode);
  return static_cast<uint8_t>(mode);
}

}  // namespace

void BeginCublasCall(CallScope* call, void* handle, const void* caller) {
  if (!AnyCaptureIsActive()) return;
  OwnCalls own(call->thread());
  call->AskCapture(StreamOf(handle, caller), caller);
}

void EndCublasCall(CallScope* call, int status, void* handle, const void* caller,
                   const Product& product) {
  if (status != 0) {
    call->EmitFailure(status);
    return;
  }
  OwnCalls own(call->thread());
  EmitGemm(*call, product, MathModeOf(handle, caller), 0, true);
}

FLOPSPROF_HOT void EmitGemm(const CallScope& call, const Product& product, uint8_t math_mode,
                            uint8_t epilogue, bool sizes_known) {
  EmitCallInPlace<shm::GemmCall>([&](shm::GemmCall* record) {
    record->header = call.Header(shm::RecordType::kGemmCall);
    if (!sizes_known) record->header.flags |= shm::kFlagSizesUnknown;
    record->call = call.id();
    record->scope = call.attribution().scope;
    record->api = call.api();
    record->type_a = static_cast<uint8_t>(product.type_a);
    record->type_b = static_cast<uint8_t>(product.type_b);
    record->type_c = static_cast<uint8_t>(product.type_c);
    record->compute_type = static_cast<uint8_t>(product.compute_type);
    record->math_mode = math_mode;
    record->epilogue = epilogue;
    record->m = product.m;
    record->n = product.n;
    record->k = product.k;
    record->batch = product.batch;
  });
  call.NoteSuccess();
}

}  // namespace flopsprof::injector
