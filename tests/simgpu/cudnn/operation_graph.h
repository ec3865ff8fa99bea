// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend_descriptor.h"

namespace sim::cudnn {

// How one operation type names its tensors: the attribute that holds each, and the key under
// which the real library's plan JSON lists it.
struct TensorRole {
  int attribute;
  const char* key;
};
struct OperationType {
  cudnnBackendDescriptorType_t type;
  const char* name;        // as in the plan JSON: the enumerator of cudnn_graph.h
  const char* short_name;  // for kernel names
  std::vector<TensorRole> tensors;
};
// Null for an operation whose tensors nobody here needs.
const OperationType* FindOperationType(cudnnBackendDescriptorType_t type);

// What running a graph costs on the simulated timeline. It sets durations only: no profiler
// sees it, and nothing is computed.
struct GraphCost {
  std::string name;
  // Every known operation with the dimensions of its tensors, for ledger and call log:
  // "conv_fwd X=8x3x32x32 W=6x3x5x5 Y=8x6x28x28".
  std::string shape;
  double flop_count = 0;
  double bytes = 0;
  unsigned blocks = 1;
};
GraphCost CostOf(const Descriptor& graph);

// The dimensions of a tensor descriptor, empty for null.
std::vector<int64_t> Dimensions(const DescriptorPtr& tensor);

}  // namespace sim::cudnn
