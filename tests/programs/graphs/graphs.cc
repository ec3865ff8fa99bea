// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// CUDA graphs as programs without PyTorch build and change them, around products of m x 2 x 3. The
// numbers are worked out in tests/integration/graph_changes_test.py.
//
//   graphs WAY
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

// Of the stand-in: a kernel that sets a conditional handle to the values in turn.
extern "C" void simgpu_set_conditional(cudaGraphConditionalHandle handle, const unsigned* values,
                                       unsigned count, cudaStream_t stream);

namespace {

constexpr int kReplays = 100;

cublasHandle_t handle;
cudaStream_t stream;
float* memory;

void Must(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: status %d\n", what, status);
  std::exit(1);
}
#define MUST(call) Must(static_cast<int>(call), #call)

void Product(int m) {
  const float one = 1, zero = 0;
  MUST(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 2, 3, &one, memory, m, memory, 3, &zero,
                   memory, m));
}

template <class Work>
cudaGraph_t Captured(Work work) {
  cudaGraph_t graph;
  MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  work();
  MUST(cudaStreamEndCapture(stream, &graph));
  return graph;
}
cudaGraph_t Captured(int m) {
  return Captured([m] { Product(m); });
}

template <class Work>
void CaptureInto(cudaGraph_t graph, Work work) {
  cudaGraph_t same;
  MUST(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeRelaxed));
  work();
  MUST(cudaStreamEndCapture(stream, &same));
}

cudaGraphExec_t Executable(cudaGraph_t graph) {
  cudaGraphExec_t executable;
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

void Replay(cudaGraphExec_t executable, int times = kReplays) {
  for (int i = 0; i < times; i++) MUST(cudaGraphLaunch(executable, stream));
}

cudaGraphNode_t FirstNode(cudaGraph_t graph) {
  cudaGraphNode_t node;
  size_t one = 1;
  MUST(cudaGraphGetNodes(graph, &node, &one));
  return node;
}

void Clone() {
  cudaGraph_t clone, again;
  const cudaGraph_t graph = Captured(10);
  MUST(cudaGraphClone(&clone, graph));
  MUST(cudaGraphDestroy(graph));
  MUST(cudaGraphClone(&again, clone));
  Replay(Executable(again));
}

void Child() {
  cudaGraphNode_t node;
  const cudaGraph_t child = Captured(10);
  const cudaGraph_t middle = Captured(20);
  MUST(cudaGraphAddChildGraphNode(&node, middle, nullptr, 0, child));
  MUST(cudaGraphAddChildGraphNode(&node, middle, nullptr, 0, child));
  const cudaGraph_t graph = Captured(30);
  MUST(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, middle));
  Replay(Executable(graph));
}

void ChildByParameters() {
  cudaGraphNode_t node;
  const cudaGraph_t graph = Captured(20);
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeGraph;
  parameters.graph.graph = Captured(10);
  MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
  Replay(Executable(graph));
}

void IntoCapture() {
  const cudaGraphExec_t inner = Executable(Captured(10));
  Replay(Executable(Captured([inner] {
    Product(20);
    MUST(cudaGraphLaunch(inner, stream));
  })));
}

void IntoGraph() {
  cudaGraph_t graph;
  MUST(cudaGraphCreate(&graph, 0));
  CaptureInto(graph, [] { Product(10); });
  CaptureInto(graph, [] { Product(20); });
  Replay(Executable(graph));
}

void Update() {
  cudaGraphExecUpdateResultInfo result;
  const cudaGraphExec_t executable = Executable(Captured(10));
  Replay(executable);
  MUST(cudaGraphExecUpdate(executable, Captured(20), &result));
  Replay(executable);
  // Refused: it stays as it is.
  const cudaGraph_t longer = Captured([] {
    Product(30);
    Product(30);
  });
  if (cudaGraphExecUpdate(executable, longer, &result) == cudaSuccess) std::exit(2);
  Replay(executable);
}

// Faster than anybody reads of them.
void ManyUpdates() {
  const cudaGraphExec_t executable = Executable(Captured(1));
  for (int m = 2; m <= 60; m++) {
    const cudaGraph_t graph = Captured(m);
    MUST(cudaGraphExecUpdate(executable, graph, nullptr));
    MUST(cudaGraphDestroy(graph));
    Replay(executable, 2);
  }
}

