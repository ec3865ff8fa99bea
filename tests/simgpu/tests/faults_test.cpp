// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Each switch of the fault script does what README.md says, and nothing else.
#include <cublasLt.h>

#include <algorithm>
#include <thread>

#include "client.h"

namespace simgpu_test {
namespace {

constexpr int kLaunches = 12;

// Launches, waits, collects; the records in the order of their correlation ids.
std::vector<Kernel> Traced(Gemms* gemms, int launches = kLaunches) {
  StartKernels();
  gemms->Many(launches);
  FinishAndFlush();
  EXPECT_TRUE(WaitUntil([=] {
    cuptiActivityFlushAll(0);
    return KernelCount() >= static_cast<size_t>(launches);
  })) << KernelCount();
  std::vector<Kernel> kernels = Seen().kernels;
  std::sort(kernels.begin(), kernels.end(),
            [](auto& a, auto& b) { return a.correlation < b.correlation; });
  return kernels;
}

SIM_TEST(Faults, HashGivesEveryLaunchADurationOfItsOwn, "SIMGPU_FAULTS={\"durations\": \"hash\"}") {
  Gemms gemms;
  std::set<uint64_t> durations;
  for (const Kernel& k : Traced(&gemms, 500)) durations.insert(k.end - k.start);
  EXPECT_EQ(durations.size(), 500u);
}

SIM_TEST(Faults, ACallToCuptiWhileAnotherThreadInitializesEndsTheProcess,
         "SIMGPU_FAULTS={\"init_ms\": 60000}", "CUDA_INJECTION64_PATH=libm.so.6") {
  EXPECT_EXIT(
      {
        std::thread([] { cuInit(0); }).detach();
        uint64_t now;
        for (;;) cuptiGetTimestamp(&now);  // until the other thread is inside
      },
      testing::ExitedWithCode(98), "inside of cuInit");
}

SIM_TEST(Faults, NodesAreRecordedBesideTheirGraph,
         "SIMGPU_FAULTS={\"late_graph_trace_ms\": 60000}") {
  Gemms gemms;
  cudaStream_t stream;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  const cudaGraph_t graph = Captured(stream, [&] { gemms.Many(2, stream); });
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  StartKernels();
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE), CUPTI_SUCCESS);
  cudaGraphLaunch(exec, stream);
  FinishAndFlush();
  EXPECT_TRUE(WaitUntil([] {
    cuptiActivityFlushAll(0);
    return KernelCount() == 2;
  })) << KernelCount();
}

SIM_TEST(Faults, LateRecordsCannotBeFlushedBefore, "SIMGPU_FAULTS={\"late_ms\": 150}") {
  Gemms gemms;
  StartKernels();
  gemms.One();
  FinishAndFlush();
  EXPECT_EQ(KernelCount(), 0u);
  EXPECT_TRUE(WaitUntil([] {
    cuptiActivityFlushAll(0);
    return KernelCount() == 1;
  }));
}

SIM_TEST(Faults, ShuffleChangesTheOrder, "SIMGPU_FAULTS={\"shuffle\": 3}") {
  Gemms gemms;
  Traced(&gemms, 100);
  const auto& kernels = Seen().kernels;
  EXPECT_FALSE(std::is_sorted(kernels.begin(), kernels.end(),
                              [](auto& a, auto& b) { return a.end < b.end; }));
}

SIM_TEST(Faults, NullName, "SIMGPU_FAULTS={\"null_name\": [3]}") {
  Gemms gemms;
  const auto kernels = Traced(&gemms);
  for (int i = 0; i < kLaunches; ++i) EXPECT_EQ(kernels[i].null_name, i == 2);
}

SIM_TEST(Faults, RecycledNameChangesAfterDelivery, "SIMGPU_FAULTS={\"recycled_name\": true}") {
  Gemms gemms;
  Traced(&gemms);
  EXPECT_EQ(Seen().kernels[0].name, "sim_Sgemm");
  EXPECT_TRUE(WaitUntil([] { return std::string("?????????") == Seen().name_pointers[0]; }));
}

SIM_TEST(Faults, ZeroTimes, "SIMGPU_FAULTS={\"zero_times\": 4}") {
  Gemms gemms;
  const auto kernels = Traced(&gemms);
  EXPECT_EQ(std::count_if(kernels.begin(), kernels.end(),
                          [](auto& k) { return k.start == 0 && k.end == 0; }),
            kLaunches / 4);
}

SIM_TEST(Faults, EndBeforeStart, "SIMGPU_FAULTS={\"end_before_start\": [1]}") {
  Gemms gemms;
  const auto kernels = Traced(&gemms);
  EXPECT_LT(kernels[0].end, kernels[0].start);
  EXPECT_GT(kernels[1].end, kernels[1].start);
}

