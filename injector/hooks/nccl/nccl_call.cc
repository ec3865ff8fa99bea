// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/nccl/nccl_call.h"

#include "injector/base/platform.h"
#include "injector/hooks/nccl/nccl_groups.h"
#include "injector/loader/real_function.h"

namespace flopsprof::injector {
namespace {

constexpr char kNccl[] = "libnccl.so";
constexpr int kNcclSuccess = 0;
constexpr int kNcclInProgress = 7;  // non-blocking communicators

bool Succeeded(int status) { return status == kNcclSuccess || status == kNcclInProgress; }

// Bytes of an element of ncclDataType_t (nccl.h); 0: unknown type.
uint64_t ElementBytes(int data_type) {
  static constexpr uint8_t kBytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return data_type >= 0 && data_type < static_cast<int>(sizeof(kBytes)) ? kBytes[data_type] : 0;
}

using GetNumber = int (*)(const void* communicator, int* number);

int32_t RankCount(const void* communicator, const void* caller) {
  static RealFunction real("ncclCommCount", kNccl);
  const auto get = reinterpret_cast<GetNumber>(real.Find(caller));
  int count = 0;
  return get != nullptr && get(communicator, &count) == kNcclSuccess ? count : 0;
}

int32_t OwnRank(const void* communicator, const void* caller) {
  static RealFunction real("ncclCommUserRank", kNccl);
  const auto get = reinterpret_cast<GetNumber>(real.Find(caller));
  int rank = -1;
  return get != nullptr && get(communicator, &rank) == kNcclSuccess ? rank : -1;
}

void EmitHeldCollective(ThreadState* thread) {
  if (!thread->has_group_collective) return;
  thread->has_group_collective = false;
  EmitCall(&thread->group_collective);
}

}  // namespace

void EndCollective(CallScope* call, int status, const void* caller, const Collective& collective) {
  if (!Succeeded(status)) {
    call->EmitFailure(status);
    return;
  }
  ThreadState* thread = call->thread();
  OwnCalls own(thread);
  shm::CollectiveCall record{};
  record.header = call->Header(shm::RecordType::kCollective);
  record.call = call->id();
  record.scope = call->attribution().scope;
  record.api = call->api();
  record.kind = static_cast<uint8_t>(collective.kind);
  record.data_type = static_cast<uint8_t>(collective.data_type);
  record.rank_count = RankCount(collective.communicator, caller);
  record.rank = OwnRank(collective.communicator, caller);
  record.count = collective.count;
  record.bytes = collective.count * ElementBytes(collective.data_type);
  const GroupCall group = NextGroupCall(collective.communicator, collective.kind, collective.peer);
  record.group = group.group;
  record.sequence = group.sequence;
  record.peer = collective.peer;
  call->NoteSuccess();
  if (thread->nccl_group_depth == 0) {
    EmitCall(&record);
    return;
  }
  thread->group_collective.header.flags |= shm::kFlagMore;  // the group goes on
  EmitHeldCollective(thread);
  thread->group_collective = record;
  thread->has_group_collective = true;
}

void SkipCollective(int status, shm::CollectiveKind kind, int peer, void* communicator) {
  if (Succeeded(status)) NextGroupCall(communicator, kind, peer);
}

}  // namespace flopsprof::injector

FLOPSPROF_EXPORT int ncclGroupStart() {
  using namespace flopsprof::injector;  // NOLINT: one function
  static RealFunction real("ncclGroupStart", kNccl);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)()>(real.Enter(&caller));
  if (function == nullptr) return kNcclInvalidUsage;
  const int status = function();
  if (Succeeded(status)) {
    if (ThreadState* thread = CurrentThread()) ++thread->nccl_group_depth;
  }
  return status;
}

FLOPSPROF_EXPORT int ncclGroupEnd() {
  using namespace flopsprof::injector;  // NOLINT: one function
  static RealFunction real("ncclGroupEnd", kNccl);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)()>(real.Enter(&caller));
  if (function == nullptr) return kNcclInvalidUsage;
  ThreadState* thread = CurrentThread();
  if (thread == nullptr || thread->nccl_group_depth == 0) return function();
  if (--thread->nccl_group_depth > 0 || !thread->has_group_collective) return function();
  ++thread->hook_depth;
  const uint32_t outer_call = thread->current_call;
  thread->current_call = thread->group_collective.call;
  thread->current_call_captured =
      (thread->group_collective.header.flags & flopsprof::shm::kFlagCaptured) != 0;
  const int status = function();
  thread->current_call = outer_call;
  thread->current_call_captured = false;
  --thread->hook_depth;
  if (Succeeded(status)) {
    EmitHeldCollective(thread);
    return status;
  }
  flopsprof::shm::CallEnd end{};
  end.header = thread->group_collective.header;
  end.header.type = static_cast<uint16_t>(flopsprof::shm::RecordType::kCallEnd);
  end.call = thread->group_collective.call;
  end.status = status;
  end.api = thread->group_collective.api;
  end.scope = thread->group_collective.scope;
  thread->has_group_collective = false;
  EmitCall(&end);
  return status;
}
