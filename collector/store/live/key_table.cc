// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/key_table.h"

namespace flopsprof::store {

KeyId KeyTable::Intern(std::string_view key) {
  if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
  auto id = static_cast<KeyId>(keys_.size());
  if (free_.empty()) {
    keys_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Key& place = keys_[Index(id)];
  place.text = key;
  place.is_free = false;
  ids_.emplace(place.text, id);
  text_bytes_ += key.size();
  maybe_unheld_.push_back(id);
  return id;
}

void KeyTable::Release(KeyId id) {
  if (--keys_[Index(id)].holders == 0) maybe_unheld_.push_back(id);
}

void KeyTable::ForgetUnheld() {
  for (const KeyId id : maybe_unheld_) {
    const Key& key = keys_[Index(id)];
    if (key.holders == 0 && !key.is_free) Forget(id);
  }
  maybe_unheld_.clear();
  if (maybe_unheld_.capacity() > kMostKept) maybe_unheld_.shrink_to_fit();
}

void KeyTable::Forget(KeyId id) {
  Key& key = keys_[Index(id)];
  ids_.erase(key.text);
  text_bytes_ -= key.text.size();
  key.text = std::string();
  key.is_free = true;
  free_.push_back(id);
}

}  // namespace flopsprof::store
