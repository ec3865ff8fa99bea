// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cudnnBackendExecute: what a plan computes is in its JSON (attribute 405), asked once per plan,
// after the first execution has returned. Valid also for plans built before we came.

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <atomic>

#include "injector/hooks/call_scope.h"
#include "injector/hooks/capture_state.h"
#include "injector/hooks/cudnn_plan_cache.h"
#include "injector/hooks/cudnn_plan_json.h"
#include "injector/hooks/real_function.h"
#include "injector/platform.h"

namespace flopsprof::injector {
namespace {

constexpr char kCudnn[] = "libcudnn";     // or one of its parts (libcudnn_graph.so)
constexpr int kCudnnNotSupported = 3000;  // CUDNN_STATUS_NOT_SUPPORTED
constexpr int64_t kMaxJsonBytes = int64_t{256} << 20;

// cudnnBackendAttributeName_t, cudnnBackendAttributeType_t (cudnn_graph.h).
constexpr int kPlanJson = 405;
constexpr int kVariantPackOverrideIds = 1010;
constexpr int kTypeInt64 = 3;
constexpr int kTypeChar = 24;

CudnnPlanCache plans;
std::atomic<uint32_t> newest_plan{0};

using GetAttribute = int (*)(const void* descriptor, int name, int type, int64_t room,
                             int64_t* count, void* values);

GetAttribute FindGetter(const void* caller) {
  static RealFunction real("cudnnBackendGetAttribute", kCudnn);
  return reinterpret_cast<GetAttribute>(real.Find(caller));
}

void* StreamOf(void* handle, const void* caller) {
  static RealFunction real("cudnnGetStream", kCudnn);
  auto* const function = reinterpret_cast<int (*)(void*, void**)>(real.Find(caller));
  void* stream = nullptr;
  if (function != nullptr) function(handle, &stream);
  return stream;
}

enum class Description { kSent, kNone, kTryAgain };

// Sends the operation graph of a plan under an id.
Description SendDescription(GetAttribute get, const void* plan, uint32_t id) {
  int64_t bytes = 0;
  if (get == nullptr || get(plan, kPlanJson, kTypeChar, 0, &bytes, nullptr) != 0 || bytes <= 0 ||
      bytes > kMaxJsonBytes) {
    return Description::kNone;
  }
  const auto room = static_cast<size_t>(bytes);
  auto* json = static_cast<char*>(MapPages(room));
  if (json == nullptr) return Description::kTryAgain;
  Description result = Description::kNone;
  int64_t written = 0;
  if (get(plan, kPlanJson, kTypeChar, bytes, &written, json) == 0 && written > 0 &&
      written <= bytes) {
    const TextSpan graph = FindOperationGraph(json, static_cast<size_t>(written));
    if (graph.begin != nullptr && graph.bytes <= shm::kMaxBlobBytes) {
      result = EmitBlob(shm::BlobKind::kCudnnPlan, id, graph.begin, graph.bytes)
                   ? Description::kSent
                   : Description::kTryAgain;
    } else if (graph.begin != nullptr) {
      CountLoss(shm::LossCounter::kBlobTooLarge);
    }
  }
  munmap(json, room);
  return result;
}

// Id under which the reader knows the plan; 0: it does not.
uint32_t IdOfPlan(GetAttribute get, const void* plan) {
  const uint32_t epoch = SessionEpoch();
  const uint32_t cached = plans.Find(plan, epoch);
  if (cached != CudnnPlanCache::kNotCached) return cached;
  const uint32_t id = newest_plan.fetch_add(1, std::memory_order_relaxed) + 1;
  switch (SendDescription(get, plan, id)) {
    case Description::kSent:
      plans.Insert(plan, id, epoch);
      return id;
    case Description::kNone:
      CountLoss(shm::LossCounter::kCudnnPlanUnknown);
      plans.Insert(plan, 0, epoch);
      return 0;
    case Description::kTryAgain:
      CountLoss(shm::LossCounter::kCudnnPlanUnknown);
      return 0;
  }
  return 0;
}

// Shapes given at execution time in place of the plan's own.
bool HasShapeOverrides(GetAttribute get, const void* variant_pack) {
  int64_t count = 0;
  return get != nullptr &&
         get(variant_pack, kVariantPackOverrideIds, kTypeInt64, 0, &count, nullptr) == 0 &&
         count > 0;
}

void EmitCudnnCall(const CallScope& call, uint32_t plan, bool sizes_known) {
  shm::CudnnCall record{};
  record.header = call.Header(shm::RecordType::kCudnnCall);
  if (!sizes_known) record.header.flags |= shm::kFlagSizesUnknown;
  record.call = call.id();
  record.scope = call.attribution().scope;
  record.api = call.api();
  record.plan = plan;
  EmitRecord(&record);
  call.NoteSuccess();
}

}  // namespace
}  // namespace flopsprof::injector

FLOPSPROF_EXPORT int cudnnBackendExecute(void* handle, void* plan, void* variant_pack) {
  using namespace flopsprof::injector;  // NOLINT: one function
  static RealFunction real("cudnnBackendExecute", kCudnn);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*, void*, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCudnnNotSupported;
  CallScope call(flopsprof::shm::ApiId::cudnnBackendExecute);
  if (!call.counted()) return function(handle, plan, variant_pack);
  if (AnyCaptureIsActive()) call.AskCapture(StreamOf(handle, caller), caller);
  const int status = function(handle, plan, variant_pack);
  if (status != 0) {
    call.EmitFailure(status);
    return status;
  }
  OwnCalls own(call.thread());
  const GetAttribute get = FindGetter(caller);
  EmitCudnnCall(call, IdOfPlan(get, plan), !HasShapeOverrides(get, variant_pack));
  return status;
}

FLOPSPROF_EXPORT int cudnnBackendDestroyDescriptor(void* descriptor) {
  using namespace flopsprof::injector;  // NOLINT: one function
  static RealFunction real("cudnnBackendDestroyDescriptor", kCudnn);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*)>(real.Enter(&caller));
  plans.Remove(descriptor);
  return function == nullptr ? kCudnnNotSupported : function(descriptor);
}
