// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/tensor_reader.h"

#include <atomic>

#include "injector/base/loaded_objects.h"
#include "injector/base/platform.h"
#include "injector/graphs/capture_state.h"

namespace flopsprof::injector {
namespace {

constexpr int kFunctions = sizeof(TensorReader::Functions) / sizeof(void*);
constexpr int64_t kMaxRank = 64;

// Threads read while more is found: each step on the way to all functions is an object of its own.
TensorReader g_readers[kFunctions + 1];
TensorReader g_reader_for_testing;
std::atomic<const TensorReader*> g_current{nullptr};
std::atomic<uint64_t> g_objects_seen{0};
BriefLock g_lock;
int g_used;  // of g_readers, under the lock

template <typename Function>
void Find(const char* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(FindInLoadedLibrary(library, name));
}

}  // namespace

int TensorReader::found_count() const {
  return (functions_.dim != nullptr) + (functions_.sizes != nullptr) +
         (functions_.type != nullptr) + (functions_.device_index != nullptr) +
         (functions_.current_stream != nullptr) + (functions_.device_type != nullptr);
}

const TensorReader& TensorReader::Get() {
  // Acquire; pairs with the release in LookAgain.
  const TensorReader* current = g_current.load(std::memory_order_acquire);
  return current != nullptr && current->found_count() == kFunctions ? *current : LookAgain();
}

const TensorReader& TensorReader::LookAgain() {
  const ErrnoKeeper keep;
  const uint64_t objects = CountObjectsEverMapped();
  const TensorReader* current = g_current.load(std::memory_order_acquire);
  // Relaxed: whoever reads it early looks once more than needed.
  if (current != nullptr && g_objects_seen.load(std::memory_order_relaxed) == objects) {
    return *current;
  }
  TensorReader reader;
  Functions& found = reader.functions_;
  Find("libtorch_cpu.so", "aoti_torch_get_dim", &found.dim);
  Find("libtorch_cpu.so", "aoti_torch_get_sizes", &found.sizes);
  Find("libtorch_cpu.so", "aoti_torch_get_dtype", &found.type);
  Find("libtorch_cpu.so", "aoti_torch_get_device_index", &found.device_index);
  Find("libtorch_cpu.so", "aoti_torch_get_device_type", &found.device_type);
  Find("libtorch_cuda.so", "aoti_torch_get_current_cuda_stream", &found.current_stream);
  const BriefLockHolder hold(&g_lock);
  g_objects_seen.store(objects, std::memory_order_relaxed);
  current = g_current.load(std::memory_order_relaxed);
  if (current != nullptr && reader.found_count() <= current->found_count()) return *current;
  TensorReader* next = &g_readers[g_used++];  // each has found more than the last: there is room
  *next = reader;
  // Release; pairs with the acquire in Get.
  g_current.store(next, std::memory_order_release);
  return *next;
}

void TensorReader::SetForTesting(const Functions& functions) {
  g_reader_for_testing.functions_ = functions;
  g_objects_seen.store(CountObjectsEverMapped(), std::memory_order_relaxed);
  g_current.store(&g_reader_for_testing, std::memory_order_release);
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

bool TensorReader::IsOnGpu(TensorRef tensor) const {
  constexpr int32_t kCuda = 1;  // c10::DeviceType
  int32_t type = -1;
  return functions_.device_type != nullptr && functions_.device_type(tensor, &type) == 0 &&
         type == kCuda;
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
