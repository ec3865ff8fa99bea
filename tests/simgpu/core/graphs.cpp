// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "graphs.h"

#include "faults.h"
#include "ledger.h"
#include "thread_state.h"

namespace simgpu {
namespace {

// CUpti_CallbackIdResource.
enum {
  kGraphCreated = 9,
  kGraphDestroyStarting = 10,
  kGraphNodeCreated = 13,
  kGraphExecCreated = 18,
  kGraphExecDestroyStarting = 19,
  kGraphNodeCloned = 20,
};

// Graphs and executable graphs draw from one counter, as the driver's do.
std::atomic<uint32_t> g_graph_ids{0};
std::atomic<unsigned long long> g_capture_ids{0};

uint64_t NodeId(uint32_t graph, size_t index) {
  return static_cast<uint64_t>(graph) << 32 | static_cast<uint32_t>(index);
}

}  // namespace

void Tell(const SimGraphEvent& event) {
  if (SimSink* sink = sim_sink) sink->graph(&event);
}

Graph* NewGraph() {
  auto* graph = new Graph;
  graph->id = ++g_graph_ids;
  Tell({kGraphCreated, graph, nullptr, nullptr, nullptr, nullptr, 0});
  return graph;
}

void DeleteNodes(Graph* graph) {
  for (Node* node : graph->nodes) {
    for (Graph* inner : node->inner) {
      DeleteNodes(inner);
      delete inner;
    }
    delete node;
  }
  graph->nodes.clear();
}

void AppendNode(Graph* graph, Node* node) {
  node->id = NodeId(graph->id, graph->nodes.size());
  node->op.graphId = graph->id;
  node->op.nodeId = node->id;
  graph->nodes.push_back(node);
}

void CopyNodes(const Graph& from, Graph* to, Exec* exec, Graph* outer) {
  const ChildIds ids = GetFaults().child_ids;
  if (!outer) to->next_number = static_cast<uint32_t>(from.nodes.size());
  for (Node* node : from.nodes) {
    auto* copy = new Node(*node);
    copy->source = node;
    copy->inner.clear();
    AppendNode(to, copy);
    if (outer) {
      NoteStruck("child_ids");
      copy->id = copy->op.nodeId = NodeId(outer->id, outer->next_number++);
      copy->op.graphId = outer->id;
    }
    if (!outer || ids != ChildIds::kUntold) {
      Tell({kGraphNodeCloned, to, const_cast<Graph*>(&from), copy, node, exec, copy->op.kind});
    }
    for (const Graph* inner : node->inner) {
      auto* own = new Graph;
      own->id = ++g_graph_ids;
      copy->inner.push_back(own);
      Graph* const numbering = outer ? outer : to;
      CopyNodes(*inner, own, exec, ids == ChildIds::kKept ? nullptr : numbering);
    }
  }
}

void CaptureOperation(SimOp& op, Stream* stream) {
  op.dev = stream->dev;
  op.stream = stream->id;
  auto* node = new Node;
  Graph* graph = stream->capture;
  const ThreadState& thread = Thread();
  node->origin = {thread.tag, sim_call_name(), thread.call ? thread.shape : ""};
  node->op = op;
  {
    std::lock_guard<std::mutex> lock(StreamsMutex());
    AppendNode(graph, node);
    op.graphId = graph->id;
    op.nodeId = node->id;
  }
  if (op.kind != OP_HOST) {
    op.ordinal = NextOrdinal();
    WriteCaptured(op);
  }
  Tell({kGraphNodeCreated, graph, nullptr, node, nullptr, nullptr, op.kind});
}

void RunNodes(const Graph& graph, Stream* stream, SimOp* whole) {
  constexpr uint64_t kGraphLatencyNs = 5000;
  for (const Node* node : graph.nodes) {
    if (!node->enabled) continue;
    if (node->op.kind == OP_CHILD) {
      RunNodes(*node->inner[0], stream, whole);
    } else if (node->op.kind == OP_CONDITIONAL) {
      RunConditional(*node, stream, whole);
    } else {
      SimOp op = node->op;
      op.corr = whole->corr;
      Execute(op, stream, kGraphLatencyNs, &node->origin);
      if (op.kind == OP_HOST) continue;
      if (!whole->start) whole->start = op.start;
      whole->end = op.end;
    }
  }
}

}  // namespace simgpu

