// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cuDNN's graph API. What a plan computes is in its JSON, asked once per plan after its first
// execution has returned: valid also for plans built before we came, or read from a file.

#include <stdint.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/graphs/graph_events.h"
#include "injector/hooks/cudnn/cudnn_call.h"
#include "injector/hooks/cudnn/cudnn_descriptor.h"
#include "injector/hooks/cudnn/cudnn_follow.h"
#include "injector/hooks/cudnn/cudnn_overrides.h"
#include "injector/hooks/cudnn/cudnn_plan_ids.h"

namespace flopsprof::injector {
namespace {

// cudnnBackendAttributeName_t (cudnn_graph.h).
constexpr int kPackOverrideIds = 1010;
constexpr int kPackOverrideShapes = 1011;
CudnnOverrideTable overridden_packs;

void EmitCudnnCall(const CallScope& call, const void* caller, void* plan, const void* pack,
                   uint8_t flags = 0) {
  const CudnnOverrides* const overrides = overridden_packs.Find(pack);
  const bool sizes_known = overrides == nullptr || overrides->readable;
  shm::CudnnCall record{};
  record.plan = sizes_known ? IdOfCudnnPlan(caller, plan, overrides) : 0;
  record.header = call.Header(shm::RecordType::kCudnnCall);
  record.header.flags |= flags;
  if (!sizes_known) {
    record.header.flags |= shm::kFlagSizesUnknown;
    CountLoss(shm::LossCounter::kCudnnPlanUnknown);
  }
  record.call = call.id();
  record.scope = call.attribution().scope;
  record.api = call.api();
  EmitCall(&record);
}

// What cannot be asked for later.
void NoteAttribute(const void* caller, const void* descriptor, int name, int type, int64_t count,
                   const void* elements) {
  cudnn_follower.NoteRagged(descriptor, name, type, count, elements);
  if (name == kPackOverrideIds && type == kCudnnTypeInt64) {
    overridden_packs.NoteIds(descriptor, static_cast<const int64_t*>(elements), count);
  } else if (name == kPackOverrideShapes && type == kCudnnTypePointer && count == 1) {
    // Versions whose vectors have been read; another one may lay them out as it likes.
    const size_t version = CudnnVersion(caller);
    const bool known = version >= 90000 && version < 92500;
    overridden_packs.NoteShapes(descriptor, elements, known);
  } else if (IsConnected() && cudnn_follower.on(caller)) {
    cudnn_follower.OnSet(caller, descriptor, name, type, count, elements);
  }
}

// Of plans that become nodes of a graph: numbers that CUDA gives no capture.
uint64_t NewPopulation() {
  constexpr uint64_t kOurs = uint64_t{1} << 63;
  static std::atomic<uint64_t> newest{0};
  return kOurs | (newest.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: the hooks below are C functions
namespace shm = flopsprof::shm;

FLOPSPROF_EXPORT int cudnnBackendExecute(void* handle, void* plan, void* variant_pack) {
  static RealFunction real("cudnnBackendExecute", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnBackendExecute, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitCudnnCall(call, caller, plan, variant_pack);
      },
      handle, plan, variant_pack);
}

FLOPSPROF_EXPORT int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count,
                                              void* elements) {
  static RealFunction real("cudnnBackendSetAttribute", kCudnn);
  const void* caller = __builtin_return_address(0);
  auto* const function =
      reinterpret_cast<int (*)(void*, int, int, int64_t, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCudnnNotSupported;
  const int status = function(descriptor, name, type, count, elements);
  // Sizes too that are given before the session begins: the pack may be executed in it.
  if (status == 0) NoteAttribute(caller, descriptor, name, type, count, elements);
  return status;
}

FLOPSPROF_EXPORT int cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t room,
                                              int64_t* count, void* elements) {
  static RealFunction real("cudnnBackendGetAttribute", kCudnn);
  const void* caller = __builtin_return_address(0);
  auto* const function =
      reinterpret_cast<int (*)(void*, int, int, int64_t, int64_t*, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCudnnNotSupported;
  const int status = function(descriptor, name, type, room, count, elements);
  if (status == 0 && count != nullptr && IsConnected() && cudnn_follower.on(caller)) {
    cudnn_follower.OnGet(descriptor, name, type, *count < room ? *count : room, elements);
  }
  return status;
}

// The plan becomes nodes of a graph, as a capture of one call would make them.
FLOPSPROF_EXPORT int cudnnBackendPopulateCudaGraph(void* handle, void* plan, void* variant_pack,
                                                   void* graph) {
  static RealFunction real("cudnnBackendPopulateCudaGraph", kCudnn);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*, void*, void*, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCudnnNotSupported;
  CallScope call(shm::ApiId::cudnnBackendPopulateCudaGraph);
  if (!call.counted()) return function(handle, plan, variant_pack, graph);
  const GraphCall population;  // nodes are made by hand, not by launches
  Capture capture;
  capture.id = NewPopulation();
  capture.graph = graph;
  EmitGraphCall(call.id(), call.attribution(), capture);
  const int status = function(handle, plan, variant_pack, graph);
  if (status != 0) {
    call.EmitFailure(status);
    return status;
  }
  call.thread()->library_in_operation = true;  // as NoteSuccess; its capture is known
  OwnCalls own(call.thread());
  EmitCudnnCall(call, caller, plan, variant_pack, shm::kFlagCaptured);
  GraphObjects objects;
  objects.capture = capture.id;
  objects.graph = graph;
  EmitGraphEvent(shm::GraphEventKind::kCaptureEnd, objects);
  return status;
}

FLOPSPROF_EXPORT int cudnnBackendDestroyDescriptor(void* descriptor) {
  static RealFunction real("cudnnBackendDestroyDescriptor", kCudnn);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*)>(real.Enter(&caller));
  ForgetCudnnPlan(descriptor);
  cudnn_follower.OnDestroy(descriptor);
  overridden_packs.Remove(descriptor);
  return function == nullptr ? kCudnnNotSupported : function(descriptor);
}
