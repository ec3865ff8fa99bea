// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Driver: virtual memory management. A reserved range is usable memory at once; what is created
// and mapped into it is only counted out as handles.
#include <atomic>

#include "simcore.h"

namespace {

constexpr size_t kGranularity = size_t{2} << 20;
std::atomic<unsigned long long> newest_handle{0};

}  // namespace

API CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                           CUmemAllocationGranularity_flags) {
  *bytes = kGranularity;
  return CUDA_SUCCESS;
}

API CUresult cuMemAddressReserve(CUdeviceptr* p, size_t bytes, size_t, CUdeviceptr,
                                 unsigned long long) {
  if (bytes == 0 || bytes % kGranularity != 0) return CUDA_ERROR_INVALID_VALUE;
  void* memory = nullptr;
  if (sim_alloc(&memory, bytes, 3)) return CUDA_ERROR_OUT_OF_MEMORY;
  *p = reinterpret_cast<CUdeviceptr>(memory);
  return CUDA_SUCCESS;
}

API CUresult cuMemAddressFree(CUdeviceptr p, size_t) {
  return sim_free(reinterpret_cast<void*>(p)) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

API CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                         const CUmemAllocationProp*, unsigned long long) {
  if (bytes == 0 || bytes % kGranularity != 0) return CUDA_ERROR_INVALID_VALUE;
  *handle = ++newest_handle;
  return CUDA_SUCCESS;
}

API CUresult cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
                      unsigned long long) {
  return CUDA_SUCCESS;
}
API CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc*, size_t) {
  return CUDA_SUCCESS;
}
API CUresult cuMemUnmap(CUdeviceptr, size_t) { return CUDA_SUCCESS; }
API CUresult cuMemRelease(CUmemGenericAllocationHandle) { return CUDA_SUCCESS; }
