// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A hash table whose entries are never moved. With each added entry the index grows by one bucket,
// which takes its entries from one other bucket (linear hashing). So every addition costs about the
// same. The table is reserved address space, which becomes memory as it is used.
//
// An Entry has `uint32_t next` and `uint32_t Hash() const`. Entries are numbered from 1. Threads:
// under the user's lock.

#include <stdint.h>
#include <string.h>

#include "injector/base/pages.h"

namespace flopsprof::injector {

template <typename Entry, uint32_t kMaxEntries>
class GrowingTable {
 public:
  // With the first entry's hash: for (i = First(hash); i != 0; i = at(i).next).
  uint32_t First(uint32_t hash) const { return heads_ == nullptr ? 0 : heads_[BucketOf(hash)]; }
  Entry& at(uint32_t number) const { return entries_[number]; }
  uint32_t count() const { return count_; }
  bool full() const { return count_ == kMaxEntries; }

  // The entry's number; 0: full, or no memory. Anything but `next` is set already in `entry`.
  uint32_t Add(const Entry& entry) {
    if (full() || !MakeRoom() || !OpenRoom()) return 0;
    entries_[++count_] = entry;
    Link(count_);
    if (count_ > buckets_) SplitBucket();
    return count_;
  }

  void Clear() {
    if (heads_ != nullptr) memset(heads_, 0, buckets_ * sizeof(uint32_t));
    count_ = 0;
    buckets_ = half_ = kFirstBuckets;
  }

 private:
  static constexpr uint32_t kFirstBuckets = 1024;  // a power of two

  bool MakeRoom() {
    if (heads_ != nullptr) return true;
    if (!entry_pages_.Reserve((size_t{kMaxEntries} + 1) * sizeof(Entry)) ||
        !head_pages_.Reserve((size_t{kMaxEntries} + kFirstBuckets) * sizeof(uint32_t)) ||
        !head_pages_.Open(kFirstBuckets * sizeof(uint32_t))) {
      entry_pages_.Refuse();
      head_pages_.Refuse();
      return false;
    }
    entries_ = static_cast<Entry*>(entry_pages_.begin());
    heads_ = static_cast<uint32_t*>(head_pages_.begin());
    return true;
  }

  // For one more entry and bucket.
  bool OpenRoom() {
    return entry_pages_.Open((size_t{count_} + 2) * sizeof(Entry)) &&
           head_pages_.Open((size_t{buckets_} + 1) * sizeof(uint32_t));
  }

  // Buckets from `half_` on are the other halves of the first ones.
  uint32_t BucketOf(uint32_t hash) const {
    const uint32_t bucket = hash & (half_ * 2 - 1);
    return bucket < buckets_ ? bucket : hash & (half_ - 1);
  }

  void Link(uint32_t number) {
    uint32_t* head = &heads_[BucketOf(entries_[number].Hash())];
    entries_[number].next = *head;
    *head = number;
  }

  void SplitBucket() {
    uint32_t number = heads_[buckets_ - half_];
    heads_[buckets_ - half_] = heads_[buckets_] = 0;
    if (++buckets_ == half_ * 2) half_ = buckets_;
    while (number != 0) {
      const uint32_t next = entries_[number].next;
      Link(number);
      number = next;
    }
  }

  GrowingPages entry_pages_;
  GrowingPages head_pages_;
  Entry* entries_ = nullptr;
  uint32_t* heads_ = nullptr;
  uint32_t count_ = 0;
  uint32_t buckets_ = kFirstBuckets;
  uint32_t half_ = kFirstBuckets;
};

}  // namespace flopsprof::injector
