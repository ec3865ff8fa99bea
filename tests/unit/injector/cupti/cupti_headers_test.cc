// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Our own declarations of CUPTI against the real headers, where these are installed.

#include <gtest/gtest.h>

#if __has_include(<cupti.h>)
#include <cupti.h>
#define FLOPSPROF_HAS_CUPTI 1
#endif

#include <stddef.h>

#include <string>

#include "injector/cupti/cupti_cbids.h"
#include "injector/cupti/cupti_types.h"

namespace flopsprof::injector {
namespace {

#ifdef FLOPSPROF_HAS_CUPTI

static_assert(+kCuptiMaxLimitReached == +CUPTI_ERROR_MAX_LIMIT_REACHED);
static_assert(+kCuptiInvalidKind == +CUPTI_ERROR_INVALID_KIND);
static_assert(+kCuptiMultipleSubscribers == +CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(+kCuptiDriverApi == +CUPTI_CB_DOMAIN_DRIVER_API);
static_assert(+kCuptiRuntimeApi == +CUPTI_CB_DOMAIN_RUNTIME_API);
static_assert(+kCuptiApiEnter == +CUPTI_API_ENTER);
static_assert(+kCuptiMemcpy == +CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(+kCuptiMemset == +CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(+kCuptiKernel == +CUPTI_ACTIVITY_KIND_KERNEL);
static_assert(+kCuptiConcurrentKernel == +CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(+kCuptiOverhead == +CUPTI_ACTIVITY_KIND_OVERHEAD);
static_assert(+kCuptiMemcpyPeer == +CUPTI_ACTIVITY_KIND_MEMCPY2);
static_assert(+kCuptiFlushForced == +CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

#define SAME(ours, theirs) \
  static_assert(offsetof(CuptiCallbackData, ours) == offsetof(CUpti_CallbackData, theirs))
SAME(callback_site, callbackSite);
SAME(function_params, functionParams);
SAME(symbol_name, symbolName);
SAME(context, context);
SAME(correlation_data, correlationData);
SAME(correlation_id, correlationId);
#undef SAME

#define COMMON(layout, T)                                    \
  static_assert((layout).start == offsetof(T, start));       \
  static_assert((layout).end == offsetof(T, end));           \
  static_assert((layout).device == offsetof(T, deviceId));   \
  static_assert((layout).context == offsetof(T, contextId)); \
  static_assert((layout).stream == offsetof(T, streamId));   \
  static_assert((layout).correlation == offsetof(T, correlationId))
#define GRAPH(layout, T)                                          \
  static_assert((layout).graph_node == offsetof(T, graphNodeId)); \
  static_assert((layout).graph == offsetof(T, graphId))

COMMON(kKernelLayout, CUpti_ActivityKernel4);
COMMON(kKernelLayout, CUpti_ActivityKernel7);
COMMON(kKernelLayout, CUpti_ActivityKernel10);
GRAPH(kKernelLayout, CUpti_ActivityKernel6);
GRAPH(kKernelLayout, CUpti_ActivityKernel10);
static_assert(kKernelLayout.name == offsetof(CUpti_ActivityKernel4, name));
static_assert(kKernelLayout.name == offsetof(CUpti_ActivityKernel10, name));
static_assert(kKernelLayout.grid == offsetof(CUpti_ActivityKernel4, gridX));
static_assert(kKernelLayout.grid == offsetof(CUpti_ActivityKernel10, gridX));
static_assert(offsetof(CUpti_ActivityKernel10, gridZ) == kKernelLayout.grid + 8);
static_assert(kKernelLayout.least_bytes == sizeof(CUpti_ActivityKernel4));

COMMON(kMemcpyLayout, CUpti_ActivityMemcpy);
COMMON(kMemcpyLayout, CUpti_ActivityMemcpy6);
GRAPH(kMemcpyLayout, CUpti_ActivityMemcpy6);
static_assert(kMemcpyLayout.copy_kind == offsetof(CUpti_ActivityMemcpy6, copyKind));
static_assert(kMemcpyLayout.bytes == offsetof(CUpti_ActivityMemcpy6, bytes));
static_assert(kMemcpyLayout.least_bytes <= sizeof(CUpti_ActivityMemcpy));

COMMON(kMemcpyPeerLayout, CUpti_ActivityMemcpyPtoP);
COMMON(kMemcpyPeerLayout, CUpti_ActivityMemcpyPtoP4);
GRAPH(kMemcpyPeerLayout, CUpti_ActivityMemcpyPtoP4);
static_assert(kMemcpyPeerLayout.least_bytes <= sizeof(CUpti_ActivityMemcpyPtoP));

COMMON(kMemsetLayout, CUpti_ActivityMemset);
COMMON(kMemsetLayout, CUpti_ActivityMemset4);
GRAPH(kMemsetLayout, CUpti_ActivityMemset4);
static_assert(kMemsetLayout.bytes == offsetof(CUpti_ActivityMemset4, bytes));
static_assert(kMemsetLayout.least_bytes <= sizeof(CUpti_ActivityMemset));

static_assert(+kCuptiResource == +CUPTI_CB_DOMAIN_RESOURCE);
static_assert(+kCuptiGraphTrace == +CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
static_assert(+kCuptiGraphNodeCreated == +CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
static_assert(+kCuptiGraphNodeCloned == +CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
static_assert(offsetof(CuptiResourceData, descriptor) ==
              offsetof(CUpti_ResourceData, resourceDescriptor));
static_assert(offsetof(CuptiGraphData, graph) == offsetof(CUpti_GraphData, graph));
static_assert(offsetof(CuptiGraphData, node) == offsetof(CUpti_GraphData, node));
static_assert(offsetof(CuptiGraphData, original_node) == offsetof(CUpti_GraphData, originalNode));
static_assert(offsetof(CuptiGraphData, node_type) == offsetof(CUpti_GraphData, nodeType));
static_assert(offsetof(CuptiGraphData, executable) == offsetof(CUpti_GraphData, graphExec));
static_assert(kNodeKernel == CU_GRAPH_NODE_TYPE_KERNEL && kNodeMemcpy == CU_GRAPH_NODE_TYPE_MEMCPY);
static_assert(kNodeMemset == CU_GRAPH_NODE_TYPE_MEMSET);
COMMON(kGraphTraceLayout, CUpti_ActivityGraphTrace);
COMMON(kGraphTraceLayout, CUpti_ActivityGraphTrace2);
static_assert(kGraphTraceLayout.graph == offsetof(CUpti_ActivityGraphTrace, graphId));
static_assert(kGraphTraceLayout.least_bytes == sizeof(CUpti_ActivityGraphTrace));

static_assert(kOverheadStart == offsetof(CUpti_ActivityOverhead, start));
static_assert(kOverheadEnd == offsetof(CUpti_ActivityOverhead3, end));
static_assert(kOverheadLeastBytes == sizeof(CUpti_ActivityOverhead));

// Ids that a profiler must not miss: named one by one against the header.
constexpr bool IsEnabled(int domain, uint32_t cbid) {
  if (domain == kCuptiRuntimeApi) {
    for (const CbidRange& range : kRuntimeCbids) {
      if (cbid >= range.first && cbid <= range.last) return true;
    }
    return false;
  }
  for (const CbidRange& range : kDriverCbids) {
    if (cbid >= range.first && cbid <= range.last) return true;
  }
  return false;
}

#define RUNTIME(name) \
  static_assert(IsEnabled(kCuptiRuntimeApi, CUPTI_RUNTIME_TRACE_CBID_##name), #name)
#define DRIVER(name) \
  static_assert(IsEnabled(kCuptiDriverApi, CUPTI_DRIVER_TRACE_CBID_##name), #name)
RUNTIME(cudaLaunchKernel_v7000);
RUNTIME(cudaLaunchKernel_ptsz_v7000);
RUNTIME(cudaLaunchKernelExC_v11060);
RUNTIME(cudaLaunchKernelExC_ptsz_v11060);
RUNTIME(cudaLaunchCooperativeKernel_v9000);
RUNTIME(cudaLaunchCooperativeKernel_ptsz_v9000);
RUNTIME(__cudaLaunchKernel_v13000);
RUNTIME(__cudaLaunchKernel_ptsz_v13000);
RUNTIME(cudaGraphLaunch_v10000);
RUNTIME(cudaGraphLaunch_ptsz_v10000);
RUNTIME(cudaMemcpy_v3020);
RUNTIME(cudaMemcpyAsync_v3020);
RUNTIME(cudaMemcpyAsync_ptsz_v7000);
RUNTIME(cudaMemsetAsync_v3020);
RUNTIME(cudaMemsetAsync_ptsz_v7000);
RUNTIME(cudaMemcpyPeerAsync_v4000);
RUNTIME(cudaMemcpyBatchAsync_v12080);
RUNTIME(cudaMemcpyBatchAsync_v13000);
RUNTIME(cudaMemcpy3DBatchAsync_ptsz_v13000);
DRIVER(cuLaunchKernel);
DRIVER(cuLaunchKernel_ptsz);
DRIVER(cuLaunchKernelEx);
DRIVER(cuLaunchKernelEx_ptsz);
DRIVER(cuLaunchCooperativeKernel);
DRIVER(cuLaunchCooperativeKernel_ptsz);
DRIVER(cuGraphLaunch);
DRIVER(cuGraphLaunch_ptsz);
DRIVER(cuMemcpyHtoDAsync_v2);
DRIVER(cuMemcpyDtoHAsync_v2);
DRIVER(cuMemcpyDtoDAsync_v2_ptsz);
DRIVER(cuMemcpyAsync);
DRIVER(cuMemcpy2DAsync_v2);
DRIVER(cuMemcpy3DAsync_v2);
DRIVER(cuMemsetD8Async);
DRIVER(cuMemsetD32Async_ptsz);
DRIVER(cuMemcpyBatchAsync_v2_ptsz);
static_assert(!IsEnabled(kCuptiRuntimeApi, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020));
static_assert(!IsEnabled(kCuptiRuntimeApi, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020));
static_assert(!IsEnabled(kCuptiDriverApi, CUPTI_DRIVER_TRACE_CBID_cuCtxGetDevice));
static_assert(IsGraphLaunch(kCuptiRuntimeApi, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000));
static_assert(IsGraphLaunch(kCuptiDriverApi, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz));
static_assert(!IsGraphLaunch(kCuptiDriverApi, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000));

TEST(CuptiHeadersTest, OurDeclarationsAreTheirs) { SUCCEED() << "checked by the compiler"; }

#else

TEST(CuptiHeadersTest, OurDeclarationsAreTheirs) {
  GTEST_SKIP() << "no cupti.h: see FLOPSPROF_NVIDIA_INCLUDES";
}

#endif

}  // namespace
}  // namespace flopsprof::injector
