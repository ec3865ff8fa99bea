// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A door is an address that a program calls in place of one real function of a library. The door
// enters the hook of that function, and tells the hook which real function is meant. So two copies
// of one library stay apart. dlsym returns doors, and doors are written into the tables of
// addresses of other objects.
//
// The code of all doors is part of this library (door_code.S): no memory is ever made executable. A
// door is never given back. Like the pointer to the real function, it is invalid after the library
// was unloaded. Threads: any, without a lock, because a forked child calls dlsym too.

#include "injector/loader/hook_table.h"

namespace flopsprof::injector {

// The door to `function` by way of its hook. nullptr: all doors are taken.
void* DoorTo(const Hook& hook, void* function);

// The function behind a door; nullptr: the address is no door.
void* BehindDoor(const void* address);

}  // namespace flopsprof::injector
