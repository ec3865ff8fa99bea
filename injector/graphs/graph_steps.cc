// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/graphs/graph_steps.h"

#include <atomic>

#include "injector/base/platform.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kPlaces = 4096;  // a power of two
constexpr uint32_t kProbes = 16;
constexpr uintptr_t kForgotten = 1;

struct Place {
  std::atomic<uintptr_t> object{0};  // 0: never used
  std::atomic<uint8_t> steps{0};
};

Place places[kPlaces];
std::atomic<bool> any{false};
BriefLock lock;

Place* PlaceOf(uintptr_t object, uint32_t probe) {
  const uint64_t hash = object * 0x9e3779b97f4a7c15u;
  return &places[((hash >> 40) + probe) % kPlaces];
}

Place* Find(uintptr_t object) {
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    Place* place = PlaceOf(object, probe);
    // Acquire; pairs with the release in SetStepsOfGraph.
    const uintptr_t here = place->object.load(std::memory_order_acquire);
    if (here == object) return place;
    if (here == 0) return nullptr;
  }
  return nullptr;
}

}  // namespace

uint8_t StepsOfGraph(const void* object) {
  if (!any.load(std::memory_order_relaxed)) return 0;
  const Place* place = Find(reinterpret_cast<uintptr_t>(object));
  return place == nullptr ? uint8_t{0} : place->steps.load(std::memory_order_relaxed);
}

void SetStepsOfGraph(const void* object, uint8_t steps) {
  if (object == nullptr || (steps == 0 && !any.load(std::memory_order_relaxed))) return;
  const auto address = reinterpret_cast<uintptr_t>(object);
  const BriefLockHolder hold(&lock);
  Place* place = Find(address);
  if (steps == 0) {
    if (place != nullptr) place->object.store(kForgotten, std::memory_order_relaxed);
    return;
  }
  any.store(true, std::memory_order_relaxed);
  for (uint32_t probe = 0; place == nullptr && probe < kProbes; ++probe) {
    Place* free = PlaceOf(address, probe);
    if (free->object.load(std::memory_order_relaxed) <= kForgotten) place = free;
  }
  if (place == nullptr) return CountLoss(shm::LossCounter::kGraphStepsFull);
  place->steps.store(steps, std::memory_order_relaxed);
  place->object.store(address, std::memory_order_release);
}

}  // namespace flopsprof::injector
