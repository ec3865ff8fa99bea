// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What graphs run after they were copied, nested and changed.
#include "client.h"

extern "C" void simgpu_set_conditional(cudaGraphConditionalHandle, const unsigned*, unsigned,
                                       cudaStream_t);

namespace simgpu_test {
namespace {

class Graphs {
 public:
  Graphs() { cudaStreamCreate(&stream); }
  cudaGraph_t Captured(int products) {
    return simgpu_test::Captured(stream, [&] { gemms.Many(products, stream); });
  }
  cudaGraphExec_t Executable(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    return exec;
  }
  // Kernels that one launch runs.
  size_t Runs(cudaGraphExec_t exec) {
    const size_t before = Ledger().size();
    EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
    return Ledger().size() - before;
  }
  static cudaGraphNode_t First(cudaGraph_t graph) {
    cudaGraphNode_t node = nullptr;
    size_t one = 1;
    cudaGraphGetNodes(graph, &node, &one);
    return node;
  }

  Gemms gemms;
  cudaStream_t stream;
};

SIM_TEST(Graphs, ClonesAndChildrenRunWhatTheyAreCopiesOf, "SIMGPU_LEDGER={folder}") {
  Graphs graphs;
  cudaGraph_t clone;
  cudaGraphNode_t node;
  const cudaGraph_t graph = graphs.Captured(2);
  ASSERT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  const cudaGraph_t parent = graphs.Captured(1);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, clone), cudaSuccess);
  EXPECT_EQ(graphs.Runs(graphs.Executable(parent)), 3u);
}

SIM_TEST(Graphs, AnUpdateWantsTheSameNodes, "SIMGPU_LEDGER={folder}") {
  Graphs graphs;
  cudaGraphExecUpdateResultInfo result;
  const cudaGraphExec_t exec = graphs.Executable(graphs.Captured(2));
  EXPECT_EQ(cudaGraphExecUpdate(exec, graphs.Captured(2), &result), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(exec, graphs.Captured(3), &result),
            cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(result.result, cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(graphs.Runs(exec), 2u);
}

SIM_TEST(Graphs, ANodeThatIsSwitchedOffDoesNotRun, "SIMGPU_LEDGER={folder}") {
  Graphs graphs;
  const cudaGraph_t graph = graphs.Captured(2);
  const cudaGraphExec_t exec = graphs.Executable(graph);
  ASSERT_EQ(cudaGraphNodeSetEnabled(exec, Graphs::First(graph), 0), cudaSuccess);
  EXPECT_EQ(graphs.Runs(exec), 1u);
  ASSERT_EQ(cudaGraphNodeSetEnabled(exec, Graphs::First(graph), 1), cudaSuccess);
  EXPECT_EQ(graphs.Runs(exec), 2u);
}

SIM_TEST(Graphs, ABodyRunsAsOftenAsItsKernelSays, "SIMGPU_LEDGER={folder}") {
  Graphs graphs;
  cudaGraph_t graph, body;
  cudaGraphNode_t node;
  cudaGraphConditionalHandle handle;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault),
            cudaSuccess);
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  ASSERT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(graphs.stream, parameters.conditional.phGraph_out[0],
                                          nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  graphs.gemms.One(graphs.stream);
  const unsigned values[] = {1, 1, 0};
  simgpu_set_conditional(handle, values, 3, graphs.stream);
  ASSERT_EQ(cudaStreamEndCapture(graphs.stream, &body), cudaSuccess);
  const cudaGraphExec_t exec = graphs.Executable(graph);
  EXPECT_EQ(graphs.Runs(exec), 6u);
  EXPECT_EQ(graphs.Runs(exec), 6u);
}

}  // namespace
}  // namespace simgpu_test
