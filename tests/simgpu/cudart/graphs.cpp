// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Stream capture, graphs and executable graphs.
#include <cupti_driver_cbid.h>

#include <atomic>
#include <memory>
#include <vector>

#include "cudart.h"
#include "meta_compat.h"
#include "nested.h"

// ---- Capture ----

static cudaStreamCaptureStatus Status(int capturing) {
  return capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return sim_capture_begin(stream, nullptr) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return sim_capture_end(stream, reinterpret_cast<void**>(graph))
             ? cudaErrorStreamCaptureInvalidated
             : cudaSuccess;
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = Status(sim_capture_status(stream, nullptr, nullptr));
  return cudaSuccess;
}

static void CaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                        unsigned long long* id, cudaGraph_t* graph,
                        const cudaGraphNode_t** dependencies, size_t* count) {
  *status = Status(sim_capture_status(stream, id, reinterpret_cast<void**>(graph)));
  if (dependencies) *dependencies = nullptr;
  if (count) *count = 0;
}
#if CUDART_VERSION < 13000
// A macro of the header makes this cudaStreamGetCaptureInfo_v2.
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                         unsigned long long* id, cudaGraph_t* graph,
                                         const cudaGraphNode_t** dependencies, size_t* count) {
  CaptureInfo(stream, status, id, graph, dependencies, count);
  return cudaSuccess;
}
#endif
#if CUDART_VERSION >= 12030
#if CUDART_VERSION < 13000
API cudaError_t cudaStreamGetCaptureInfo_v3(
#else
API cudaError_t cudaStreamGetCaptureInfo(
#endif
    cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
    cudaGraph_t* graph, const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
    size_t* count) {
  CaptureInfo(stream, status, id, graph, dependencies, count);
  if (edges) *edges = nullptr;
  return cudaSuccess;
}
#endif

// ---- Graphs ----

API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = static_cast<cudaGraph_t>(sim_graph_new());
  return cudaSuccess;
}
API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  sim_graph_free(graph);
  return cudaSuccess;
}
API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  const size_t size = sim_graph_size(graph);
  if (!nodes || *count > size) *count = size;
  for (size_t i = 0; nodes && i < *count; ++i) {
    sim_graph_node(graph, i, reinterpret_cast<void**>(&nodes[i]));
  }
  return cudaSuccess;
}
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  *exec = static_cast<cudaGraphExec_t>(sim_graph_instantiate(graph));
  return cudaSuccess;
}
API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                              unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  sim_graph_exec_free(exec);
  return cudaSuccess;
}
API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  constexpr uint32_t kDriverId = CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch;
  cuGraphLaunch_params params = {reinterpret_cast<CUgraphExec>(exec),
                                 static_cast<CUstream>(stream)};
  CUresult result = CUDA_SUCCESS;
  SimOptionalFrame driver(SimNestedDriverCallback(kDriverId), SIM_DRIVER, kDriverId,
                          "cuGraphLaunch", &params, &result, nullptr);
  sim_graph_launch(exec, stream);
  return cudaSuccess;
}

#if CUDART_VERSION >= 12030
API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                              const cudaGraphNode_t*, const cudaGraphEdgeData*,
                                              size_t, cudaStreamCaptureMode) {
  if (!graph) return cudaErrorInvalidValue;
  return sim_capture_begin(stream, graph) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
#endif

// ---- Graphs in graphs, copies ----

API cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  *clone = static_cast<cudaGraph_t>(sim_graph_clone(original));
  return cudaSuccess;
}
API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t*, size_t, cudaGraph_t child) {
  *node = static_cast<cudaGraphNode_t>(sim_graph_add_child(graph, child));
  return cudaSuccess;
}
API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  if (sim_node_op(node)->kind != OP_CHILD) return cudaErrorInvalidValue;
  *graph = static_cast<cudaGraph_t>(sim_node_child(node));
  return cudaSuccess;
}
API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  switch (sim_node_op(node)->kind) {
    case OP_KERNEL:
      *type = cudaGraphNodeTypeKernel;
      break;
    case OP_MEMCPY:
      *type = cudaGraphNodeTypeMemcpy;
      break;
    case OP_MEMSET:
      *type = cudaGraphNodeTypeMemset;
      break;
    case OP_CHILD:
      *type = cudaGraphNodeTypeGraph;
      break;
#if CUDART_VERSION >= 12030
    case OP_CONDITIONAL:
      *type = cudaGraphNodeTypeConditional;
      break;
#endif
    default:
      *type = cudaGraphNodeTypeHost;
  }
  return cudaSuccess;
}

