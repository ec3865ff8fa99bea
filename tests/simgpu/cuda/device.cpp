// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Driver: initialisation, devices, contexts, look-up of entry points.
#include <dlfcn.h>

#include "card.h"
#include "simcore.h"

namespace simgpu {
namespace {

constexpr int kCudaVersion = CUDA_VERSION;

CUcontext CurrentContext() { return static_cast<CUcontext>(sim_ctx(sim_dev())); }

bool Exists(int device) { return device >= 0 && device < sim_ndev(); }

void MakeCurrent(CUcontext context) {
  if (context) sim_set_dev(sim_ctx_dev(context));
}

}  // namespace
}  // namespace simgpu

API CUresult cuInit(unsigned) {
  sim_inject();
  return sim_ndev() > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

API CUresult cuDriverGetVersion(int* version) {
  *version = simgpu::kCudaVersion;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetCount(int* count) {
  *count = sim_ndev();
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!simgpu::Exists(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  snprintf(name, static_cast<size_t>(length), "%s", simgpu::GetCard().name);
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!simgpu::Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *value = simgpu::CardAttribute(attribute, device);
  return CUDA_SUCCESS;
}

API CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  *can = device != peer;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = simgpu::GetCard().memory_bytes;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  snprintf(id, static_cast<size_t>(length), "0000:%02x:00.0", sim_device_number(device) + 1);
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  memset(uuid, 0, sizeof *uuid);
  uuid->bytes[0] = static_cast<char>(sim_device_number(device) + 1);
  return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!simgpu::Exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = static_cast<CUcontext>(sim_ctx(device));
  return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }

API CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = simgpu::CurrentContext();
  return CUDA_SUCCESS;
}

API CUresult cuCtxSetCurrent(CUcontext context) {
  simgpu::MakeCurrent(context);
  return CUDA_SUCCESS;
}

// One context per device: a push is a change of device, a pop changes nothing.
API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  simgpu::MakeCurrent(context);
  return CUDA_SUCCESS;
}

API CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (context) *context = simgpu::CurrentContext();
  return CUDA_SUCCESS;
}

API CUresult cuCtxGetDevice(CUdevice* device) {
  *device = sim_dev();
  return CUDA_SUCCESS;
}

API CUresult cuCtxSynchronize() {
  sim_sync_device(sim_dev());
  return CUDA_SUCCESS;
}

API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return CUDA_SUCCESS;
}

API CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_SUCCESS ? "no error" : "simulated error";
  return CUDA_SUCCESS;
}

API CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : "CUDA_ERROR_UNKNOWN";
  return CUDA_SUCCESS;
}

// Tables that are not public do not exist here; the real libcupti and static runtimes,
// which need them, refuse to start.
API CUresult cuGetExportTable(const void** table, const CUuuid*) {
  if (table) *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

API CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                                 CUdriverProcAddressQueryResult* result) {
  if (sim_log_level() > 1) fprintf(stderr, "[sim] procaddr %s\n", name);
  static void* driver = sim_open_beside("libcuda.so.1");
  *function = nullptr;
  for (const char* suffix : {"_v3", "_v2", ""}) {
    *function = driver ? dlsym(driver, (std::string(name) + suffix).c_str()) : nullptr;
    if (*function) break;
  }
  if (result) {
    *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
