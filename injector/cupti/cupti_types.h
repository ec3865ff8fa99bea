// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Our own declarations of the part of the CUPTI interface that the injector uses. Names, numbers
// and offsets are those of the public headers of CUPTI 13.0 (cupti_result.h, cupti_callbacks.h,
// cupti_activity.h); tests/unit/injector holds them against the real headers where these are
// installed.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

using CuptiResult = int;
constexpr CuptiResult kCuptiSuccess = 0;
constexpr CuptiResult kCuptiMaxLimitReached = 12;
constexpr CuptiResult kCuptiInvalidKind = 21;
constexpr CuptiResult kCuptiMultipleSubscribers = 39;

using CuptiSubscriber = void*;

enum CuptiDomain : int { kCuptiDriverApi = 1, kCuptiRuntimeApi = 2, kCuptiResource = 3 };

// CUpti_CallbackIdResource
constexpr uint32_t kCuptiContextCreated = 1;
constexpr uint32_t kCuptiContextDestroyStarting = 2;
constexpr uint32_t kCuptiInitFinished = 5;
constexpr uint32_t kCuptiGraphNodeCreated = 13;
constexpr uint32_t kCuptiGraphNodeCloned = 20;

constexpr int kCuptiApiEnter = 0;

struct CuptiCallbackData {
  int callback_site;
  const char* function_name;
  const void* function_params;
  void* function_return_value;
  const char* symbol_name;
  void* context;
  uint32_t context_uid;
  uint64_t* correlation_data;
  uint32_t correlation_id;
};

struct CuptiResourceData {
  void* context;
  void* handle;
  void* descriptor;  // CuptiGraphData*
};

struct CuptiGraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
  int node_type;  // CUgraphNodeType
  void* dependency;
  void* executable;
};

// CUgraphNodeType
constexpr int kNodeKernel = 0;
constexpr int kNodeMemcpy = 1;
constexpr int kNodeMemset = 2;

using CuptiCallback = void (*)(void* user_data, int domain, uint32_t cbid, const void* data);
using CuptiBufferRequested = void (*)(uint8_t** buffer, size_t* size, size_t* max_records);
using CuptiBufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size,
                                      size_t valid_size);

enum CuptiActivityKind : uint32_t {
  kCuptiMemcpy = 1,
  kCuptiMemset = 2,
  kCuptiKernel = 3,
  kCuptiConcurrentKernel = 10,
  kCuptiOverhead = 17,
  kCuptiMemcpyPeer = 22,
  kCuptiGraphTrace = 51,
};

constexpr uint32_t kCuptiFlushForced = 1;

// CUpti_ActivityAttribute: how many buffers of 3.2 MB of GPU memory, with the times of 100,000
// kernels each, CUPTI may take in a context.
constexpr int kCuptiDevicePoolLimit = 2;
constexpr uint64_t kCuptiKernelsADeviceBuffer = 100'000;

// Where fields lie in the activity records. CUPTI writes the newest version of a struct that it
// knows; all versions of CUDA 11 to 13 share these prefixes (kernel: Kernel4, 144 bytes, to
// Kernel10, 216 bytes, and later). `least_bytes` is the oldest version's size.
struct ActivityLayout {
  uint16_t least_bytes;
  uint16_t start, end, device, context, stream, correlation;
  uint16_t bytes;       // 0: none
  uint16_t copy_kind;   // one byte; 0: none
  uint16_t name;        // 0: none
  uint16_t graph_node;  // present when the record is long enough
  uint16_t graph;
  uint16_t grid;  // x, y and z, four bytes each; 0: none
};

constexpr ActivityLayout kKernelLayout = {144, 16, 24, 40, 44, 48, 92, 0, 0, 104, 144, 156, 52};
constexpr ActivityLayout kMemcpyLayout = {64, 16, 24, 32, 36, 40, 44, 8, 4, 0, 64, 72, 0};
constexpr ActivityLayout kMemcpyPeerLayout = {64, 16, 24, 32, 36, 40, 60, 8, 4, 0, 72, 80, 0};
constexpr ActivityLayout kMemsetLayout = {56, 16, 24, 32, 36, 40, 44, 8, 0, 0, 64, 72, 0};
// One launch of a graph: no node.
constexpr uint16_t kNoField = 0xff00;
constexpr ActivityLayout kGraphTraceLayout = {48, 8, 16, 24, 32, 36, 4, 0, 0, 0, kNoField, 28, 0};
constexpr uint16_t kOverheadLeastBytes = 40;
constexpr uint16_t kOverheadStart = 24;
constexpr uint16_t kOverheadEnd = 32;

}  // namespace flopsprof::injector
