// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Callbacks to the subscriber, on the thread that makes the call.
#include "buffers.h"
#include "faults.h"
#include "records.h"
#include "state.h"

namespace simgpu {
namespace {

// CUDA calls that a callback makes do not call back.
thread_local bool t_in_callback = false;
thread_local bool t_in_exit_callback = false;
std::atomic<int> g_running{0};

bool Wants(CUpti_CallbackDomain domain, uint32_t id) {
  if (t_in_callback) return false;
  const uint8_t on = State().callback_on[domain][id].load(std::memory_order_relaxed);
  if (on == 2) {
    NoteStruck("callback_off");
    return SteadyNs() < State().callback_until_ns[domain][id].load(std::memory_order_relaxed);
  }
  return on != 0;
}

void Call(CUpti_CallbackDomain domain, uint32_t id, const void* data) {
  CUpti_CallbackFunc callback = State().callback.load(std::memory_order_acquire);
  if (!callback) return;
  const bool api = domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API;
  t_in_callback = true;
  t_in_exit_callback =
      api && static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_EXIT;
  ++g_running;
  if (const uint64_t us = GetFaults().callback_us) {
    NoteStruck("callback_us");
    Spin(us);
  }
  callback(State().user_data.load(), domain, id, data);
  --g_running;
  t_in_exit_callback = t_in_callback = false;
}

void ApiCallback(SimFrame* frame, bool exit) {
  const auto domain = static_cast<CUpti_CallbackDomain>(frame->dom + 1);
  if (!Wants(domain, frame->cbid)) return;
  CUpti_CallbackData data = {};
  data.callbackSite = exit ? CUPTI_API_EXIT : CUPTI_API_ENTER;
  data.functionName = frame->fname;
  data.functionParams = frame->params;
  data.functionReturnValue = exit ? frame->ret : nullptr;
  data.symbolName = frame->sym;
  data.context = static_cast<CUcontext>(sim_ctx(sim_dev()));
  data.contextUid = static_cast<uint32_t>(sim_dev()) + 1;
  data.correlationData = &frame->cdata;
  data.correlationId = frame->corr;
  Call(domain, frame->cbid, &data);
}

CUgraphNodeType NodeType(int op_kind) {
  switch (op_kind) {
    case OP_KERNEL:
      return CU_GRAPH_NODE_TYPE_KERNEL;
    case OP_MEMCPY:
      return CU_GRAPH_NODE_TYPE_MEMCPY;
    case OP_MEMSET:
      return CU_GRAPH_NODE_TYPE_MEMSET;
    case OP_CHILD:
      return CU_GRAPH_NODE_TYPE_GRAPH;
#if CUDA_VERSION >= 12030
    case OP_CONDITIONAL:
      return CU_GRAPH_NODE_TYPE_CONDITIONAL;
#endif
    default:
      return CU_GRAPH_NODE_TYPE_HOST;
  }
}

void SynchronizeCallback(const SimOp& op) {
  constexpr int kContextSynchronize = 4;
  const uint32_t id = op.syncType == kContextSynchronize
                          ? CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED
                          : CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED;
  if (!Wants(CUPTI_CB_DOMAIN_SYNCHRONIZE, id)) return;
  CUpti_SynchronizeData data = {};
  data.context = static_cast<CUcontext>(sim_ctx(op.dev));
  data.stream = static_cast<CUstream>(op.stream_handle);
  Call(CUPTI_CB_DOMAIN_SYNCHRONIZE, id, &data);
}

}  // namespace

int RunningCallbacks() { return g_running; }
bool InExitCallback() { return t_in_exit_callback; }

void OnApi(SimFrame* frame, int exit) {
  if (frame->on & SIM_CB) ApiCallback(frame, exit != 0);
  if (!(frame->on & SIM_ACT) || frame->up) return;
  if (exit) {
    PutApiRecord(*frame);
  } else if (KindOn(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) {
    PutExternalCorrelations(frame->corr);
  }
}

void OnOperation(const SimOp* op) {
  PutOperationRecord(*op);
  if (op->kind == OP_SYNC) SynchronizeCallback(*op);
}

void OnResource(int id, void* context, void* stream) {
  if (Wants(CUPTI_CB_DOMAIN_RESOURCE, static_cast<uint32_t>(id))) {
    CUpti_ResourceData data = {};
    data.context = static_cast<CUcontext>(context);
    data.resourceHandle.stream = static_cast<CUstream>(stream);
    Call(CUPTI_CB_DOMAIN_RESOURCE, static_cast<uint32_t>(id), &data);
  }
  // What nobody has flushed by now is gone with the context, and nobody is told.
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    ForgetUndelivered(sim_ctx_dev(context));
  }
}

void OnGraph(const SimGraphEvent* event) {
  if (!Wants(CUPTI_CB_DOMAIN_RESOURCE, static_cast<uint32_t>(event->cbid))) return;
  CUpti_GraphData graph = {};
  graph.graph = static_cast<CUgraph>(event->graph);
  graph.originalGraph = static_cast<CUgraph>(event->original_graph);
  graph.node = static_cast<CUgraphNode>(event->node);
  graph.originalNode = static_cast<CUgraphNode>(event->original_node);
  graph.nodeType = NodeType(event->op_kind);
  graph.graphExec = static_cast<CUgraphExec>(event->exec);
  CUpti_ResourceData data = {};
  data.context = static_cast<CUcontext>(sim_ctx(sim_dev()));
  data.resourceDescriptor = &graph;
  Call(CUPTI_CB_DOMAIN_RESOURCE, static_cast<uint32_t>(event->cbid), &data);
}

}  // namespace simgpu
