// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/tensor_reader.h"

#include <atomic>

#include "injector/hooks/capture_state.h"
#include "injector/loaded_objects.h"
#include "injector/platform.h"

namespace flopsprof::injector {
namespace {

TensorReader g_reader;
std::atomic<bool> g_ready{false};
BriefLock g_lock;

constexpr int64_t kMaxRank = 64;

template <typename Function>
void Find(const char* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(FindInLoadedLibrary(library, name));
}

}  // namespace

const TensorReader& TensorReader::Get() {
  // Acquire; pairs with the release below.
  if (g_ready.load(std::memory_order_acquire)) return g_reader;
  const ErrnoKeeper keep;
  Functions found{};
  Find("libtorch_cpu.so", "aoti_torch_get_dim", &found.dim);
  Find("libtorch_cpu.so", "aoti_torch_get_sizes", &found.sizes);
  Find("libtorch_cpu.so", "aoti_torch_get_dtype", &found.type);
  Find("libtorch_cpu.so", "aoti_torch_get_device_index", &found.device_index);
  Find("libtorch_cuda.so", "aoti_torch_get_current_cuda_stream", &found.current_stream);
  const BriefLockHolder hold(&g_lock);
  if (!g_ready.load(std::memory_order_relaxed)) {
    g_reader.functions_ = found;
    g_ready.store(true, std::memory_order_release);
  }
  return g_reader;
}

void TensorReader::SetForTesting(const Functions& functions) {
  g_reader.functions_ = functions;
  g_ready.store(true, std::memory_order_release);
}

bool TensorReader::Sizes(TensorRef tensor, TensorSizes* sizes) const {
  if (functions_.dim == nullptr || functions_.sizes == nullptr) return false;
  int64_t* size = nullptr;
  if (functions_.dim(tensor, &sizes->rank) != 0 || functions_.sizes(tensor, &size) != 0) {
    return false;
  }
  sizes->size = size;
  return sizes->rank >= 0 && sizes->rank <= kMaxRank && size != nullptr;
}

int8_t TensorReader::Type(TensorRef tensor) const {
  int32_t type = -1;
  if (functions_.type == nullptr || functions_.type(tensor, &type) != 0) return -1;
  return type >= 0 && type <= INT8_MAX ? static_cast<int8_t>(type) : int8_t{-1};
}

bool TensorReader::IsCaptured(TensorRef tensor, Capture* capture) const {
  if (!AnyCaptureIsActive()) return false;
  int32_t device = 0;
  if (functions_.device_index == nullptr || functions_.device_index(tensor, &device) != 0) {
    return false;
  }
  return IsCapturedOn(device, capture);
}

bool TensorReader::IsCaptured(Capture* capture) const {
  constexpr int32_t kCurrentDevice = -1;  // as c10::cuda::getCurrentCUDAStream takes it
  return AnyCaptureIsActive() && IsCapturedOn(kCurrentDevice, capture);
}

bool TensorReader::IsCapturedOn(int32_t device, Capture* capture) const {
  void* stream = nullptr;
  if (functions_.current_stream == nullptr || functions_.current_stream(device, &stream) != 0) {
    return false;
  }
  return FindCapture(stream, reinterpret_cast<const void*>(functions_.current_stream), capture);
}

}  // namespace flopsprof::injector
