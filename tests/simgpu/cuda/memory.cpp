// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Driver: memory, copies and sets.
#include "card.h"
#include "simcore.h"

namespace simgpu {
namespace {

constexpr int kPageable = 1, kPinned = 2, kDevice = 3;  // CUpti_ActivityMemoryKind
constexpr int kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8;
constexpr int kStreamSynchronize = 3;  // CUpti_ActivitySynchronizationType

void* Address(CUdeviceptr p) { return reinterpret_cast<void*>(p); }

CUresult Copy(void* to, const void* from, size_t bytes, CUstream stream, int kind, bool wait) {
  SimOp op;
  op.kind = OP_MEMCPY;
  op.bytes = bytes;
  op.copyKind = kind;
  op.srcKind = kind == kHostToDevice ? kPageable : kDevice;
  op.dstKind = kind == kDeviceToHost ? kPageable : kDevice;
  op.body = [=] { memmove(to, from, bytes); };
  sim_enqueue(op, stream);
  if (wait) sim_sync_stream(stream, kStreamSynchronize);
  return CUDA_SUCCESS;
}

template <typename T>
CUresult Set(CUdeviceptr to, T value, size_t count, CUstream stream) {
  SimOp op;
  op.kind = OP_MEMSET;
  op.bytes = count * sizeof(T);
  op.value = static_cast<int>(value);
  op.dstKind = kDevice;
  op.body = [=] {
    auto* out = static_cast<T*>(Address(to));
    for (size_t i = 0; i < count; ++i) out[i] = value;
  };
  sim_enqueue(op, stream);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace simgpu

using simgpu::Address;

API CUresult cuMemAlloc_v2(CUdeviceptr* p, size_t bytes) {
  void* memory = nullptr;
  if (sim_alloc(&memory, bytes, simgpu::kDevice)) return CUDA_ERROR_OUT_OF_MEMORY;
  *p = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}
API CUresult cuMemFree_v2(CUdeviceptr p) {
  return sim_free(Address(p)) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
API CUresult cuMemHostAlloc(void** p, size_t bytes, unsigned) {
  return sim_alloc(p, bytes, simgpu::kPinned) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
API CUresult cuMemFreeHost(void* p) {
  return sim_free(p) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  *total_bytes = simgpu::GetCard().memory_bytes;
  *free_bytes = *total_bytes / 8 * 7;
  return CUDA_SUCCESS;
}

API CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr p) {
  void* start = nullptr;
  if (sim_memory_find(Address(p), &start, bytes, nullptr, nullptr)) {
    return CUDA_ERROR_NOT_FOUND;
  }
  if (base) *base = reinterpret_cast<CUdeviceptr>(start);
  return CUDA_SUCCESS;
}

API CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr p) {
  int device = sim_dev(), kind = simgpu::kPageable;
  const bool known = sim_memory_find(Address(p), nullptr, nullptr, &device, &kind) == 0;
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(data) =
          kind == simgpu::kPinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      break;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<void**>(data) = sim_ctx(device);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *static_cast<void**>(data) = Address(p);
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(data) = device;
      break;
    default:
      *static_cast<unsigned*>(data) = 0;
  }
  return CUDA_SUCCESS;
}

API CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return simgpu::Copy(to, Address(from), bytes, nullptr, simgpu::kDeviceToHost, true);
}
API CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return simgpu::Copy(Address(to), from, bytes, nullptr, simgpu::kHostToDevice, true);
}
API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return simgpu::Copy(to, Address(from), bytes, stream, simgpu::kDeviceToHost, false);
}
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return simgpu::Copy(Address(to), from, bytes, stream, simgpu::kHostToDevice, false);
}
API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return simgpu::Copy(Address(to), Address(from), bytes, stream, simgpu::kDeviceToDevice, false);
}
API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return simgpu::Set(to, value, count, stream);
}
API CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return simgpu::Set(to, value, count, stream);
}
