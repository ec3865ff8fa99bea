// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Launches of every kind on two threads, in ranges that the stand-in knows as the tags of its
// ledger, while the profiler decides which of CUPTI's callbacks it needs. What the program does is
// told by its arguments, one after the other:
//   off, on      until the runtime's callback for cudaLaunchKernel is so (at most 60 s)
//   of ...       until the profiler has told a text that begins so, in 40 bytes (at most 60 s)
//   NUMBER       for so many rounds
//   later        the names of ranges end in " later" from the next round on
//   capture      captures launches into a graph, whose replays are in all rounds from then on
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

extern "C" {
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*,
                            void*, void*, int*);
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, void* stream, void**, void**);
int cuModuleLoadData(void** module, const void* image);
int cuModuleGetFunction(void** function, void* module, const char* name);
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRuntime = 1;  // of simgpu_callback_on
constexpr unsigned kLaunchKernel = 211;
constexpr std::chrono::milliseconds kPause(2);  // between rounds: the ledger stays small

char kernel_of_the_runtime, no_kernel;
void* kernel_of_the_driver;
float* memory;
std::atomic<int> refused{0};
std::atomic<bool> is_later{false};

void Must(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: status %d\n", what, status);
  std::exit(1);
}
#define MUST(call) Must(static_cast<int>(call), #call)

void In(const std::string& path, const std::function<void()>& work) {
  static auto* const push =
      reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "flopsprof_push"));
  static auto* const pop = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "flopsprof_pop"));
  static auto* const tag =
      reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "simgpu_tag"));
  if (push != nullptr) push(path.c_str());
  tag(path.c_str());
  work();
  tag("");
  if (pop != nullptr) pop();
}

// What one thread launches.
class Launcher {
 public:
  explicit Launcher(std::string name) : name_(std::move(name)) {
    MUST(cudaStreamCreate(&stream_));
    MUST(cublasCreate(&handle_));
    MUST(cublasSetStream(handle_, stream_));
  }

  void Round() {
    const std::string end = is_later ? " later" : "";
    In(name_ + " runtime" + end, [this] {
      MUST(cudaLaunchKernel(&kernel_of_the_runtime, dim3(1), dim3(32), nullptr, 0, stream_));
      MUST(cudaLaunchKernel(&kernel_of_the_runtime, dim3(2), dim3(32), nullptr, 0, stream_));
    });
    In(name_ + " driver" + end, [this] {
      MUST(cuLaunchKernel(kernel_of_the_driver, 1, 1, 1, 32, 1, 1, 0, stream_, nullptr, nullptr));
    });
    In(name_ + " product" + end, [this] { Product(); });
    In(name_ + " set" + end, [this] { MUST(cudaMemsetAsync(memory, 0, 256, stream_)); });
    In(name_ + " refused" + end, [this] {
      if (cudaLaunchKernel(&no_kernel, dim3(1), dim3(32), nullptr, 0, stream_) == cudaSuccess) {
        Must(1, "launch of no kernel");
      }
      ++refused;
    });
    if (executable_ == nullptr) return;
    In(name_ + " replay" + end, [this] { MUST(cudaGraphLaunch(executable_, stream_)); });
  }

  void Capture() {
    cudaGraph_t graph;
    MUST(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    In("captured", [this] {
      MUST(cudaLaunchKernel(&kernel_of_the_runtime, dim3(3), dim3(32), nullptr, 0, stream_));
      Product();
    });
    MUST(cudaStreamEndCapture(stream_, &graph));
    MUST(cudaGraphInstantiate(&executable_, graph, 0));
  }

 private:
  void Product() {
    const float one = 1, zero = 0;
    MUST(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_T, 10, 20, 30, &one, memory, 10, memory, 20,
                     &zero, memory, 10));
  }

  const std::string name_;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

bool RuntimeCallbackIsOn() {
  static auto* const is_on =
      reinterpret_cast<int (*)(int, unsigned)>(dlsym(RTLD_DEFAULT, "simgpu_callback_on"));
  return is_on(kRuntime, kLaunchKernel) != 0;
}

// Whether a page of the segment has it. A page that nobody wrote stays without memory.
bool HoldsText(char* page, size_t page_bytes, const std::string& text) {
  constexpr size_t kRecord = 64, kText = 24;  // of BlobBegin: proto/shm/records.h
  unsigned char is_there = 0;
  if (mincore(page, page_bytes, &is_there) != 0 || (is_there & 1) == 0) return false;
  for (size_t at = kText; at < page_bytes; at += kRecord) {
    if (std::memcmp(page + at, text.data(), text.size()) == 0) return true;
  }
  return false;
}

// Whether a text that begins so is in what the profiler wrote for its agent.
bool IsTold(const std::string& text) {
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/memfd:flopsprof") == std::string::npos) continue;
    char* next;
    const auto begin = std::strtoull(line.c_str(), &next, 16);
    const auto end = std::strtoull(next + 1, nullptr, 16);
    for (auto page = begin; page < end; page += page_bytes) {
      if (HoldsText(reinterpret_cast<char*>(page), page_bytes, text)) return true;
    }
  }
  return false;
}

// Asked before each round.
bool IsDone(const std::string& what, int rounds, Clock::time_point began) {
  constexpr int kBetweenLooks = 16;
  const bool waits_for_text = what.rfind("of ", 0) == 0;
  if (what != "off" && what != "on" && !waits_for_text) return rounds >= std::stoi(what);
  if (Clock::now() > began + std::chrono::seconds(60)) Must(1, what.c_str());
  if (waits_for_text) return rounds % kBetweenLooks == 0 && IsTold(what.substr(0, 40));
  return RuntimeCallbackIsOn() == (what == "on");
}

}  // namespace

int main(int count, char** arguments) {
  MUST(cudaMalloc(reinterpret_cast<void**>(&memory), 1 << 20));
  __cudaRegisterFunction(nullptr, &kernel_of_the_runtime, nullptr, "kernel_of_the_runtime", -1,
                         nullptr, nullptr, nullptr, nullptr, nullptr);
  void* module;
  MUST(cuModuleLoadData(&module, "image"));
  MUST(cuModuleGetFunction(&kernel_of_the_driver, module, "kernel_of_the_driver"));
  std::atomic<bool> ends{false};
  std::thread other([&ends] {
    Launcher launcher("other");
    while (!ends) {
      launcher.Round();
      std::this_thread::sleep_for(kPause);
    }
  });
  Launcher launcher("main");
  for (int i = 1; i < count; ++i) {
    const std::string what = arguments[i];
    if (what == "capture") {
      launcher.Capture();
      continue;
    }
    if (what == "later") {
      is_later = true;
      continue;
    }
    const auto began = Clock::now();
    for (int rounds = 0; !IsDone(what, rounds, began); ++rounds) {
      launcher.Round();
      std::this_thread::sleep_for(kPause);
    }
  }
  ends = true;
  other.join();
  MUST(cudaDeviceSynchronize());
  std::printf("done, refused %d\n", refused.load());
}
