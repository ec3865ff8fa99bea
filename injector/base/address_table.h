// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table from addresses to values. A key may be any number that is neither 0 nor 1. The table
// grows with the number of live keys, by levels of four times the entries. The place of a removed
// key is used again. There is no lock, so a fork leaves the table whole. Only growth makes a system
// call.

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <atomic>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// `Value` must be valid when it is all zero. Its Forget() is called before its key is removed.
template <class Value, uint32_t kFirstEntries, uint32_t kMaxLevels>
class AddressTable {
 public:
  constexpr AddressTable() = default;

  Value* Find(uint64_t key) {
    Entry* entry = EntryOf(key);
    return entry == nullptr ? nullptr : &entry->value;
  }
  const Value* Find(uint64_t key) const { return const_cast<AddressTable*>(this)->Find(key); }

  // Only one thread at a time may call this for one key. nullptr: the last level is crowded, or
  // there is no memory.
  Value* FindOrAdd(uint64_t key) {
    Entry* entry = EntryOf(key);
    if (entry != nullptr) return &entry->value;
    for (;;) {
      const uint32_t levels = levels_.load(std::memory_order_acquire);
      for (uint32_t level = levels; level-- > 0;) {
        entry = Claim(level, key);
        if (entry != nullptr) return &entry->value;
      }
      if (!Grow(levels)) return nullptr;
    }
  }

  // False: it was not there.
  bool Remove(uint64_t key) {
    Entry* entry = EntryOf(key);
    if (entry == nullptr) return false;
    entry->value.Forget();
    // Release; pairs with the acquire in Claim: whoever takes the place finds the value forgotten.
    return entry->key.compare_exchange_strong(key, kRemoved, std::memory_order_release,
                                              std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kProbes = 16;
  static constexpr uint64_t kRemoved = 1;

  struct Entry {
    std::atomic<uint64_t> key{0};
    Value value{};
  };

  static constexpr uint32_t Entries(uint32_t level) { return kFirstEntries << (2 * level); }

  Entry* Level(uint32_t level) {
    return level == 0 ? first_ : more_[level - 1].load(std::memory_order_acquire);
  }

  static uint32_t FirstIndex(uint64_t key, uint32_t level) {
    return static_cast<uint32_t>((key >> 4 ^ key << 60) * 0x9e3779b97f4a7c15ull >> 32) %
           Entries(level);
  }

  // The newest level has most keys.
  Entry* EntryOf(uint64_t key) {
    for (uint32_t level = levels_.load(std::memory_order_acquire); level-- > 0;) {
      Entry* const entries = Level(level);
      const uint32_t first = FirstIndex(key, level);
      for (uint32_t i = 0; i < kProbes; ++i) {
        Entry& entry = entries[(first + i) % Entries(level)];
        const uint64_t here = entry.key.load(std::memory_order_acquire);
        if (here == key) return &entry;
        if (here == 0) break;
      }
    }
    return nullptr;
  }

  Entry* Claim(uint32_t level, uint64_t key) {
    Entry* const entries = Level(level);
    const uint32_t first = FirstIndex(key, level);
    for (uint32_t i = 0; i < kProbes; ++i) {
      Entry& entry = entries[(first + i) % Entries(level)];
      uint64_t here = entry.key.load(std::memory_order_relaxed);
      if (here > kRemoved) continue;
      if (entry.key.compare_exchange_strong(here, key, std::memory_order_acq_rel)) return &entry;
    }
    return nullptr;
  }

  bool Grow(uint32_t levels) {
    if (levels == kMaxLevels) return false;
    ErrnoKeeper keep;
    const size_t bytes = Entries(levels) * sizeof(Entry);
    auto* const pages = static_cast<Entry*>(MapPages(bytes));
    if (pages == nullptr) return false;
    Entry* none = nullptr;
    if (!more_[levels - 1].compare_exchange_strong(none, pages, std::memory_order_acq_rel)) {
      munmap(pages, bytes);  // another thread was faster
    }
    uint32_t before = levels;
    levels_.compare_exchange_strong(before, levels + 1, std::memory_order_acq_rel);
    return true;
  }

  std::atomic<uint32_t> levels_{1};
  std::atomic<Entry*> more_[kMaxLevels - 1] = {};
  Entry first_[kFirstEntries] = {};
};

inline uint64_t AddressKey(const void* address) {
  return reinterpret_cast<uintptr_t>(address) + 2;  // neither 0 nor 1, whatever it is
}

}  // namespace flopsprof::injector
