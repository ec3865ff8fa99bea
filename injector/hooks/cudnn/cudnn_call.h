// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the hooks of all cuDNN calls share. cuDNN's types, as far as they are read here: all
// handles and descriptors are pointers, all enumerations int.

#include <stddef.h>
#include <stdint.h>

#include "injector/graphs/capture_state.h"
#include "injector/hooks/call_scope.h"
#include "injector/loader/real_function.h"

namespace flopsprof::injector {

constexpr char kCudnn[] = "libcudnn";     // or one of its parts (libcudnn_graph.so)
constexpr int kCudnnNotSupported = 3000;  // CUDNN_STATUS_NOT_SUPPORTED

// Stream of a handle; nullptr where it cannot be told.
void* CudnnStream(void* handle, const void* caller);

// cudaDataType of a cudnnDataType_t; 255, which no reader knows, for one that has none.
uint8_t CudaTypeOfCudnn(int type);

// A record that says that the call's work is not known, and why.
void EmitUnknownCudnnCall(const CallScope& call, shm::UnknownReason reason);

shm::LibraryCall CudnnLibraryRecord(const CallScope& call);

// What the first argument of a call is.
enum class CudnnFirst { kHandle, kStream };

// One call of a function (handle, args...): `describe(call, caller)` writes its records when the
// library has accepted it.
template <CudnnFirst first = CudnnFirst::kHandle, class Describe, class... Args>
int CountCudnnCall(RealFunction* real, shm::ApiId api, const void* caller, Describe describe,
                   void* handle, Args... args) {
  auto* const function = reinterpret_cast<int (*)(void*, Args...)>(real->Enter(&caller));
  if (function == nullptr) return kCudnnNotSupported;
  CallScope call(api);
  if (!call.counted()) return function(handle, args...);
  if (AnyCaptureIsActive()) {
    call.AskCapture(first == CudnnFirst::kStream ? handle : CudnnStream(handle, caller), caller);
  }
  const int status = function(handle, args...);
  if (status != 0) {
    call.EmitFailure(status);
    return status;
  }
  OwnCalls own(call.thread());
  describe(call, caller);
  call.NoteSuccess();
  return status;
}

}  // namespace flopsprof::injector
