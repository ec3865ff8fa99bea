// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// CUPTI's rules: what fires, when records come, who may subscribe.
#include <algorithm>

#include "client.h"

namespace simgpu_test {
namespace {

struct Calls {
  int enters = 0, exits = 0, nested = 0;
  std::vector<uint32_t> ids, correlations;
  std::string symbol;
};

void OnCall(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  auto* calls = static_cast<Calls*>(user);
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    calls->ids.push_back(id);
    return;
  }
  const auto* info = static_cast<const CUpti_CallbackData*>(data);
  if (info->callbackSite == CUPTI_API_EXIT) {
    ++calls->exits;
    return;
  }
  ++calls->enters;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) ++calls->nested;
  calls->ids.push_back(id);
  calls->correlations.push_back(info->correlationId);
  if (info->symbolName) calls->symbol = info->symbolName;
}

// Called with CUPTI's own types, so that this is also a test of the real headers.
CUpti_SubscriberHandle Subscribe(Calls* calls) {
  CUpti_SubscriberHandle subscriber = nullptr;
  EXPECT_EQ(cuptiSubscribe(&subscriber, OnCall, calls), CUPTI_SUCCESS);
  return subscriber;
}

constexpr auto kLaunchExC = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060;

SIM_TEST(Cupti, ASecondSubscriberIsRefusedAndToldTheOwner) {
  CUpti_SubscriberHandle first, second;
  CUpti_SubscriberParams params = {};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = "CUPTI for first";
  ASSERT_EQ(cuptiSubscribe_v2(&first, OnCall, nullptr, &params), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&second, OnCall, nullptr),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  char owner[64] = "";
  CUpti_SubscriberParams other = {};
  other.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  other.oldSubscriberName = owner;
  other.oldSubscriberSize = sizeof owner;
  EXPECT_EQ(cuptiSubscribe_v2(&second, OnCall, nullptr, &other),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_STREQ(owner, "CUPTI for first");
  ASSERT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&second, OnCall, nullptr), CUPTI_SUCCESS);
}

SIM_TEST(Cupti, OnlyEnabledCallbacksFire) {
  Calls calls;
  Gemms gemms;
  CUpti_SubscriberHandle subscriber = Subscribe(&calls);
  gemms.Many(3);
  EXPECT_EQ(calls.enters, 0);
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchExC);
  gemms.Many(3);
  EXPECT_EQ(calls.enters, 3);
  EXPECT_EQ(calls.exits, 3);
  EXPECT_EQ(calls.symbol, "sim_Sgemm");
  cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchExC);
  gemms.Many(3);
  EXPECT_EQ(calls.enters, 3);
  cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  cuptiUnsubscribe(subscriber);
  gemms.Many(3);
  EXPECT_EQ(calls.enters, 3);
}

SIM_TEST(Cupti, TheDriverCallbackInsideALaunchHasItsCorrelationId) {
  Calls calls;
  Gemms gemms;
  CUpti_SubscriberHandle subscriber = Subscribe(&calls);
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchExC);
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
  gemms.One();
  EXPECT_EQ(calls.nested, 1);
  ASSERT_EQ(calls.correlations.size(), 2u);
  EXPECT_EQ(calls.correlations[0], calls.correlations[1]);
}

extern "C" {
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
}

SIM_TEST(Cupti, KernelsOfNvcc13LaunchThroughId505WithoutAParameterStruct) {
  static const char host_function = 0;
  __cudaRegisterFunction(nullptr, &host_function, nullptr, "my_kernel", -1, nullptr, nullptr,
                         nullptr, nullptr, nullptr);
  cudaKernel_t kernel;
  ASSERT_EQ(__cudaGetKernel(&kernel, &host_function), cudaSuccess);
  struct Last {
    uint32_t id = 0;
    const void* params = &id;
    std::string symbol;
  } last;
  CUpti_SubscriberHandle subscriber;
  cuptiSubscribe(
      &subscriber,
      [](void* user, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
        const auto* info = static_cast<const CUpti_CallbackData*>(data);
        *static_cast<Last*>(user) = {id, info->functionParams, info->symbolName};
      },
      &last);
  cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  ASSERT_EQ(__cudaLaunchKernel(kernel, dim3(1), dim3(32), nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(last.id, 505u);
  EXPECT_EQ(last.params, nullptr);
  EXPECT_EQ(last.symbol, "my_kernel");
}

SIM_TEST(Cupti, OnlyEnabledKindsAreRecorded) {
  Gemms gemms;
  StartKernels();
  gemms.Many(2);
  cudaMemset(nullptr, 0, 0);
  FinishAndFlush();
  EXPECT_EQ(Seen().kinds.size(), 1u);
  EXPECT_EQ(KernelCount(), 2u);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  gemms.Many(2);
  FinishAndFlush();
  EXPECT_EQ(KernelCount(), 2u);
}

SIM_TEST(Cupti, SerialAndConcurrentKernelKindsExcludeEachOther) {
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL), CUPTI_ERROR_NOT_COMPATIBLE);
}

