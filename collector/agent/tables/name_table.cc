// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/name_table.h"

#include "collector/base/utf8.h"

namespace flopsprof::agent {
std::string ToValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const base::Utf8Character character = base::DecodeUtf8(text);
    if (character.bytes == 0 || character.code == 0) {
      valid += base::kReplacementUtf8;
      text.remove_prefix(1);
    } else {
      valid += text.substr(0, character.bytes);
      text.remove_prefix(character.bytes);
    }
  }
  return valid;
}

std::string BoundedUtf8(std::string_view text, size_t max_bytes) {
  std::string valid = ToValidUtf8(text.substr(0, max_bytes));
  valid.resize(base::EndOfCharacter(valid, max_bytes));
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