SIM_TEST(Faults, NoCorrelation, "SIMGPU_FAULTS={\"no_correlation\": [5]}") {
  Gemms gemms;
  const auto kernels = Traced(&gemms);
  EXPECT_EQ(kernels[0].correlation, 0u);
  EXPECT_NE(kernels[1].correlation, 0u);
}

SIM_TEST(Faults, UnknownKind, "SIMGPU_FAULTS={\"unknown_kind\": [2, 4]}") {
  Gemms gemms;
  Traced(&gemms);
  EXPECT_EQ(Seen().kinds[200], 2);
  EXPECT_EQ(KernelCount(), static_cast<size_t>(kLaunches));
}

SIM_TEST(Faults, LongerAndShorterRecords,
         "SIMGPU_FAULTS={\"longer_record\": [2], \"shorter_record\": [3]}") {
  Gemms gemms;
  const auto kernels = Traced(&gemms);
  ASSERT_EQ(kernels.size(), static_cast<size_t>(kLaunches));
  for (const Kernel& k : kernels) EXPECT_EQ(k.name, "sim_Sgemm");
  size_t bytes = 0;
  for (size_t valid : Seen().valid_bytes) bytes += valid;
  EXPECT_EQ(bytes, (kLaunches - 2) * 216u + 232u + 208u);
}

SIM_TEST(Faults, LostRecord, "SIMGPU_FAULTS={\"lost_record\": [2]}") {
  Gemms gemms;
  StartKernels();
  gemms.Many(3);
  FinishAndFlush();
  EXPECT_EQ(KernelCount(), 2u);
  size_t dropped = 1;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 0u);
}

SIM_TEST(Faults, EmptyBuffers, "SIMGPU_FAULTS={\"empty_buffers\": 1}") {
  Gemms gemms;
  Traced(&gemms);
  EXPECT_EQ(Seen().valid_bytes[0], 0u);
  EXPECT_EQ(KernelCount(), static_cast<size_t>(kLaunches));
}

SIM_TEST(Faults, DroppedIsAddedOnce, "SIMGPU_FAULTS={\"dropped\": 5}") {
  size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 5u);
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 0u);
}

SIM_TEST(Faults, CallbacksOnManyThreads, "SIMGPU_FAULTS={\"callback_threads\": 8}") {
  Seen().buffer_bytes = 2 * sizeof(CUpti_ActivityKernel10);
  Gemms gemms;
  StartKernels();
  EXPECT_TRUE(WaitUntil([&gemms] {
    gemms.Many(10);
    FinishAndFlush();
    std::lock_guard<std::mutex> lock(Seen().mutex);
    return Seen().threads.size() > 1;
  }));
}

SIM_TEST(Faults, CallsFailByNumber,
         "SIMGPU_FAULTS={\"fail\": {\"cublasSgemm_v2\": [3], "
         "\"cudaMalloc\": {\"calls\": [2], \"status\": 2}}}") {
  Gemms gemms;
  EXPECT_EQ(gemms.One(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(gemms.One(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(gemms.One(), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_EQ(gemms.One(), CUBLAS_STATUS_SUCCESS);
  void* p;
  EXPECT_EQ(cudaMalloc(&p, 1), cudaErrorMemoryAllocation);
}

SIM_TEST(Faults, CuptiMissing, "SIMGPU_FAULTS={\"cupti\": \"missing\"}") {
  uint32_t version;
  CUpti_SubscriberHandle subscriber;
  EXPECT_EQ(cuptiGetVersion(&version), CUPTI_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cuptiSubscribe(&subscriber, nullptr, nullptr), CUPTI_ERROR_NOT_INITIALIZED);
}

SIM_TEST(Faults, CuptiTooOld, "SIMGPU_FAULTS={\"cupti\": \"too_old\"}") {
  uint32_t version = 0;
  EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_EQ(version, 12u);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_ERROR_NOT_COMPATIBLE);
}

SIM_TEST(Faults, CuptiVersion, "SIMGPU_FAULTS={\"cupti_version\": 18}") {
  uint32_t version = 0;
  EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_EQ(version, 18u);
}

SIM_TEST(Faults, SubscriberTaken, "SIMGPU_FAULTS={\"subscriber_taken\": \"another tool\"}") {
  CUpti_SubscriberHandle subscriber;
  char owner[64] = "";
  CUpti_SubscriberParams params = {};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.oldSubscriberName = owner;
  params.oldSubscriberSize = sizeof owner;
  EXPECT_EQ(cuptiSubscribe_v2(&subscriber, nullptr, nullptr, &params),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_STREQ(owner, "another tool");
}

SIM_TEST(Faults, FalsifiedDurationAndCorrelationDifferFromTheLedger,
         "SIMGPU_FAULTS={\"falsify_duration\": [3], \"falsify_correlation\": [4]}",
         "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  const auto kernels = Traced(&gemms);
  int longer = 0, unmatched = 0;
  for (const Kernel& kernel : kernels) {
    bool found = false;
    for (const auto& line : Ledger()) {
      if (line["correlation_id"] != kernel.correlation) continue;
      found = true;
      if (line["end_ns"] == kernel.end - 1) ++longer;
    }
    if (!found) ++unmatched;
  }
  EXPECT_EQ(longer, 1);
  EXPECT_EQ(unmatched, 1);
}

SIM_TEST(Faults, FalsifiedShapeStandsInTheLedger, "SIMGPU_FAULTS={\"falsify_shape\": [2]}",
         "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  gemms.Many(3);
  auto lines = Ledger();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1]["kind"], "fault");
  lines.erase(lines.begin() + 1);
  EXPECT_NE(lines[0]["shape"], lines[1]["shape"]);
  EXPECT_EQ(lines[0]["shape"], lines[2]["shape"]);
}

SIM_TEST(Faults, FalsifiedLayoutLiesBeforeThatProduct, "SIMGPU_FAULTS={\"falsify_layout\": [1]}") {
  cublasLtMatrixLayout_t layout;
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 8, 4, 8), CUBLAS_STATUS_SUCCESS);
  uint64_t rows = 0;
  size_t written = 0;
  cublasLtMatrixLayoutGetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows,
                                   &written);
  EXPECT_EQ(rows, 9u);
}

