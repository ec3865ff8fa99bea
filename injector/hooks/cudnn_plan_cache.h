// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plan ids by the address of the plan. An entry lives until the plan is destroyed, so that an
// address that is used again is a new plan. Lookups take no lock.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/platform.h"

namespace flopsprof::injector {

class CudnnPlanCache {
 public:
  static constexpr uint32_t kNotCached = 0xffffffffu;

  constexpr CudnnPlanCache() = default;

  // Id of the plan in this epoch (0: it is known to have no description), or kNotCached.
  uint32_t Find(const void* plan, uint32_t epoch) const;

  void Insert(const void* plan, uint32_t id, uint32_t epoch);
  void Remove(const void* plan);

 private:
  static constexpr uint32_t kEntries = 8192;
  static constexpr uint32_t kProbes = 64;

  struct Entry {
    std::atomic<const void*> plan{nullptr};
    std::atomic<uint32_t> id{0};
    std::atomic<uint32_t> epoch{0};
  };

  static uint32_t FirstIndex(const void* plan);
  int32_t IndexOf(const void* plan) const;

  BriefLock lock_;
  Entry entries_[kEntries];
};

}  // namespace flopsprof::injector