#if CUDART_VERSION >= 12030
API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t,
                                                 unsigned value, unsigned flags) {
  *handle = sim_condition_new(value, flags);
  return cudaSuccess;
}
#if CUDART_VERSION < 13000
API cudaError_t cudaGraphAddNode_v2(
#else
API cudaError_t cudaGraphAddNode(
#endif
    cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, const cudaGraphEdgeData*,
    size_t, cudaGraphNodeParams* params) {
  if (params->type == cudaGraphNodeTypeGraph) {
    *node = static_cast<cudaGraphNode_t>(sim_graph_add_child(graph, params->graph.graph));
    return cudaSuccess;
  }
  if (params->type != cudaGraphNodeTypeConditional) return cudaErrorNotSupported;
  cudaConditionalNodeParams& conditional = params->conditional;
  *node = static_cast<cudaGraphNode_t>(
      sim_graph_add_conditional(graph, conditional.handle, conditional.type, conditional.size,
                                reinterpret_cast<void***>(&conditional.phGraph_out)));
  return *node ? cudaSuccess : cudaErrorInvalidValue;
}

#if CUDART_VERSION < 13000
API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 cudaGraphNodeParams* params) {
  return cudaGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}
#endif

// What a kernel with cudaGraphSetConditional is to a program with a compiler for the device: it
// sets the handle to the values in turn, one each time that it runs.
extern "C" __attribute__((visibility("default"))) void simgpu_set_conditional(
    cudaGraphConditionalHandle handle, const unsigned* values, unsigned count,
    cudaStream_t stream) {
  SimOp op;
  op.name = "sim_set_conditional";
  auto runs = std::make_shared<std::atomic<unsigned>>(0);
  op.body = [handle, runs, in_turn = std::vector<unsigned>(values, values + count)] {
    sim_condition_set(handle, in_turn[(*runs)++ % in_turn.size()]);
  };
  sim_enqueue(op, stream);
}
#endif

// ---- Changes of executables ----

API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                    cudaGraphExecUpdateResultInfo* result) {
  const bool differs = sim_graph_exec_update(exec, graph) != 0;
  if (result) {
    *result = {};
    if (differs) result->result = cudaGraphExecUpdateErrorTopologyChanged;
  }
  return differs ? cudaErrorGraphExecUpdateFailure : cudaSuccess;
}
// `func` is the name where the kernel is one of a library, of which programs have no function.
API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  const SimOp& op = *sim_node_op(node);
  if (op.kind != OP_KERNEL) return cudaErrorInvalidValue;
  *params = {};
  params->func = const_cast<char*>(op.name);
  params->gridDim = dim3(op.g[0], op.g[1], op.g[2]);
  params->blockDim = dim3(op.b[0], op.b[1], op.b[2]);
  return cudaSuccess;
}
API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 const cudaKernelNodeParams* params) {
  const unsigned grid[] = {params->gridDim.x, params->gridDim.y, params->gridDim.z};
  const SimFn* function = simgpu::FindFunction(params->func);
  const char* name = function ? function->name : static_cast<const char*>(params->func);
  return sim_graph_exec_set_grid(exec, node, grid, name) ? cudaErrorInvalidValue : cudaSuccess;
}
API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     cudaGraph_t child) {
  return sim_graph_exec_set_child(exec, node, child) ? cudaErrorInvalidValue : cudaSuccess;
}
API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                        unsigned enabled) {
  return sim_graph_exec_set_enabled(exec, node, static_cast<int>(enabled)) ? cudaErrorInvalidValue
                                                                           : cudaSuccess;
}
API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                        unsigned* enabled) {
  return sim_graph_exec_enabled(exec, node, enabled) ? cudaErrorInvalidValue : cudaSuccess;
}

// ---- User objects ----

API cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void*, cudaHostFn_t, unsigned,
                                     unsigned) {
  static char only;
  *object = reinterpret_cast<cudaUserObject_t>(&only);
  return cudaSuccess;
}
