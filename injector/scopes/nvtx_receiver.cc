// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Receives the NVTX calls of every library and program in the process that finds this library in
// NVTX_INJECTION64_PATH. Each has its own copy of NVTX and asks once, possibly at the same time.
// Ranges become scopes on the calling thread's stack, marks are counted. Names of threads and of
// resources are not kept: without a handler NVTX does nothing.

#include <string.h>

#include "injector/base/platform.h"
#include "injector/scopes/nvtx_names.h"
#include "injector/scopes/nvtx_types.h"
#include "injector/scopes/public_api.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/started_ranges.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

using nvtx::EventAttributes;
using Domain = NvtxDomain;

// NVTX wants the number of ranges open before this one; ours counts all frames.
int Level(uint32_t depth) {
  return depth == ThreadScopes::kRefused ? -1 : static_cast<int>(depth & ~ThreadScopes::kTimed);
}

int PushEvent(const Domain* domain, const EventAttributes* event) {
  if (IsIgnored(domain)) return 0;
  NvtxName name;
  RangeFacts facts;
  ReadEvent(NameOf(domain), event, &name, &facts);
  if (facts.any()) return Level(EnterRangeWith(facts, NameOf(domain), name.text, name.bytes));
  return Level(EnterNamedRange(shm::ScopeKind::kRange, NameOf(domain), name.text, name.bytes));
}

int Pop(const Domain* domain) {
  if (IsIgnored(domain)) return 0;
  ThreadScopes& thread = ThisThread();
  if (!thread.CloseRange(NameOf(domain))) {
    CountLoss(shm::LossCounter::kScopeUnbalanced);
    return -1;
  }
  return static_cast<int>(thread.depth());
}

uint64_t Start(const char* domain, const NvtxName& name, const RangeFacts& facts) {
  ScopeIdentity identity;
  identity.kind = shm::ScopeKind::kRange;
  identity.domain = domain;
  identity.name = name.text;
  identity.name_bytes = name.bytes;
  const uint32_t scope = FindOrAddScope(identity);
  const uint64_t id = BeginStartedRange(scope, ThisThread().started_range);
  if (id != 0) ThisThread().started_range = id;
  return facts.any() ? EmitRangeStartWith(facts, scope, id) : EmitRangeStart(scope, id);
}

uint64_t StartEvent(const Domain* domain, const EventAttributes* event) {
  if (IsIgnored(domain)) return 0;
  NvtxName name;
  RangeFacts facts;
  ReadEvent(NameOf(domain), event, &name, &facts);
  return Start(NameOf(domain), name, facts);
}

void End(uint64_t id) {
  if (id != 0 && !EndStartedRange(id) && !EndTimedRange(id)) {
    CountLoss(shm::LossCounter::kScopeUnbalanced);
  }
}

void MarkEvent(const Domain* domain, const EventAttributes* event) {
  if (IsIgnored(domain)) return;
  NvtxName name;
  RangeFacts facts;
  ReadEvent(NameOf(domain), event, &name, &facts);
  EmitMark(facts, NameOf(domain), name.text, name.bytes);
}

int RangePushA(const char* text) {
  return Level(
      EnterNamedRange(shm::ScopeKind::kRange, nullptr, text == nullptr ? "" : text, kTerminated));
}
int RangePushW(const wchar_t* text) {
  NvtxName name;
  SetWide(&name, text);
  return Level(EnterNamedRange(shm::ScopeKind::kRange, nullptr, name.text, name.bytes));
}
int RangePushEx(const EventAttributes* event) { return PushEvent(nullptr, event); }
int RangePop() { return Pop(nullptr); }
uint64_t RangeStartA(const char* text) {
  NvtxName name;
  SetAscii(&name, text);
  return Start(nullptr, name, RangeFacts());
}
uint64_t RangeStartW(const wchar_t* text) {
  NvtxName name;
  SetWide(&name, text);
  return Start(nullptr, name, RangeFacts());
}
uint64_t RangeStartEx(const EventAttributes* event) { return StartEvent(nullptr, event); }
void RangeEnd(uint64_t id) { End(id); }
void MarkA(const char* text) {
  NvtxName name;
  SetAscii(&name, text);
  EmitMark(RangeFacts(), nullptr, name.text, name.bytes);
}
void MarkW(const wchar_t* text) {
  NvtxName name;
  SetWide(&name, text);
  EmitMark(RangeFacts(), nullptr, name.text, name.bytes);
}
void MarkEx(const EventAttributes* event) { MarkEvent(nullptr, event); }
void NameCategoryA(uint32_t category, const char* text) {
  NvtxName name;
  SetAscii(&name, text);
  NameCategory(nullptr, category, name);
}
void NameCategoryW(uint32_t category, const wchar_t* text) {
  NvtxName name;
  SetWide(&name, text);
  NameCategory(nullptr, category, name);
}

