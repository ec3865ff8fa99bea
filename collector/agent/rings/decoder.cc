// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rings/decoder.h"

#include <cstring>
#include <utility>

namespace flopsprof::agent {
namespace {

// The batch's bytes are chars: copying is how they become a record without aliasing trouble.
template <class Record>
Record As(const std::byte* bytes) {
  Record record;
  std::memcpy(&record, bytes, sizeof record);
  return record;
}

}  // namespace

void Decoder::OnBatch(RingId ring, const std::byte* records, size_t count) {
  for (size_t i = 0; i < count; i++) DecodeOne(ring, records + i * shm::kRecordBytes);
}

void Decoder::Deliver(std::optional<Blob> blob) {
  if (!blob.has_value()) return;
  if (blob->kind == shm::BlobKind::kString) {
    handler_->OnString(blob->id, std::move(blob->bytes));
  } else if (blob->kind == shm::BlobKind::kStack) {
    if (!handler_->OnStack(blob->id, blob->bytes)) malformed_count_++;
  } else {
    handler_->OnCudnnPlan(blob->id, std::move(blob->bytes));
  }
}

void Decoder::DecodeOne(RingId ring, const std::byte* bytes) {
  const auto header = As<shm::RecordHeader>(bytes);
  if (header.phase >= shm::kPhaseCount) {
    malformed_count_++;
    return;
  }
  switch (static_cast<shm::RecordType>(header.type)) {
    case shm::RecordType::kLaunch:
      return handler_->OnLaunch(ring, As<shm::LaunchRecord>(bytes));
    case shm::RecordType::kActivity: {
      const auto record = As<shm::ActivityRecord>(bytes);
      const bool known = record.kind >= static_cast<uint8_t>(shm::ActivityKind::kKernel) &&
                         record.kind <= static_cast<uint8_t>(shm::ActivityKind::kGraph);
      if (known) return handler_->OnActivity(record);
      break;
    }
    case shm::RecordType::kScopeEnter:
      return handler_->OnScopeEnter(As<shm::ScopeEnter>(bytes));
    case shm::RecordType::kGemmCall:
      return handler_->OnGemm(ring, As<shm::GemmCall>(bytes));
    case shm::RecordType::kLibraryCall:
      return handler_->OnLibraryCall(ring, As<shm::LibraryCall>(bytes));
    case shm::RecordType::kCudnnCall:
      return handler_->OnCudnn(ring, As<shm::CudnnCall>(bytes));
    case shm::RecordType::kCollective:
      return handler_->OnCollective(ring, As<shm::CollectiveCall>(bytes));
    case shm::RecordType::kNamedWork:
      return handler_->OnNamedWork(ring, As<shm::NamedWork>(bytes));
    case shm::RecordType::kOperation:
      return handler_->OnOperation(ring, As<shm::OperationCall>(bytes));
    case shm::RecordType::kCallEnd:
      return handler_->OnCallEnd(ring, As<shm::CallEnd>(bytes));
    case shm::RecordType::kGraphLaunch:
      return handler_->OnGraphLaunch(As<shm::GraphLaunch>(bytes));
    case shm::RecordType::kGraphEvent: {
      const auto record = As<shm::GraphEvent>(bytes);
      if (record.kind != 0 && record.order != 0) return handler_->OnGraphEvent(record);
      break;
    }
    case shm::RecordType::kGraphCall:
      return handler_->OnGraphCall(ring, As<shm::GraphCall>(bytes));
    case shm::RecordType::kGraphNode: {
      const auto record = As<shm::GraphNode>(bytes);
      const bool known = record.kind >= static_cast<uint8_t>(shm::ActivityKind::kKernel) &&
                         record.kind <= static_cast<uint8_t>(shm::ActivityKind::kMemset);
      if (known && record.node != 0) return handler_->OnGraphNode(ring, record);
      break;
    }
    case shm::RecordType::kBlobBegin:
      return Deliver(blobs_.Begin(ring, As<shm::BlobBegin>(bytes)));
    case shm::RecordType::kBlobPart:
      return Deliver(blobs_.Add(ring, As<shm::BlobPart>(bytes)));
    case shm::RecordType::kScope: {
      const auto record = As<shm::ScopeRecord>(bytes);
      const bool known = record.scope != shm::kOutsideScope &&
                         record.kind <= static_cast<uint8_t>(shm::ScopeKind::kOptimizer);
      if (known) return handler_->OnScope(record);
      break;
    }
    case shm::RecordType::kModule:
      return handler_->OnModule(As<shm::ModuleRecord>(bytes));
    case shm::RecordType::kModuleSizes:
      return handler_->OnModuleSizes(As<shm::ModuleSizes>(bytes));
    case shm::RecordType::kModuleAlias:
      return handler_->OnModuleAlias(As<shm::ModuleAlias>(bytes));
    case shm::RecordType::kMark:
      return handler_->OnMark(As<shm::MarkRecord>(bytes));
    case shm::RecordType::kStep: {
      const auto record = As<shm::StepRecord>(bytes);
      const bool known = record.event >= static_cast<uint8_t>(shm::StepEvent::kBegin) &&
                         record.event <= static_cast<uint8_t>(shm::StepEvent::kBeside);
      if (known) return handler_->OnStep(record);
      break;
    }
    case shm::RecordType::kDevice:
      return handler_->OnDevice(As<shm::DeviceRecord>(bytes));
    case shm::RecordType::kNote:
      return handler_->OnNote(As<shm::NoteRecord>(bytes));
    case shm::RecordType::kGoodbye:
      return handler_->OnGoodbye(As<shm::GoodbyeRecord>(bytes));
    case shm::RecordType::kClock:
      return handler_->OnClock(As<shm::ClockRecord>(bytes));
    case shm::RecordType::kInvalid:
      break;
    default:
      unknown_type_count_++;
      return;
  }
  malformed_count_++;
}

}  // namespace flopsprof::agent
