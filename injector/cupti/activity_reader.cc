// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/activity_reader.h"

#include <string.h>

#include "injector/cupti/correlation_ids.h"
#include "injector/cupti/spared_callbacks.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {
namespace {

template <class T>
T Field(const uint8_t* record, size_t offset) {
  T value;
  memcpy(&value, record + offset, sizeof(value));
  return value;
}

template <class T>
T FieldIfPresent(const uint8_t* record, size_t record_bytes, size_t offset) {
  return offset + sizeof(T) <= record_bytes ? Field<T>(record, offset) : T{};
}

void CountMalformed() { CountLoss(shm::LossCounter::kActivityMalformed); }

}  // namespace

void ActivityReader::ReadBuffer(uint8_t* buffer, size_t valid_bytes) {
  if (buffer == nullptr || valid_bytes == 0) return;
  ids_are_awaited_ = RecordsAreAwaited();
  ReadRecords(buffer, valid_bytes);
  // Not at each record: launching threads add to the same cache line.
  Statistics()->activities.fetch_add(activities_, std::memory_order_relaxed);
  activities_ = 0;
}

void ActivityReader::ReadRecords(uint8_t* buffer, size_t valid_bytes) {
  NameCache names;
  const uint8_t* const end = buffer + valid_bytes;
  uint8_t* cursor = nullptr;  // handed to CUPTI, which steps it
  CuptiResult result = next_(buffer, valid_bytes, &cursor);
  while (result == kCuptiSuccess) {
    const uint8_t* record = cursor;
    if (record < buffer || record + sizeof(uint32_t) > end) return CountMalformed();
    result = next_(buffer, valid_bytes, &cursor);
    // CUPTI tells no sizes: a record ends where the next begins, the last with the buffer.
    const uint8_t* record_end = result == kCuptiSuccess ? cursor : end;
    if (record_end <= record || record_end > end) return CountMalformed();
    ReadRecord(record, static_cast<size_t>(record_end - record), &names);
  }
  if (result == kCuptiInvalidKind) {
    CountLoss(shm::LossCounter::kActivityUnknownKind);  // and what follows in this buffer
  } else if (result != kCuptiMaxLimitReached) {
    CountMalformed();
  }
}

void ActivityReader::ReadRecord(const uint8_t* record, size_t bytes, NameCache* names) {
  const auto kKernel = static_cast<uint8_t>(shm::ActivityKind::kKernel);
  const auto kMemcpy = static_cast<uint8_t>(shm::ActivityKind::kMemcpy);
  const auto kMemset = static_cast<uint8_t>(shm::ActivityKind::kMemset);
  switch (Field<uint32_t>(record, 0)) {
    case kCuptiKernel:
    case kCuptiConcurrentKernel:
      return ReadActivity(record, bytes, kKernelLayout, kKernel, names);
    case kCuptiMemcpy:
      return ReadActivity(record, bytes, kMemcpyLayout, kMemcpy, names);
    case kCuptiMemcpyPeer:
      return ReadActivity(record, bytes, kMemcpyPeerLayout, kMemcpy, names);
    case kCuptiMemset:
      return ReadActivity(record, bytes, kMemsetLayout, kMemset, names);
    case kCuptiGraphTrace:
      return ReadActivity(record, bytes, kGraphTraceLayout,
                          static_cast<uint8_t>(shm::ActivityKind::kGraph), names);
    case kCuptiOverhead:
      return ReadOverhead(record, bytes);
    default:
      CountLoss(shm::LossCounter::kActivityUnknownKind);
  }
}

void ActivityReader::ReadActivity(const uint8_t* record, size_t bytes, const ActivityLayout& layout,
                                  uint8_t kind, NameCache* names) {
  if (bytes < layout.least_bytes) return CountMalformed();
  ++activities_;
  shm::ActivityRecord out{};
  out.header.type = static_cast<uint16_t>(shm::RecordType::kActivity);
  out.header.step = shm::kNoStep;
  out.kind = kind;
  out.correlation = OwnCorrelation(Field<uint32_t>(record, layout.correlation));
  if (FLOPSPROF_UNLIKELY(ids_are_awaited_) && layout.grid != 0) NoteKernelRecord(out.correlation);
  const auto device = Field<uint32_t>(record, layout.device);
  out.device = static_cast<uint16_t>(device < 0xffff ? device : 0xffff);
  if (device < 64) devices_seen_ |= uint64_t{1} << device;
  out.context = Field<uint32_t>(record, layout.context);
  out.stream = Field<uint32_t>(record, layout.stream);
  out.start_gpu_ns = Field<uint64_t>(record, layout.start);
  out.end_gpu_ns = Field<uint64_t>(record, layout.end);
  if (layout.bytes != 0) out.bytes = Field<uint64_t>(record, layout.bytes);
  if (layout.grid != 0) {
    out.bytes = shm::PackGrid(Field<uint32_t>(record, layout.grid),
                              Field<uint32_t>(record, layout.grid + 4),
                              Field<uint32_t>(record, layout.grid + 8));
  }
  if (layout.copy_kind != 0) out.copy_kind = Field<uint8_t>(record, layout.copy_kind);
  out.graph_node = FieldIfPresent<uint64_t>(record, bytes, layout.graph_node);
  out.graph = FieldIfPresent<uint32_t>(record, bytes, layout.graph);
  if (out.graph_node != 0) ++graph_nodes_seen_;
  if (out.start_gpu_ns == 0 || out.end_gpu_ns == 0 || out.end_gpu_ns < out.start_gpu_ns) {
    out.header.flags |= shm::kFlagBadTimestamp;  // the agent counts it, if it is of a window
  }
  if (layout.name != 0) {
    const auto* name = Field<const char*>(record, layout.name);
    if (name == nullptr || name[0] == '\0') {
      CountLoss(shm::LossCounter::kNoKernelName);
    } else {
      const auto slot =
          static_cast<uint32_t>((reinterpret_cast<uintptr_t>(name) >> 3) * 0x9e3779b1u >> 24) %
          NameCache::kEntries;
      if (names->name[slot] != name || names->id[slot] == shm::kNoString) {
        names->name[slot] = name;
        names->id[slot] = InternString(name);
      }
      out.name = names->id[slot];
    }
  }
  if (IsAway() || !EmitRecord(&out)) {
    Statistics()->activities_unwritten.fetch_add(1, std::memory_order_relaxed);
  }
}

void ActivityReader::ReadOverhead(const uint8_t* record, size_t bytes) {
  if (bytes < kOverheadLeastBytes) return CountMalformed();
  const auto start = Field<uint64_t>(record, kOverheadStart);
  const auto end = Field<uint64_t>(record, kOverheadEnd);
  if (start == 0 || end < start) return CountLoss(shm::LossCounter::kInvalidTimestamp);
  Statistics()->cupti_overhead_ns.fetch_add(end - start, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector
