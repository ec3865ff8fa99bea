// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/string_table.h"

#include <string.h>

#include <initializer_list>

namespace flopsprof::injector {
namespace {

uint64_t Hash(const char* text, size_t bytes) {  // FNV-1a, 64 bit
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<uint8_t>(text[i])) * 0x100000001b3ull;
  }
  return hash;
}

}  // namespace

StringTable::Entry* StringTable::Find(const std::atomic<Entry*>* buckets, const char* text,
                                      size_t bytes, uint64_t hash, uint32_t* bucket) const {
  // Ends: at most half of the buckets are ever used.
  for (auto i = static_cast<uint32_t>(hash % kBuckets);; i = (i + 1) % kBuckets) {
    // Acquire; pairs with the release in Add: the entry is complete.
    Entry* entry = buckets[i].load(std::memory_order_acquire);
    if (entry == nullptr) {
      *bucket = i;
      return nullptr;
    }
    if (entry->hash == hash && entry->bytes == bytes && memcmp(entry->text, text, bytes) == 0) {
      return entry;
    }
  }
}

StringTable::Entry* StringTable::Find(uint32_t id) {
  // Acquire; pairs with the release in Add: the entry is complete.
  if (id == 0 || id > entry_count_.load(std::memory_order_acquire)) return nullptr;
  return static_cast<Entry*>(entries_.begin()) + (id - 1);
}

StringTable::Entry* StringTable::Intern(const char* text, size_t bytes) {
  if (bytes > kMaxStringBytes) bytes = kMaxStringBytes;
  const uint64_t hash = Hash(text, bytes);
  const std::atomic<Entry*>* buckets = buckets_.load(std::memory_order_acquire);
  uint32_t bucket = 0;
  if (buckets != nullptr) {
    if (Entry* entry = Find(buckets, text, bytes, hash, &bucket)) return entry;
  }
  BriefLockHolder hold(&lock_);
  return Add(text, bytes, hash);
}

bool StringTable::MakeRoom() {
  constexpr size_t kBucketBytes = kBuckets * sizeof(std::atomic<Entry*>);
  if (text_.Reserve(kMaxTextBytes) && entries_.Reserve(kMaxStrings * sizeof(Entry)) &&
      bucket_pages_.Reserve(kBucketBytes) && bucket_pages_.Open(kBucketBytes)) {
    return true;
  }
  for (GrowingPages* part : {&text_, &entries_, &bucket_pages_}) part->Refuse();
  return false;
}

StringTable::Entry* StringTable::Add(const char* text, size_t bytes, uint64_t hash) {
  std::atomic<Entry*>* buckets = buckets_.load(std::memory_order_relaxed);
  if (buckets == nullptr) {
    if (!MakeRoom()) return nullptr;
    buckets = static_cast<std::atomic<Entry*>*>(bucket_pages_.begin());
    buckets_.store(buckets, std::memory_order_release);
  }
  uint32_t bucket = 0;
  if (Entry* entry = Find(buckets, text, bytes, hash, &bucket)) return entry;  // another thread
  const uint32_t known = entry_count_.load(std::memory_order_relaxed);
  if (known == kMaxStrings || bytes > kMaxTextBytes - text_used_) return nullptr;
  if (!entries_.Open((known + 1) * sizeof(Entry)) || !text_.Open(text_used_ + bytes)) {
    return nullptr;
  }
  char* copy = static_cast<char*>(text_.begin()) + text_used_;
  text_used_ += bytes;
  memcpy(copy, text, bytes);
  Entry* entry = static_cast<Entry*>(entries_.begin()) + known;
  entry->hash = hash;
  entry->id = known + 1;
  entry->bytes = static_cast<uint32_t>(bytes);
  entry->text = copy;
  entry_count_.store(known + 1, std::memory_order_release);
  // Release; pairs with the acquire in Find.
  buckets[bucket].store(entry, std::memory_order_release);
  return entry;
}

}  // namespace flopsprof::injector
