// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/name_table.h"

namespace flopsprof::agent {
namespace {

// Bytes of the UTF-8 character at the start of `text`, 0 when there is none (RFC 3629).
size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  size_t length;
  unsigned char low = 0x80, high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;   // no overlong forms
    if (first == 0xed) high = 0x9f;  // no surrogates
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; i++) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

}  // namespace

std::string ToValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    if (bytes == 0) {
      valid += "\xef\xbf\xbd";
      text.remove_prefix(1);
    } else {
      valid += text.substr(0, bytes);
      text.remove_prefix(bytes);
    }
  }
  return valid;
}

std::string BoundedUtf8(std::string_view text, size_t max_bytes) {
  std::string valid = ToValidUtf8(text.substr(0, max_bytes));
  if (valid.size() <= max_bytes) return valid;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(valid[end]) & 0xc0) == 0x80) end--;
  valid.resize(end);
  return valid;
}

bool NameTable::Define(uint32_t id, std::string_view text) {
  if (id == 0 || EntryOf(id) != nullptr) return true;
  text = text.substr(0, kMaxTextBytes);
  if (entries_.size() >= kMaxStrings || total_bytes_ + text.size() > kMaxTotalBytes) {
    refused_count_++;
    return false;
  }
  // A byte that is no text becomes three.
  std::string valid = BoundedUtf8(text, kMaxTextBytes);
  total_bytes_ += valid.size();
  const uint32_t canonical = first_id_.emplace(valid, id).first->second;
  const Entry* entry = &entries_.emplace_back(Entry{std::move(valid), canonical});
  if (id < kMaxDenseId) {
    if (id >= dense_.size()) dense_.resize(id + 1);
    dense_[id] = entry;
  } else {
    sparse_.emplace(id, entry);
  }
  return true;
}

const NameTable::Entry* NameTable::EntryOf(uint32_t id) const {
  if (id < dense_.size()) return dense_[id];
  if (id < kMaxDenseId) return nullptr;
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? nullptr : found->second;
}

const std::string* NameTable::Find(uint32_t id) const {
  if (id == 0) return &empty_;
  const Entry* entry = EntryOf(id);
  return entry == nullptr ? nullptr : &entry->text;
}

uint32_t NameTable::Canonical(uint32_t id) const {
  const Entry* entry = EntryOf(id);
  return entry == nullptr ? id : entry->canonical;
}

}  // namespace flopsprof::agent
