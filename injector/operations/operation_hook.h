// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a hook of a PyTorch operation is made of. The hooks stand in front of the functions of
// libtorch_cuda that PyTorch's dispatcher calls for its operations on a GPU: whoever asks for one,
// Python, C++, a backward node or compiled code, ends there, tensors are real and sizes are final.
// Every other operation costs nothing.
//
// A function's symbol holds the types of its arguments, so that a PyTorch with other arguments
// does not meet a hook that would misread them: there the operation stays unknown. What the
// symbol does not hold is the result: all of these return tensors or tuples of tensors, through
// memory that `result` points to.
//
// For files that hold nothing but hooks, which are outside of any namespace.

#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/loader/real_function.h"
#include "injector/operations/operation_scope.h"
#include "injector/operations/tensor_reader.h"

// Once in each hook: names the function of operation_unwind.cc as the personality of the frame
// (0x1b: relative to the place, four bytes).
#define FLOPSPROF_UNWINDS __asm__ volatile(".cfi_personality 0x1b, flopsprof_operation_unwinds")

// A hook by the mangled name of its function. Never inlined: its frame is what unwinds.
#define FLOPSPROF_OPERATION(function, symbol, ...)                                  \
  extern "C" __attribute__((visibility("default"), used, noinline)) void* function( \
      __VA_ARGS__) __asm__(symbol);                                                 \
  void* function(__VA_ARGS__)

// What every hook does: `describe` fills the record in, `...` are the arguments.
#define FLOPSPROF_RUN(function, symbol, id, describe, ...)                                \
  FLOPSPROF_UNWINDS;                                                                      \
  static RealFunction real(symbol, kLibraryOfOperations);                                 \
  const void* caller = __builtin_return_address(0);                                       \
  auto* const real_function = reinterpret_cast<decltype(&function)>(real.Enter(&caller)); \
  OperationScope operation(OperationId::id);                                              \
  if (operation.counted()) {                                                              \
    describe;                                                                             \
  }                                                                                       \
  void* const returned = real_function(__VA_ARGS__);                                      \
  operation.End();                                                                        \
  return returned

namespace flopsprof::injector {

constexpr const char* kLibraryOfOperations = "libtorch_cuda.so";

// Marks the operation where its stream, on the device of `tensor`, is captured into a graph.
inline void AskCapture(OperationScope* operation, TensorRef tensor) {
  Capture capture;
  if (TensorReader::Get().IsCaptured(tensor, &capture)) operation->SetCaptured(capture);
}

// std::optional of a number: passed by value as the same struct is.
struct OptionalInt {
  int64_t value;
  bool has;
};
struct OptionalDouble {
  double value;
  bool has;
};
struct OptionalType {
  int8_t value;
  bool has;
};

}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: hooks are outside of any namespace
using flopsprof::shm::OperationId;    // NOLINT
