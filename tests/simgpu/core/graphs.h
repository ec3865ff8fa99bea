// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stream capture, graphs and executable graphs.
#include <string>
#include <vector>

#include "streams.h"

namespace simgpu {

// Who captured a node; the ledger repeats it at each replay.
struct CaptureOrigin {
  std::string tag, call, shape;
};

struct Node {
  SimOp op;
  uint64_t id = 0;  // graph id << 32 | number in the graph
  CaptureOrigin origin;
};

struct Graph {
  uint32_t id = 0;
  std::vector<Node*> nodes;
};

// Appends an operation to the graph that the stream captures into.
void CaptureOperation(SimOp& op, Stream* stream);

}  // namespace simgpu
