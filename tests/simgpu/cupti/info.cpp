// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Versions, ids, time stamps and error texts.
#include <unistd.h>

#include "faults.h"
#include "state.h"

namespace simgpu {
namespace {

constexpr uint32_t kTooOldVersion = 12;  // CUDA 10.2: before the records we know

// The client's clock and ours at the moment it was registered. Written once before any
// kind is enabled, as CUPTI demands.
std::atomic<CUpti_TimestampCallbackFunc> g_clock{nullptr};
uint64_t g_realtime_then = 0, g_client_then = 0;

struct ErrorName {
  CUptiResult result;
  const char* name;
};
constexpr ErrorName kErrors[] = {
    {CUPTI_SUCCESS, "CUPTI_SUCCESS"},
    {CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER"},
    {CUPTI_ERROR_INVALID_OPERATION, "CUPTI_ERROR_INVALID_OPERATION"},
    {CUPTI_ERROR_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND"},
    {CUPTI_ERROR_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
    {CUPTI_ERROR_NOT_COMPATIBLE, "CUPTI_ERROR_NOT_COMPATIBLE"},
    {CUPTI_ERROR_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED"},
    {CUPTI_ERROR_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY"},
    {CUPTI_ERROR_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
     "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
};

}  // namespace

uint64_t ClientTime(uint64_t realtime_ns) {
  const CUpti_TimestampCallbackFunc clock = g_clock.load();
  if (!clock) return realtime_ns;
  const uint64_t now = sim_now(), client = clock();
  const auto away = static_cast<int64_t>(realtime_ns - now);
  constexpr uint64_t kTooShortToMeasureNs = 1000000;
  if (now <= g_realtime_then + kTooShortToMeasureNs) {
    return client + static_cast<uint64_t>(away);
  }
  const double rate =
      static_cast<double>(client - g_client_then) / static_cast<double>(now - g_realtime_then);
  return client + static_cast<uint64_t>(static_cast<int64_t>(static_cast<double>(away) * rate));
}

void ForgetClock() { g_clock = nullptr; }

}  // namespace simgpu

int sim_cupti_gate(const char* name) {
  const bool is_version_query = strcmp(name, "cuptiGetVersion") == 0;
  if (sim_another_thread_initializes()) {
    fprintf(stderr, "simgpu: CUPTI was called while another thread is inside of cuInit\n");
    _exit(98);
  }
  if (simgpu::GetFaults().cupti != simgpu::CuptiState::kPresent) simgpu::NoteStruck("cupti");
  switch (simgpu::GetFaults().cupti) {
    case simgpu::CuptiState::kMissing:
      return CUPTI_ERROR_NOT_INITIALIZED;
    case simgpu::CuptiState::kTooOld:
      return is_version_query ? 0 : CUPTI_ERROR_NOT_COMPATIBLE;
    default:
      break;
  }
  // As the real one: the first call brings CUPTI into the process, whatever it is.
  if (!is_version_query && !strstr(name, "tring")) sim_cupti_attached = 1;
  return 0;
}

API CUptiResult cuptiGetVersion(uint32_t* version) {
  if (!version) return CUPTI_ERROR_INVALID_PARAMETER;
  const simgpu::Faults& faults = simgpu::GetFaults();
  if (faults.cupti_version) simgpu::NoteStruck("cupti_version");
  *version = faults.cupti_version                          ? faults.cupti_version
             : faults.cupti == simgpu::CuptiState::kTooOld ? simgpu::kTooOldVersion
                                                           : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  if (!timestamp) return CUPTI_ERROR_INVALID_PARAMETER;
  const CUpti_TimestampCallbackFunc clock = simgpu::g_clock.load();
  *timestamp = clock ? clock() : sim_now();
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  if (clock) {
    simgpu::g_realtime_then = sim_now();
    simgpu::g_client_then = clock();
  }
  simgpu::g_clock = clock;
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  *id = static_cast<uint32_t>(sim_ctx_dev(context)) + 1;
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* id) {
  *id = static_cast<uint32_t>(sim_ctx_dev(context));
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream stream, uint8_t, uint32_t* id) {
  *id = sim_stream_id(stream);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetStreamId(CUcontext, CUstream stream, uint32_t* id) {
  *id = sim_stream_id(stream);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  *id = sim_graph_id(graph);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetGraphExecId(CUgraphExec graph, uint32_t* id) {
  *id = sim_graph_exec_id(graph);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  *id = sim_node_id(node);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  simgpu::State().thread_id_type = type;
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  *type = simgpu::State().thread_id_type;
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiDeviceSupported(CUdevice, int* support) {
  *support = 1;
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetLastError(void) { return CUPTI_SUCCESS; }

API CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = "CUPTI_ERROR (stand-in)";
  for (const auto& error : simgpu::kErrors) {
    if (error.result == result) *text = error.name;
  }
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  *text = "CUPTI error (stand-in)";
  for (const auto& error : simgpu::kErrors) {
    if (error.result == result) *text = error.name;
  }
  return CUPTI_SUCCESS;
}
