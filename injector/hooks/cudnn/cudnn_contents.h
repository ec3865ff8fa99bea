// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ids by what they stand for: a text that the reader has is not sent again, and keeps its id.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/base/address_table.h"
#include "injector/base/platform.h"

namespace flopsprof::injector {

// Two independent hashes: ids are compared by them alone.
class ContentHash {
 public:
  void Add(uint64_t word);
  void Add(const char* text, size_t bytes);
  uint64_t low() const { return low_ | 2; }  // neither 0 nor 1
  uint64_t high() const { return high_; }

 private:
  uint64_t low_ = 0xcbf29ce484222325ull;
  uint64_t high_ = 0x6c62272e07bb0142ull;
};

// Ids that the reader of this epoch knows. Lookups take no lock.
class ContentIds {
 public:
  constexpr ContentIds() = default;

  uint32_t Find(const ContentHash& hash, uint32_t epoch) const;  // 0: not here
  void Insert(const ContentHash& hash, uint32_t epoch, uint32_t id);

 private:
  struct Id {
    std::atomic<uint64_t> word{0};  // epoch << 32 | id
    std::atomic<uint64_t> high{0};
    void Forget() {}
  };
  BriefLock lock_;
  AddressTable<Id, 1024, 6> ids_;
};

// The id of a plan's description, sent if the reader does not have it. 0: it could not be sent, or
// (`*full`) the reader holds no more of them.
uint32_t IdOfCudnnText(const char* text, size_t bytes, bool* full);

}  // namespace flopsprof::injector