void SetParameters() {
  const cudaGraph_t graph = Captured(10);
  const cudaGraphExec_t executable = Executable(graph);
  Replay(executable);
  cudaKernelNodeParams parameters;
  MUST(cudaGraphKernelNodeGetParams(FirstNode(graph), &parameters));
  parameters.gridDim.x *= 2;
  MUST(cudaGraphExecKernelNodeSetParams(executable, FirstNode(graph), &parameters));
  Replay(executable);
}

void SwitchedOff() {
  const cudaGraph_t graph = Captured([] {
    Product(10);
    Product(20);
  });
  const cudaGraphExec_t executable = Executable(graph);
  Replay(executable);
  MUST(cudaGraphNodeSetEnabled(executable, FirstNode(graph), 0));
  Replay(executable);
}

void ChangedChild() {
  cudaGraphNode_t node;
  cudaGraph_t graph;
  MUST(cudaGraphCreate(&graph, 0));
  MUST(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, Captured(10)));
  const cudaGraphExec_t executable = Executable(graph);
  Replay(executable);
  MUST(cudaGraphExecChildGraphNodeSetParams(executable, node, Captured(20)));
  Replay(executable);
}

// A product of 10 before, one of 20 in the body.
void Conditional(cudaGraphConditionalNodeType type, const std::vector<unsigned>& values) {
  const auto count = static_cast<unsigned>(values.size());
  cudaGraph_t graph;
  cudaGraphConditionalHandle condition;
  MUST(cudaGraphCreate(&graph, 0));
  MUST(cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault));
  CaptureInto(graph, [&] {
    Product(10);
    if (type == cudaGraphCondTypeIf) {
      simgpu_set_conditional(condition, values.data(), count, stream);
    }
  });
  cudaGraphNode_t node;
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = condition;
  parameters.conditional.type = type;
  parameters.conditional.size = 1;
  MUST(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
  CaptureInto(parameters.conditional.phGraph_out[0], [&] {
    Product(20);
    if (type == cudaGraphCondTypeWhile) {
      simgpu_set_conditional(condition, values.data(), count, stream);
    }
  });
  Replay(Executable(graph));
}

void Threads() {
  const cudaGraphExec_t executable = Executable(Captured(10));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([executable] {
      cudaStream_t own;
      MUST(cudaStreamCreate(&own));
      for (int j = 0; j < kReplays / 4; j++) MUST(cudaGraphLaunch(executable, own));
      MUST(cudaStreamSynchronize(own));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void EndedElsewhere() {
  cudaGraph_t graph;
  MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  Product(10);
  std::thread([&graph] { MUST(cudaStreamEndCapture(stream, &graph)); }).join();
  Product(20);  // not captured
  Replay(Executable(graph));
}

// Addresses of graphs and executables come again and again.
void ManyGraphs() {
  for (int i = 0; i < 600; i++) {  // fewer records than a ring holds
    const cudaGraph_t graph = Captured(10);
    const cudaGraphExec_t executable = Executable(graph);
    MUST(cudaGraphDestroy(graph));
    Replay(executable, 1);
    MUST(cudaGraphExecDestroy(executable));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  const auto is = [way](const char* name) { return std::strcmp(way, name) == 0; };
  MUST(cudaMalloc(reinterpret_cast<void**>(&memory), 1 << 16));
  MUST(cudaStreamCreate(&stream));
  MUST(cublasCreate(&handle));
  MUST(cublasSetStream(handle, stream));
  if (is("clone")) Clone();
  if (is("child")) Child();
  if (is("child_by_parameters")) ChildByParameters();
  if (is("into_capture")) IntoCapture();
  if (is("into_graph")) IntoGraph();
  if (is("update")) Update();
  if (is("many_updates")) ManyUpdates();
  if (is("set_parameters")) SetParameters();
  if (is("switched_off")) SwitchedOff();
  if (is("changed_child")) ChangedChild();
  if (is("if")) Conditional(cudaGraphCondTypeIf, {1, 0});
  if (is("while")) Conditional(cudaGraphCondTypeWhile, {1, 1, 0});
  if (is("threads")) Threads();
  if (is("ended_elsewhere")) EndedElsewhere();
  if (is("many_graphs")) ManyGraphs();
  MUST(cudaDeviceSynchronize());
  std::printf("done\n");
}
