// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stream capture, graphs and executable graphs.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "streams.h"

namespace simgpu {

// Who captured a node; the ledger repeats it at each replay.
struct CaptureOrigin {
  std::string tag, call, shape;
};

struct Graph;

// The value that a conditional node looks at. Kernels set it (simgpu_set_conditional).
struct Condition {
  unsigned default_value = 0;
  bool reset_at_launch = false;
  std::atomic<unsigned> value{0};
};

struct Node {
  SimOp op;
  uint64_t id = 0;  // graph id << 32 | number in the graph
  CaptureOrigin origin;
  const Node* source = nullptr;  // copies: the node that was copied; may be gone
  bool enabled = true;
  // A child graph, or the bodies of a conditional node. Owned.
  std::vector<Graph*> inner;
  std::shared_ptr<Condition> condition;
  int condition_type = 0;
};

struct Graph {
  uint32_t id = 0;
  uint32_t next_number = 0;  // of nodes of children, where these are numbered here
  std::vector<Node*> nodes;
};

struct Exec {
  Graph graph;  // copies of the nodes, with ids of their own
};

Graph* NewGraph();
void DeleteNodes(Graph* graph);
// Appends copies of the nodes, with all that they hold, and tells of each. `outer`: the graph
// whose child `to` is, where nodes of children are numbered anew ("child_ids").
void CopyNodes(const Graph& from, Graph* to, Exec* exec, Graph* outer = nullptr);
// Gives the node its number in the graph.
void AppendNode(Graph* graph, Node* node);
void RunNodes(const Graph& graph, Stream* stream, SimOp* whole);
// A node with a copy of the graph.
Node* AddChild(Graph* graph, const Graph& child);
// Conditional nodes: what a launch begins with, and one's bodies.
void ResetConditions(const Graph& graph);
void RunConditional(const Node& node, Stream* stream, SimOp* whole);
void Tell(const SimGraphEvent& event);

// Appends an operation to the graph that the stream captures into.
void CaptureOperation(SimOp& op, Stream* stream);

}  // namespace simgpu
