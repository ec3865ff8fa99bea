// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "handle.h"

#include <cstdio>

#include "real_cudnn.h"
#include "sim.h"
#include "simcore.h"

using namespace sim::cudnn;  // NOLINT: the entry points below are C functions

namespace sim::cudnn {

void Launch(const HandleState& handle, const Kernel& kernel) {
  constexpr unsigned kThreads = 256;
  constexpr int kDriver = 1;  // cuDNN launches through cuLaunchKernelEx
  const unsigned blocks = kernel.blocks > 0 ? kernel.blocks : 1;
  if (handle.graph) {
    sim_graph_add_kernel(handle.graph, kernel.name, blocks, kThreads, kernel.flop_count,
                         kernel.bytes);
    return;
  }
  sim_launch_lib(kernel.name, handle.stream, blocks, 1, 1, kThreads, kernel.flop_count,
                 kernel.bytes, kDriver);
}

void NoteCall(const HandleState& handle, const char* shape) {
  sim_call_shape(shape);
  sim_log_call("%s %s stream=%u", sim_call_name(), shape, sim_stream_id(handle.stream));
}

}  // namespace sim::cudnn

API cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  *handle = reinterpret_cast<cudnnHandle_t>(new HandleState);
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete ToHandleState(handle);
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  ToHandleState(handle)->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr || stream == nullptr) return CUDNN_STATUS_BAD_PARAM;
  *stream = ToHandleState(handle)->stream;
  return CUDNN_STATUS_SUCCESS;
}

// Versions are those of the headers of the wheel that the stand-in is built for, so that
// asking for them does not load the real library (a test compares them with its answers).
API size_t cudnnGetVersion() { return CUDNN_VERSION; }
API size_t cudnnGetMaxDeviceVersion() { return 1210; }

API cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int* value) {
  switch (type) {
    case MAJOR_VERSION:
      *value = CUDNN_MAJOR;
      return CUDNN_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = CUDNN_MINOR;
      return CUDNN_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = CUDNN_PATCHLEVEL;
      return CUDNN_STATUS_SUCCESS;
    default:
      return CUDNN_STATUS_INVALID_VALUE;
  }
}

API size_t cudnnGetCudartVersion() {
  auto* real = reinterpret_cast<size_t (*)()>(FindReal("cudnnGetCudartVersion"));
  return real != nullptr ? real() : CUDART_VERSION;
}

API const char* cudnnGetErrorString(cudnnStatus_t status) {
  auto* real = reinterpret_cast<const char* (*)(cudnnStatus_t)>(FindReal("cudnnGetErrorString"));
  return real != nullptr ? real(status) : "CUDNN_STATUS (no real library)";
}

API void cudnnGetLastErrorString(char* message, size_t max_size) {
  auto* real = reinterpret_cast<void (*)(char*, size_t)>(FindReal("cudnnGetLastErrorString"));
  if (real != nullptr) {
    real(message, max_size);
  } else if (max_size > 0) {
    message[0] = '\0';
  }
}
