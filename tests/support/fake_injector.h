// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "proto/shm/api_ids.h"
#include "proto/shm/operations.h"
#include "proto/shm/records.h"
#include "proto/shm/ring_layout.h"

namespace flopsprof::testing {

// Writes records into a real segment through a mapping of its own, as a profiled process would.
// One ring of it is one thread's: use it on one thread.
class FakeInjector {
 public:
  // Maps the descriptor; does not keep it.
  FakeInjector(int fd, size_t bytes) : bytes_(bytes) {
    void* base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    base_ = base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
    if (base_ == nullptr) return;
    header().process_state.store(static_cast<uint32_t>(shm::ProcessState::kRecording));
  }
  ~FakeInjector() {
    if (base_ != nullptr) ::munmap(base_, bytes_);
  }
  FakeInjector(const FakeInjector&) = delete;
  FakeInjector& operator=(const FakeInjector&) = delete;

  std::byte* base() const { return base_; }
  shm::SegmentHeader& header() const { return *reinterpret_cast<shm::SegmentHeader*>(base_); }
  shm::SlotHeader& slot(uint32_t index) const {
    return *reinterpret_cast<shm::SlotHeader*>(base_ + header().first_slot +
                                               index * header().slot_stride);
  }

  // One thread's ring.
  class Ring {
   public:
    Ring(FakeInjector* injector, uint32_t slot) : injector_(injector), slot_(slot) {}

    uint32_t slot() const { return slot_; }
    // False: the ring is full, the record is dropped and counted.
    template <class Record>
    bool Write(const Record& record) {
      static_assert(sizeof(Record) == shm::kRecordBytes);
      shm::SlotHeader& shared = injector_->slot(slot_);
      const uint64_t head = shared.head.load(std::memory_order_relaxed);
      const uint64_t capacity = injector_->header().ring_records;
      if (head - shared.tail.load(std::memory_order_acquire) >= capacity) {
        shared.dropped.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
      std::byte* to = reinterpret_cast<std::byte*>(&shared) + shm::kSlotHeaderBytes +
                      (head & (capacity - 1)) * shm::kRecordBytes;
      std::memcpy(to, &record, sizeof record);
      shared.head.store(head + 1, std::memory_order_release);
      return true;
    }
    void WriteBlob(shm::BlobKind kind, uint32_t id, std::string_view bytes) {
      shm::BlobBegin begin = {};
      begin.header.type = static_cast<uint16_t>(shm::RecordType::kBlobBegin);
      begin.kind = static_cast<uint16_t>(kind);
      begin.id = id;
      begin.total_bytes = static_cast<uint32_t>(bytes.size());
      begin.inline_bytes = static_cast<uint32_t>(std::min(bytes.size(), sizeof begin.data));
      std::memcpy(begin.data, bytes.data(), begin.inline_bytes);
      Write(begin);
      for (size_t at = begin.inline_bytes; at < bytes.size(); at += sizeof shm::BlobPart::data) {
        shm::BlobPart part = {};
        part.header.type = static_cast<uint16_t>(shm::RecordType::kBlobPart);
        part.id = id;
        part.offset = static_cast<uint32_t>(at);
        std::memcpy(part.data, bytes.data() + at, std::min(bytes.size() - at, sizeof part.data));
        Write(part);
      }
    }
    void WriteString(uint32_t id, std::string_view text) {
      WriteBlob(shm::BlobKind::kString, id, text);
    }
    // The thread has ended.
    void Retire() {
      injector_->slot(slot_).state.store(static_cast<uint32_t>(shm::SlotState::kRetired),
                                         std::memory_order_release);
    }

   private:
    FakeInjector* injector_;
    uint32_t slot_;
  };

  // A free slot; one beyond the last when there is none.
  Ring Claim() {
    for (uint32_t i = 0; i < header().slot_count; i++) {
      uint32_t free = static_cast<uint32_t>(shm::SlotState::kFree);
      if (slot(i).state.compare_exchange_strong(free, static_cast<uint32_t>(shm::SlotState::kOwned),
                                                std::memory_order_acquire)) {
        slot(i).generation.fetch_add(1, std::memory_order_relaxed);
        return Ring(this, i);
      }
    }
    return Ring(this, header().slot_count);
  }

