// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/device_info.h"

#include <string.h>

#include <atomic>

#include "injector/base/loaded_objects.h"
#include "injector/transport/record_sink.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {
namespace {

// CUdevice_attribute and cudaDeviceAttr agree in these numbers (cuda.h, driver_types.h).
enum DeviceAttribute : int {
  kClockRateKhz = 13,
  kMultiprocessorCount = 16,
  kMajor = 75,
  kMinor = 76,
};

std::atomic<uint64_t> used{0};
uint64_t described = 0;  // helper thread only

template <class F>
F FromDriver(const char* name) {
  return reinterpret_cast<F>(FindInLoadedLibrary("libcuda.so", name));
}

template <class F>
F FromRuntime(const char* name) {
  return reinterpret_cast<F>(FindInLoadedLibrary("libcudart.so", name));
}

using GetDevice = int (*)(int* device, int ordinal);
using GetName = int (*)(char* name, int bytes, int device);
using GetUuid = int (*)(uint8_t* uuid, int device);
using GetAttribute = int (*)(int* value, int attribute, int device);
using GetMemory = int (*)(size_t* bytes, int device);

// Asks an attribute by either interface; 0 when neither tells.
uint32_t Attribute(GetAttribute get, int attribute, int device) {
  int value = 0;
  if (get == nullptr || get(&value, attribute, device) != 0 || value < 0) return 0;
  return static_cast<uint32_t>(value);
}

void FillAttributes(GetAttribute get, int device, shm::DeviceRecord* record) {
  record->major = static_cast<uint8_t>(Attribute(get, kMajor, device));
  record->minor = static_cast<uint8_t>(Attribute(get, kMinor, device));
  record->sm_count = Attribute(get, kMultiprocessorCount, device);
  record->clock_khz = Attribute(get, kClockRateKhz, device);
}

bool DescribeByDriver(uint16_t ordinal, shm::DeviceRecord* record) {
  const auto get_device = FromDriver<GetDevice>("cuDeviceGet");
  const auto get_name = FromDriver<GetName>("cuDeviceGetName");
  int device = 0;
  char name[256] = {};
  if (get_device == nullptr || get_name == nullptr || get_device(&device, ordinal) != 0 ||
      get_name(name, sizeof(name) - 1, device) != 0) {
    return false;
  }
  record->name = InternString(name);
  FillAttributes(FromDriver<GetAttribute>("cuDeviceGetAttribute"), device, record);
  auto get_uuid = FromDriver<GetUuid>("cuDeviceGetUuid_v2");
  if (get_uuid == nullptr) get_uuid = FromDriver<GetUuid>("cuDeviceGetUuid");
  if (get_uuid != nullptr) get_uuid(record->uuid, device);
  const auto get_memory = FromDriver<GetMemory>("cuDeviceTotalMem_v2");
  size_t bytes = 0;
  if (get_memory != nullptr && get_memory(&bytes, device) == 0) record->memory_bytes = bytes;
  return true;
}

// For processes whose driver is reached by the runtime alone. cudaDeviceProp begins with
// name[256] and the 16 bytes of the uuid in CUDA 10 to 13; the rest is asked by attribute.
bool DescribeByRuntime(uint16_t ordinal, shm::DeviceRecord* record) {
  using GetProperties = int (*)(void* properties, int device);
  auto get = FromRuntime<GetProperties>("cudaGetDeviceProperties_v2");
  if (get == nullptr) get = FromRuntime<GetProperties>("cudaGetDeviceProperties");
  alignas(16) char properties[4096] = {};
  if (get == nullptr || get(properties, ordinal) != 0) return false;
  properties[255] = '\0';
  record->name = InternString(properties);
  memcpy(record->uuid, properties + 256, sizeof(record->uuid));
  FillAttributes(FromRuntime<GetAttribute>("cudaDeviceGetAttribute"), ordinal, record);
  return true;
}

}  // namespace

void NoteDevices(uint64_t ordinals) { used.fetch_or(ordinals, std::memory_order_relaxed); }

void NoteCurrentDevice() {
  using GetCurrent = int (*)(int* device);
  static std::atomic<GetCurrent> get{nullptr};
  GetCurrent function = get.load(std::memory_order_relaxed);
  if (function == nullptr) {
    function = FromRuntime<GetCurrent>("cudaGetDevice");
    get.store(function, std::memory_order_relaxed);
  }
  int device = -1;
  if (function != nullptr && function(&device) == 0 && device >= 0 && device < 64) {
    NoteDevices(uint64_t{1} << device);
  }
}

void DescribeDevicesAgain() { described = 0; }

void EmitNewDevices() {
  const uint64_t new_ones = used.load(std::memory_order_relaxed) & ~described;
  for (uint16_t ordinal = 0; ordinal < 64; ++ordinal) {
    if ((new_ones >> ordinal & 1) == 0) continue;
    shm::DeviceRecord record{};
    record.header.type = static_cast<uint16_t>(shm::RecordType::kDevice);
    record.header.step = shm::kNoStep;
    record.ordinal = ordinal;
    if (!DescribeByDriver(ordinal, &record) && !DescribeByRuntime(ordinal, &record)) continue;
    if (EmitRecord(&record)) described |= uint64_t{1} << ordinal;
  }
}

}  // namespace flopsprof::injector
