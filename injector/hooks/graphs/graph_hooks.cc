// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Hooks of what happens to graphs between capture and launch: they tell which executable does what
// which capture has recorded.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/graphs/graph_events.h"
#include "injector/graphs/graph_steps.h"
#include "injector/loader/real_function.h"

namespace flopsprof::injector {
namespace {

constexpr int kCudaNotSupported = 801;  // cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED
constexpr char kCudart[] = "libcudart.so";
constexpr char kDriver[] = "libcuda.so";

using shm::GraphEventKind;

// The shapes that these functions have. Instantiation had five parameters before CUDA 12: all are
// handed on, further ones do no harm.
using FunctionA = int (*)(void*);
using FunctionAB = int (*)(void*, void*);
using FunctionABC = int (*)(void*, void*, void*);
using FunctionABSwitch = int (*)(void*, void*, unsigned);
using FunctionInstantiate = int (*)(void**, void*, unsigned long long, void*, size_t);
using FunctionUpdate = int (*)(void*, void*, void*, void*);
using FunctionAddChild = int (*)(void**, void*, const void*, size_t, void*);
using FunctionAddNode = int (*)(void**, void*, const void*, const void*, void*, void*);
using FunctionConditional = int (*)(void*, void*, void*, unsigned, unsigned);

// The beginning of cudaGraphNodeParams and CUgraphNodeParams.
struct GraphNodeParameters {
  int type;
  int reserved[3];
  void* child;
};
constexpr int kChildGraph = 4;  // cudaGraphNodeTypeGraph

void NoteInstantiation(GraphEventKind kind, const GraphCall& call, int status, void* executable,
                       void* graph) {
  if (status != 0 || !call.outermost() || executable == nullptr) return;
  SetStepsOfGraph(executable, StepsOfGraph(graph));
  GraphObjects objects;
  objects.graph = graph;
  objects.executable = executable;
  EmitGraphEvent(kind, objects);
}

int Instantiate(RealFunction* real, const void* caller, void** executable, void* graph,
                unsigned long long flags, void* log, size_t bytes) {
  auto* const function = reinterpret_cast<FunctionInstantiate>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call(graph);
  const int status = function(executable, graph, flags, log, bytes);
  NoteInstantiation(GraphEventKind::kInstantiate, call, status,
                    executable == nullptr ? nullptr : *executable, graph);
  return status;
}

int Update(RealFunction* real, const void* caller, void* executable, void* graph, void* c,
           void* d) {
  auto* const function = reinterpret_cast<FunctionUpdate>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call(graph);
  const int status = function(executable, graph, c, d);
  NoteInstantiation(GraphEventKind::kUpdate, call, status, executable, graph);
  return status;
}

int Clone(RealFunction* real, const void* caller, void** clone, void* original) {
  auto* const function = reinterpret_cast<FunctionAB>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call(original);
  const int status = function(static_cast<void*>(clone), original);
  if (status != 0 || !call.outermost() || clone == nullptr) return status;
  SetStepsOfGraph(*clone, StepsOfGraph(original));
  GraphObjects objects;
  objects.graph = *clone;
  objects.source = original;
  EmitGraphEvent(GraphEventKind::kClone, objects);
  return status;
}

int AddChild(RealFunction* real, const void* caller, void** node, void* graph,
             const void* dependencies, size_t count, void* child) {
  auto* const function = reinterpret_cast<FunctionAddChild>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;  // copies of copies: their sources are told one by one
  const int status = function(node, graph, dependencies, count, child);
  if (status != 0 || !call.outermost()) return status;
  SetStepsOfGraph(graph, StepsOfGraph(graph) | StepsOfGraph(child));
  GraphObjects objects;
  objects.graph = graph;
  objects.source = child;
  EmitGraphEvent(GraphEventKind::kAddChild, objects);
  return status;
}

// Which of the parameters of an AddNode describes the node.
enum class Description { kFifth, kSixth, kNotKnown };

// The runtime's function of that name got one more parameter with CUDA 13.
Description DescriptionOfRuntime(const void* caller) {
  static RealFunction real("cudaRuntimeGetVersion", kCudart);
  auto* const function = reinterpret_cast<int (*)(int*)>(real.Find(caller));
  int version = 0;
  if (function == nullptr || function(&version) != 0) return Description::kNotKnown;
  return version >= 13000 ? Description::kSixth : Description::kFifth;
}
Description Fifth(const void*) { return Description::kFifth; }
Description Sixth(const void*) { return Description::kSixth; }

// A node of any kind, by its description: only a child graph is of interest here. `find`: asked
// with the caller that Enter() has made out, whose copy of the library it is.
int AddNode(RealFunction* real, const void* caller, Description (*find)(const void*), void** node,
            void* graph, const void* c, const void* d, void* e, void* f) {
  auto* const function = reinterpret_cast<FunctionAddNode>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const Description description = find(caller);
  const auto* const parameters =
      static_cast<const GraphNodeParameters*>(description == Description::kSixth   ? f
                                              : description == Description::kFifth ? e
                                                                                   : nullptr);
  const GraphCall call;
  // Before: a child may be handed over.
  void* child =
      parameters != nullptr && parameters->type == kChildGraph ? parameters->child : nullptr;
  const int status = function(node, graph, c, d, e, f);
  if (status != 0 || !call.outermost() || child == nullptr) return status;
  SetStepsOfGraph(graph, StepsOfGraph(graph) | StepsOfGraph(child));
  GraphObjects objects;
  objects.graph = graph;
  objects.source = child;
  EmitGraphEvent(GraphEventKind::kAddChild, objects);
  return status;
}

int Destroy(RealFunction* real, const void* caller, GraphEventKind kind, void* object) {
  auto* const function = reinterpret_cast<FunctionA>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;
  if (call.outermost() && object != nullptr) {
    SetStepsOfGraph(object, 0);
    GraphObjects objects;
    (kind == GraphEventKind::kExecDestroy ? objects.executable : objects.graph) = object;
    EmitGraphEvent(kind, objects);
  }
  return function(object);
}

int Conditional(RealFunction* real, const void* caller, void* handle, void* graph, void* c,
                unsigned d, unsigned e) {
  auto* const function = reinterpret_cast<FunctionConditional>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;
  const int status = function(handle, graph, c, d, e);
  if (status != 0 || !call.outermost()) return status;
  GraphObjects objects;
  objects.graph = graph;
  EmitGraphEvent(GraphEventKind::kConditional, objects);
  return status;
}

void NoteEdit(const GraphCall& call, int status, void* executable) {
  if (status != 0 || !call.outermost()) return;
  GraphObjects objects;
  objects.executable = executable;
  EmitGraphEvent(GraphEventKind::kEdit, objects);
}

int EditNode(RealFunction* real, const void* caller, void* executable, void* node, void* what) {
  auto* const function = reinterpret_cast<FunctionABC>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;
  const int status = function(executable, node, what);
  NoteEdit(call, status, executable);
  return status;
}

int SwitchNode(RealFunction* real, const void* caller, void* executable, void* node, unsigned on) {
  auto* const function = reinterpret_cast<FunctionABSwitch>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;
  const int status = function(executable, node, on);
  NoteEdit(call, status, executable);
  return status;
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: a file of hooks
using flopsprof::shm::GraphEventKind;

#define FLOPSPROF_INSTANTIATE(name, library)                                                      \
  FLOPSPROF_EXPORT int name(void** executable, void* graph, unsigned long long flags, void* log,  \
                            size_t bytes) {                                                       \
    static RealFunction real(#name, library);                                                     \
    return Instantiate(&real, __builtin_return_address(0), executable, graph, flags, log, bytes); \
  }
// The parameters' address takes the place of the flags.
FLOPSPROF_INSTANTIATE(cudaGraphInstantiate, kCudart)
FLOPSPROF_INSTANTIATE(cudaGraphInstantiateWithFlags, kCudart)
FLOPSPROF_INSTANTIATE(cudaGraphInstantiateWithParams, kCudart)
FLOPSPROF_INSTANTIATE(cudaGraphInstantiateWithParams_ptsz, kCudart)
FLOPSPROF_INSTANTIATE(cuGraphInstantiate, kDriver)
FLOPSPROF_INSTANTIATE(cuGraphInstantiate_v2, kDriver)
FLOPSPROF_INSTANTIATE(cuGraphInstantiateWithFlags, kDriver)
FLOPSPROF_INSTANTIATE(cuGraphInstantiateWithParams, kDriver)
FLOPSPROF_INSTANTIATE(cuGraphInstantiateWithParams_ptsz, kDriver)

#define FLOPSPROF_UPDATE(name, library)                                         \
  FLOPSPROF_EXPORT int name(void* executable, void* graph, void* c, void* d) {  \
    static RealFunction real(#name, library);                                   \
    return Update(&real, __builtin_return_address(0), executable, graph, c, d); \
  }
FLOPSPROF_UPDATE(cudaGraphExecUpdate, kCudart)
FLOPSPROF_UPDATE(cuGraphExecUpdate, kDriver)
FLOPSPROF_UPDATE(cuGraphExecUpdate_v2, kDriver)

#define FLOPSPROF_GRAPHS(cuda, library)                                                           \
  FLOPSPROF_EXPORT int cuda##GraphClone(void** clone, void* original) {                           \
    static RealFunction real(#cuda "GraphClone", library);                                        \
    return Clone(&real, __builtin_return_address(0), clone, original);                            \
  }                                                                                               \
  FLOPSPROF_EXPORT int cuda##GraphAddChildGraphNode(                                              \
      void** node, void* graph, const void* dependencies, size_t count, void* child) {            \
    static RealFunction real(#cuda "GraphAddChildGraphNode", library);                            \
    return AddChild(&real, __builtin_return_address(0), node, graph, dependencies, count, child); \
  }                                                                                               \
  FLOPSPROF_EXPORT int cuda##GraphExecDestroy(void* executable) {                                 \
    static RealFunction real(#cuda "GraphExecDestroy", library);                                  \
    return Destroy(&real, __builtin_return_address(0), GraphEventKind::kExecDestroy, executable); \
  }                                                                                               \
  FLOPSPROF_EXPORT int cuda##GraphDestroy(void* graph) {                                          \
    static RealFunction real(#cuda "GraphDestroy", library);                                      \
    return Destroy(&real, __builtin_return_address(0), GraphEventKind::kGraphDestroy, graph);     \
  }                                                                                               \
  FLOPSPROF_EXPORT int cuda##GraphNodeSetEnabled(void* executable, void* node, unsigned on) {     \
    static RealFunction real(#cuda "GraphNodeSetEnabled", library);                               \
    return SwitchNode(&real, __builtin_return_address(0), executable, node, on);                  \
  }                                                                                               \
  FLOPSPROF_EXPORT int cuda##GraphExecChildGraphNodeSetParams(void* executable, void* node,       \
                                                              void* child) {                      \
    static RealFunction real(#cuda "GraphExecChildGraphNodeSetParams", library);                  \
    return EditNode(&real, __builtin_return_address(0), executable, node, child);                 \
  }                                                                                               \
  FLOPSPROF_EXPORT int cuda##GraphConditionalHandleCreate(void* handle, void* graph, void* c,     \
                                                          unsigned d, unsigned e) {               \
    static RealFunction real(#cuda "GraphConditionalHandleCreate", library);                      \
    return Conditional(&real, __builtin_return_address(0), handle, graph, c, d, e);               \
  }
FLOPSPROF_GRAPHS(cuda, kCudart)
FLOPSPROF_GRAPHS(cu, kDriver)

#define FLOPSPROF_ADD_NODE(name, library, find)                                              \
  FLOPSPROF_EXPORT int name(void** node, void* graph, const void* c, const void* d, void* e, \
                            void* f) {                                                       \
    static RealFunction real(#name, library);                                                \
    const void* caller = __builtin_return_address(0);                                        \
    return AddNode(&real, caller, find, node, graph, c, d, e, f);                            \
  }
FLOPSPROF_ADD_NODE(cudaGraphAddNode, kCudart, DescriptionOfRuntime)
FLOPSPROF_ADD_NODE(cudaGraphAddNode_v2, kCudart, Sixth)
FLOPSPROF_ADD_NODE(cuGraphAddNode, kDriver, Fifth)
FLOPSPROF_ADD_NODE(cuGraphAddNode_v2, kDriver, Sixth)

#define FLOPSPROF_EDIT(name, library)                                                  \
  FLOPSPROF_EXPORT int name(void* executable, void* node, void* parameters) {          \
    static RealFunction real(#name, library);                                          \
    return EditNode(&real, __builtin_return_address(0), executable, node, parameters); \
  }
FLOPSPROF_EDIT(cudaGraphExecKernelNodeSetParams, kCudart)
FLOPSPROF_EDIT(cudaGraphExecNodeSetParams, kCudart)
FLOPSPROF_EDIT(cuGraphExecKernelNodeSetParams, kDriver)
FLOPSPROF_EDIT(cuGraphExecKernelNodeSetParams_v2, kDriver)
FLOPSPROF_EDIT(cuGraphExecNodeSetParams, kDriver)
