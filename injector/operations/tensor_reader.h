// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes and types of tensors, through the C functions that PyTorch exports for ahead-of-time
// compiled models (aoti_torch_*): stable names, no knowledge of how a tensor is laid out.

#include <stdint.h>

#include "injector/graphs/capture_state.h"

namespace flopsprof::injector {

// const at::Tensor&
using TensorRef = const void*;

// const std::optional<at::Tensor>&: the tensor, then whether there is one.
using OptionalTensorRef = const void*;
inline bool HasTensor(OptionalTensorRef optional) {
  return optional != nullptr && *(static_cast<const bool*>(optional) + sizeof(void*));
}

struct TensorSizes {
  int64_t rank = 0;
  const int64_t* size = nullptr;  // borrowed from the tensor
};

class TensorReader {
 public:
  // The functions of the PyTorch that is mapped. Those that were not found are looked for again
  // when more has been mapped since.
  static const TensorReader& Get();

  // False: not readable.
  bool Sizes(TensorRef tensor, TensorSizes* sizes) const;
  // c10::ScalarType, -1 = not known.
  int8_t Type(TensorRef tensor) const;
  // False also when that is not known.
  bool IsOnGpu(TensorRef tensor) const;
  // Is the stream that the calling thread launches on now being captured?
  bool IsCaptured(TensorRef tensor, Capture* capture) const;
  // The same on the current device.
  bool IsCaptured(Capture* capture) const;

  // For tests: functions in place of PyTorch's. Null pointers are allowed.
  struct Functions {
    int (*dim)(const void*, int64_t*);
    int (*sizes)(const void*, int64_t**);
    int (*type)(const void*, int32_t*);
    int (*device_index)(const void*, int32_t*);
    int (*current_stream)(int32_t, void**);
    int (*device_type)(const void*, int32_t*);
  };
  static void SetForTesting(const Functions& functions);

 private:
  static const TensorReader& LookAgain();
  int found_count() const;
  bool IsCapturedOn(int32_t device, Capture* capture) const;

  Functions functions_{};
};

}  // namespace flopsprof::injector
