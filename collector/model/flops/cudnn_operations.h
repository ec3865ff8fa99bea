// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/model/flops/cudnn_graph.h"
#include "collector/model/flops/flops_cudnn.h"

namespace flopsprof::model {

// What one operation of a graph computes. Recomputation in graphs of single operations is not
// told apart here (FindRecomputedProduct).
CudnnOperation CountCudnnOperation(const CudnnNode& node, TensorCores tensor_cores);

}  // namespace flopsprof::model
