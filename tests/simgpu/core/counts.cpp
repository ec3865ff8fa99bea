// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Counts of entry points (SIMCALLS), refusals of the fault script, statistics at exit.
#include <pthread.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "faults.h"
#include "ledger.h"
#include "simcore.h"
#include "streams.h"
#include "switches.h"

namespace simgpu {
namespace {

std::mutex& Mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::map<std::string, uint64_t>& Counts() {
  static auto& counts = *new std::map<std::string, uint64_t>;
  return counts;
}

void WriteCounts(const char* path) {
  FILE* file = fopen(path, "w");
  if (!file) return;
  for (const auto& [name, count] : Counts()) {
    fprintf(file, "%8lu %s\n", count, name.c_str());
  }
  fclose(file);
}

// The error that a library reports when an execution fails on the device.
int UsualError(const std::string& library) {
  if (library == "cublas" || library == "cublasLt") return 13;  // EXECUTION_FAILED
  if (library == "cudnn") return 5000;                          // EXECUTION_FAILED
  if (library == "cusolver" || library == "cusparse" || library == "cufft") return 6;
  if (library == "nccl") return 1;  // ncclUnhandledCudaError
  return 999;                       // cuda, cudart, cupti: UNKNOWN
}

// Calls that tell about errors and versions work always.
bool WorksWithoutCuda(const std::string& name) {
  for (const char* part : {"Error", "Version", "ResultString", "__cudaRegister", "__cudaInit",
                           "__cudaUn", "__cudaGetKernel", "GetProcAddress"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

// CUDA does not survive a fork: the child of a process that used it gets nothing.
bool g_forked = false;

struct ForkedChild {
  ForkedChild() {
    pthread_atfork(nullptr, nullptr, [] {
      if (OrdinalsSoFar() == 0) return;
      g_forked = true;
      sim_entry_watched = 1;
    });
  }
} g_forked_child;

// "broken_cuda", or in a forked child; 0: not.
int Broken(const std::string& library, const std::string& name) {
  constexpr int kNotInitialized = 3;
  if (g_forked && (library == "cudart" || library == "cuda") && !WorksWithoutCuda(name)) {
    return kNotInitialized;
  }
  const Faults& faults = GetFaults();
  if (faults.broken_from < 0 || OrdinalsSoFar() < static_cast<uint64_t>(faults.broken_from) ||
      WorksWithoutCuda(name)) {
    return 0;
  }
  return library == "cudart" || library == "cuda" ? faults.broken_status : UsualError(library);
}

int InvalidValue(const std::string& library) {
  if (library == "cublas" || library == "cublasLt") return 7;
  if (library == "cudnn") return 2000;  // BAD_PARAM
  return 3;                             // cusolver, cusparse
}

// "fail_percent": of the calls that compute, the same in every run.
bool FailsByChance(const std::string& name, uint64_t number) {
  const unsigned percent = GetFaults().fail_percent;
  if (percent == 0) return false;
  const bool computes = [&] {
    for (const char* part : {"gemm", "Gemm", "gemv", "trsm", "dot", "LtMatmul", "potrf",
                             "cudnnBackendExecute", "SpMM"}) {
      if (name.find(part) != std::string::npos) return true;
    }
    return false;
  }();
  const bool is_query =
      name.find("Get") != std::string::npos || name.find("Create") != std::string::npos ||
      name.find("Desc") != std::string::npos || name.find("uffer") != std::string::npos;
  constexpr uint64_t kSpread = 2654435761;
  return computes && !is_query && (number * kSpread >> 7) % 100 < percent;
}

struct Bye {
  ~Bye() {
    if (GetSwitches().statistics) {
      fprintf(stderr, "[sim] pid %d kernels=%lu\n", static_cast<int>(getpid()), KernelCount());
    }
    const std::string& file = GetSwitches().counts_file;
    if (!file.empty()) WriteCounts((file + "." + std::to_string(getpid())).c_str());
  }
} g_bye;

}  // namespace
}  // namespace simgpu

extern "C" {
int sim_entry_watched =
    !simgpu::GetSwitches().counts_file.empty() || !simgpu::GetFaults().refusals.empty() ||
    simgpu::GetFaults().broken_from >= 0 || simgpu::GetFaults().fail_percent != 0;
}

// How a profiler knows that the GPU is simulated.
extern "C" __attribute__((visibility("default"))) int flopsprof_simulated_gpu;
int flopsprof_simulated_gpu = 1;

void sim_count(const char* name) {
  if (!sim_entry_watched) return;
  std::lock_guard<std::mutex> lock(simgpu::Mutex());
  ++simgpu::Counts()[name];
}

int sim_entry(const char* library_and_name) {
  if (!sim_entry_watched) return 0;
  uint64_t number;
  {
    std::lock_guard<std::mutex> lock(simgpu::Mutex());
    number = ++simgpu::Counts()[library_and_name];
  }
  const std::string text = library_and_name;
  const size_t colon = text.find(':');
  if (int broken = simgpu::Broken(text.substr(0, colon), text.substr(colon + 1))) return broken;
  if (simgpu::FailsByChance(text, number)) {
    simgpu::NoteStruck("fail_percent");
    return simgpu::InvalidValue(text.substr(0, colon));
  }
  const auto& refusals = simgpu::GetFaults().refusals;
  const auto it = refusals.find(text.substr(colon + 1));
  if (it == refusals.end() || !it->second.calls.Hits(number)) return 0;
  simgpu::NoteStruck("fail");
  return it->second.status ? it->second.status : simgpu::UsualError(text.substr(0, colon));
}

// For benchmarks: the counts so far.
extern "C" __attribute__((visibility("default"))) void sim_count_dump(const char* path, int clear) {
  std::lock_guard<std::mutex> lock(simgpu::Mutex());
  simgpu::WriteCounts(path);
  if (clear) simgpu::Counts().clear();
}
