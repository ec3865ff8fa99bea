// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Memory of the simulated devices and pinned host memory: ordinary pages of the process,
// reserved without being touched, so that large models fit.
#include <sys/mman.h>

#include <atomic>
#include <map>
#include <mutex>

#include "simcore.h"
#include "streams.h"

namespace simgpu {
namespace {

constexpr int kPageable = 1, kPinned = 2, kDevice = 3;

struct Allocation {
  size_t bytes = 0;
  int device = 0;
  int kind = kDevice;
  uint64_t number = 0;  // per kind, from 1
};

std::mutex& Mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::map<uintptr_t, Allocation>& Allocations() {
  static auto& allocations = *new std::map<uintptr_t, Allocation>;
  return allocations;
}

uint64_t g_numbers[8];  // guarded by Mutex

// Copies out the allocation around p. False: none.
bool Find(const void* p, uintptr_t* base, Allocation* allocation) {
  const auto address = reinterpret_cast<uintptr_t>(p);
  std::lock_guard<std::mutex> lock(Mutex());
  auto it = Allocations().upper_bound(address);
  if (it == Allocations().begin()) return false;
  --it;
  if (address >= it->first + it->second.bytes) return false;
  *base = it->first;
  *allocation = it->second;
  return true;
}

}  // namespace
}  // namespace simgpu

using simgpu::Allocation;

int sim_alloc(void** p, size_t bytes, int kind) {
  constexpr size_t kPage = 4096;
  const size_t size = bytes ? (bytes + kPage - 1) / kPage * kPage : kPage;
  if (size < bytes) return -1;
  if (kind == simgpu::kDevice) simgpu::UseDevice(sim_dev());
  void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return -1;
  std::lock_guard<std::mutex> lock(simgpu::Mutex());
  simgpu::Allocations()[reinterpret_cast<uintptr_t>(pages)] = {size, sim_dev(), kind,
                                                               ++simgpu::g_numbers[kind & 7]};
  *p = pages;
  return 0;
}

int sim_free(void* p) {
  if (!p) return 0;
  std::lock_guard<std::mutex> lock(simgpu::Mutex());
  auto it = simgpu::Allocations().find(reinterpret_cast<uintptr_t>(p));
  if (it == simgpu::Allocations().end()) return -1;
  munmap(p, it->second.bytes);
  simgpu::Allocations().erase(it);
  return 0;
}

int sim_memory_kind(const void* p) {
  uintptr_t base;
  Allocation allocation;
  return simgpu::Find(p, &base, &allocation) ? allocation.kind : simgpu::kPageable;
}

int sim_memory_find(const void* p, void** base, size_t* bytes, int* dev, int* kind) {
  uintptr_t start;
  Allocation allocation;
  if (!simgpu::Find(p, &start, &allocation)) return -1;
  if (base) *base = reinterpret_cast<void*>(start);
  if (bytes) *bytes = allocation.bytes;
  if (dev) *dev = allocation.device;
  if (kind) *kind = allocation.kind;
  return 0;
}

std::string sim_pointer(const void* p) {
  if (!p) return "null";
  uintptr_t base;
  Allocation allocation;
  if (!simgpu::Find(p, &base, &allocation)) return "host";
  const uintptr_t offset = reinterpret_cast<uintptr_t>(p) - base;
  return (allocation.kind == simgpu::kPinned ? "h" : "d") + std::to_string(allocation.number) +
         "+" + std::to_string(offset);
}
