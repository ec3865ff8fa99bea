// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
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
    return buckets_.empty() ? kNone : FindIn(buckets_[BucketOf(key)], key);
  }
  // The value, or nullptr.
  Value* FindValue(uint64_t key) {
    const uint64_t number = Find(key);
    return number == kNone ? nullptr : &entries_[number & mask_].value;
  }

  // Adds a value under a key that Find does not know.
  uint64_t Add(uint64_t key) {
    if (size() == entries_.size()) Grow();
    return Add(key, &buckets_[BucketOf(key)]);
  }

  // The value, made when it is not there: then its number is what next() was.
  struct Found {
    uint64_t number;
    Value* value;
    bool added;
  };
  Found FindOrAdd(uint64_t key) {
    if (size() == entries_.size()) Grow();
    uint64_t& newest = buckets_[BucketOf(key)];
    uint64_t number = FindIn(newest, key);
    const bool added = number == kNone;
    if (added) number = Add(key, &newest);
    return {number, &entries_[number & mask_].value, added};
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
  // As At(first()). Needs: there is one.
  const Value* Oldest() const {
    const Entry& entry = entries_[first_ & mask_];
    return entry.erased ? nullptr : &entry.value;
  }

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
  static_assert(std::is_trivially_destructible_v<Value>);  // forgotten ones are written over
  static constexpr size_t kFirstCapacity = 8192;           // twice what the correlator keeps
  static constexpr int kRowBits = 9;                       // keys of a row: 512

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

  // `number`: the newest of the key's bucket.
  uint64_t FindIn(uint64_t number, uint64_t key) const {
    while (number >= first_) {
      const Entry& entry = entries_[number & mask_];
      if (entry.key == key && !entry.erased) return number;
      number = entry.older;
    }
    return kNone;
  }

  uint64_t Add(uint64_t key, uint64_t* newest) {
    const uint64_t number = next_++;
    Entry& entry = entries_[number & mask_];
    entry.key = key;
    entry.older = std::exchange(*newest, number);
    entry.erased = false;
    std::construct_at(&entry.value);
    return number;
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
