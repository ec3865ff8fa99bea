// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace flopsprof::agent {

// `text` with everything that is not valid UTF-8, and every zero byte, replaced by U+FFFD:
// Protobuf refuses other text, and names come from a process that may send anything.
std::string ToValidUtf8(std::string_view text);

// The same, cut to at most `max_bytes` at the border of a character.
std::string BoundedUtf8(std::string_view text, size_t max_bytes);

// A collector refuses longer texts, and with them everything that comes after.
constexpr size_t kMaxTextBytes = 1 << 16;

// Strings of one process by id; bounded in number and bytes. One thread.
class NameTable {
 public:
  // The first definition of an id counts. False: full, counted.
  bool Define(uint32_t id, std::string_view text);

  // Null while the definition has not come. Id 0 is "". The text lives as long as the table.
  const std::string* Find(uint32_t id) const;

  // The first id that got the same text; `id` itself while it is not known.
  uint32_t Canonical(uint32_t id) const;

  uint64_t refused_count() const { return refused_count_; }

 private:
  static constexpr size_t kMaxStrings = 1 << 17;
  static constexpr size_t kMaxTotalBytes = 32 << 20;

  // Ids below, and the injector gives no other, find their entry without a hash.
  static constexpr uint32_t kMaxDenseId = kMaxStrings + 1;

  struct Entry {
    std::string text;
    uint32_t canonical;
  };

  const Entry* EntryOf(uint32_t id) const;

  std::deque<Entry> entries_;
  std::vector<const Entry*> dense_;                     // by id; null: none
  absl::flat_hash_map<uint32_t, const Entry*> sparse_;  // the same of other ids
  absl::flat_hash_map<std::string, uint32_t> first_id_ = {{"", 0}};
  const std::string empty_;
  size_t total_bytes_ = 0;
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent
