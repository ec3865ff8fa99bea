// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading descriptors of cuDNN's graph API.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// cudnnBackendDescriptorType_t, cudnnBackendAttributeType_t (cudnn_graph.h).
constexpr int kCudnnEngine = 2;
constexpr int kCudnnEngineConfig = 3;
constexpr int kCudnnTensor = 17;
constexpr int kCudnnTypeDataType = 1;
constexpr int kCudnnTypeBool = 2;
constexpr int kCudnnTypeInt64 = 3;
constexpr int kCudnnTypePointer = 6;
constexpr int kCudnnTypeNumericalNote = 11;
constexpr int kCudnnTypeDescriptor = 15;
constexpr int kCudnnTypeChar = 24;

// cudnnBackendGetAttribute.
using CudnnGetter = int (*)(const void* descriptor, int name, int type, int64_t room,
                            int64_t* count, void* values);
CudnnGetter FindCudnnGetter(const void* caller);

// cudnnGetVersion of the caller's library; 0: not known.
size_t CudnnVersion(const void* caller);

// A descriptor of ours, to be filled by the library.
class OwnCudnnDescriptor {
 public:
  OwnCudnnDescriptor(const void* caller, int type);
  ~OwnCudnnDescriptor();
  OwnCudnnDescriptor(const OwnCudnnDescriptor&) = delete;
  OwnCudnnDescriptor& operator=(const OwnCudnnDescriptor&) = delete;

  const void* get() const { return descriptor_; }

  // Fills it with the descriptor that `from` has under this name.
  bool FillFrom(CudnnGetter get, const void* from, int name);

 private:
  void* descriptor_ = nullptr;
  int (*destroy_)(void*) = nullptr;
};

}  // namespace flopsprof::injector
