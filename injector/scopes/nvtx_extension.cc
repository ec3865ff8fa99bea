// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Extensions of NVTX: payloads with schemas. They are accepted and not read. What carries nothing
// else is counted as kNvtxDropped; an event of the other entry points keeps its name and loses its
// payload, counted there. Other extensions (counters, memory) are refused, which makes them
// no-ops in the program.

#include <atomic>

#include "injector/scopes/nvtx_names.h"
#include "injector/scopes/nvtx_types.h"
#include "injector/scopes/public_api.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

using Domain = NvtxDomain;

void CountDropped(const Domain* domain) {
  if (!IsIgnored(domain)) CountLoss(shm::LossCounter::kNvtxDropped);
}

uint8_t DomainIsEnabled(const Domain*) { return 1; }

// Programs take 0 for a failure and may try again. Numbers chosen by the program itself are below.
uint64_t RegisterSchema(const Domain*, const void*) {
  static std::atomic<uint64_t> next{uint64_t{1} << 32};
  return next.fetch_add(1, std::memory_order_relaxed);
}

// The name is in the payload.
void DropMark(const Domain* domain, const void*, size_t) { CountDropped(domain); }
int DropPush(const Domain* domain, const void*, size_t) {
  CountDropped(domain);
  return 0;
}
int DropPop(const Domain*, const void*, size_t) { return 0; }
uint64_t DropStart(const Domain* domain, const void*, size_t) {
  CountDropped(domain);
  return 0;
}
void DropEnd(const Domain*, uint64_t, const void*, size_t) {}

struct Slot {
  unsigned function;
  void* address;
};

}  // namespace
}  // namespace flopsprof::injector

FLOPSPROF_EXPORT int InitializeInjectionNvtxExtension(void* module_info) {
  using namespace flopsprof::injector;
  const auto* module = static_cast<const nvtx::ExtensionModule*>(module_info);
  if (module == nullptr) return 0;
  if (module->module_id != nvtx::kPayloadModule) {
    CountLoss(flopsprof::shm::LossCounter::kNvtxDropped);
    return 0;
  }
  if (module->segments_count == 0 || module->segments == nullptr) return 0;
  const nvtx::ExtensionSegment& segment = module->segments[0];
  const Slot slots[] = {
      {nvtx::kSchemaRegister, reinterpret_cast<void*>(RegisterSchema)},
      {nvtx::kEnumRegister, reinterpret_cast<void*>(RegisterSchema)},
      {nvtx::kMarkPayload, reinterpret_cast<void*>(DropMark)},
      {nvtx::kRangePushPayload, reinterpret_cast<void*>(DropPush)},
      {nvtx::kRangePopPayload, reinterpret_cast<void*>(DropPop)},
      {nvtx::kRangeStartPayload, reinterpret_cast<void*>(DropStart)},
      {nvtx::kRangeEndPayload, reinterpret_cast<void*>(DropEnd)},
      {nvtx::kDomainIsEnabled, reinterpret_cast<void*>(DomainIsEnabled)},
  };
  for (const Slot& slot : slots) {
    if (slot.function < segment.slot_count) {
      segment.function_slots[slot.function] = reinterpret_cast<intptr_t>(slot.address);
    }
  }
  return 1;
}