// Names of the operations and faults in the ledger, in order.
std::vector<std::string> Names(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& line : Ledger()) {
    if (line["kind"] == kind) names.push_back(line["name"]);
  }
  return names;
}

SIM_TEST(Faults, ASwitchThatStrikesIsInTheLedgerOnce,
         "SIMGPU_FAULTS={\"durations\": 5, \"split_k\": [2], \"null_name\": [99]}",
         "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  gemms.Many(3);
  EXPECT_EQ(Names("fault"), (std::vector<std::string>{"durations", "split_k"}));
  EXPECT_EQ(Names("kernel"), (std::vector<std::string>{"sim_Sgemm", "sim_Sgemm_splitK",
                                                       "sim_splitKreduce", "sim_Sgemm"}));
}

SIM_TEST(Faults, AProductHasAMemsetBeforeIt, "SIMGPU_FAULTS={\"product_memset\": [1]}",
         "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  gemms.Many(2);
  EXPECT_EQ(Names("memset").size(), 1u);
  EXPECT_EQ(Ledger()[1]["call"], "cublasSgemm_v2");
}

SIM_TEST(Faults, AnotherThreadLaunches, "SIMGPU_FAULTS={\"other_thread\": [2]}",
         "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  gemms.Many(2);
  const auto lines = Ledger();
  EXPECT_EQ(lines[0]["thread"], getpid());
  EXPECT_NE(lines.back()["thread"], getpid());
  EXPECT_EQ(lines.back()["call"], "cublasSgemm_v2");
}

SIM_TEST(Faults, CublasCallsLtOnAThreadOfItsOwn, "SIMGPU_FAULTS={\"cublas_calls_lt\": \"thread\"}",
         "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  gemms.One();
  ASSERT_EQ(Names("kernel").size(), 1u);
  EXPECT_NE(Ledger().back()["thread"], getpid());
  EXPECT_EQ(Ledger().back()["call"], "cublasSgemm_v2");
}

SIM_TEST(Faults, NullOperandsAreRefused, "SIMGPU_FAULTS={\"strict_arguments\": true}",
         "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  const float one = 1;
  EXPECT_EQ(cublasSgemm_v2(gemms.handle(), CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, nullptr, 1,
                           nullptr, 1, &one, nullptr, 1),
            CUBLAS_STATUS_INVALID_VALUE);
  gemms.One();
  EXPECT_EQ(Names("kernel").size(), 1u);
}

SIM_TEST(Faults, ChanceRefusesAboutItsShare, "SIMGPU_FAULTS={\"fail_percent\": 30}") {
  Gemms gemms;
  int refused = 0;
  for (int i = 0; i < 1000; ++i) refused += gemms.One() == CUBLAS_STATUS_INVALID_VALUE;
  EXPECT_GT(refused, 200);
  EXPECT_LT(refused, 400);
}

}  // namespace
}  // namespace simgpu_test
