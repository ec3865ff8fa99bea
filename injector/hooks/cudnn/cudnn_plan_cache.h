// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plan ids by the address of the plan. An entry lives until the plan is destroyed, so that an
// address that is used again is a new plan. Lookups take no lock.

#include <stdint.h>

#include <atomic>

#include "injector/base/address_table.h"
#include "injector/base/platform.h"

namespace flopsprof::injector {

class CudnnPlanCache {
 public:
  static constexpr uint32_t kNotCached = 0xffffffffu;

  constexpr CudnnPlanCache() = default;

  // Id of the plan in this epoch (0: it is known to have no description), or kNotCached.
  uint32_t Find(const void* plan, uint32_t epoch) const;

  // False: no room, which more than a million plans at once need.
  bool Insert(const void* plan, uint32_t id, uint32_t epoch);
  // Takes no lock: a forked child, too, destroys plans.
  void Remove(const void* plan);

 private:
  struct Id {
    std::atomic<uint64_t> word{0};  // epoch << 32 | id
    void Forget() { word.store(0, std::memory_order_relaxed); }
  };

  BriefLock lock_;  // of Insert: two threads may execute one plan
  AddressTable<Id, 4096, 5> ids_;
};

}  // namespace flopsprof::injector
