// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes into slots of other objects and remembers what each held, so that it can be taken back.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/mapped_objects.h"
#include "injector/base/protected_pages.h"

namespace flopsprof::injector {

// Writes into the slots of one object while it lives; its pages are read-only again afterwards.
class SlotWriter {
 public:
  explicit SlotWriter(const MappedObject& object)
      : writable_(object.writable), pages_(object.protected_pages) {}

  // False: the place cannot be written. A relocated address in the middle of code is left alone.
  bool Write(void** place, void* value) {
    return writable_.Contains(place) && pages_.Write(place, value);
  }

 private:
  const AddressRange writable_;
  ProtectedWriter pages_;
};

// All zero is an empty one: it lies in pages that are mapped. Threads: the loader's lock.
class PatchedSlots {
 public:
  enum class Result { kWritten, kNotWritable, kFull };

  // Writes `after` in place of `before`.
  Result Patch(void** place, void* before, void* after, SlotWriter* writer);

  // Forgets slots of the object that do not hold what we wrote any more: of an object that was
  // unloaded and has come anew, or that the loader bound at the same moment. `was_there`: it was
  // mapped the last time; else all its slots go, unread, because they may lie where nothing is
  // mapped now. True: no slot went.
  bool ForgetOverwritten(const AddressRange& object, bool was_there);

  // Gives the object's slots their old values, where they still hold ours. How many could not be
  // written.
  size_t Restore(const MappedObject& object);

  void Clear() { count_ = 0; }

 private:
  static constexpr size_t kMaxSlots = 32768;

  struct Slot {
    void** place;
    void* before;
    void* after;
  };
  Slot slots_[kMaxSlots];
  size_t count_;
};

}  // namespace flopsprof::injector
