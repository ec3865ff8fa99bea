// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What happens to graphs beside capture, instantiation and launch: copies, child graphs,
// conditional nodes, changes of executables.
#include <cstring>
#include <map>

#include "faults.h"
#include "graphs.h"
#include "thread_state.h"

namespace simgpu {
namespace {

constexpr int kGraphNodeCreated = 13;  // CUpti_CallbackIdResource

enum { kIf, kWhile, kSwitch };

struct Conditions {
  std::mutex mutex;
  std::map<unsigned long long, std::shared_ptr<Condition>> by_handle;
};

Conditions& GetConditions() {
  static Conditions& conditions = *new Conditions;
  return conditions;
}

std::shared_ptr<Condition> FindCondition(unsigned long long handle) {
  Conditions& all = GetConditions();
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.by_handle.find(handle);
  return found == all.by_handle.end() ? nullptr : found->second;
}

Node* AddNode(Graph* graph, int kind) {
  auto* node = new Node;
  node->op.kind = kind;
  AppendNode(graph, node);
  Tell({kGraphNodeCreated, graph, nullptr, node, nullptr, nullptr, kind});
  return node;
}

Node* FindCopy(void* exec, const void* source) {
  for (Node* node : static_cast<Exec*>(exec)->graph.nodes) {
    if (node->source == source) return node;
  }
  return nullptr;
}

bool SameNodes(const Graph& a, const Graph& b) {
  if (a.nodes.size() != b.nodes.size()) return false;
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const Node &x = *a.nodes[i], &y = *b.nodes[i];
    if (x.op.kind != y.op.kind || x.inner.size() != y.inner.size()) return false;
    for (size_t j = 0; j < x.inner.size(); ++j) {
      if (!SameNodes(*x.inner[j], *y.inner[j])) return false;
    }
  }
  return true;
}

// The nodes keep their ids, as an executable keeps its own.
void TakeOver(const Graph& from, Graph* to) {
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    const Node& source = *from.nodes[i];
    Node* node = to->nodes[i];
    if (GetFaults().update_renumbers) {
      NoteStruck("update_renumbers");
      constexpr uint64_t kElsewhere = 5000;
      node->id += kElsewhere;
    }
    const uint32_t graph_id = node->op.graphId;
    node->op = source.op;
    node->op.graphId = graph_id;
    node->op.nodeId = node->id;
    node->origin = source.origin;
    node->source = &source;
    for (size_t j = 0; j < source.inner.size(); ++j) TakeOver(*source.inner[j], node->inner[j]);
  }
}

}  // namespace

Node* AddChild(Graph* graph, const Graph& child) {
  Node* node = AddNode(graph, OP_CHILD);
  node->inner.push_back(NewGraph());
  // Numbered anew already here: from 1000 on, in the copy that the node holds.
  constexpr uint32_t kFirstNumber = 1000;
  Graph* const copy = node->inner[0];
  copy->next_number = kFirstNumber;
  CopyNodes(child, copy, nullptr, GetFaults().child_ids == ChildIds::kKept ? nullptr : copy);
  return node;
}

void ResetConditions(const Graph& graph) {
  for (const Node* node : graph.nodes) {
    if (node->condition && node->condition->reset_at_launch) {
      node->condition->value = node->condition->default_value;
    }
    for (const Graph* inner : node->inner) ResetConditions(*inner);
  }
}

void RunConditional(const Node& node, Stream* stream, SimOp* whole) {
  const std::vector<Graph*>& bodies = node.inner;
  const std::atomic<unsigned>& value = node.condition->value;
  if (node.condition_type == kWhile) {
    while (value != 0) RunNodes(*bodies[0], stream, whole);
    return;
  }
  const size_t body = node.condition_type == kSwitch ? value.load() : (value != 0 ? 0 : 1);
  if (body < bodies.size()) RunNodes(*bodies[body], stream, whole);
}

}  // namespace simgpu

using simgpu::Exec;
using simgpu::Graph;
using simgpu::Node;

void* sim_graph_add_child(void* graph, void* child) {
  return simgpu::AddChild(static_cast<Graph*>(graph), *static_cast<Graph*>(child));
}