SIM_TEST(Cupti, RecordsComeAfterTheEndOnAnotherThread, "SIMGPU_FAULTS={\"durations\": 50000000}") {
  Gemms gemms;
  StartKernels();
  gemms.One();
  ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(KernelCount(), 0u) << "the kernel runs for 50 ms";
  FinishAndFlush();
  ASSERT_EQ(KernelCount(), 1u);
  EXPECT_EQ(Seen().kernels[0].end - Seen().kernels[0].start, 50000000u);
  EXPECT_EQ(Seen().threads.count(std::this_thread::get_id()), 0u);
}

SIM_TEST(Cupti, AForcedFlushBringsIncompleteRecords, "SIMGPU_FAULTS={\"durations\": 500000000}") {
  Gemms gemms;
  StartKernels();
  gemms.One();
  ASSERT_EQ(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), CUPTI_SUCCESS);
  ASSERT_EQ(KernelCount(), 1u);
  EXPECT_EQ(Seen().kernels[0].end, 0u);
  EXPECT_NE(Seen().kernels[0].correlation, 0u);
}

SIM_TEST(Cupti, RecordsThatNobodyFlushesAreLostWithTheirContext) {
  Gemms gemms;
  StartKernels();
  gemms.Many(3);
  cudaDeviceReset();
  cuptiActivityFlushAll(1);
  EXPECT_EQ(KernelCount(), 0u);
}

SIM_TEST(Cupti, FullBuffersComeWithoutAFlush) {
  Seen().buffer_bytes = 10 * sizeof(CUpti_ActivityKernel10);
  Gemms gemms;
  StartKernels();
  gemms.Many(25);
  EXPECT_TRUE(WaitUntil([] { return KernelCount() == 20; })) << KernelCount();
  FinishAndFlush();
  EXPECT_EQ(KernelCount(), 25u);
}

SIM_TEST(Cupti, ThePeriodicFlushBringsOnlyFullBuffers) {
  Seen().buffer_bytes = 10 * sizeof(CUpti_ActivityKernel10);
  Gemms gemms;
  StartKernels();
  ASSERT_EQ(cuptiActivityFlushPeriod(20), CUPTI_SUCCESS);
  gemms.Many(25);
  EXPECT_TRUE(WaitUntil([] { return KernelCount() == 20; })) << KernelCount();
  FinishAndFlush();
  EXPECT_EQ(KernelCount(), 25u);
}

SIM_TEST(Cupti, AcrossStreamsRecordsComeByCompletion, "SIMGPU_FAULTS={\"durations\": \"hash\"}") {
  Gemms gemms;
  cudaStream_t streams[4];
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  StartKernels();
  for (int i = 0; i < 200; ++i) gemms.One(streams[i % 4]);
  FinishAndFlush();
  ASSERT_EQ(KernelCount(), 200u);
  const auto& kernels = Seen().kernels;
  EXPECT_TRUE(std::is_sorted(kernels.begin(), kernels.end(),
                             [](auto& a, auto& b) { return a.end < b.end; }));
  EXPECT_FALSE(std::is_sorted(kernels.begin(), kernels.end(),
                              [](auto& a, auto& b) { return a.correlation < b.correlation; }));
}

SIM_TEST(Cupti, BuffersAreAskedForAndRecordsWithoutOneAreCounted) {
  Seen().refuse_buffers = true;
  Gemms gemms;
  StartKernels();
  gemms.Many(7);
  FinishAndFlush();
  EXPECT_GT(Seen().requests, 0);
  size_t dropped = 0;
  ASSERT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
  EXPECT_EQ(dropped, 7u);
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 0u) << "the counter starts again after it was read";
}

