// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The few types and numbers of NVTX 3 that a receiver needs (nvtxTypes.h, nvToolsExtPayload.h).

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

namespace flopsprof::injector::nvtx {

// nvtxEventAttributes_t, version 1 to 3.
struct EventAttributes {
  uint16_t version;
  uint16_t size;  // of the caller's struct
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  uint64_t payload;
  int32_t message_type;  // MessageType
  union {
    const char* ascii;
    const wchar_t* wide;
    const void* registered;
  } message;
};
static_assert(offsetof(EventAttributes, message) == 40, "layout of nvtxEventAttributes_t");

enum MessageType : int32_t { kNoMessage = 0, kAscii = 1, kWide = 2, kRegistered = 3 };

enum EventPayloadType : int32_t {
  kNoPayload = 0,
  kUint64 = 1,
  kInt64 = 2,
  kDouble = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat = 6,
};

constexpr uint32_t kExportCallbacks = 1;  // NVTX_ETID_CALLBACKS
enum Module : uint32_t { kCore = 1, kCore2 = 5 };

// NVTX_ETID_CALLBACKS: what the program's copy of NVTX hands out.
struct ExportTableCallbacks {
  size_t struct_size;
  // Table of pointers to the slots of a module's functions. 1 = success.
  int (*get_module_function_table)(uint32_t module, void**** table, unsigned* size);
};

enum CoreFunction : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW,
};

enum Core2Function : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainResourceCreate,
  kDomainResourceDestroy,
  kDomainNameCategoryA,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
  kInitialize,
};

// nvtxExtModuleInfo_t
struct ExtensionSegment {
  size_t segment_id;
  size_t slot_count;
  intptr_t* function_slots;
};
struct ExtensionModule {
  uint16_t nvtx_version;
  uint16_t struct_size;
  uint16_t module_id;
  uint16_t compat_id;
  size_t segments_count;
  ExtensionSegment* segments;
  void* get_export_function;
  const void* extension_info;
};
constexpr uint16_t kPayloadModule = 2;
enum PayloadFunction : unsigned {
  kSchemaRegister = 0,
  kEnumRegister = 1,
  kMarkPayload = 2,
  kRangePushPayload = 3,
  kRangePopPayload = 4,
  kRangeStartPayload = 5,
  kRangeEndPayload = 6,
  kDomainIsEnabled = 7,
};

}  // namespace flopsprof::injector::nvtx
