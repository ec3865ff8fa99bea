// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides what is written into a slot in place of the address that it holds now. Writes nothing.

#include "injector/loader/hook_table.h"
#include "injector/loader/object_snapshots.h"

namespace flopsprof::injector {

struct SlotValue {
  void* value = nullptr;   // nullptr: the slot stays as it is
  bool is_unseen = false;  // all doors are taken: the caller's calls will not be seen
};

// `object`: whose slot it is. `held`: what the slot holds. `mapped`: all objects, for the owner of
// the function that `held` may be.
SlotValue ChooseSlotValue(const MappedObject& object, const Hook& hook, void* held,
                          const ObjectSnapshots& mapped);

}  // namespace flopsprof::injector
