// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace flopsprof::store {

enum class KeyId : uint32_t {};

// The keys of rows, each once in a run: the ranks of a job have the same ones. One thread.
class KeyTable {
 public:
  KeyId Intern(std::string_view key) {
    if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
    const auto id = static_cast<KeyId>(keys_.size());
    keys_.emplace_back(key);
    ids_.emplace(keys_.back(), id);
    bytes_ += key.size() + kBytesOfAKey;
    return id;
  }
  const std::string& text(KeyId id) const { return keys_[static_cast<size_t>(id)]; }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kBytesOfAKey = 64;  // of both containers, about

  std::deque<std::string> keys_;  // stay where they are
  absl::flat_hash_map<std::string_view, KeyId> ids_;
  size_t bytes_ = 0;
};

}  // namespace flopsprof::store
