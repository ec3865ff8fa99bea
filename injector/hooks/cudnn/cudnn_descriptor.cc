// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_descriptor.h"

#include "injector/hooks/cudnn/cudnn_call.h"

namespace flopsprof::injector {

CudnnGetter FindCudnnGetter(const void* caller) {
  static RealFunction real("cudnnBackendGetAttribute", kCudnn);
  return reinterpret_cast<CudnnGetter>(real.Find(caller));
}

size_t CudnnVersion(const void* caller) {
  static RealFunction real("cudnnGetVersion", kCudnn);
  auto* const version = reinterpret_cast<size_t (*)()>(real.Find(caller));
  return version == nullptr ? 0 : version();
}

OwnCudnnDescriptor::OwnCudnnDescriptor(const void* caller, int type) {
  static RealFunction create("cudnnBackendCreateDescriptor", kCudnn);
  static RealFunction destroy("cudnnBackendDestroyDescriptor", kCudnn);
  auto* const make = reinterpret_cast<int (*)(int, void**)>(create.Find(caller));
  destroy_ = reinterpret_cast<int (*)(void*)>(destroy.Find(caller));
  if (make == nullptr || destroy_ == nullptr || make(type, &descriptor_) != 0) {
    descriptor_ = nullptr;
  }
}

OwnCudnnDescriptor::~OwnCudnnDescriptor() {
  if (descriptor_ != nullptr) destroy_(descriptor_);
}

bool OwnCudnnDescriptor::FillFrom(CudnnGetter get, const void* from, int name) {
  int64_t count = 0;
  return descriptor_ != nullptr &&
         get(from, name, kCudnnTypeDescriptor, 1, &count, &descriptor_) == 0 && count == 1;
}

}  // namespace flopsprof::injector
