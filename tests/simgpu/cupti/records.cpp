// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "records.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffers.h"
#include "faults.h"
#include "record_types.h"
#include "state.h"

namespace simgpu {
namespace {

constexpr size_t kKernel9Bytes = 208;       // CUDA 12: "shorter" than CUDA 13's
constexpr size_t kFutureKernelBytes = 232;  // a later CUPTI: "longer"
constexpr uint32_t kUnknownKind = 200;
constexpr size_t kUnknownBytes = 48;

uint32_t ClientThreadId() {
  return State().thread_id_type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM
             ? static_cast<uint32_t>(syscall(SYS_gettid))
             : static_cast<uint32_t>(pthread_self());
}

template <typename T>
T& Make(Record* record, CUpti_ActivityKind kind) {
  memset(record->data, 0, sizeof record->data);
  record->size = sizeof(T);
  auto& body = *reinterpret_cast<T*>(record->data);
  body.kind = kind;
  return body;
}

// The part that kernel, copy and set records share.
template <typename T>
void FillOperation(const SimOp& op, T* body) {
  body->start = ClientTime(op.start);
  body->end = ClientTime(op.end);
  body->deviceId = static_cast<uint32_t>(op.dev);
  body->contextId = static_cast<uint32_t>(op.dev) + 1;
  body->streamId = op.stream;
  body->correlationId = op.corr;
  body->graphNodeId = op.nodeId;
  body->graphId = op.nodeId ? op.graphId : 0;
}

void MakeKernel(const SimOp& op, Record* record) {
  auto& body = Make<KernelRecord>(record, KindOn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
                                              ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
                                              : CUPTI_ACTIVITY_KIND_KERNEL);
  FillOperation(op, &body);
  body.completed = body.end;
  body.registersPerThread = 32;
  body.gridX = static_cast<int32_t>(op.g[0]);
  body.gridY = static_cast<int32_t>(op.g[1]);
  body.gridZ = static_cast<int32_t>(op.g[2]);
  body.blockX = static_cast<int32_t>(op.b[0]);
  body.blockY = static_cast<int32_t>(op.b[1]);
  body.blockZ = static_cast<int32_t>(op.b[2]);
  body.dynamicSharedMemory = static_cast<int32_t>(op.smem);
  body.gridId = static_cast<int64_t>(op.ordinal);
  body.name = op.name;
  body.channelType = CUPTI_CHANNEL_TYPE_COMPUTE;
}

void MakeMemcpy(const SimOp& op, Record* record) {
  auto& body = Make<MemcpyRecord>(record, CUPTI_ACTIVITY_KIND_MEMCPY);
  FillOperation(op, &body);
  body.copyKind = static_cast<uint8_t>(op.copyKind);
  body.srcKind = static_cast<uint8_t>(op.srcKind);
  body.dstKind = static_cast<uint8_t>(op.dstKind);
  body.bytes = op.bytes;
#if CUPTI_API_VERSION >= 26
  body.copyCount = static_cast<uint64_t>(op.copies);
#endif
}

void MakeMemset(const SimOp& op, Record* record) {
  auto& body = Make<MemsetRecord>(record, CUPTI_ACTIVITY_KIND_MEMSET);
  FillOperation(op, &body);
  body.value = static_cast<uint32_t>(op.value);
  body.bytes = op.bytes;
  body.memoryKind = static_cast<uint16_t>(op.dstKind);
}

void MakeSynchronization(const SimOp& op, Record* record) {
  auto& body = Make<SynchronizationRecord>(record, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  body.type = static_cast<CUpti_ActivitySynchronizationType>(op.syncType);
  body.start = ClientTime(op.start);
  body.end = ClientTime(op.end);
  body.correlationId = op.corr;
  body.contextId = static_cast<uint32_t>(op.dev) + 1;
  body.streamId = op.stream;
}

void MakeGraphTrace(const SimOp& op, Record* record) {
  auto& body = Make<GraphTraceRecord>(record, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  body.correlationId = op.corr;
  body.start = ClientTime(op.start);
  body.end = ClientTime(op.end);
  body.deviceId = static_cast<uint32_t>(op.dev);
  body.contextId = static_cast<uint32_t>(op.dev) + 1;
#if CUPTI_API_VERSION >= 21
  body.endDeviceId = body.deviceId;
  body.endContextId = body.contextId;
#endif
  body.graphId = op.graphId;
  body.streamId = op.stream;
}

// GRAPH_TRACE replaces the records of the nodes; not at once where the fault script says so.
bool GraphTraceReplacesNodes() {
  if (!KindOn(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) return false;
  const uint64_t late_ms = GetFaults().late_graph_trace_ms;
  if (late_ms == 0 || SteadyNs() - State().graph_trace_since_ns > late_ms * 1000000) return true;
  NoteStruck("late_graph_trace_ms");
  return false;
}

// Makes the record of an operation if its kind is enabled.
bool MakeRecord(const SimOp& op, Record* record) {
  const bool traced_as_graph = op.nodeId && GraphTraceReplacesNodes();
  switch (op.kind) {
    case OP_KERNEL:
      if (traced_as_graph ||
          !(KindOn(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) || KindOn(CUPTI_ACTIVITY_KIND_KERNEL))) {
        return false;
      }
      MakeKernel(op, record);
      return true;
    case OP_MEMCPY:
      if (traced_as_graph || !KindOn(CUPTI_ACTIVITY_KIND_MEMCPY)) return false;
      MakeMemcpy(op, record);
      return true;
    case OP_MEMSET:
      if (traced_as_graph || !KindOn(CUPTI_ACTIVITY_KIND_MEMSET)) return false;
      MakeMemset(op, record);
      return true;
    case OP_SYNC:
      if (!KindOn(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return false;
      MakeSynchronization(op, record);
      return true;
    case OP_GRAPH:
      if (!KindOn(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) return false;
      MakeGraphTrace(op, record);
      return true;
    default:
      return false;
  }
}

// Applies what the fault script does to records that have a device time.
template <typename T>
void FalsifyTimes(const Faults& faults, uint64_t ordinal, T* body) {
  if (faults.falsify_duration.Hits(ordinal)) body->end += 1;
  if (faults.falsify_correlation.Hits(ordinal)) body->correlationId += 1000003;
  if (faults.no_correlation.Hits(ordinal)) body->correlationId = 0;
  if (faults.zero_times.Hits(ordinal)) body->start = body->end = 0;
  if (faults.end_before_start.Hits(ordinal)) body->end = body->start - 1;
}

void FalsifyName(const Faults& faults, uint64_t ordinal, Record* record) {
  auto* body = reinterpret_cast<KernelRecord*>(record->data);
  if (faults.recycled_name.Hits(ordinal) && body->name) {
    record->recycled_name = strdup(body->name);
    body->name = record->recycled_name;
  }
  if (faults.null_name.Hits(ordinal)) body->name = nullptr;
}

void Falsify(const SimOp& op, Record* record) {
  const Faults& faults = GetFaults();
  const uint64_t ordinal = op.ordinal;
  switch (op.kind) {
    case OP_KERNEL:
      FalsifyTimes(faults, ordinal, reinterpret_cast<KernelRecord*>(record->data));
      FalsifyName(faults, ordinal, record);
      if (faults.moved_fields.Hits(ordinal)) {
        // Eight bytes more before the correlation id.
        constexpr size_t kFrom = offsetof(KernelRecord, correlationId);
        memmove(record->data + kFrom + 8, record->data + kFrom, record->size - kFrom);
        memset(record->data + kFrom, 0, 8);
        record->size += 8;
      }
      if (faults.longer_record.Hits(ordinal)) record->size = kFutureKernelBytes;
      if (faults.shorter_record.Hits(ordinal)) record->size = kKernel9Bytes;
      return;
    case OP_MEMCPY:
      FalsifyTimes(faults, ordinal, reinterpret_cast<MemcpyRecord*>(record->data));
      return;
    case OP_MEMSET:
      FalsifyTimes(faults, ordinal, reinterpret_cast<MemsetRecord*>(record->data));
      return;
    default:
      return;
  }
}

void PutUnknownRecord(uint64_t end_ns) {
  Record record;
  memset(record.data, 0xAB, sizeof record.data);
  memcpy(record.data, &kUnknownKind, sizeof kUnknownKind);
  record.size = kUnknownBytes;
  record.end_ns = end_ns;
  PutRecord(record);
}

}  // namespace

void PutOperationRecord(const SimOp& op) {
  Record record;
  if (!MakeRecord(op, &record)) return;
  const bool on_device = op.kind != OP_SYNC;
  if (on_device && op.kind != OP_GRAPH) {
    if (GetFaults().lost_record.Hits(op.ordinal)) return;
    Falsify(op, &record);
    if (GetFaults().unknown_kind.Hits(op.ordinal)) PutUnknownRecord(op.end);
  }
  record.end_ns = on_device ? op.end : 0;
  record.device = op.dev;
  PutRecord(record);
}

void PutApiRecord(const SimFrame& frame) {
  Record record;
  auto& body = Make<CUpti_ActivityAPI>(
      &record, frame.dom == SIM_DRIVER ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME);
  body.cbid = frame.cbid;
  body.start = ClientTime(frame.t0);
  body.end = ClientTime(frame.t1);
  body.processId = static_cast<uint32_t>(getpid());
  body.threadId = ClientThreadId();
  body.correlationId = frame.corr;
  body.returnValue = *static_cast<const uint32_t*>(frame.ret);
  PutRecord(record);
}

void PutExternalCorrelations(uint32_t correlation_id) {
  for (int kind = CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN;
       kind <= CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2; ++kind) {
    uint64_t id;
    if (!TopExternalId(kind, &id)) continue;
    Record record;
    auto& body =
        Make<CUpti_ActivityExternalCorrelation>(&record, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    body.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
    body.externalId = id;
    body.correlationId = correlation_id;
    PutRecord(record);
  }
}

void MarkIncomplete(Record* record) {
  uint32_t kind;
  memcpy(&kind, record->data, sizeof kind);
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      auto* body = reinterpret_cast<KernelRecord*>(record->data);
      body->start = body->end = body->completed = 0;
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      auto* body = reinterpret_cast<MemcpyRecord*>(record->data);
      body->start = body->end = 0;
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      auto* body = reinterpret_cast<MemsetRecord*>(record->data);
      body->start = body->end = 0;
      return;
    }
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: {
      auto* body = reinterpret_cast<GraphTraceRecord*>(record->data);
      body->start = body->end = 0;
      return;
    }
    default:
      return;
  }
}

size_t RecordSize(uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(MemcpyRecord);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(MemsetRecord);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(KernelRecord);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(SynchronizationRecord);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(GraphTraceRecord);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(OverheadRecord);
    default:
      return 0;
  }
}

}  // namespace simgpu
