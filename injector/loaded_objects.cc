// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loaded_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

namespace flopsprof::injector {
namespace {

struct Search {
  const char* prefix;
  size_t prefix_bytes;
  int left;
  LibraryPath* path;
};

const char* FileName(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

int Visit(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  const char* path = info->dlpi_name;
  if (path == nullptr || strncmp(FileName(path), search->prefix, search->prefix_bytes) != 0) {
    return 0;
  }
  if (search->left-- > 0) return 0;
  const size_t bytes = strlen(path);
  if (bytes >= sizeof(search->path->text)) return 0;
  memcpy(search->path->text, path, bytes + 1);
  return 1;
}

struct ObjectAt {
  uintptr_t address;
  uintptr_t begin;
  uintptr_t end;
};

int VisitAddress(dl_phdr_info* info, size_t, void* data) {
  auto* wanted = static_cast<ObjectAt*>(data);
  uintptr_t begin = UINTPTR_MAX;
  uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t first = info->dlpi_addr + segment.p_vaddr;
    if (first < begin) begin = first;
    if (first + segment.p_memsz > end) end = first + segment.p_memsz;
  }
  if (wanted->address < begin || wanted->address >= end) return 0;
  wanted->begin = begin;
  wanted->end = end;
  return 1;
}

}  // namespace

bool FindLoadedLibrary(const char* prefix, int n, LibraryPath* path) {
  // The path is copied out: the loader must not be called from within the walk.
  Search search{prefix, strlen(prefix), n, path};
  return dl_iterate_phdr(Visit, &search) == 1;
}

void* OpenLoadedLibrary(const char* path) { return dlopen(path, RTLD_LAZY | RTLD_NOLOAD); }

void* FindInLoadedLibrary(const char* prefix, const char* function) {
  LibraryPath path;
  for (int n = 0; FindLoadedLibrary(prefix, n, &path); ++n) {
    void* handle = OpenLoadedLibrary(path.text);
    void* found = handle == nullptr ? nullptr : dlsym(handle, function);
    if (found != nullptr) return found;
  }
  return nullptr;
}

bool FindObjectAt(const void* address, uintptr_t* begin, size_t* bytes) {
  ObjectAt wanted{reinterpret_cast<uintptr_t>(address), 0, 0};
  if (dl_iterate_phdr(VisitAddress, &wanted) != 1) return false;
  *begin = wanted.begin;
  *bytes = wanted.end - wanted.begin;
  return true;
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
