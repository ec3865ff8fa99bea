// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Strings by content, each with one id for the life of the process. Reading is lock-free; a lock
// is taken only to add a string. Under it all room is reserved, for the first one, and opened as it
// is used. Without memory the table is full.
// Bounded: at most kMaxStrings and kMaxTextBytes.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/base/pages.h"
#include "injector/base/platform.h"

namespace flopsprof::injector {

class StringTable {
 public:
  static constexpr uint32_t kMaxStrings = 1u << 17;
  static constexpr size_t kMaxTextBytes = size_t{32} << 20;
  static constexpr size_t kMaxStringBytes = 16384;  // of one string; the rest is cut off

  struct Entry {
    uint64_t hash;
    uint32_t id;  // 1 ...
    uint32_t bytes;
    const char* text;
    std::atomic<uint32_t> defined_epoch;  // segment in which the reader has its definition
  };

  constexpr StringTable() = default;

  // The entry of a string, added when it is new; nullptr when the table is full.
  Entry* Intern(const char* text, size_t bytes);

  // The entry of an id; nullptr: not given yet.
  Entry* Find(uint32_t id);

 private:
  static constexpr uint32_t kBuckets = kMaxStrings * 2;

  Entry* Find(const std::atomic<Entry*>* buckets, const char* text, size_t bytes, uint64_t hash,
              uint32_t* bucket) const;
  Entry* Add(const char* text, size_t bytes, uint64_t hash);
  bool MakeRoom();

  std::atomic<std::atomic<Entry*>*> buckets_{nullptr};
  BriefLock lock_;
  // Under lock_:
  GrowingPages bucket_pages_;
  GrowingPages entries_;
  std::atomic<uint32_t> entry_count_{0};  // read by anybody
  GrowingPages text_;
  size_t text_used_ = 0;
};

}  // namespace flopsprof::injector
