// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The ledger and the call log, against what CUPTI and the program know.
#include <sys/wait.h>

#include "client.h"

extern "C" void simgpu_tag(const char*);

namespace simgpu_test {
namespace {

SIM_TEST(Ledger, HasOneLinePerOperationEqualToTheRecord, "SIMGPU_LEDGER={folder}",
         "SIMGPU_FAULTS={\"durations\": \"hash\", \"late_ms\": 5, \"shuffle\": 1}") {
  Gemms gemms;
  StartKernels();
  gemms.Many(50);
  cudaDeviceSynchronize();
  ASSERT_TRUE(WaitUntil([] {
    cuptiActivityFlushAll(0);
    return KernelCount() == 50;
  }));
  std::map<uint64_t, nlohmann::json> by_correlation;
  for (const auto& line : Ledger()) {
    if (line["kind"] != "fault") by_correlation[line["correlation_id"]] = line;
  }
  ASSERT_EQ(by_correlation.size(), 50u);
  for (const Kernel& kernel : Seen().kernels) {
    const auto& line = by_correlation.at(kernel.correlation);
    EXPECT_EQ(line["start_ns"], kernel.start);
    EXPECT_EQ(line["end_ns"], kernel.end);
    EXPECT_EQ(line["name"], kernel.name);
    EXPECT_EQ(line["stream"], kernel.stream);
  }
}

SIM_TEST(Ledger, TellsCallTagThreadAndCallbackId, "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  simgpu_tag("layer1|forward");
  gemms.One();
  simgpu_tag(nullptr);
  void* memory;
  cudaMalloc(&memory, 100);
  cudaMemset(memory, 0, 100);
  const auto lines = Ledger();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["kind"], "kernel");
  EXPECT_EQ(lines[0]["tag"], "layer1|forward");
  EXPECT_EQ(lines[0]["call"], "cublasSgemm_v2");
  EXPECT_EQ(lines[0]["thread"], getpid());
  EXPECT_EQ(lines[0]["cbid"], CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060);
  EXPECT_EQ(lines[0]["ordinal"], 1);
  EXPECT_EQ(lines[1]["kind"], "memset");
  EXPECT_EQ(lines[1]["tag"], "");
  EXPECT_EQ(lines[1]["call"], "");
  EXPECT_EQ(lines[1]["bytes"], 100);
}

SIM_TEST(Ledger, MarksCapturedLaunchesAndNamesTheirTagAtReplay, "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  cudaStream_t stream;
  cudaGraphExec_t exec;
  cudaStreamCreate(&stream);
  const cudaGraph_t graph = Captured(stream, [&] {
    simgpu_tag("captured here");
    gemms.One(stream);
    simgpu_tag("");
  });
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  const auto lines = Ledger();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0]["captured"]);
  EXPECT_EQ(lines[0]["end_ns"], 0);
  EXPECT_FALSE(lines[1]["captured"]);
  EXPECT_EQ(lines[1]["api"], "cudaGraphLaunch");
  EXPECT_EQ(lines[1]["node_tag"], "captured here");
  EXPECT_EQ(lines[1]["node_call"], "cublasSgemm_v2");
}

SIM_TEST(Ledger, SurvivesKill, "SIMGPU_LEDGER={folder}") {
  const pid_t child = fork();
  if (child == 0) {
    Gemms gemms;
    gemms.Many(3);
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  std::ifstream file(Folder() + "/ledger." + std::to_string(child) + ".jsonl");
  int lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  EXPECT_EQ(lines, 3);
}

SIM_TEST(CallLog, HasCallsWithArgumentsPerThread, "SIMGPU_CALLS={folder}") {
  Gemms gemms;
  gemms.One();
  std::thread([&gemms] { gemms.One(); }).join();
  const auto first = CallLog(0), second = CallLog(1);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0],
            "cublasSgemm_v2 gemm nt m=64 n=64 k=64 batch=1 a=0 b=0 c=0 compute=68 math=0 "
            "lda=64 ldb=64 ldc=64 A=d1+0 B=d1+16384 C=d1+32768 stream=7");
  EXPECT_EQ(first[1], "launch sim_Sgemm grid=1,1,1 block=256,1,1 smem=0 stream=7");
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace simgpu_test
