// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_follow.h"

#include <sys/mman.h>

#include "injector/base/address_table.h"
#include "injector/base/platform.h"
#include "injector/hooks/cudnn/cudnn_call.h"
#include "injector/hooks/cudnn/cudnn_contents.h"
#include "injector/hooks/cudnn/cudnn_descriptor.h"
#include "injector/hooks/cudnn/cudnn_plan_cache.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

// cudnnBackendAttributeName_t (cudnn_graph.h).
constexpr int kHeuristicsGraph = 201;
constexpr int kHeuristicsResults = 202;
constexpr int kConfigEngine = 300;
constexpr int kPlanConfig = 401;
constexpr int kGraphOperations = 801;
constexpr int kTensorRaggedOffset = 913;
constexpr int kEngineGraph = 1300;

CudnnPlanCache followed;  // graphs, heuristics, engines, configurations and plans

struct Nothing {
  void Forget() {}
};
AddressTable<Nothing, 256, 7> ragged;  // tensors, and operations on them
// Final, for more than a million ragged tensors at once: any may be, none is believed, and each
// plan of them is counted as unknown.
std::atomic<bool> ragged_lost{false};

bool IsRagged(const void* descriptor) {
  return ragged_lost.load(std::memory_order_relaxed) ||
         (descriptor != nullptr && ragged.Find(AddressKey(descriptor)) != nullptr);
}

// The reader's id of what `from` leads to is that of `to`, too.
void Pass(const void* from, const void* to) {
  if (from == nullptr || to == nullptr) return;
  const uint32_t epoch = SessionEpoch();
  const uint32_t id = followed.Find(from, epoch);
  if (id != CudnnPlanCache::kNotCached) followed.Insert(to, id, epoch);
}

void Describe(const void* caller, const void* graph, const void* const* operations, int64_t count,
              bool may_be_ragged) {
  constexpr size_t kRoomBytes = size_t{256} * 1024;
  ErrnoKeeper keep;
  auto* const room = static_cast<char*>(MapPages(kRoomBytes));
  if (room == nullptr) return;
  const size_t bytes =
      WriteCudnnOperations(caller, operations, count, may_be_ragged, room, kRoomBytes);
  bool full = false;
  const uint32_t id = bytes == 0 ? 0 : IdOfCudnnText(room, bytes, &full);
  if (id != 0) followed.Insert(graph, id, SessionEpoch());
  munmap(room, kRoomBytes);
}

}  // namespace

CudnnFollower cudnn_follower;

bool CudnnFollower::AskVersion(const void* caller) {
  const size_t version = CudnnVersion(caller);
  const bool old = version != 0 && version < 9000;
  state_.store(old ? kOn : kOff, std::memory_order_relaxed);
  return old;
}

void CudnnFollower::NoteRagged(const void* descriptor, int name, int type, int64_t count,
                               const void* elements) {
  if (type != kCudnnTypeDescriptor || elements == nullptr || count < 1) return;
  const bool tensor = name == kTensorRaggedOffset;
  if (!tensor && !any_ragged_.load(std::memory_order_relaxed)) return;
  if (!tensor && !IsRagged(*static_cast<const void* const*>(elements))) return;
  any_ragged_.store(true, std::memory_order_relaxed);
  if (ragged.FindOrAdd(AddressKey(descriptor)) == nullptr) ragged_lost.store(true);
}

void CudnnFollower::OnSet(const void* caller, const void* descriptor, int name, int type,
                          int64_t count, const void* elements) {
  if (type != kCudnnTypeDescriptor || elements == nullptr || count < 1) return;
  const auto* children = static_cast<const void* const*>(elements);
  switch (name) {
    case kGraphOperations: {
      bool may_be_ragged = false;
      for (int64_t i = 0; i < count; ++i) may_be_ragged |= IsRagged(children[i]);
      return Describe(caller, descriptor, children, count, may_be_ragged);
    }
    case kHeuristicsGraph:
    case kConfigEngine:
    case kPlanConfig:
    case kEngineGraph:
      return Pass(children[0], descriptor);
    default:
      return;
  }
}

void CudnnFollower::OnGet(const void* descriptor, int name, int type, int64_t count,
                          const void* elements) {
  if (type != kCudnnTypeDescriptor || elements == nullptr) return;
  if (name != kHeuristicsResults && name != kConfigEngine) return;
  const auto* children = static_cast<const void* const*>(elements);
  for (int64_t i = 0; i < count; ++i) Pass(descriptor, children[i]);
}

void CudnnFollower::OnDestroy(const void* descriptor) {
  followed.Remove(descriptor);
  if (descriptor != nullptr && any_ragged_.load(std::memory_order_relaxed)) {
    ragged.Remove(AddressKey(descriptor));
  }
}

uint32_t CudnnFollower::IdOf(const void* plan) const {
  const uint32_t id = followed.Find(plan, SessionEpoch());
  return id == CudnnPlanCache::kNotCached ? 0 : id;
}

}  // namespace flopsprof::injector