int DomainRangePushEx(const Domain* domain, const EventAttributes* event) {
  return PushEvent(domain, event);
}
int DomainRangePop(const Domain* domain) { return Pop(domain); }
uint64_t DomainRangeStartEx(const Domain* domain, const EventAttributes* event) {
  return StartEvent(domain, event);
}
void DomainRangeEnd(const Domain*, uint64_t id) { End(id); }
void DomainMarkEx(const Domain* domain, const EventAttributes* event) { MarkEvent(domain, event); }
void DomainNameCategoryA(const Domain* domain, uint32_t category, const char* text) {
  NvtxName name;
  SetAscii(&name, text);
  NameCategory(NameOf(domain), category, name);
}
void DomainNameCategoryW(const Domain* domain, uint32_t category, const wchar_t* text) {
  NvtxName name;
  SetWide(&name, text);
  NameCategory(NameOf(domain), category, name);
}
const void* DomainRegisterStringA(const Domain*, const char* text) {
  NvtxName name;
  SetAscii(&name, text);
  return FindOrAddRegistered(name);
}
const void* DomainRegisterStringW(const Domain*, const wchar_t* text) {
  NvtxName name;
  SetWide(&name, text);
  return FindOrAddRegistered(name);
}
const Domain* DomainCreateA(const char* text) {
  NvtxName name;
  SetAscii(&name, text);
  return FindOrAddDomain(name);
}
const Domain* DomainCreateW(const wchar_t* text) {
  NvtxName name;
  SetWide(&name, text);
  return FindOrAddDomain(name);
}

struct Handler {
  unsigned function;
  void* address;
};

#define FLOPSPROF_HANDLER(name) \
  { nvtx::k##name, reinterpret_cast<void*>(name) }

void Install(const nvtx::ExportTableCallbacks* callbacks, uint32_t module, const Handler* handlers,
             size_t count) {
  void*** table = nullptr;
  unsigned size = 0;
  if (callbacks->get_module_function_table(module, &table, &size) != 1) return;
  for (size_t i = 0; i < count; ++i) {
    const unsigned function = handlers[i].function;
    if (function < size && table[function] != nullptr) *table[function] = handlers[i].address;
  }
}

}  // namespace
}  // namespace flopsprof::injector

FLOPSPROF_EXPORT int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t)) {
  namespace f = flopsprof::injector;
  using namespace flopsprof::injector;
  if (get_export_table == nullptr) return 0;
  const auto* callbacks = static_cast<const f::nvtx::ExportTableCallbacks*>(
      get_export_table(f::nvtx::kExportCallbacks));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(*callbacks)) return 0;
  const Handler core[] = {
      FLOPSPROF_HANDLER(RangePushA),    FLOPSPROF_HANDLER(RangePushW),
      FLOPSPROF_HANDLER(RangePushEx),   FLOPSPROF_HANDLER(RangePop),
      FLOPSPROF_HANDLER(RangeStartA),   FLOPSPROF_HANDLER(RangeStartW),
      FLOPSPROF_HANDLER(RangeStartEx),  FLOPSPROF_HANDLER(RangeEnd),
      FLOPSPROF_HANDLER(MarkA),         FLOPSPROF_HANDLER(MarkW),
      FLOPSPROF_HANDLER(MarkEx),        FLOPSPROF_HANDLER(NameCategoryA),
      FLOPSPROF_HANDLER(NameCategoryW),
  };
  const Handler core2[] = {
      FLOPSPROF_HANDLER(DomainRangePushEx),     FLOPSPROF_HANDLER(DomainRangePop),
      FLOPSPROF_HANDLER(DomainRangeStartEx),    FLOPSPROF_HANDLER(DomainRangeEnd),
      FLOPSPROF_HANDLER(DomainRegisterStringA), FLOPSPROF_HANDLER(DomainRegisterStringW),
      FLOPSPROF_HANDLER(DomainCreateA),         FLOPSPROF_HANDLER(DomainCreateW),
      FLOPSPROF_HANDLER(DomainMarkEx),          FLOPSPROF_HANDLER(DomainNameCategoryA),
      FLOPSPROF_HANDLER(DomainNameCategoryW),
  };
  Install(callbacks, f::nvtx::kCore, core, sizeof(core) / sizeof(core[0]));
  Install(callbacks, f::nvtx::kCore2, core2, sizeof(core2) / sizeof(core2[0]));
  return 1;
}
