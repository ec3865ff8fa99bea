// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/agent/rings/blob_assembler.h"
#include "collector/agent/rings/ring_reader.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Takes decoded records, which are there for the length of the call. Enumerations that decide
// anything (phase, kind of activity, kind of scope) are valid; ids, sizes and times are whatever
// the process wrote.
class RecordHandler {
 public:
  virtual ~RecordHandler() = default;
  virtual void OnString(uint32_t id, std::string text) = 0;
  virtual void OnCudnnPlan(uint32_t id, std::string json) = 0;
  // False: it is no stack.
  virtual bool OnStack(uint32_t, const std::string&) { return true; }
  virtual void OnScope(const shm::ScopeRecord& record) = 0;
  virtual void OnModule(const shm::ModuleRecord& record) = 0;
  virtual void OnModuleSizes(const shm::ModuleSizes&) {}
  virtual void OnModuleAlias(const shm::ModuleAlias&) {}
  virtual void OnMark(const shm::MarkRecord&) {}
  virtual void OnScopeEnter(const shm::ScopeEnter& record) = 0;
  virtual void OnScopeExit(RingId, const shm::ScopeExit&) {}
  virtual void OnGemm(RingId ring, const shm::GemmCall& record) = 0;
  virtual void OnLibraryCall(RingId ring, const shm::LibraryCall& record) = 0;
  virtual void OnCudnn(RingId ring, const shm::CudnnCall& record) = 0;
  virtual void OnCollective(RingId ring, const shm::CollectiveCall& record) = 0;
  virtual void OnOperation(RingId, const shm::OperationCall&) {}
  virtual void OnNamedWork(RingId, const shm::NamedWork&) {}
  virtual void OnCallEnd(RingId ring, const shm::CallEnd& record) = 0;
  virtual void OnLaunch(RingId ring, const shm::LaunchRecord& record) = 0;
  virtual void OnGraphLaunch(const shm::GraphLaunch& record) = 0;
  virtual void OnGraphEvent(const shm::GraphEvent& record) = 0;
  virtual void OnGraphCall(RingId ring, const shm::GraphCall& record) = 0;
  virtual void OnGraphNode(RingId ring, const shm::GraphNode& record) = 0;
  virtual void OnActivity(const shm::ActivityRecord& record) = 0;
  virtual void OnStep(const shm::StepRecord& record) = 0;
  virtual void OnDevice(const shm::DeviceRecord& record) = 0;
  virtual void OnClock(const shm::ClockRecord&) {}
  virtual void OnNote(const shm::NoteRecord& record) = 0;
  virtual void OnGoodbye(const shm::GoodbyeRecord& record) = 0;
};

// Bytes of a ring -> typed records for a handler, which it does not own. One thread.
class Decoder : public RecordBatchSink {
 public:
  explicit Decoder(RecordHandler* handler) : handler_(handler) {}

  void OnBatch(RingId ring, const std::byte* records, size_t count) override;

  // Records with impossible contents, blob pieces included.
  uint64_t malformed_count() const { return malformed_count_ + blobs_.malformed_count(); }
  // Records of a type that this program does not know: of a newer injector.
  uint64_t unknown_type_count() const { return unknown_type_count_; }
  uint64_t incomplete_blob_count() const { return blobs_.incomplete_count(); }

 private:
  void DecodeOne(RingId ring, const std::byte* record);
  bool DeliverWork(shm::RecordType type, RingId ring, const std::byte* bytes);
  bool DeliverDefinition(shm::RecordType type, RingId ring, const std::byte* bytes);
  void Deliver(std::optional<Blob> blob);

  RecordHandler* const handler_;
  BlobAssembler blobs_;
  uint64_t malformed_count_ = 0;
  uint64_t unknown_type_count_ = 0;
};

}  // namespace flopsprof::agent