void* sim_graph_clone(void* graph) {
  Graph* clone = simgpu::NewGraph();
  simgpu::CopyNodes(*static_cast<Graph*>(graph), clone, nullptr);
  return clone;
}

void sim_graph_add_kernel(void* graph, const char* name, unsigned blocks, unsigned threads,
                          double flops, double bytes) {
  auto* node = new Node;
  node->op.name = strdup(name);
  node->op.g[0] = blocks;
  node->op.b[0] = threads;
  node->op.flops = flops;
  node->op.mbytes = bytes;
  const simgpu::ThreadState& thread = simgpu::Thread();
  node->origin = {thread.tag, sim_call_name(), thread.call ? thread.shape : ""};
  auto* to = static_cast<Graph*>(graph);
  simgpu::AppendNode(to, node);
  simgpu::Tell({simgpu::kGraphNodeCreated, to, nullptr, node, nullptr, nullptr, OP_KERNEL});
}

int sim_graph_exec_update(void* exec, void* graph) {
  auto* to = &static_cast<Exec*>(exec)->graph;
  const auto& from = *static_cast<Graph*>(graph);
  if (!simgpu::SameNodes(from, *to)) return 1;
  simgpu::TakeOver(from, to);
  return 0;
}

int sim_graph_exec_set_grid(void* exec, void* source, const unsigned grid[3], const char* name) {
  Node* node = simgpu::FindCopy(exec, source);
  if (!node || node->op.kind != OP_KERNEL) return 1;
  memcpy(node->op.g, grid, sizeof node->op.g);
  node->op.name = name;
  return 0;
}

int sim_graph_exec_set_child(void* exec, void* source, void* child) {
  Node* node = simgpu::FindCopy(exec, source);
  const auto& from = *static_cast<Graph*>(child);
  if (!node || node->op.kind != OP_CHILD || !simgpu::SameNodes(from, *node->inner[0])) return 1;
  simgpu::TakeOver(from, node->inner[0]);
  return 0;
}

int sim_graph_exec_set_enabled(void* exec, void* source, int enabled) {
  Node* node = simgpu::FindCopy(exec, source);
  if (!node || node->op.kind > OP_MEMSET) return 1;
  node->enabled = enabled != 0;
  return 0;
}

int sim_graph_exec_enabled(void* exec, void* source, unsigned* enabled) {
  const Node* node = simgpu::FindCopy(exec, source);
  if (!node) return 1;
  *enabled = node->enabled;
  return 0;
}

const SimOp* sim_node_op(void* node) { return &static_cast<Node*>(node)->op; }
void* sim_node_child(void* node) { return static_cast<Node*>(node)->inner[0]; }

unsigned long long sim_condition_new(unsigned value, unsigned flags) {
  constexpr unsigned kAssignDefault = 1;  // cudaGraphCondAssignDefault
  auto condition = std::make_shared<simgpu::Condition>();
  condition->default_value = value;
  condition->reset_at_launch = flags & kAssignDefault;
  condition->value = value;
  simgpu::Conditions& all = simgpu::GetConditions();
  std::lock_guard<std::mutex> lock(all.mutex);
  const unsigned long long handle = all.by_handle.size() + 1;
  all.by_handle[handle] = std::move(condition);
  return handle;
}

void* sim_graph_add_conditional(void* handle_of_graph, unsigned long long handle, int type,
                                unsigned bodies, void*** graphs) {
  const std::shared_ptr<simgpu::Condition> condition = simgpu::FindCondition(handle);
  if (!condition || bodies == 0) return nullptr;
  Node* node = simgpu::AddNode(static_cast<Graph*>(handle_of_graph), OP_CONDITIONAL);
  node->condition = condition;
  node->condition_type = type;
  for (unsigned i = 0; i < bodies; ++i) node->inner.push_back(simgpu::NewGraph());
  *graphs = reinterpret_cast<void**>(node->inner.data());
  return node;
}

void sim_condition_set(unsigned long long handle, unsigned value) {
  if (const auto condition = simgpu::FindCondition(handle)) condition->value = value;
}
