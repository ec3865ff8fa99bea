// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Devices, versions, errors, and the way from the runtime to the driver's entry points.
#include <dlfcn.h>

#include "card.h"
#include "cudart.h"

namespace simgpu {
namespace {

constexpr int kCudaVersion = CUDART_VERSION;

thread_local cudaError_t t_last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
};

const ErrorText* FindError(cudaError_t error) {
  for (const ErrorText& row : kErrors) {
    if (row.error == error) return &row;
  }
  return nullptr;
}

bool Exists(int device) { return device >= 0 && device < sim_ndev(); }

}  // namespace

cudaError_t SetLastError(cudaError_t error) { return t_last_error = error; }

}  // namespace simgpu

using simgpu::SetLastError;

API cudaError_t cudaDriverGetVersion(int* version) {
  sim_inject();
  *version = simgpu::kCudaVersion;
  return cudaSuccess;
}

API cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = simgpu::kCudaVersion;
  return cudaSuccess;
}

API cudaError_t cudaGetDeviceCount(int* count) {
  sim_inject();
  *count = sim_ndev();
  return *count > 0 ? cudaSuccess : SetLastError(cudaErrorNoDevice);
}

API cudaError_t cudaGetDevice(int* device) {
  sim_inject();
  *device = sim_dev();
  return cudaSuccess;
}

API cudaError_t cudaSetDevice(int device) {
  sim_inject();
  if (!simgpu::Exists(device)) return SetLastError(cudaErrorInvalidDevice);
  sim_set_dev(device);
  return cudaSuccess;
}

API cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  sim_inject();
  if (!simgpu::Exists(device)) return SetLastError(cudaErrorInvalidDevice);
  simgpu::FillProperties(device, properties);
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (!simgpu::Exists(device)) return SetLastError(cudaErrorInvalidDevice);
  *value = simgpu::CardAttribute(attribute, device);
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  snprintf(id, static_cast<size_t>(length), "0000:%02x:00.0", sim_device_number(device) + 1);
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  unsigned domain = 0, bus = 0;
  if (sscanf(id, "%x:%x", &domain, &bus) == 2) {
    for (int i = 0; i < sim_ndev(); ++i) {
      if (sim_device_number(i) + 1 != static_cast<int>(bus)) continue;
      *device = i;
      return cudaSuccess;
    }
  }
  return SetLastError(cudaErrorInvalidValue);
}

API cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

API cudaError_t cudaDeviceSynchronize() {
  sim_sync_device(sim_dev());
  return cudaSuccess;
}

API cudaError_t cudaDeviceReset() {
  sim_sync_device(sim_dev());
  sim_reset_context(sim_dev());
  return cudaSuccess;
}

API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  *value = 1 << 20;
  return cudaSuccess;
}

API cudaError_t cudaGetLastError() {
  const cudaError_t error = simgpu::t_last_error;
  simgpu::t_last_error = cudaSuccess;
  return error;
}

API cudaError_t cudaPeekAtLastError() { return simgpu::t_last_error; }

API const char* cudaGetErrorString(cudaError_t error) {
  const simgpu::ErrorText* row = simgpu::FindError(error);
  return row ? row->text : "simulated error";
}

API const char* cudaGetErrorName(cudaError_t error) {
  const simgpu::ErrorText* row = simgpu::FindError(error);
  return row ? row->name : "cudaErrorUnknown";
}

API cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                        cudaDriverEntryPointQueryResult* result) {
  if (sim_log_level() > 1) fprintf(stderr, "[sim] entrypoint %s\n", name);
  // Through the driver's own look-up, which knows the newest version of each name.
  using GetProcAddress = int (*)(const char*, void**, int, unsigned long long, void*);
  static void* driver = sim_open_beside("libcuda.so.1");
  static auto look_up =
      reinterpret_cast<GetProcAddress>(driver ? dlsym(driver, "cuGetProcAddress_v2") : nullptr);
  *function = nullptr;
  if (look_up) look_up(name, function, simgpu::kCudaVersion, 0, nullptr);
  if (result) {
    *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  return cudaSuccess;
}

API cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                                 unsigned long long flags,
                                                 cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPoint(name, function, flags, result);
}

API cudaError_t cudaProfilerStart() { return cudaSuccess; }
API cudaError_t cudaProfilerStop() { return cudaSuccess; }

// For tests written in Python: the tag of the calling thread, in the ledger.
extern "C" __attribute__((visibility("default"))) void simgpu_tag(const char* tag) {
  sim_set_tag(tag);
}

// What CUPTI has cost the process so far ("attached_ns").
extern "C" __attribute__((visibility("default"))) uint64_t simgpu_attached_ns() {
  return sim_attached_ns();
}
