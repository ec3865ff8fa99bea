// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/loaded_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <initializer_list>

#include "injector/base/elf_tables.h"
#include "injector/base/real_loader.h"

extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT: the linker's
extern const char _end[] __attribute__((visibility("hidden")));          // NOLINT
}

namespace flopsprof::injector {
namespace {

struct Search {
  const char* prefix;
  size_t prefix_bytes;
  int left;
  LibraryPath* path;
};

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
  const uint8_t* finish;  // _fini, if 64 bytes of code can be read there
};

const uint8_t* FinishOf(const dl_phdr_info& info) {
  uintptr_t finish = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const uintptr_t address = info.dlpi_addr + info.dlpi_phdr[i].p_vaddr;
    for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(address); entry->d_tag != DT_NULL;
         ++entry) {
      if (entry->d_tag == DT_FINI) finish = info.dlpi_addr + entry->d_un.d_ptr;
    }
  }
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    // Pages of a segment are mapped whole.
    const uintptr_t end = (begin + part.p_memsz + 4095) & ~uintptr_t{4095};
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && (part.p_flags & PF_R) != 0 &&
        finish >= begin && finish + 64 <= end) {
      return reinterpret_cast<const uint8_t*>(finish);
    }
  }
  return nullptr;
}

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
  wanted->finish = FinishOf(*info);
  return 1;
}

int VisitForFunction(dl_phdr_info* info, size_t, void* name) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    auto* dynamic =
        reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    ElfTables tables;
    return !IsOurs(dynamic) && tables.Read(info->dlpi_addr, dynamic) &&
           tables.FindFunction(static_cast<const char*>(name)) != 0;
  }
  return 0;
}

}  // namespace

bool IsOurs(const void* address) {
  return address >= static_cast<const void*>(__ehdr_start) &&
         address < static_cast<const void*>(_end);
}

bool AnyOtherObjectDefines(const char* function) {
  return dl_iterate_phdr(VisitForFunction, const_cast<char*>(function)) == 1;
}

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
    void* found = handle == nullptr ? nullptr : RealDlsym(handle, function);
    if (found != nullptr) return found;
  }
  return nullptr;
}

uint64_t CountObjectsEverMapped() {
  uint64_t count = 0;
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    *static_cast<uint64_t*>(data) = info->dlpi_adds;
    return 1;  // every object tells it
  };
  dl_iterate_phdr(visit, &count);
  return count;
}

bool FindObjectAt(const void* address, uintptr_t* begin, size_t* bytes) {
  ObjectAt wanted{reinterpret_cast<uintptr_t>(address), 0, 0, nullptr};
  if (dl_iterate_phdr(VisitAddress, &wanted) != 1) return false;
  *begin = wanted.begin;
  *bytes = wanted.end - wanted.begin;
  return true;
}

bool IsDriverLayer(const char* path) {
  const char* name = FileName(path);
  for (const char* layer :
       {"libcuda.so", "libcudart.so", "libcupti.so", "libnvidia-", "libnvperf_"}) {
    if (strncmp(name, layer, strlen(layer)) == 0) return true;
  }
  return false;
}

const void* FindReturnIn(const void* address) {
  ObjectAt wanted{reinterpret_cast<uintptr_t>(address), 0, 0, nullptr};
  if (dl_iterate_phdr(VisitAddress, &wanted) != 1 || wanted.finish == nullptr) return nullptr;
  // _fini, which the C runtime puts into every object, ends in: add $8, %rsp; ret.
  constexpr uint8_t kEnd[] = {0x48, 0x83, 0xc4, 0x08, 0xc3};
  for (int i = 0; i < 32; ++i) {
    if (memcmp(wanted.finish + i, kEnd, sizeof(kEnd)) == 0) {
      return wanted.finish + i + sizeof(kEnd) - 1;
    }
  }
  return nullptr;
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
