// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_call.h"

namespace flopsprof::injector {

void* CudnnStream(void* handle, const void* caller) {
  static RealFunction real("cudnnGetStream", kCudnn);
  auto* const function = reinterpret_cast<int (*)(void*, void**)>(real.Find(caller));
  void* stream = nullptr;
  if (function != nullptr) function(handle, &stream);
  return stream;
}

uint8_t CudaTypeOfCudnn(int type) {
  constexpr uint8_t kNone = 255;
  // By cudnnDataType_t (cudnn_graph.h); the values are cudaDataType (library_types.h).
  static constexpr uint8_t kTypes[] = {
      0,      // float
      1,      // double
      2,      // half
      3,      // int8
      10,     // int32
      kNone,  // int8x4: vectors
      8,      // uint8
      kNone,  // uint8x4
      kNone,  // int8x32
      14,     // bfloat16
  };
  const bool known = type >= 0 && static_cast<size_t>(type) < sizeof kTypes;
  return known ? kTypes[type] : kNone;
}

shm::LibraryCall CudnnLibraryRecord(const CallScope& call) {
  shm::LibraryCall record{};
  record.header = call.Header(shm::RecordType::kLibraryCall);
  record.call = call.id();
  record.scope = call.attribution().scope;
  record.api = call.api();
  return record;
}

void EmitUnknownCudnnCall(const CallScope& call, shm::UnknownReason reason) {
  shm::LibraryCall record = CudnnLibraryRecord(call);
  record.reason = static_cast<uint8_t>(reason);
  EmitCall(&record);
}

}  // namespace flopsprof::injector
