// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The activity API: which kinds are recorded, flushing, attributes, external ids.
#include <algorithm>
#include <array>
#include <vector>

#include "buffers.h"
#include "faults.h"
#include "state.h"

namespace simgpu {
namespace {

// Kinds that can be enabled. Records are made for those that records.cpp knows.
bool Supported(int kind) {
  static constexpr int kSupported[] = {1,  2,  3,  4,  5,  8,  9,  10, 11, 12, 13, 17,
                                       20, 22, 25, 26, 27, 28, 33, 34, 35, 36, 37, 38,
                                       39, 40, 45, 47, 48, 49, 50, 51, 52, 53, 54};
  for (int supported : kSupported) {
    if (supported == kind) return true;
  }
  return false;
}

constexpr int kAttributes = 16;
// By CUpti_ActivityAttribute, with the defaults that CUPTI documents.
enum { kBufferBytes = 0, kPoolLimit = 2, kPreAllocate = 6 };
constexpr size_t kDefaultPoolLimit = 250;
constexpr std::array<size_t, kAttributes> kDefaults = {
    3200000, 0, kDefaultPoolLimit, 65536, 250, 0, 3, 3, 0, 1};
std::array<size_t, kAttributes> g_attributes = kDefaults;

void TakeDeviceMemory();

CUptiResult SetKind(CUpti_ActivityKind kind, bool on) {
  if (kind <= 0 || kind >= kActivityKinds) return CUPTI_ERROR_INVALID_KIND;
  if (on && !Supported(kind)) return CUPTI_ERROR_NOT_SUPPORTED;
  std::lock_guard<std::mutex> lock(State().mutex);
  const bool other_kernel_kind =
      (kind == CUPTI_ACTIVITY_KIND_KERNEL && KindOn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) ||
      (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && KindOn(CUPTI_ACTIVITY_KIND_KERNEL));
  if (on && other_kernel_kind) return CUPTI_ERROR_NOT_COMPATIBLE;
  if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE) State().graph_trace_since_ns = SteadyNs();
  State().kinds[kind] = on;
  if (on && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) TakeDeviceMemory();
  if (kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER) {
    const int domain = kind == CUPTI_ACTIVITY_KIND_DRIVER ? SIM_DRIVER : SIM_RUNTIME;
    for (bool& off : State().api_off[domain]) off = false;
  }
  RefreshWatchers();
  return CUPTI_SUCCESS;
}

// As many device buffers as CUPTI makes before they are needed: 3, and at most the limit.
void TakeDeviceMemory() {
  size_t buffers = std::min(g_attributes[kPreAllocate], g_attributes[kPoolLimit]);
  if (GetFaults().pool_limit_ignored) {
    NoteStruck("pool_limit_ignored");
    buffers = kDefaultPoolLimit;
  }
  sim_tool_bytes = buffers * g_attributes[kBufferBytes];
}

// Per-id filters. Enabling a first id without the kind records that id only.
CUptiResult SetApi(int domain, CUpti_ActivityKind kind, CUpti_CallbackId id, bool on) {
  if (id >= static_cast<uint32_t>(kSimCallbackIds)) return CUPTI_ERROR_INVALID_PARAMETER;
  std::lock_guard<std::mutex> lock(State().mutex);
  if (on && !KindOn(kind)) {
    for (bool& off : State().api_off[domain]) off = true;
    State().kinds[kind] = true;
  }
  State().api_off[domain][id] = !on;
  RefreshWatchers();
  return CUPTI_SUCCESS;
}

constexpr int kExternalKinds = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2 + 1;

std::vector<uint64_t>& ExternalIds(int kind) {
  static thread_local std::vector<uint64_t> ids[kExternalKinds];
  return ids[kind];
}

bool ValidExternalKind(int kind) {
  return kind >= CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN && kind < kExternalKinds;
}

}  // namespace

void ForgetAttributes() { g_attributes = kDefaults; }

bool TopExternalId(int kind, uint64_t* id) {
  if (!ValidExternalKind(kind) || ExternalIds(kind).empty()) return false;
  *id = ExternalIds(kind).back();
  return true;
}

}  // namespace simgpu

API CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                               CUpti_BuffersCallbackCompleteFunc done) {
  return simgpu::RegisterBufferCallbacks(request, done);
}

API CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) { return simgpu::SetKind(kind, true); }

API CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
  return simgpu::SetKind(kind, true);
}

API CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return simgpu::SetKind(kind, false);
}

API CUptiResult cuptiActivityEnableContext(CUcontext, CUpti_ActivityKind kind) {
  return simgpu::SetKind(kind, true);
}

API CUptiResult cuptiActivityDisableContext(CUcontext, CUpti_ActivityKind kind) {
  return simgpu::SetKind(kind, false);
}

API CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable) {
  return simgpu::SetApi(SIM_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME, cbid, enable != 0);
}

API CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable) {
  return simgpu::SetApi(SIM_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER, cbid, enable != 0);
}

API CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  return simgpu::Flush(flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

API CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t flag) {
  return simgpu::Flush(flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

API CUptiResult cuptiActivityFlushPeriod(uint32_t time) {
  simgpu::SetFlushPeriod(time);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t validBufferSizeBytes,
                                           CUpti_Activity** record) {
  if (!buffer || !record) return CUPTI_ERROR_INVALID_PARAMETER;
  return simgpu::NextRecord(buffer, validBufferSizeBytes, record);
}

API CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (!dropped) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = simgpu::TakeDropped();
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, size_t* size,
                                          void* value) {
  if (attribute < 0 || attribute >= simgpu::kAttributes || !size || !value) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  memcpy(value, &simgpu::g_attributes[attribute], *size < 8 ? *size : 8);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* size,
                                          void* value) {
  if (attribute < 0 || attribute >= simgpu::kAttributes || !size || !value) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  memcpy(&simgpu::g_attributes[attribute], value, *size < 8 ? *size : 8);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                       uint64_t id) {
  if (!simgpu::ValidExternalKind(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  simgpu::ExternalIds(kind).push_back(id);
  return CUPTI_SUCCESS;
}

API CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                      uint64_t* lastId) {
  if (!simgpu::ValidExternalKind(kind)) return CUPTI_ERROR_INVALID_PARAMETER;
  auto& ids = simgpu::ExternalIds(kind);
  if (ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (lastId) *lastId = ids.back();
  ids.pop_back();
  return CUPTI_SUCCESS;
}
