// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Driver: modules, functions and launches, streams, graphs.
#include "simcore.h"

namespace simgpu {
namespace {

// What a module holds is never read: functions are made by name.
struct Module {};

CUfunction MakeFunction(const char* name) {
  return reinterpret_cast<CUfunction>(new SimFn{strdup(name), nullptr, 0});
}

CUresult Launch(CUfunction function, const unsigned (&grid)[3], const unsigned (&block)[3],
                unsigned shared_bytes, CUstream stream, void** arguments) {
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  sim_launch_fn(reinterpret_cast<SimFn*>(function), grid, block, shared_bytes, stream, arguments,
                0);
  return CUDA_SUCCESS;
}

constexpr int kStreamSynchronize = 3;  // CUpti_ActivitySynchronizationType

}  // namespace
}  // namespace simgpu

API CUresult cuModuleLoad(CUmodule* module, const char*) {
  *module = reinterpret_cast<CUmodule>(new simgpu::Module);
  return CUDA_SUCCESS;
}
API CUresult cuModuleLoadData(CUmodule* module, const void*) {
  *module = reinterpret_cast<CUmodule>(new simgpu::Module);
  return CUDA_SUCCESS;
}
API CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
  *module = reinterpret_cast<CUmodule>(new simgpu::Module);
  return CUDA_SUCCESS;
}
API CUresult cuModuleLoadFatBinary(CUmodule* module, const void*) {
  *module = reinterpret_cast<CUmodule>(new simgpu::Module);
  return CUDA_SUCCESS;
}
API CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = simgpu::MakeFunction(name);
  return CUDA_SUCCESS;
}
API CUresult cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<simgpu::Module*>(module);
  return CUDA_SUCCESS;
}
API CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**, unsigned,
                               CUlibraryOption*, void**, unsigned) {
  *library = reinterpret_cast<CUlibrary>(new simgpu::Module);
  return CUDA_SUCCESS;
}
API CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char* name) {
  *kernel = reinterpret_cast<CUkernel>(simgpu::MakeFunction(name));
  return CUDA_SUCCESS;
}
API CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return CUDA_SUCCESS;
}

API CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}
API CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
API CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }
API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, size_t) {
  *blocks = 2;
  return CUDA_SUCCESS;
}

API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared_bytes, CUstream stream,
                            void** arguments, void**) {
  return simgpu::Launch(f, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, arguments);
}
API CUresult cuLaunchKernelEx(const CUlaunchConfig* c, CUfunction f, void** arguments, void**) {
  return simgpu::Launch(f, {c->gridDimX, c->gridDimY, c->gridDimZ},
                        {c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes, c->hStream,
                        arguments);
}
API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                       unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes,
                                       CUstream stream, void** arguments) {
  return simgpu::Launch(f, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, arguments);
}

API CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = static_cast<CUstream>(sim_stream_create());
  return CUDA_SUCCESS;
}
API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
  *stream = static_cast<CUstream>(sim_stream_create());
  return CUDA_SUCCESS;
}
API CUresult cuStreamDestroy_v2(CUstream stream) {
  sim_stream_destroy(stream);
  return CUDA_SUCCESS;
}
API CUresult cuStreamSynchronize(CUstream stream) {
  sim_sync_stream(stream, simgpu::kStreamSynchronize);
  return CUDA_SUCCESS;
}
API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = sim_capture_status(stream, nullptr, nullptr) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                         : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
API CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  sim_graph_launch(exec, stream);
  return CUDA_SUCCESS;
}
