// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::store {

enum class KeyId : uint32_t {};

// The keys of rows, each once in a run: the ranks of a job have the same ones. A key is there as
// long as a row holds it, and until ForgetUnheld: what is prepared names keys that it does not hold
// yet. One thread.
class KeyTable {
 public:
  // Of a key that nobody holds, it is good until ForgetUnheld.
  KeyId Intern(std::string_view key);
  void Hold(KeyId id) { ++keys_[Index(id)].holders; }
  void Release(KeyId id);
  // Forgets what was interned or released since the last call and is held by nobody. Costs what
  // that is.
  void ForgetUnheld();

  const std::string& text(KeyId id) const { return keys_[Index(id)].text; }
  // Of every id that there is. They stay where they are, and as they are until ForgetUnheld.
  std::vector<const std::string*> Texts() const {
    std::vector<const std::string*> texts;
    texts.reserve(keys_.size());
    for (const Key& key : keys_) texts.push_back(&key.text);
    return texts;
  }
  size_t size() const { return ids_.size(); }
  // What was forgotten leaves a place for another key.
  size_t bytes() const {
    return text_bytes_ + keys_.size() * sizeof(Key) + ids_.capacity() * kBytesOfAnId +
           maybe_unheld_.capacity() * sizeof(KeyId);
  }

 private:
  static constexpr size_t kMostKept = 4096;  // of memory for maybe_unheld_
  static constexpr size_t kBytesOfAnId = sizeof(std::string_view) + 9;
  struct Key {
    std::string text;
    uint32_t holders = 0;
    bool is_free = false;
  };

  static size_t Index(KeyId id) { return static_cast<size_t>(id); }
  void Forget(KeyId id);

  std::deque<Key> keys_;  // stay where they are
  absl::flat_hash_map<std::string_view, KeyId> ids_;
  std::vector<KeyId> free_;
  std::vector<KeyId> maybe_unheld_;  // since the last ForgetUnheld
  size_t text_bytes_ = 0;
};

}  // namespace flopsprof::store