using simgpu::Exec;
using simgpu::FindStream;
using simgpu::Graph;
using simgpu::Node;
using simgpu::Stream;

void* sim_graph_new() { return simgpu::NewGraph(); }

int sim_capture_begin(void* s, void* graph) {
  Stream* stream = FindStream(s);
  if (stream->capture) return 1;
  stream->capture_id = ++simgpu::g_capture_ids;
  stream->origin = true;
  stream->capture = graph ? static_cast<Graph*>(graph) : simgpu::NewGraph();
  return 0;
}

int sim_capture_end(void* s, void** graph) {
  Stream* stream = FindStream(s);
  if (!stream->capture || !stream->origin) return 1;
  Graph* capture = stream->capture;
  *graph = capture;
  std::lock_guard<std::mutex> lock(simgpu::StreamsMutex());
  for (Stream* other : simgpu::AllStreams()) {
    if (other->capture != capture) continue;
    other->capture = nullptr;
    other->origin = false;
    other->capture_id = 0;
  }
  return 0;
}

bool sim_any_capture() {
  std::lock_guard<std::mutex> lock(simgpu::StreamsMutex());
  for (const Stream* stream : simgpu::AllStreams()) {
    if (stream->capture) return true;
  }
  return false;
}

int sim_capture_status(void* s, unsigned long long* id, void** graph) {
  Stream* stream = FindStream(s);
  if (id) *id = stream->capture_id;
  if (graph) *graph = stream->capture;
  return stream->capture ? 1 : 0;
}

void* sim_capture_graph(void* s) { return FindStream(s)->capture; }

void sim_capture_join(void* s, void* graph) {
  Stream* stream = FindStream(s);
  if (stream->capture || !graph) return;
  std::lock_guard<std::mutex> lock(simgpu::StreamsMutex());
  for (Stream* other : simgpu::AllStreams()) {
    if (other->capture == graph && other->origin) {
      stream->capture_id = other->capture_id;
      stream->capture = static_cast<Graph*>(graph);
    }
  }
}

void sim_graph_free(void* handle) {
  auto* graph = static_cast<Graph*>(handle);
  if (!graph) return;
  simgpu::Tell({simgpu::kGraphDestroyStarting, graph, nullptr, nullptr, nullptr, nullptr, 0});
  simgpu::DeleteNodes(graph);
  delete graph;
}

size_t sim_graph_size(void* graph) { return static_cast<Graph*>(graph)->nodes.size(); }

void sim_graph_node(void* graph, size_t index, void** node) {
  *node = static_cast<Graph*>(graph)->nodes[index];
}

void* sim_graph_instantiate(void* handle) {
  auto* graph = static_cast<Graph*>(handle);
  auto* exec = new Exec;
  exec->graph.id = ++simgpu::g_graph_ids;
  simgpu::CopyNodes(*graph, &exec->graph, exec);
  simgpu::Tell({simgpu::kGraphExecCreated, graph, nullptr, nullptr, nullptr, exec, 0});
  return exec;
}

void sim_graph_exec_free(void* handle) {
  auto* exec = static_cast<Exec*>(handle);
  if (!exec) return;
  simgpu::Tell({simgpu::kGraphExecDestroyStarting, nullptr, nullptr, nullptr, nullptr, exec, 0});
  simgpu::DeleteNodes(&exec->graph);
  delete exec;
}

void sim_graph_launch(void* handle, void* s) {
  auto* exec = static_cast<Exec*>(handle);
  Stream* stream = FindStream(s);
  if (stream->capture) {
    simgpu::AddChild(stream->capture, exec->graph);
    return;
  }
  simgpu::ResetConditions(exec->graph);
  SimOp whole;
  whole.kind = OP_GRAPH;
  whole.corr = sim_cur_corr();
  whole.graphId = exec->graph.id;
  whole.dev = stream->dev;
  whole.stream = stream->id;
  simgpu::RunNodes(exec->graph, stream, &whole);
  if (SimSink* sink = sim_sink) sink->op(&whole);
}

uint32_t sim_graph_id(void* graph) { return static_cast<Graph*>(graph)->id; }
uint64_t sim_node_id(void* node) { return static_cast<Node*>(node)->id; }
uint32_t sim_graph_exec_id(void* exec) { return static_cast<Exec*>(exec)->graph.id; }
