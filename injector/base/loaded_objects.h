// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Libraries that are already mapped into the process. Nothing here loads one.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// Room for the path of a library.
struct LibraryPath {
  char text[1024];
};

// Path of the n-th (0 ...) mapped library whose file name begins with `prefix`
// ("libcudart.so"). False: there are not so many.
bool FindLoadedLibrary(const char* prefix, int n, LibraryPath* path);

// Handle of a mapped library, never closed again; nullptr when it is not mapped.
void* OpenLoadedLibrary(const char* path);

// A function of the first mapped library with that prefix that has it; nullptr: none.
void* FindInLoadedLibrary(const char* prefix, const char* function);

// Grows with every object that is mapped.
uint64_t CountObjectsEverMapped();

// Is this an address of the injector, a hook or a door?
bool IsOurs(const void* address);

// Does any mapped object but ours define that function?
bool AnyOtherObjectDefines(const char* function);

// Where the mapped object lies that contains an address. False: no object does.
bool FindObjectAt(const void* address, uintptr_t* begin, size_t* bytes);

// Is the object at this path one of CUDA's layers below the libraries that are hooked, or a tool of
// NVIDIA's?
bool IsDriverLayer(const char* path);

// A `ret` instruction in the code of the object that contains an address, with nothing pushed
// since its function began. nullptr: none was found.
const void* FindReturnIn(const void* address);

// The number after "lib….so." in a path, or -1.
int MajorOfLibrary(const char* path);

}  // namespace flopsprof::injector
