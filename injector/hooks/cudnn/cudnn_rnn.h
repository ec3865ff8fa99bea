// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the hooks of the RNN calls of all cuDNN versions share.

#include <stdint.h>

#include "injector/hooks/call_scope.h"

namespace flopsprof::injector {

struct CudnnNetwork {
  int cell, direction, input_mode, data_type, math;
  int32_t input, hidden, projection, layers;
};

// Tokens (sum of the sequences' lengths), type and width of a cudnnRNNDataDescriptor_t.
bool ReadCudnnSequences(const void* caller, void* descriptor, int64_t* tokens, int* type,
                        int* width);

void EmitCudnnNetwork(const CallScope& call, const CudnnNetwork& network, int64_t tokens);

}  // namespace flopsprof::injector