 private:
  std::byte* base_ = nullptr;
  size_t bytes_;
};

// Records with what tests vary; everything else is zero.
inline shm::RecordHeader Header(shm::RecordType type, shm::Phase phase = shm::Phase::kForward,
                                uint32_t step = 0, uint8_t flags = 0) {
  return {static_cast<uint16_t>(type), static_cast<uint8_t>(phase), flags, step};
}

inline shm::GemmCall Gemm(uint32_t call, uint32_t scope, int64_t m, int64_t n, int64_t k,
                          shm::Phase phase = shm::Phase::kForward, uint32_t step = 0) {
  shm::GemmCall record = {};
  record.header = Header(shm::RecordType::kGemmCall, phase, step);
  record.call = call;
  record.scope = scope;
  record.api = static_cast<uint16_t>(shm::ApiId::cublasSgemm_v2);
  record.m = m;
  record.n = n;
  record.k = k;
  record.batch = 1;
  return record;
}

inline shm::LibraryCall Library(uint32_t call, uint32_t scope, shm::ApiId api) {
  shm::LibraryCall record = {};
  record.header = Header(shm::RecordType::kLibraryCall, shm::Phase::kForward);
  record.call = call;
  record.scope = scope;
  record.api = static_cast<uint16_t>(api);
  return record;
}

// The same record as a part that is not the last.
template <class Record>
Record WithMore(Record record) {
  record.header.flags |= shm::kFlagMore;
  return record;
}

inline shm::LaunchRecord Launch(uint32_t correlation, uint32_t scope, uint32_t call,
                                shm::Phase phase = shm::Phase::kForward, uint32_t step = 0) {
  shm::LaunchRecord record = {};
  record.header = Header(shm::RecordType::kLaunch, phase, step);
  record.correlation = correlation;
  record.scope = scope;
  record.call = call;
  return record;
}

inline shm::ActivityRecord Kernel(uint32_t correlation, uint32_t name, uint64_t start_ns,
                                  uint64_t end_ns) {
  shm::ActivityRecord record = {};
  record.header = Header(shm::RecordType::kActivity, shm::Phase::kOther, shm::kNoStep);
  record.correlation = correlation;
  record.name = name;
  record.kind = static_cast<uint8_t>(shm::ActivityKind::kKernel);
  record.start_gpu_ns = start_ns;
  record.end_gpu_ns = end_ns;
  return record;
}

inline shm::ActivityRecord Copy(uint32_t correlation, uint64_t start_ns, uint64_t end_ns) {
  shm::ActivityRecord record = Kernel(correlation, 0, start_ns, end_ns);
  record.kind = static_cast<uint8_t>(shm::ActivityKind::kMemcpy);
  record.copy_kind = 1;  // host to device
  return record;
}

inline shm::CallEnd Failed(uint32_t call) {
  shm::CallEnd record = {};
  record.header = Header(shm::RecordType::kCallEnd);
  record.call = call;
  record.status = 7;
  return record;
}

inline shm::CollectiveCall AllReduce(uint32_t call, uint32_t scope, uint64_t count,
                                     shm::Phase phase = shm::Phase::kBackward) {
  shm::CollectiveCall record = {};
  record.header = Header(shm::RecordType::kCollective, phase);
  record.call = call;
  record.scope = scope;
  record.api = static_cast<uint16_t>(shm::ApiId::ncclAllReduce);
  record.kind = static_cast<uint8_t>(shm::CollectiveKind::kAllReduce);
  record.data_type = 7;  // ncclFloat32
  record.rank_count = 2;
  record.count = count;
  record.bytes = count * 4;
  return record;
}

inline shm::CudnnCall Cudnn(uint32_t call, uint32_t scope, uint32_t plan,
                            shm::Phase phase = shm::Phase::kForward) {
  shm::CudnnCall record = {};
  record.header = Header(shm::RecordType::kCudnnCall, phase);
  record.call = call;
  record.scope = scope;
  record.api = static_cast<uint16_t>(shm::ApiId::cudnnBackendExecute);
  record.plan = plan;
  return record;
}

// A flash attention of one sequence and head, 4 queries, 4 keys, D = Dv = 8.
inline shm::OperationCall Attention(uint32_t call, uint32_t scope, shm::OperationId id,
                                    shm::Phase phase = shm::Phase::kForward) {
  shm::OperationCall record = {};
  record.header = Header(shm::RecordType::kOperation, phase);
  record.call = call;
  record.scope = scope;
  record.operation = static_cast<uint16_t>(id);
  record.type = 15;  // bf16
  const uint32_t sizes[] = {1, 1, 1, 4, 4, 8, 8};
  std::memcpy(record.sizes, sizes, sizeof sizes);
  return record;
}

inline shm::StepRecord Step(uint32_t step, shm::StepEvent event, uint64_t mono_ns) {
  shm::StepRecord record = {};
  record.header = Header(shm::RecordType::kStep, shm::Phase::kOther, step);
  record.number = step;
  record.event = static_cast<uint8_t>(event);
  record.mono_ns = mono_ns;
  return record;
}

// Graphs and executables are made-up addresses.
inline shm::GraphEvent GraphChange(uint64_t order, shm::GraphEventKind kind, uint64_t graph,
                                   uint64_t executable = 0) {
  shm::GraphEvent record = {};
  record.header = Header(shm::RecordType::kGraphEvent, shm::Phase::kOther, shm::kNoStep);
  record.kind = static_cast<uint8_t>(kind);
  record.order = order;
  record.graph = graph;
  record.executable = executable;
  return record;
}

inline shm::GraphCall CallInCapture(uint32_t call, uint32_t scope, uint64_t capture) {
  shm::GraphCall record = {};
  record.header = Header(shm::RecordType::kGraphCall, shm::Phase::kForward, 0, shm::kFlagCaptured);
  record.call = call;
  record.scope = scope;
  record.capture = capture;
  return record;
}

// `graph_id` and `number` make CUPTI's id of the node.
inline shm::GraphNode NodeOfCall(uint32_t call, uint32_t scope, uint32_t graph_id,
                                 uint32_t number) {
  shm::GraphNode record = {};
  record.header = Header(shm::RecordType::kGraphNode);
  record.correlation = 1;
  record.scope = scope;
  record.call = call;
  record.kind = static_cast<uint8_t>(shm::ActivityKind::kKernel);
  record.node = uint64_t{graph_id} << 32 | number;
  return record;
}

inline shm::GraphLaunch Replay(uint32_t correlation, uint64_t executable, uint64_t order,
                               uint32_t step = 0) {
  shm::GraphLaunch record = {};
  record.header = Header(shm::RecordType::kGraphLaunch, shm::Phase::kOther, step);
  record.correlation = correlation;
  record.executable = executable;
  record.order = order;
  return record;
}

}  // namespace flopsprof::testing
