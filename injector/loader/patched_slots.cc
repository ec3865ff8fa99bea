// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/patched_slots.h"

namespace flopsprof::injector {

PatchedSlots::Result PatchedSlots::Patch(void** place, void* before, void* after,
                                         SlotWriter* writer) {
  if (count_ == kMaxSlots) return Result::kFull;
  if (!writer->Write(place, after)) return Result::kNotWritable;
  slots_[count_++] = {place, before, after};
  return Result::kWritten;
}

bool PatchedSlots::ForgetOverwritten(const AddressRange& object, bool was_there) {
  const size_t count_before = count_;
  size_t kept = 0;
  for (size_t i = 0; i < count_before; ++i) {
    const Slot slot = slots_[i];
    const bool is_ours = !object.Contains(slot.place) || (was_there && *slot.place == slot.after);
    if (is_ours) slots_[kept++] = slot;
  }
  count_ = kept;
  return kept == count_before;
}

size_t PatchedSlots::Restore(const MappedObject& object) {
  SlotWriter writer(object);
  size_t unwritable = 0;
  for (size_t i = 0; i < count_; ++i) {
    const Slot& slot = slots_[i];
    if (!object.all.Contains(slot.place) || *slot.place != slot.after) continue;
    if (!writer.Write(slot.place, slot.before)) ++unwritable;
  }
  return unwritable;
}

}  // namespace flopsprof::injector
