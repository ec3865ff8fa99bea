// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small CUPTI client and small work to trace.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sim_test.h"

namespace simgpu_test {

struct Kernel {
  std::string name;
  bool null_name = false;
  uint64_t start = 0, end = 0;
  uint32_t correlation = 0, stream = 0, graph = 0;
  uint64_t graph_node = 0;
};

// What buffers brought. Static, because CUPTI's callbacks carry no pointer of ours.
struct Collected {
  std::mutex mutex;
  std::vector<Kernel> kernels;
  std::vector<const char*> name_pointers;
  std::map<int, int> kinds;
  std::vector<int> end_codes;       // of GetNextRecord
  std::vector<size_t> valid_bytes;  // of each buffer
  std::set<std::thread::id> threads;
  size_t buffer_bytes = 64 * 1024;
  bool refuse_buffers = false;
  int requests = 0;
};

inline Collected& Seen() {
  static Collected& collected = *new Collected;
  return collected;
}

inline void RequestBuffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  Collected& seen = Seen();
  std::lock_guard<std::mutex> lock(seen.mutex);
  ++seen.requests;
  *max_records = 0;
  *size = seen.refuse_buffers ? 0 : seen.buffer_bytes;
  *buffer = seen.refuse_buffers ? nullptr : static_cast<uint8_t*>(aligned_alloc(8, *size));
}

inline void TakeBuffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  Collected& seen = Seen();
  std::lock_guard<std::mutex> lock(seen.mutex);
  seen.threads.insert(std::this_thread::get_id());
  seen.valid_bytes.push_back(valid);
  CUpti_Activity* record = nullptr;
  CUptiResult code;
  while ((code = cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_SUCCESS) {
    ++seen.kinds[record->kind];
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto* k = reinterpret_cast<CUpti_ActivityKernel10*>(record);
    Kernel kernel;
    kernel.null_name = k->name == nullptr;
    kernel.name = k->name ? k->name : "";
    kernel.start = k->start;
    kernel.end = k->end;
    kernel.correlation = k->correlationId;
    kernel.stream = k->streamId;
    kernel.graph = k->graphId;
    kernel.graph_node = k->graphNodeId;
    seen.kernels.push_back(kernel);
    seen.name_pointers.push_back(k->name);
  }
  seen.end_codes.push_back(code);
  free(buffer);
}

// The graph of what `work()` gives to the stream.
template <class Work>
cudaGraph_t Captured(cudaStream_t stream, Work work) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  work();
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  return graph;
}

inline void StartKernels() {
  ASSERT_EQ(cuptiActivityRegisterCallbacks(RequestBuffer, TakeBuffer), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
}

// Matrix products of 64 x 64 on a stream; cuBLAS launches one kernel each.
class Gemms {
 public:
  Gemms() {
    EXPECT_EQ(cublasCreate_v2(&handle_), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory_), 3 * 64 * 64 * sizeof(float)),
              cudaSuccess);
  }
  ~Gemms() {
    cudaFree(memory_);
    cublasDestroy_v2(handle_);
  }
  cublasStatus_t One(cudaStream_t stream = nullptr) {
    cublasSetStream_v2(handle_, stream);
    const float one = 1, zero = 0;
    float *a = memory_, *b = memory_ + 64 * 64, *c = memory_ + 2 * 64 * 64;
    return cublasSgemm_v2(handle_, CUBLAS_OP_N, CUBLAS_OP_T, 64, 64, 64, &one, a, 64, b, 64, &zero,
                          c, 64);
  }
  void Many(int count, cudaStream_t stream = nullptr) {
    for (int i = 0; i < count; ++i) EXPECT_EQ(One(stream), CUBLAS_STATUS_SUCCESS);
  }
  cublasHandle_t handle() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
  float* memory_ = nullptr;
};

// Waits for the device, then until a plain flush brings no more.
inline void FinishAndFlush() {
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
}

// Seconds are far more than anything here takes; returns whether it came true.
template <typename Condition>
bool WaitUntil(Condition condition) {
  for (int i = 0; i < 5000; ++i) {
    if (condition()) return true;
    usleep(1000);
  }
  return false;
}

inline size_t KernelCount() {
  std::lock_guard<std::mutex> lock(Seen().mutex);
  return Seen().kernels.size();
}

inline std::vector<nlohmann::json> Ledger() {
  std::vector<nlohmann::json> lines;
  std::ifstream file(Folder() + "/ledger." + std::to_string(getpid()) + ".jsonl");
  for (std::string line; std::getline(file, line);) {
    lines.push_back(nlohmann::json::parse(line));
  }
  return lines;
}

inline std::vector<std::string> CallLog(int thread = 0) {
  std::vector<std::string> lines;
  std::ifstream file(Folder() + "/calls." + std::to_string(getpid()) + "." +
                     std::to_string(thread) + ".txt");
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace simgpu_test
