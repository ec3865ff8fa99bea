// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rings/decoder.h"

#include <new>
#include <utility>

namespace flopsprof::agent {
namespace {

// Bytes that were copied are a record of whatever type they are read as, where they are.
template <class Record>
const Record& As(const std::byte* bytes) {
  return *std::launder(reinterpret_cast<const Record*>(bytes));
}

template <class Enum>
bool IsBetween(uint8_t value, Enum first, Enum last) {
  return value >= static_cast<uint8_t>(first) && value <= static_cast<uint8_t>(last);
}

// False: its contents are impossible. The other side may write anything. The phase is valid.
bool IsWellFormed(shm::RecordType type, const std::byte* bytes) {
  switch (type) {
    case shm::RecordType::kInvalid:
      return false;
    case shm::RecordType::kActivity:
      return IsBetween(As<shm::ActivityRecord>(bytes).kind, shm::ActivityKind::kKernel,
                       shm::ActivityKind::kGraph);
    case shm::RecordType::kGraphEvent: {
      const auto& record = As<shm::GraphEvent>(bytes);
      return record.kind != 0 && record.order != 0;
    }
    case shm::RecordType::kGraphNode: {
      const auto& record = As<shm::GraphNode>(bytes);
      return record.node != 0 &&
             IsBetween(record.kind, shm::ActivityKind::kKernel, shm::ActivityKind::kMemset);
    }
    case shm::RecordType::kScope: {
      const auto& record = As<shm::ScopeRecord>(bytes);
      return record.scope != shm::kOutsideScope &&
             record.kind <= static_cast<uint8_t>(shm::ScopeKind::kOptimizer);
    }
    case shm::RecordType::kScopeExit:
      return IsBetween(As<shm::ScopeExit>(bytes).kind, shm::ScopeExitKind::kLeft,
                       shm::ScopeExitKind::kStarted);
    case shm::RecordType::kStep:
      return IsBetween(As<shm::StepRecord>(bytes).event, shm::StepEvent::kBegin,
                       shm::StepEvent::kBeside);
    default:
      return true;
  }
}

}  // namespace

void Decoder::OnBatch(RingId ring, const std::byte* records, size_t count) {
  const std::byte* const end = records + count * shm::kRecordBytes;
  for (const std::byte* bytes = records; bytes != end; bytes += shm::kRecordBytes) {
    const auto& header = As<shm::RecordHeader>(bytes);
    if (header.phase >= shm::kPhaseCount) {
      malformed_count_++;
      continue;
    }
    // Most records are of these: the shortest way.
    switch (static_cast<shm::RecordType>(header.type)) {
      case shm::RecordType::kLaunch:
        handler_->OnLaunch(ring, As<shm::LaunchRecord>(bytes));
        continue;
      case shm::RecordType::kGemmCall:
        handler_->OnGemm(ring, As<shm::GemmCall>(bytes));
        continue;
      case shm::RecordType::kActivity: {
        const auto& activity = As<shm::ActivityRecord>(bytes);
        if (!IsBetween(activity.kind, shm::ActivityKind::kKernel, shm::ActivityKind::kGraph)) break;
        handler_->OnActivity(activity);
        continue;
      }
      default:
        break;
    }
    DecodeOne(ring, bytes);
  }
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
  const auto type = static_cast<shm::RecordType>(As<shm::RecordHeader>(bytes).type);
  if (!IsWellFormed(type, bytes)) {
    malformed_count_++;
  } else if (!DeliverWork(type, ring, bytes) && !DeliverDefinition(type, ring, bytes)) {
    unknown_type_count_++;
  }
}

// What was called, launched and timed, but for what OnBatch delivers itself. False: another type.
bool Decoder::DeliverWork(shm::RecordType type, RingId ring, const std::byte* bytes) {
  switch (type) {
    case shm::RecordType::kLibraryCall:
      handler_->OnLibraryCall(ring, As<shm::LibraryCall>(bytes));
      return true;
    case shm::RecordType::kCudnnCall:
      handler_->OnCudnn(ring, As<shm::CudnnCall>(bytes));
      return true;
    case shm::RecordType::kCollective:
      handler_->OnCollective(ring, As<shm::CollectiveCall>(bytes));
      return true;
    case shm::RecordType::kNamedWork:
      handler_->OnNamedWork(ring, As<shm::NamedWork>(bytes));
      return true;
    case shm::RecordType::kOperation:
      handler_->OnOperation(ring, As<shm::OperationCall>(bytes));
      return true;
    case shm::RecordType::kCallEnd:
      handler_->OnCallEnd(ring, As<shm::CallEnd>(bytes));
      return true;
    case shm::RecordType::kGraphLaunch:
      handler_->OnGraphLaunch(As<shm::GraphLaunch>(bytes));
      return true;
    case shm::RecordType::kGraphEvent:
      handler_->OnGraphEvent(As<shm::GraphEvent>(bytes));
      return true;
    case shm::RecordType::kGraphCall:
      handler_->OnGraphCall(ring, As<shm::GraphCall>(bytes));
      return true;
    case shm::RecordType::kGraphNode:
      handler_->OnGraphNode(ring, As<shm::GraphNode>(bytes));
      return true;
    default:
      return false;
  }
}

// What the work belongs to, and facts about the process. False: another type.
bool Decoder::DeliverDefinition(shm::RecordType type, RingId ring, const std::byte* bytes) {
  switch (type) {
    case shm::RecordType::kScopeEnter:
      handler_->OnScopeEnter(As<shm::ScopeEnter>(bytes));
      return true;
    case shm::RecordType::kScopeExit:
      handler_->OnScopeExit(ring, As<shm::ScopeExit>(bytes));
      return true;
    case shm::RecordType::kScope:
      handler_->OnScope(As<shm::ScopeRecord>(bytes));
      return true;
    case shm::RecordType::kStep:
      handler_->OnStep(As<shm::StepRecord>(bytes));
      return true;
    case shm::RecordType::kBlobBegin:
      Deliver(blobs_.Begin(ring, As<shm::BlobBegin>(bytes)));
      return true;
    case shm::RecordType::kBlobPart:
      Deliver(blobs_.Add(ring, As<shm::BlobPart>(bytes)));
      return true;
    case shm::RecordType::kModule:
      handler_->OnModule(As<shm::ModuleRecord>(bytes));
      return true;
    case shm::RecordType::kModuleSizes:
      handler_->OnModuleSizes(As<shm::ModuleSizes>(bytes));
      return true;
    case shm::RecordType::kModuleAlias:
      handler_->OnModuleAlias(As<shm::ModuleAlias>(bytes));
      return true;
    case shm::RecordType::kMark:
      handler_->OnMark(As<shm::MarkRecord>(bytes));
      return true;
    case shm::RecordType::kDevice:
      handler_->OnDevice(As<shm::DeviceRecord>(bytes));
      return true;
    case shm::RecordType::kNote:
      handler_->OnNote(As<shm::NoteRecord>(bytes));
      return true;
    case shm::RecordType::kGoodbye:
      handler_->OnGoodbye(As<shm::GoodbyeRecord>(bytes));
      return true;
    case shm::RecordType::kClock:
      handler_->OnClock(As<shm::ClockRecord>(bytes));
      return true;
    default:
      return false;
  }
}

}  // namespace flopsprof::agent
