// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cudnnCausalConv1d*: a convolution of each channel with a filter of its own, sizes as arguments.
// The zeros before the first time step count as taps, as padding does in every convolution.

#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/hooks/cudnn/cudnn_call.h"

namespace flopsprof::injector {
namespace {

struct Sizes {
  int batch, channels, length, window, type;
};

// `parts`: products of this size, 1 forward, 2 (data, weights) backward.
void EmitCausal(const CallScope& call, const Sizes& sizes, int parts) {
  if (!ReserveRoom(static_cast<uint64_t>(parts))) return CountCallWithoutRoom();
  shm::LibraryCall record = CudnnLibraryRecord(call);
  record.type = CudaTypeOfCudnn(sizes.type);
  const bool negative = sizes.batch < 0 || sizes.channels < 0 || sizes.length < 0;
  int64_t outputs = int64_t{sizes.batch} * sizes.channels;
  if (negative || __builtin_mul_overflow(outputs, int64_t{sizes.length}, &outputs)) outputs = -1;
  record.sizes[0] = outputs;
  record.sizes[1] = sizes.window;
  record.sizes[2] = sizes.batch;
  record.sizes[3] = sizes.channels;
  record.sizes[4] = sizes.channels;
  for (int i = 1; i < parts; ++i) {
    shm::LibraryCall part = record;
    part.header.flags |= shm::kFlagMore;
    EmitPart(&part);
  }
  EmitLastPart(&record);
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: the hooks below are C functions
namespace shm = flopsprof::shm;

#define FLOPSPROF_CAUSAL_FORWARD(name)                                                           \
  FLOPSPROF_EXPORT int name(void* stream, void* x, void* weight, void* bias, void* y, int batch, \
                            int channels, int length, int window, int type, int activation) {    \
    static RealFunction real(#name, kCudnn);                                                     \
    return CountCudnnCall<CudnnFirst::kStream>(                                                  \
        &real, shm::ApiId::name, __builtin_return_address(0),                                    \
        [=](const CallScope& call, const void*) {                                                \
          EmitCausal(call, {batch, channels, length, window, type}, 1);                          \
        },                                                                                       \
        stream, x, weight, bias, y, batch, channels, length, window, type, activation);          \
  }

#define FLOPSPROF_CAUSAL_BACKWARD(name)                                                          \
  FLOPSPROF_EXPORT int name(void* stream, void* x, void* weight, void* bias, void* dy, void* dx, \
                            void* dweight, void* dbias, int batch, int channels, int length,     \
                            int window, int type, int gradient_type, int activation) {           \
    static RealFunction real(#name, kCudnn);                                                     \
    return CountCudnnCall<CudnnFirst::kStream>(                                                  \
        &real, shm::ApiId::name, __builtin_return_address(0),                                    \
        [=](const CallScope& call, const void*) {                                                \
          EmitCausal(call, {batch, channels, length, window, type}, 2);                          \
        },                                                                                       \
        stream, x, weight, bias, dy, dx, dweight, dbias, batch, channels, length, window, type,  \
        gradient_type, activation);                                                              \
  }

FLOPSPROF_CAUSAL_FORWARD(cudnnCausalConv1dForward)
FLOPSPROF_CAUSAL_FORWARD(cudnnCausalConv1dNwhForward)
FLOPSPROF_CAUSAL_BACKWARD(cudnnCausalConv1dBackward)
FLOPSPROF_CAUSAL_BACKWARD(cudnnCausalConv1dNwhBackward)
