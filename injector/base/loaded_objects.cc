// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/loaded_objects.h"

#include <dlfcn.h>
#include <string.h>

#include <initializer_list>

#include "injector/base/elf_tables.h"
#include "injector/base/real_loader.h"

extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT: the linker's
extern const char _end[] __attribute__((visibility("hidden")));          // NOLINT
}

namespace flopsprof::injector {

bool IsOurs(const void* address) {
  return address >= static_cast<const void*>(__ehdr_start) &&
         address < static_cast<const void*>(_end);
}

bool AnyOtherObjectDefines(const char* function) {
  return AnyMappedObject([function](const MappedObject& object) {
    ElfTables tables;
    return object.dynamic != nullptr && !IsOurs(object.dynamic) &&
           tables.Read(object.base, object.dynamic) && tables.FindFunction(function) != 0;
  });
}

bool FindLoadedLibrary(const char* prefix, int n, LibraryPath* path) {
  // The path is copied out: the loader must not be called from within the walk.
  return AnyMappedObject([prefix, path, left = n](const MappedObject& object) mutable {
    if (!BeginsWith(FileName(object.path), prefix) || left-- > 0) return false;
    const size_t bytes = strlen(object.path);
    if (bytes >= sizeof(path->text)) return false;
    memcpy(path->text, object.path, bytes + 1);
    return true;
  });
}

void* OpenLoadedLibrary(const char* path) { return dlopen(path, RTLD_LAZY | RTLD_NOLOAD); }

void* FindInLoadedLibrary(const char* prefix, const char* function) {
  LibraryPath path;
  for (int n = 0; FindLoadedLibrary(prefix, n, &path); ++n) {
    void* handle = OpenLoadedLibrary(path.text);
    void* found = handle == nullptr ? nullptr : RealDlsym(handle, function);
    if (found != nullptr) return found;
  }
  return nullptr;
}

bool IsDriverLayer(const char* path) {
  const char* name = FileName(path);
  for (const char* layer :
       {"libcuda.so", "libcudart.so", "libcupti.so", "libnvidia-", "libnvperf_"}) {
    if (BeginsWith(name, layer)) return true;
  }
  return false;
}

int MajorOfLibrary(const char* path) {
  const char* number = strstr(FileName(path), ".so.");
  if (number == nullptr) return -1;
  int major = -1;
  for (number += 4; *number >= '0' && *number <= '9' && major < 10000; ++number) {
    major = (major < 0 ? 0 : major * 10) + (*number - '0');
  }
  return major;
}

}  // namespace flopsprof::injector
