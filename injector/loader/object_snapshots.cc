// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/object_snapshots.h"

namespace flopsprof::injector {

bool ObjectSnapshots::Add(const MappedObject& object) {
  if (count_ == kMaxObjects) return false;
  now_[count_++] = object;
  return true;
}

bool ObjectSnapshots::Take() {
  before_count_ = count_;
  for (size_t i = 0; i < count_; ++i) before_[i] = now_[i];
  count_ = 0;
  // An object without dynamic tables asks for nothing and defines nothing.
  return !AnyMappedObject(
      [this](const MappedObject& object) { return object.dynamic != nullptr && !Add(object); });
}

bool ObjectSnapshots::WasThereBefore(const MappedObject& object) const {
  for (size_t i = 0; i < before_count_; ++i) {
    const MappedObject& other = before_[i];
    if (other.base == object.base && other.dynamic == object.dynamic && other.all == object.all) {
      return true;
    }
  }
  return false;
}

const MappedObject* ObjectSnapshots::ObjectAt(const void* address) const {
  for (size_t i = 0; i < count_; ++i) {
    if (now_[i].all.Contains(address)) return &now_[i];
  }
  return nullptr;
}

}  // namespace flopsprof::injector
