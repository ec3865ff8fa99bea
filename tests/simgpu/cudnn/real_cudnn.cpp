// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "real_cudnn.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "card.h"

namespace sim::cudnn {
namespace {

// Where the real sub-libraries can lie: beside the stand-in (in an environment), in `real/`
// (in a build folder); or only where SIMGPU_CUDNN_DIR says.
std::vector<std::string> Folders() {
  if (const char* dir = std::getenv("SIMGPU_CUDNN_DIR")) return {dir};
  std::vector<std::string> folders;
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&Folders), &self) != 0 && self.dli_fname != nullptr) {
    std::string path = self.dli_fname;
    const size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "." : path.substr(0, slash);
    folders.push_back(path);
    folders.push_back(path + "/real");
  }
  return folders;
}

void* Open(const char* library) {
  for (const std::string& folder : Folders()) {
    const std::string path = folder + "/" + library;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  std::fprintf(stderr, "[sim] no real %s beside the stand-in libcudnn.so.9\n", library);
  return nullptr;
}

void* GraphLibrary() {
  static void* const handle = Open("libcudnn_graph.so.9");
  return handle;
}

// The other sub-libraries need libcudnn_graph and find it by its SONAME.
void* OpsLibrary() {
  static void* const handle = GraphLibrary() ? Open("libcudnn_ops.so.9") : nullptr;
  return handle;
}
void* CnnLibrary() {
  static void* const handle = OpsLibrary() ? Open("libcudnn_cnn.so.9") : nullptr;
  return handle;
}
void* AdvLibrary() {
  static void* const handle = OpsLibrary() ? Open("libcudnn_adv.so.9") : nullptr;
  return handle;
}

void* FindIn(void* handle, const char* name) {
  return handle != nullptr ? dlsym(handle, name) : nullptr;
}

RealBackend LoadBackend() {
  RealBackend real;
  // An older one plans only on a device that is there.
  if (CUDNN_VERSION < 90800) return real;
  void* graph = GraphLibrary();
  const auto load = [graph](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(FindIn(graph, name));
  };
  load(real.create, "cudnnBackendCreateDescriptor");
  load(real.destroy, "cudnnBackendDestroyDescriptor");
  load(real.set, "cudnnBackendSetAttribute");
  load(real.get, "cudnnBackendGetAttribute");
  load(real.finalize, "cudnnBackendFinalize");
  const bool complete = real.create && real.destroy && real.set && real.get && real.finalize;
  return complete ? real : RealBackend{};
}

cudnnBackendDescriptor_t MakeSimulatedDevice() {
  const RealBackend& real = Real();
  if (!real) return nullptr;
  const std::string& json = SimulatedDeviceJson();
  const int64_t size = static_cast<int64_t>(json.size()) + 1;
  cudnnBackendDescriptor_t device = nullptr;
  if (real.create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &device) != CUDNN_STATUS_SUCCESS)
    return nullptr;
  if (real.set(device, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, size,
               json.c_str()) != CUDNN_STATUS_SUCCESS ||
      real.finalize(device) != CUDNN_STATUS_SUCCESS) {
    std::fprintf(stderr, "[sim] the real cuDNN refuses the device description\n");
    return nullptr;
  }
  return device;
}

}  // namespace

void* FindReal(const char* name) {
  if (void* found = FindIn(GraphLibrary(), name)) return found;
  if (void* found = FindIn(OpsLibrary(), name)) return found;
  if (void* found = FindIn(CnnLibrary(), name)) return found;
  return FindIn(AdvLibrary(), name);
}

const RealBackend& Real() {
  static const RealBackend real = LoadBackend();
  return real;
}

cudnnBackendDescriptor_t SimulatedDevice() {
  static const cudnnBackendDescriptor_t device = MakeSimulatedDevice();
  return device;
}

// The members that the real library asks for (it names a missing one with CUDNN_LOGLEVEL_DBG=2).
// Limits that Card does not have are the same for compute capability 8.0 and 9.0.
const std::string& SimulatedDeviceJson() {
  static const std::string json = [] {
    const simgpu::Card& card = simgpu::GetCard();
    char text[1024];
    std::snprintf(
        text, sizeof text,
        R"({"version":1,"deviceId":0,"deviceVer":%d,"maxThreadsPerBlock":1024,)"
        R"("multiProcessorCount":%d,"maxGridSize":[2147483647,65535,65535],)"
        R"("maxBlockSize":[1024,1024,64],"regsPerBlock":65536,"warpSize":32,)"
        R"("maxSharedMemoryPerBlock":49152,"maxSharedMemoryPerBlockOptin":%d,)"
        R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":32,)"
        R"("maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,)"
        R"("totalGlobalMem":%zu,"smClockRateKHz":%d,"memClockRateKHz":%d,"l2CacheSize":%d,)"
        R"("cudaDeviceId":0,"driverVer":%d,"deviceName":"%s"})",
        card.major * 100 + card.minor * 10, card.multiprocessors, card.shared_per_block_optin,
        card.memory_bytes, card.clock_khz, card.memory_clock_khz, card.l2_bytes, CUDART_VERSION,
        card.name);
    return std::string(text);
  }();
  return json;
}

}  // namespace sim::cudnn
