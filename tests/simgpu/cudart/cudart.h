// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the sources of the stand-in libcudart share.
#include <cuda_runtime_api.h>

#include "simcore.h"

namespace simgpu {

// The error that cudaGetLastError returns; per thread.
cudaError_t SetLastError(cudaError_t error);

// The kernel that a host function stands for, or null.
SimFn* FindFunction(const void* host_function);

}  // namespace simgpu
