// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The objects of two walks: which of those that are mapped now were there the last time already.

#include <stddef.h>

#include "injector/base/mapped_objects.h"

namespace flopsprof::injector {

// All zero is an empty one: it lies in pages that are mapped. Threads: the loader's lock.
class ObjectSnapshots {
 public:
  // What was mapped now is from here on what was there before. False: not all objects had room.
  bool Take();

  // As if no walk had been.
  void Forget() { count_ = before_count_ = 0; }

  size_t count() const { return count_; }
  const MappedObject& at(size_t i) const { return now_[i]; }

  // Was the same object mapped at the same place when the snapshot before was taken?
  bool WasThereBefore(const MappedObject& object) const;

  // The object of this snapshot that holds an address; nullptr: none.
  const MappedObject* ObjectAt(const void* address) const;

  // For tests: an object that no walk has found.
  bool Add(const MappedObject& object);

 private:
  static constexpr size_t kMaxObjects = 8192;

  MappedObject now_[kMaxObjects];
  size_t count_;
  MappedObject before_[kMaxObjects];
  size_t before_count_;
};

}  // namespace flopsprof::injector
