// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"

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

  struct Entry {
    std::string text;
    uint32_t canonical;
  };
  absl::node_hash_map<uint32_t, Entry> by_id_;
  absl::flat_hash_map<std::string, uint32_t> first_id_ = {{"", 0}};
  const std::string empty_;
  size_t total_bytes_ = 0;
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent
