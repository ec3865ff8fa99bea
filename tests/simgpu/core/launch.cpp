// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Launches: from a program's own code, and from inside the closed libraries.
#include <cuda_runtime_api.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <generated_cuda_runtime_api_meta.h>

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "faults.h"
#include "graphs.h"
#include "meta_compat.h"
#include "nested.h"

namespace simgpu {
namespace {

constexpr uint64_t kLaunchLatencyNs = 2000;
constexpr uint32_t kDriverLaunch = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
constexpr uint32_t kDriverLaunchEx = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx;
constexpr uint32_t kRuntimeMemset = CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020;
constexpr uint32_t kDriverMemset = CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async;
constexpr uint32_t kRuntimeLaunchExC = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060;

const SimFn* LibraryFunction(const char* name) {
  static std::mutex& mutex = *new std::mutex;
  static auto& functions = *new std::unordered_map<std::string, SimFn*>;
  std::lock_guard<std::mutex> lock(mutex);
  SimFn*& function = functions[name];
  if (!function) function = new SimFn{strdup(name), nullptr, 0};
  return function;
}

void LogOperation(const SimOp& op, uint32_t stream, bool captured) {
  const char* mark = captured ? " captured" : "";
  switch (op.kind) {
    case OP_KERNEL:
      sim_log_call("launch %s grid=%u,%u,%u block=%u,%u,%u smem=%u stream=%u%s", op.name, op.g[0],
                   op.g[1], op.g[2], op.b[0], op.b[1], op.b[2], op.smem, stream, mark);
      return;
    case OP_MEMCPY:
      sim_log_call("memcpy kind=%d bytes=%lu stream=%u%s", op.copyKind, op.bytes, stream, mark);
      return;
    case OP_MEMSET:
      sim_log_call("memset value=%d bytes=%lu stream=%u%s", op.value, op.bytes, stream, mark);
      return;
    default:
      return;
  }
}

// Does the driver's callback of a runtime launch fire?
bool NestedLaunchIsTold(void* s) {
  if (!SimNestedDriverCallback(kDriverLaunch)) return false;
  if (GetFaults().nested_driver == NestedDriver::kNone) {
    NoteStruck("nested_driver");
    return false;
  }
  if (GetFaults().captured_driver_none && FindStream(s)->capture) {
    NoteStruck("captured_driver");
    return false;
  }
  return true;
}

// A driver call that launches nothing, before the one that does.
void FirstOfTwo(bool told, const char* name) {
  if (!told || GetFaults().nested_driver != NestedDriver::kTwice) return;
  NoteStruck("nested_driver");
  int result = 0;
  const SimOptionalFrame frame(true, SIM_DRIVER, kDriverLaunch, "cuLaunchKernel", nullptr, &result,
                               name);
}

}  // namespace
}  // namespace simgpu

extern "C" {
int sim_cupti_attached = 0;
}
static std::atomic<uint64_t> attached_ns{0};

uint64_t sim_attached_ns() { return attached_ns; }

static void PayForCupti() {
  const uint64_t cost_ns = sim_cupti_attached ? simgpu::GetFaults().attached_ns : 0;
  if (cost_ns == 0) return;
  attached_ns += cost_ns;
  for (const uint64_t until = sim_now() + cost_ns; sim_now() < until;) {
  }
}

void sim_enqueue(SimOp& op, void* s) {
  PayForCupti();
  simgpu::Stream* stream = simgpu::FindStream(s);
  if (sim_tool_launch_us) {
    simgpu::NoteStruck("after_unsubscribe_us");
    simgpu::Spin(sim_tool_launch_us);
  }
  op.corr = sim_cur_corr();
  if (sim_calls_logged) simgpu::LogOperation(op, stream->id, stream->capture);
  if (stream->capture) {
    simgpu::CaptureOperation(op, stream);
  } else {
    simgpu::Execute(op, stream, simgpu::kLaunchLatencyNs, nullptr);
  }
}

void sim_launch_fn(const SimFn* f, const unsigned g[3], const unsigned b[3], unsigned smem, void* s,
                   void** args, int nested) {
  const char* name = f ? f->name : "?";
  if (sim_log_level() > 0) {
    fprintf(stderr, "[sim] launch %s <<<%u,%u,%u;%u,%u,%u>>> s=%p\n", name, g[0], g[1], g[2], b[0],
            b[1], b[2], s);
  }
  CUresult result = CUDA_SUCCESS;
  cuLaunchKernel_params params = {
      (CUfunction)f, g[0],   g[1], g[2], b[0], b[1], b[2], smem, static_cast<CUstream>(s),
      args,          nullptr};
  const bool told = nested && simgpu::NestedLaunchIsTold(s);
  simgpu::FirstOfTwo(told, name);
  SimOptionalFrame driver(told, SIM_DRIVER, simgpu::kDriverLaunch, "cuLaunchKernel", &params,
                          &result, name);
  SimOp op;
  op.name = name;
  memcpy(op.g, g, sizeof op.g);
  memcpy(op.b, b, sizeof op.b);
  op.smem = smem;
  sim_enqueue(op, s);
}

int sim_launch_lib(const char* n, void* s, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   double flops, double bytes, int driver) {
  const SimFn* function = simgpu::LibraryFunction(n);
  if (!driver && simgpu::GetFaults().driver_launches) {
    simgpu::NoteStruck("driver_launches");
    driver = 1;
  }
  if (sim_log_level() > 0) {
    fprintf(stderr, "[sim] liblaunch %s <<<%u,%u,%u;%u>>> s=%p flops=%.0f\n", n, gx, gy, gz, bx, s,
            flops);
  }
  const int domain = driver ? SIM_DRIVER : SIM_RUNTIME;
  const uint32_t id = driver ? simgpu::kDriverLaunchEx : simgpu::kRuntimeLaunchExC;

  CUlaunchConfig driver_config = {};
  driver_config.gridDimX = gx;
  driver_config.gridDimY = gy;
  driver_config.gridDimZ = gz;
  driver_config.blockDimX = bx;
  driver_config.blockDimY = driver_config.blockDimZ = 1;
  driver_config.hStream = static_cast<CUstream>(s);
  cuLaunchKernelEx_params driver_params = {&driver_config, (CUfunction)function, nullptr, nullptr};
  cudaLaunchConfig_t runtime_config = {};
  runtime_config.gridDim = dim3(gx, gy, gz);
  runtime_config.blockDim = dim3(bx);
  runtime_config.stream = static_cast<cudaStream_t>(s);
  cudaLaunchKernelExC_v11060_params runtime_params = {&runtime_config, function, nullptr};
  cuLaunchKernel_params nested_params = {(CUfunction)function,     gx,      gy,     gz, bx, 1, 1, 0,
                                         static_cast<CUstream>(s), nullptr, nullptr};
  int result = 0, nested_result = 0;

  SimOptionalFrame outer(
      sim_on[domain][id], domain, id, driver ? "cuLaunchKernelEx" : "cudaLaunchKernelExC",
      driver ? static_cast<const void*>(&driver_params) : &runtime_params, &result, function->name);
  const bool told = !driver && simgpu::NestedLaunchIsTold(s);
  simgpu::FirstOfTwo(told, function->name);
  SimOptionalFrame nested(told, SIM_DRIVER, simgpu::kDriverLaunch, "cuLaunchKernel", &nested_params,
                          &nested_result, function->name);
  SimOp op;
  op.name = function->name;
  op.g[0] = gx;
  op.g[1] = gy;
  op.g[2] = gz;
  op.b[0] = bx;
  op.flops = flops;
  op.mbytes = bytes;
  sim_enqueue(op, s);
  return 0;
}

void sim_memset_lib(void* s, unsigned long bytes) {
  cudaMemsetAsync_v3020_params params = {nullptr, 0, bytes, static_cast<cudaStream_t>(s)};
  cuMemsetD8Async_params nested_params = {0, 0, bytes, static_cast<CUstream>(s)};
  int result = 0, nested_result = 0;
  SimOptionalFrame outer(sim_on[SIM_RUNTIME][simgpu::kRuntimeMemset], SIM_RUNTIME,
                         simgpu::kRuntimeMemset, "cudaMemsetAsync", &params, &result, nullptr);
  SimOptionalFrame nested(SimNestedDriverCallback(simgpu::kDriverMemset), SIM_DRIVER,
                          simgpu::kDriverMemset, "cuMemsetD8Async", &nested_params, &nested_result,
                          nullptr);
  constexpr int kDevice = 3;  // CUpti_ActivityMemoryKind
  SimOp op;
  op.kind = OP_MEMSET;
  op.bytes = bytes;
  op.dstKind = kDevice;
  sim_enqueue(op, s);
}

int sim_launch_named(const char* n, void* s, unsigned g) {
  return sim_launch_lib(n, s, g, 1, 1, 256, 0, 0, 0);
}
