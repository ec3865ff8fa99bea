// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A door is an address to call instead of one real function of a library: it enters that
// function's hook and says which function stands behind it. So each of two copies of a library
// keeps its own, whoever calls. Doors are what dlsym gives out and what is written into tables of
// addresses of other objects.
//
// The code of all doors is part of this library (door_code.S): no memory is ever made executable.
// A door is never taken away again; like the pointer that it stands for it means nothing after
// the library behind it was unloaded. Threads: any, without a lock: a forked child, too, asks
// dlsym.

#include "injector/loader/hook_table.h"

namespace flopsprof::injector {

// The door to `function` by way of its hook. nullptr: all doors are taken.
void* DoorTo(const Hook& hook, void* function);

// The function behind a door; nullptr: the address is no door.
void* BehindDoor(const void* address);

}  // namespace flopsprof::injector