// The program's thread and CUPTI's own ask for one thread's buffer at the same time: here each
// answer to `waits_for_other` is held until the other side has asked too.
enum class Asker { kProgram, kCupti };
std::atomic<int> g_asked[2];
std::atomic<Asker> g_waits_for_other;
thread_local Asker t_asker = Asker::kCupti;

std::atomic<int>& AskedBy(Asker asker) { return g_asked[static_cast<int>(asker)]; }

void RequestBufferWhileTheOtherAsks(uint8_t** buffer, size_t* size, size_t* max_records) {
  std::atomic<int>& others = AskedBy(t_asker == Asker::kProgram ? Asker::kCupti : Asker::kProgram);
  const int before = others;
  ++AskedBy(t_asker);
  if (t_asker == g_waits_for_other) WaitUntil([&] { return others > before; });
  RequestBuffer(buffer, size, max_records);
}

// Launches until the other side has asked `times` times while `waits_for_other` was asking. Every
// record and every buffer must come back.
void ExpectEveryBufferBack(Asker waits_for_other, int times) {
  Seen().buffer_bytes = sizeof(CUpti_ActivityKernel10);
  t_asker = Asker::kProgram;
  g_waits_for_other = waits_for_other;
  Gemms gemms;
  ASSERT_EQ(cuptiActivityRegisterCallbacks(RequestBufferWhileTheOtherAsks, TakeBuffer),
            CUPTI_SUCCESS);
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  const Asker other = waits_for_other == Asker::kCupti ? Asker::kProgram : Asker::kCupti;
  size_t launched = 0;
  EXPECT_TRUE(WaitUntil([&] {
    gemms.One();
    ++launched;
    return AskedBy(other) > times;
  }));
  g_waits_for_other = Asker::kProgram;  // which asks no more: the rest comes at once
  cudaDeviceSynchronize();
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  EXPECT_EQ(KernelCount(), launched);
  EXPECT_EQ(Seen().valid_bytes.size(), static_cast<size_t>(Seen().requests));
}

SIM_TEST(Cupti, EveryBufferComesBackWhereTheProgramAsksWhileCuptiDoes) {
  ExpectEveryBufferBack(Asker::kCupti, 3);
}

SIM_TEST(Cupti, EveryBufferComesBackWhereCuptiAsksWhileTheProgramDoes) {
  ExpectEveryBufferBack(Asker::kProgram, 1);
}

SIM_TEST(Cupti, AFlushNeedsBufferCallbacks) {
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION);
}

SIM_TEST(Cupti, TimestampsAreRealtime) {
  timespec before, after;
  uint64_t now = 0;
  clock_gettime(CLOCK_REALTIME, &before);
  ASSERT_EQ(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
  clock_gettime(CLOCK_REALTIME, &after);
  EXPECT_GE(now, before.tv_sec * 1000000000ull + before.tv_nsec);
  EXPECT_LE(now, after.tv_sec * 1000000000ull + after.tv_nsec);
}

SIM_TEST(Cupti, GraphNodesAreClonedAtInstantiationAndReplaysNameTheClones) {
  Calls calls;
  Gemms gemms;
  CUpti_SubscriberHandle subscriber = Subscribe(&calls);
  cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE);
  StartKernels();
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  gemms.Many(2, stream);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  const auto count = [&calls](uint32_t id) {
    return std::count(calls.ids.begin(), calls.ids.end(), id);
  };
  EXPECT_EQ(count(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED), 2);
  EXPECT_EQ(count(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED), 2);
  EXPECT_EQ(count(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED), 1);
  FinishAndFlush();
  EXPECT_EQ(KernelCount(), 0u) << "a captured launch does not run";
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, stream);
  FinishAndFlush();
  ASSERT_EQ(KernelCount(), 6u);
  uint32_t exec_id = 0;
  cuptiGetGraphExecId(reinterpret_cast<CUgraphExec>(exec), &exec_id);
  for (const Kernel& kernel : Seen().kernels) {
    EXPECT_EQ(kernel.graph, exec_id);
    EXPECT_EQ(kernel.graph_node >> 32, exec_id);
  }
}

}  // namespace
}  // namespace simgpu_test
