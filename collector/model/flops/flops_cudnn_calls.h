// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work of cuDNN's older calls (RNN, convolution, multi-head attention) from the sizes that their
// descriptors gave; what the sizes mean: proto/shm/cudnn_variants.h.

#include <optional>
#include <string>

#include "collector/model/flops/flop_count.h"
#include "proto/shm/records.h"

namespace flopsprof::model {

// Whether the call is one of them.
bool IsOlderCudnnCall(uint16_t api);

// nullopt: a size is negative or absurd, or the type is not known.
std::optional<FlopCount> OlderCudnnFlops(const shm::LibraryCall& call);

// "lstm tokens=800 input=128 hidden=256 layers=2 type=f32".
std::string OlderCudnnShape(const shm::LibraryCall& call);

// As CudnnComputeType: cuDNN may run fp32 as TF32 unless the descriptor asks for plain
// multiply-adds.
std::string OlderCudnnComputeType(const shm::LibraryCall& call);

}  // namespace flopsprof::model
