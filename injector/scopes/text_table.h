// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A bounded set of texts, each at one address for the life of the process. No lock, so that a fork
// leaves it whole; texts are never freed, because handles in static variables of programs are
// pointers to them.

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

namespace flopsprof::injector {

struct KeptText {
  uint64_t key;  // of the owner's; 0 where it has none
  size_t bytes;
  char text[1];  // and a NUL
};

template <uint32_t kMaxTexts>
class TextTable {
 public:
  // The same address for the same key and text, for ever. Null: no room, or no memory.
  const KeptText* FindOrAdd(const char* text, size_t bytes, uint64_t key = 0) {
    KeptText* added = nullptr;
    for (uint32_t i = Hash(text, bytes, key), tries = 0; tries < kBuckets; ++i, ++tries) {
      std::atomic<KeptText*>& bucket = buckets_[i & (kBuckets - 1)];
      // Acquire; pairs with the exchange below: the text is complete.
      KeptText* here = bucket.load(std::memory_order_acquire);
      if (here == nullptr) {
        if (added == nullptr) added = Make(text, bytes, key);
        if (added == nullptr) return nullptr;
        if (bucket.compare_exchange_strong(here, added, std::memory_order_acq_rel)) return added;
      }
      if (here->key == key && here->bytes == bytes && memcmp(here->text, text, bytes) == 0) {
        if (added != nullptr) Unmake(added);  // another thread was faster
        return here;
      }
    }
    return nullptr;
  }

  // Texts stay where they are; nothing finds them any more.
  void ForgetForTesting() {
    for (auto& bucket : buckets_) bucket.store(nullptr, std::memory_order_relaxed);
    count_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kBuckets = kMaxTexts * 2;
  static_assert((kMaxTexts & (kMaxTexts - 1)) == 0, "a power of two");

  static uint32_t Hash(const char* text, size_t bytes, uint64_t key) {  // FNV-1a
    uint64_t hash = 0xcbf29ce484222325ull ^ key * 0x9E3779B97F4A7C15ull;
    for (size_t i = 0; i < bytes; ++i) {
      hash = (hash ^ static_cast<uint8_t>(text[i])) * 0x100000001b3ull;
    }
    return static_cast<uint32_t>(hash ^ hash >> 32);
  }

  KeptText* Make(const char* text, size_t bytes, uint64_t key) {
    if (count_.fetch_add(1, std::memory_order_relaxed) >= kMaxTexts) {
      count_.fetch_sub(1, std::memory_order_relaxed);
      return nullptr;
    }
    auto* made = static_cast<KeptText*>(malloc(sizeof(KeptText) + bytes));
    if (made == nullptr) return nullptr;
    made->key = key;
    made->bytes = bytes;
    memcpy(made->text, text, bytes);
    made->text[bytes] = '\0';
    return made;
  }
  void Unmake(KeptText* text) {
    free(text);
    count_.fetch_sub(1, std::memory_order_relaxed);
  }

  std::atomic<uint32_t> count_{0};
  std::atomic<KeptText*> buckets_[kBuckets] = {};
};

}  // namespace flopsprof::injector
