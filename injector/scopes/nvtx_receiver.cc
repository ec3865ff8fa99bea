// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Receives the NVTX calls of every library and program in the process that finds this library in
// NVTX_INJECTION64_PATH. Each has its own copy of NVTX and asks once, possibly at the same time.
// Ranges become scopes on the calling thread's stack; marks and names of threads are not kept.

#include <stdlib.h>
#include <string.h>

#include "injector/platform.h"
#include "injector/public_api.h"
#include "injector/record_sink.h"
#include "injector/scopes/nvtx_types.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/started_ranges.h"

namespace flopsprof::injector {

namespace {

using nvtx::EventAttributes;

// Domains of NVIDIA's libraries: their ranges say which function of the library runs, which we
// know from the call itself, and would split the launches of a module.
constexpr const char* kLibraryDomains[] = {"NCCL", "CCCL", "cuBLAS", "cuDNN", "cuSOLVER", "cuFFT"};

// What a domain handle points at. Never freed: handles live in static variables of programs.
struct Domain {
  const char* name;  // interned; null for the default domain
  bool ignored;
};

// What a registered string's handle points at.
struct RegisteredString {
  size_t bytes;
  char text[1];
};

struct Name {
  const char* text;
  size_t bytes;
  char buffer[kMaxScopeNameBytes];  // for wide text
};

// UTF-32 to UTF-8, as much as fits.
size_t Narrow(const wchar_t* wide, char* out, size_t capacity) {
  size_t size = 0;
  for (; *wide != 0 && size + 4 < capacity; ++wide) {
    const auto c = static_cast<uint32_t>(*wide);
    if (c < 0x80) {
      out[size++] = static_cast<char>(c);
    } else if (c < 0x800) {
      out[size++] = static_cast<char>(0xC0 | c >> 6);
      out[size++] = static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      out[size++] = static_cast<char>(0xE0 | c >> 12);
      out[size++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
      out[size++] = static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x110000) {
      out[size++] = static_cast<char>(0xF0 | c >> 18);
      out[size++] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
      out[size++] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
      out[size++] = static_cast<char>(0x80 | (c & 0x3F));
    }
  }
  return size;
}

void SetAscii(Name* name, const char* text) {
  name->text = text == nullptr ? "" : text;
  name->bytes = strlen(name->text);
}

void SetWide(Name* name, const wchar_t* text) {
  name->text = name->buffer;
  name->bytes = text == nullptr ? 0 : Narrow(text, name->buffer, sizeof(name->buffer));
}

void SetMessage(Name* name, const EventAttributes* event) {
  name->text = "";
  name->bytes = 0;
  if (event == nullptr) return;
  switch (event->message_type) {
    case nvtx::kAscii:
      return SetAscii(name, event->message.ascii);
    case nvtx::kWide:
      return SetWide(name, event->message.wide);
    case nvtx::kRegistered: {
      const auto* text = static_cast<const RegisteredString*>(event->message.registered);
      if (text != nullptr) {
        name->text = text->text;
        name->bytes = text->bytes;
      } else {
        CountLoss(shm::LossCounter::kNvtxDropped);  // registered before we came: no name
      }
      return;
    }
    default:
      return;
  }
}

const char* NameOf(const Domain* domain) { return domain == nullptr ? nullptr : domain->name; }

// NVTX wants the number of ranges open before this one; ours counts all frames.
int Push(const Domain* domain, const char* text, size_t bytes) {
  if (domain != nullptr && domain->ignored) return 0;
  const uint32_t depth = EnterNamedRange(shm::ScopeKind::kRange, NameOf(domain), text, bytes);
  return depth == ThreadScopes::kRefused ? -1 : static_cast<int>(depth);
}

int Pop(const Domain* domain) {
  if (domain != nullptr && domain->ignored) return 0;
  ThreadScopes& thread = ThisThread();
  if (!thread.CloseRange(NameOf(domain))) {
    CountLoss(shm::LossCounter::kScopeUnbalanced);
    return -1;
  }
  return static_cast<int>(thread.depth());
}

uint64_t Start(const Domain* domain, const Name& name) {
  if (domain != nullptr && domain->ignored) return 0;
  ScopeIdentity identity;
  identity.kind = shm::ScopeKind::kRange;
  identity.domain = NameOf(domain);
  identity.name = name.text;
  identity.name_bytes = name.bytes;
  const uint32_t scope = FindOrAddScope(identity);
  const uint64_t id = BeginStartedRange(scope);
  if (id != 0) ThisThread().started_range = id;
  if (IsRecording()) EmitScopeEnter(scope, shm::Phase::kOther);
  return id;
}

void End(uint64_t id) {
  if (id != 0 && !EndStartedRange(id)) CountLoss(shm::LossCounter::kScopeUnbalanced);
}

int RangePushA(const char* text) { return Push(nullptr, text == nullptr ? "" : text, kTerminated); }
int RangePushW(const wchar_t* text) {
  Name name;
  SetWide(&name, text);
  return Push(nullptr, name.text, name.bytes);
}
int RangePushEx(const EventAttributes* event) {
  Name name;
  SetMessage(&name, event);
  return Push(nullptr, name.text, name.bytes);
}
int RangePop() { return Pop(nullptr); }
uint64_t RangeStartA(const char* text) {
  Name name;
  SetAscii(&name, text);
  return Start(nullptr, name);
}
uint64_t RangeStartW(const wchar_t* text) {
  Name name;
  SetWide(&name, text);
  return Start(nullptr, name);
}
uint64_t RangeStartEx(const EventAttributes* event) {
  Name name;
  SetMessage(&name, event);
  return Start(nullptr, name);
}
void RangeEnd(uint64_t id) { End(id); }

int DomainRangePushEx(const Domain* domain, const EventAttributes* event) {
  Name name;
  SetMessage(&name, event);
  return Push(domain, name.text, name.bytes);
}
int DomainRangePop(const Domain* domain) { return Pop(domain); }
uint64_t DomainRangeStartEx(const Domain* domain, const EventAttributes* event) {
  Name name;
  SetMessage(&name, event);
  return Start(domain, name);
}
void DomainRangeEnd(const Domain*, uint64_t id) { End(id); }

const void* Register(const Name& name) {
  auto* text = static_cast<RegisteredString*>(malloc(sizeof(RegisteredString) + name.bytes));
  if (text == nullptr) return nullptr;
  text->bytes = name.bytes;
  memcpy(text->text, name.text, name.bytes);
  text->text[name.bytes] = '\0';
  return text;
}
const void* DomainRegisterStringA(const Domain*, const char* text) {
  Name name;
  SetAscii(&name, text);
  return Register(name);
}
const void* DomainRegisterStringW(const Domain*, const wchar_t* text) {
  Name name;
  SetWide(&name, text);
  return Register(name);
}

const Domain* CreateDomain(const Name& name) {
  auto* domain = static_cast<Domain*>(malloc(sizeof(Domain)));
  if (domain == nullptr) return nullptr;
  char text[kMaxScopeNameBytes];
  const size_t bytes = name.bytes < sizeof(text) - 1 ? name.bytes : sizeof(text) - 1;
  memcpy(text, name.text, bytes);
  text[bytes] = '\0';
  domain->name = InternDomain(text);
  domain->ignored = false;
  for (const char* library : kLibraryDomains) domain->ignored |= strcmp(text, library) == 0;
  return domain;
}
const Domain* DomainCreateA(const char* text) {
  Name name;
  SetAscii(&name, text);
  return CreateDomain(name);
}
const Domain* DomainCreateW(const wchar_t* text) {
  Name name;
  SetWide(&name, text);
  return CreateDomain(name);
}

uint8_t DomainIsEnabled(const Domain*) { return 1; }

// Ranges whose name is only in a payload: their forms are not read.
int DropPayloadPush(const Domain*, const void*, size_t) {
  CountLoss(shm::LossCounter::kNvtxDropped);
  return 0;
}
int DropPayloadPop(const Domain*, const void*, size_t) { return 0; }
uint64_t DropPayloadStart(const Domain*, const void*, size_t) {
  CountLoss(shm::LossCounter::kNvtxDropped);
  return 0;
}
void DropPayloadEnd(const Domain*, uint64_t, const void*, size_t) {}

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
      FLOPSPROF_HANDLER(RangePushA),   FLOPSPROF_HANDLER(RangePushW),
      FLOPSPROF_HANDLER(RangePushEx),  FLOPSPROF_HANDLER(RangePop),
      FLOPSPROF_HANDLER(RangeStartA),  FLOPSPROF_HANDLER(RangeStartW),
      FLOPSPROF_HANDLER(RangeStartEx), FLOPSPROF_HANDLER(RangeEnd),
  };
  const Handler core2[] = {
      FLOPSPROF_HANDLER(DomainRangePushEx),     FLOPSPROF_HANDLER(DomainRangePop),
      FLOPSPROF_HANDLER(DomainRangeStartEx),    FLOPSPROF_HANDLER(DomainRangeEnd),
      FLOPSPROF_HANDLER(DomainRegisterStringA), FLOPSPROF_HANDLER(DomainRegisterStringW),
      FLOPSPROF_HANDLER(DomainCreateA),         FLOPSPROF_HANDLER(DomainCreateW),
  };
  Install(callbacks, f::nvtx::kCore, core, sizeof(core) / sizeof(core[0]));
  Install(callbacks, f::nvtx::kCore2, core2, sizeof(core2) / sizeof(core2[0]));
  return 1;
}

FLOPSPROF_EXPORT int InitializeInjectionNvtxExtension(void* module_info) {
  using namespace flopsprof::injector;
  const auto* module = static_cast<const nvtx::ExtensionModule*>(module_info);
  if (module == nullptr || module->module_id != nvtx::kPayloadModule) return 0;
  if (module->segments_count == 0 || module->segments == nullptr) return 0;
  const nvtx::ExtensionSegment& segment = module->segments[0];
  const Handler handlers[] = {
      {nvtx::kDomainIsEnabled, reinterpret_cast<void*>(DomainIsEnabled)},
      {nvtx::kRangePushPayload, reinterpret_cast<void*>(DropPayloadPush)},
      {nvtx::kRangePopPayload, reinterpret_cast<void*>(DropPayloadPop)},
      {nvtx::kRangeStartPayload, reinterpret_cast<void*>(DropPayloadStart)},
      {nvtx::kRangeEndPayload, reinterpret_cast<void*>(DropPayloadEnd)},
  };
  for (const Handler& handler : handlers) {
    if (handler.function < segment.slot_count) {
      segment.function_slots[handler.function] = reinterpret_cast<intptr_t>(handler.address);
    }
  }
  return 1;
}
