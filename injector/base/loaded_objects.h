// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which libraries are mapped into the process, by name and by address, and which address is ours.
// Nothing here loads one. How objects are walked is mapped_objects.h.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/mapped_objects.h"

namespace flopsprof::injector {

// Room for the path of a library.
struct LibraryPath {
  char text[1024];
};

// Path of the n-th (0 ...) mapped library whose file name begins with `prefix`
// ("libcudart.so"). False: there are not so many.
bool FindLoadedLibrary(const char* prefix, int n, LibraryPath* path);

// Handle of a mapped library; nullptr: it is not mapped. The handle is never closed.
void* OpenLoadedLibrary(const char* path);

// The function in the first mapped library that has this prefix and the function; nullptr: there is
// none.
void* FindInLoadedLibrary(const char* prefix, const char* function);

// Is this an address of the injector, a hook or a door?
bool IsOurs(const void* address);

// Does any mapped object but ours define that function?
bool AnyOtherObjectDefines(const char* function);

// Is the object at this path one of CUDA's layers below the hooked libraries, or one of NVIDIA's
// tools?
bool IsDriverLayer(const char* path);

// The number after "lib….so." in a path, or -1.
int MajorOfLibrary(const char* path);

}  // namespace flopsprof::injector
