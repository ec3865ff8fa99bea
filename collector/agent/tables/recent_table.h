// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace flopsprof::agent {

// Values by key, numbered in the order in which they were added; the oldest goes first. Forgetting
// it is one addition: chains of equal hash run from new to old and end at the first number that has
// gone, so that nothing is unlinked. Values move when one is added. One thread.
template <class Value>
class RecentTable {
 public:
  static constexpr uint64_t kNone = 0;

  // Number of the value, or kNone.
  uint64_t Find(uint64_t key) const {
    if (buckets_.empty()) return kNone;
    uint64_t number = buckets_[BucketOf(key)];
    while (number >= first_) {
      const Entry& entry = entries_[number & mask_];
      if (entry.key == key && !entry.erased) return number;
      number = entry.older;
    }
    return kNone;
  }

  // Adds a value under a key that Find does not know.
  uint64_t Add(uint64_t key) {
    if (size() == entries_.size()) Grow();
    const uint64_t number = next_++;
    entries_[number & mask_] = {key, kNone, false, Value()};
    Link(number);
    return number;
  }

  // The value; nullptr: it was forgotten or erased, or was never there.
  const Value* At(uint64_t number) const {
    if (number < first_ || number >= next_) return nullptr;
    const Entry& entry = entries_[number & mask_];
    return entry.erased ? nullptr : &entry.value;
  }
  Value* At(uint64_t number) { return const_cast<Value*>(std::as_const(*this).At(number)); }
  uint64_t KeyOf(uint64_t number) const { return entries_[number & mask_].key; }

  // Its number stays, without a value, until it is the oldest.
  void Erase(uint64_t number) { entries_[number & mask_].erased = true; }

  // Numbers: [first, next). Erased ones are among them.
  uint64_t first() const { return first_; }
  uint64_t next() const { return next_; }
  size_t size() const { return next_ - first_; }
  void ForgetOldest() { first_++; }

  // What the slowest Find walks through.
  size_t LongestChainForTesting() const {
    size_t longest = 0;
    for (uint64_t number : buckets_) {
      size_t length = 0;
      for (; number >= first_; number = entries_[number & mask_].older) length++;
      longest = std::max(longest, length);
    }
    return longest;
  }

 private:
  static constexpr size_t kFirstCapacity = 8192;  // twice what the correlator keeps
  static constexpr int kRowBits = 9;              // keys of a row: 512

  struct Entry {
    uint64_t key = 0;
    uint64_t older = kNone;  // number of the next one with the same bucket
    bool erased = false;
    Value value;
  };

  // Keys are mostly consecutive numbers: those of a row stay together, so that one line of the
  // cache serves many. Where a row lies is Fibonacci hashing.
  size_t BucketOf(uint64_t key) const {
    const uint64_t row = (key >> kRowBits) * 0x9e3779b97f4a7c15u >> bucket_shift_;
    return row ^ (key & ((1 << kRowBits) - 1));
  }

  void Link(uint64_t number) {
    Entry& entry = entries_[number & mask_];
    uint64_t& newest = buckets_[BucketOf(entry.key)];
    entry.older = newest;
    newest = number;
  }

  void Grow() {
    std::vector<Entry> larger(entries_.empty() ? kFirstCapacity : 2 * entries_.size());
    const uint64_t mask = larger.size() - 1;
    for (uint64_t number = first_; number < next_; number++) {
      larger[number & mask] = entries_[number & mask_];
    }
    entries_ = std::move(larger);
    mask_ = mask;
    bucket_shift_ = __builtin_clzll(mask);  // as many buckets as entries
    buckets_.assign(entries_.size(), kNone);
    for (uint64_t number = first_; number < next_; number++) Link(number);
  }

  std::vector<Entry> entries_;     // a power of two, by the low bits of their numbers
  std::vector<uint64_t> buckets_;  // number of the newest of each hash
  uint64_t mask_ = 0;
  int bucket_shift_ = 0;
  uint64_t first_ = 1;
  uint64_t next_ = 1;
};

}  // namespace flopsprof::agent
