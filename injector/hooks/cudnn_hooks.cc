// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cuDNN's graph API. What a plan computes is in its JSON, asked once per plan after its first
// execution has returned: valid also for plans built before we came, or read from a file.

#include <stdint.h>

#include "injector/hooks/cudnn_call.h"
#include "injector/hooks/cudnn_overrides.h"
#include "injector/hooks/cudnn_plan_ids.h"
#include "injector/platform.h"

namespace flopsprof::injector {
namespace {

// cudnnBackendAttributeName_t, cudnnBackendAttributeType_t (cudnn_graph.h).
constexpr int kPackOverrideIds = 1010;
constexpr int kPackOverrideShapes = 1011;
constexpr int kTypeInt64 = 3;
constexpr int kTypePointer = 6;

CudnnOverrideTable overridden_packs;

void EmitCudnnCall(const CallScope& call, const void* caller, void* plan, const void* pack) {
  CudnnOverrides overrides;
  const bool overridden = overridden_packs.Find(pack, &overrides);
  const bool sizes_known = !overridden || overrides.readable;
  shm::CudnnCall record{};
  record.plan = sizes_known ? IdOfCudnnPlan(caller, plan, overridden ? &overrides : nullptr) : 0;
  record.header = call.Header(shm::RecordType::kCudnnCall);
  if (!sizes_known) {
    record.header.flags |= shm::kFlagSizesUnknown;
    CountLoss(shm::LossCounter::kCudnnPlanUnknown);
  }
  record.call = call.id();
  record.scope = call.attribution().scope;
  record.api = call.api();
  EmitRecord(&record);
}

// Only the two attributes that cannot be asked for later.
void NoteAttribute(const void* descriptor, int name, int type, int64_t count,
                   const void* elements) {
  if (name == kPackOverrideIds && type == kTypeInt64) {
    overridden_packs.NoteIds(descriptor, static_cast<const int64_t*>(elements), count);
  } else if (name == kPackOverrideShapes && type == kTypePointer && count == 1) {
    overridden_packs.NoteShapes(descriptor, elements);
  }
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
  if (status == 0 && (name == kPackOverrideIds || name == kPackOverrideShapes) && IsRecording()) {
    NoteAttribute(descriptor, name, type, count, elements);
  }
  return status;
}

FLOPSPROF_EXPORT int cudnnBackendDestroyDescriptor(void* descriptor) {
  static RealFunction real("cudnnBackendDestroyDescriptor", kCudnn);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*)>(real.Enter(&caller));
  ForgetCudnnPlan(descriptor);
  overridden_packs.Remove(descriptor);
  return function == nullptr ? kCudnnNotSupported : function(descriptor);
}
