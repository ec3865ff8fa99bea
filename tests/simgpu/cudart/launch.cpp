// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Registration of kernels by nvcc's start-up code, and their launch.
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cudart.h"

namespace simgpu {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, SimFn*> functions;
  std::unordered_map<const void*, void*> symbols;
};

// Leaked: kernels are launched from static destructors too.
Registry& GetRegistry() {
  static Registry& registry = *new Registry;
  return registry;
}

struct LaunchConfiguration {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
thread_local std::vector<LaunchConfiguration> t_configurations;

cudaError_t Launch(const SimFn* function, dim3 grid, dim3 block, void** arguments,
                   size_t shared_bytes, cudaStream_t stream) {
  if (!function) return SetLastError(cudaErrorInvalidDeviceFunction);
  const unsigned g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  sim_launch_fn(function, g, b, static_cast<unsigned>(shared_bytes), stream, arguments, 1);
  return cudaSuccess;
}

}  // namespace

SimFn* FindFunction(const void* host_function) {
  Registry& registry = GetRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto it = registry.functions.find(host_function);
  return it == registry.functions.end() ? nullptr : it->second;
}

}  // namespace simgpu

using simgpu::FindFunction;
using simgpu::Launch;

// Used by the generated wrappers: the kernel name for CUPTI's symbolName.
const char* sim_rt_name(const void* function) {
  const SimFn* found = FindFunction(function);
  return found ? found->name : nullptr;
}

API void** __cudaRegisterFatBinary(void*) {
  static void* handle[4];
  return handle;
}
API void __cudaRegisterFatBinaryEnd(void**) {}
API void __cudaUnregisterFatBinary(void**) {}
API char __cudaInitModule(void**) { return 0; }

API void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*,
                                uint3*, dim3*, dim3*, int*) {
  simgpu::Registry& registry = simgpu::GetRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.functions[host] = new SimFn{name, nullptr, 0};
}

API void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
API void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int) {}
API void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}

API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                         struct CUstream_st* stream) {
  simgpu::t_configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                           void* stream) {
  if (simgpu::t_configurations.empty()) return cudaErrorMissingConfiguration;
  const simgpu::LaunchConfiguration c = simgpu::t_configurations.back();
  simgpu::t_configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared_bytes = c.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}

API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(FindFunction(function));
  return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                   size_t shared_bytes, cudaStream_t stream) {
  return Launch(reinterpret_cast<SimFn*>(kernel), grid, block, arguments, shared_bytes, stream);
}

API cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                 size_t shared_bytes, cudaStream_t stream) {
  return Launch(FindFunction(function), grid, block, arguments, shared_bytes, stream);
}

API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                    void** arguments) {
  return Launch(FindFunction(function), config->gridDim, config->blockDim, arguments,
                config->dynamicSmemBytes, config->stream);
}

API cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                            void** arguments, size_t shared_bytes,
                                            cudaStream_t stream) {
  return Launch(FindFunction(function), grid, block, arguments, shared_bytes, stream);
}

API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  SimOp op;
  op.kind = OP_HOST;
  op.body = [=] { function(user_data); };
  sim_enqueue(op, stream);
  return cudaSuccess;
}

API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->binaryVersion = 90;
  attributes->ptxVersion = 90;
  attributes->maxDynamicSharedSizeBytes = 232448;
  return cudaSuccess;
}

API cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
API cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }

API cudaError_t cudaFuncGetName(const char** name, const void* function) {
  const SimFn* found = FindFunction(function);
  if (!found) return cudaErrorInvalidDeviceFunction;
  *name = found->name;
  return cudaSuccess;
}

API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  *function = reinterpret_cast<cudaFunction_t>(FindFunction(symbol));
  return cudaSuccess;
}

API cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  constexpr size_t kBytesPerSymbol = 1 << 16;
  simgpu::Registry& registry = simgpu::GetRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  void*& memory = registry.symbols[symbol];
  if (!memory) memory = calloc(1, kBytesPerSymbol);
  *address = memory;
  return cudaSuccess;
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int,
                                                              size_t) {
  *blocks = 2;
  return cudaSuccess;
}

API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*,
                                                                       int, size_t, unsigned) {
  *blocks = 2;
  return cudaSuccess;
}

API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*,
                                               const cudaLaunchConfig_t*) {
  *clusters = 16;
  return cudaSuccess;
}
