// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nccl.h>

#include <cstddef>

namespace sim::nccl {

size_t ElementBytes(ncclDataType_t type);
// As in the names of NCCL's kernels: f32, bf16, i64 …
const char* TypeName(ncclDataType_t type);

// One element as a number; 1 for fp8.
double ToDouble(const char* element, ncclDataType_t type);

struct Reduction {
  enum class Kind { kSum, kProduct, kMax, kMin, kAverage };
  Kind kind = Kind::kSum;
  double factor = 1;  // multiplied to every contribution (pre-multiplied sum)
};

// Reduces `count` elements of `ranks` arrays, in order of rank, into `result`, which may be one
// of them. Half-width types are reduced in float, as NCCL does step by step; fp8 types, which no
// host type represents, are left alone: the first array is copied.
struct ReductionInput {
  const char* const* arrays;
  int ranks;
  size_t count;
  ncclDataType_t type;
};
void Reduce(const Reduction& reduction, const ReductionInput& input, char* result);

}  // namespace sim::nccl
