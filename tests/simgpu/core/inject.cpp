// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Loading of other libraries: the tool that CUDA_INJECTION64_PATH names, and stand-ins.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "faults.h"
#include "simcore.h"
#include "switches.h"

static std::atomic<bool> initializing{false};
static pthread_t initializing_thread;

// The real driver does this in cuInit.
void sim_inject() {
  static std::once_flag& once = *new std::once_flag;
  std::call_once(once, [] {
    const std::string& path = simgpu::GetSwitches().injection;
    if (path.empty() || path == "none") return;
    void* library = dlopen(path.c_str(), RTLD_LAZY);
    if (!library) {
      if (sim_log_level() > 0) fprintf(stderr, "[sim] injection: %s\n", dlerror());
      return;
    }
    using Initialize = int (*)();
    auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjection"));
    if (initialize) initialize();
    initializing_thread = pthread_self();
    initializing = true;
    if (simgpu::GetFaults().init_ms != 0) simgpu::NoteStruck("init_ms");
    std::this_thread::sleep_for(std::chrono::milliseconds(simgpu::GetFaults().init_ms));
    initializing = false;
    constexpr int kCuInitFinished = 5;
    if (SimSink* sink = sim_sink) sink->resource(kCuInitFinished, nullptr, nullptr);
  });
}

bool sim_another_thread_initializes() {
  return initializing && !pthread_equal(initializing_thread, pthread_self());
}

void* sim_open_beside(const char* soname) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&sim_open_beside), &info) || !info.dli_fname) {
    return nullptr;
  }
  std::string path = info.dli_fname;
  path.resize(path.rfind('/') + 1);
  return dlopen((path + soname).c_str(), RTLD_NOW);
}
