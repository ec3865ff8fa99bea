// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Memory, copies and sets.
#include <cupti_driver_cbid.h>

#include "card.h"
#include "cudart.h"
#include "faults.h"
#include "nested.h"

namespace simgpu {
namespace {

// One stands for all forms of copies and sets.
constexpr uint32_t kDriverCopy = CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync;
constexpr uint32_t kDriverSet = CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async;

constexpr int kPinned = 2, kDevice = 3;  // CUpti_ActivityMemoryKind

cudaError_t Allocate(void** p, size_t bytes, int kind) {
  return sim_alloc(p, bytes, kind) ? SetLastError(cudaErrorMemoryAllocation) : cudaSuccess;
}

cudaError_t Release(void* p) {
  return sim_free(p) ? SetLastError(cudaErrorInvalidValue) : cudaSuccess;
}

// CUpti_ActivityMemcpyKind by where both ends are.
int CopyKind(int from, int to) {
  constexpr int kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8, kHostToHost = 9;
  if (from == kDevice) return to == kDevice ? kDeviceToDevice : kDeviceToHost;
  return to == kDevice ? kHostToDevice : kHostToHost;
}

void Copy(void* to, const void* from, size_t bytes, cudaStream_t stream,
          std::function<void()> body) {
  SimOp op;
  op.kind = OP_MEMCPY;
  op.bytes = bytes;
  op.srcKind = sim_memory_kind(from);
  op.dstKind = sim_memory_kind(to);
  op.copyKind = CopyKind(op.srcKind, op.dstKind);
  op.body = std::move(body);
  CUresult result = CUDA_SUCCESS;
  SimOptionalFrame driver(SimNestedDriverCallback(kDriverCopy), SIM_DRIVER, kDriverCopy,
                          "cuMemcpyAsync", nullptr, &result, nullptr);
  sim_enqueue(op, stream);
}

void CopyPlain(void* to, const void* from, size_t bytes, cudaStream_t stream) {
  Copy(to, from, bytes, stream, [=] { memmove(to, from, bytes); });
}

void Set(void* to, int value, size_t bytes, cudaStream_t stream) {
  SimOp op;
  op.kind = OP_MEMSET;
  op.bytes = bytes;
  op.value = value;
  op.dstKind = sim_memory_kind(to);
  op.body = [=] { memset(to, value, bytes); };
  CUresult result = CUDA_SUCCESS;
  SimOptionalFrame driver(SimNestedDriverCallback(kDriverSet), SIM_DRIVER, kDriverSet,
                          "cuMemsetD8Async", nullptr, &result, nullptr);
  sim_enqueue(op, stream);
}

constexpr int kStreamSynchronize = 3;  // CUpti_ActivitySynchronizationType

}  // namespace
}  // namespace simgpu

API cudaError_t cudaMalloc(void** p, size_t bytes) {
  sim_inject();
  return simgpu::Allocate(p, bytes, simgpu::kDevice);
}
API cudaError_t cudaFree(void* p) {
  sim_inject();
  return simgpu::Release(p);
}
API cudaError_t cudaMallocAsync(void** p, size_t bytes, cudaStream_t) {
  return simgpu::Allocate(p, bytes, simgpu::kDevice);
}
API cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return simgpu::Release(p); }
API cudaError_t cudaMallocHost(void** p, size_t bytes) {
  return simgpu::Allocate(p, bytes, simgpu::kPinned);
}
API cudaError_t cudaHostAlloc(void** p, size_t bytes, unsigned) {
  return simgpu::Allocate(p, bytes, simgpu::kPinned);
}
API cudaError_t cudaFreeHost(void* p) { return simgpu::Release(p); }
API cudaError_t cudaMallocManaged(void** p, size_t bytes, unsigned) {
  return simgpu::Allocate(p, bytes, simgpu::kDevice);
}
API cudaError_t cudaHostRegister(void*, size_t, unsigned) { return cudaSuccess; }
API cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}

API cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  *total_bytes = simgpu::GetCard().memory_bytes;
  *free_bytes = *total_bytes / 8 * 7 - sim_tool_bytes;
  return cudaSuccess;
}

API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  memset(attributes, 0, sizeof *attributes);
  attributes->type = cudaMemoryTypeUnregistered;
  int device, kind;
  if (sim_memory_find(p, nullptr, nullptr, &device, &kind)) return cudaSuccess;
  const bool host = kind == simgpu::kPinned;
  attributes->type = host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  attributes->device = device;
  attributes->devicePointer = const_cast<void*>(p);
  attributes->hostPointer = host ? const_cast<void*>(p) : nullptr;
  return cudaSuccess;
}

API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  simgpu::CopyPlain(to, from, bytes, nullptr);
  sim_sync_stream(nullptr, simgpu::kStreamSynchronize);
  return cudaSuccess;
}

API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                cudaStream_t stream) {
  simgpu::CopyPlain(to, from, bytes, stream);
  return cudaSuccess;
}

API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                    cudaStream_t stream) {
  simgpu::CopyPlain(to, from, bytes, stream);
  return cudaSuccess;
}

API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                  size_t width, size_t height, cudaMemcpyKind,
                                  cudaStream_t stream) {
  simgpu::Copy(to, from, width * height, stream, [=] {
    for (size_t row = 0; row < height; ++row) {
      memmove(static_cast<char*>(to) + row * to_pitch,
              static_cast<const char*>(from) + row * from_pitch, width);
    }
  });
  return cudaSuccess;
}

API cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  simgpu::Set(to, value, bytes, nullptr);
  return cudaSuccess;
}

API cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  simgpu::Set(to, value, bytes, stream);
  return cudaSuccess;
}

// Device symbols are not modelled: nothing reads them.
API cudaError_t cudaMemcpyToSymbol(const void*, const void*, size_t, size_t, cudaMemcpyKind) {
  return cudaSuccess;
}
API cudaError_t cudaMemcpyToSymbolAsync(const void*, const void*, size_t, size_t, cudaMemcpyKind,
                                        cudaStream_t) {
  return cudaSuccess;
}

static cudaMemPool_t OnlyPool() {
  static char pool;
  return reinterpret_cast<cudaMemPool_t>(&pool);
}
API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = OnlyPool();
  return cudaSuccess;
}
API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) {
  *pool = OnlyPool();
  return cudaSuccess;
}
API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  *static_cast<uint64_t*>(value) = 0;
  return cudaSuccess;
}
