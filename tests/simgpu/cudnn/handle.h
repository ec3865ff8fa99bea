// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace sim::cudnn {

// What a cudnnHandle_t points to. The real library has no part in it: it makes handles only
// on a device.
struct HandleState {
  void* graph = nullptr;  // of the call that is being made into one
  cudaStream_t stream = nullptr;
};

inline HandleState* ToHandleState(cudnnHandle_t handle) {
  return reinterpret_cast<HandleState*>(handle);
}

// Gives the arguments of the call to ledger and call log.
void NoteCall(const HandleState& handle, const char* shape);

// A kernel on the simulated timeline. Closed libraries name their kernels as they like, so
// names made here ("sim_cudnn_…") say nothing about real ones.
struct Kernel {
  const char* name;
  unsigned blocks = 1;
  double flop_count = 0;
  double bytes = 0;
};
// Where the handle has a graph, the kernel becomes a node of it, and nothing runs.
void Launch(const HandleState& handle, const Kernel& kernel);

}  // namespace sim::cudnn
