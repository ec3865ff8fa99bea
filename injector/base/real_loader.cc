// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/real_loader.h"

#include <dlfcn.h>

#include "injector/base/elf_tables.h"
#include "injector/base/platform.h"

extern "C" {
void* (*flopsprof_real_dlsym)(void*, const char*) = nullptr;
void* (*flopsprof_libc_dlsym)(void*, const char*) = nullptr;
void* (*flopsprof_real_dlvsym)(void*, const char*, const char*) = nullptr;
void* (*flopsprof_real_dlopen)(const char*, int) = nullptr;
void* (*flopsprof_real_dlmopen)(Lmid_t, const char*, int) = nullptr;
}

// Looked up by name to see whether names of this library come first.
// Protected: here the name means this copy of the library, whichever comes first in the process.
extern "C" {
extern const char flopsprof_this_library __attribute__((visibility("protected")));
const char flopsprof_this_library = 0;
}

namespace flopsprof::injector {
namespace {

using Dlsym = void* (*)(void*, const char*);

bool preloaded = false;

FLOPSPROF_EARLY Dlsym DlsymOf(const link_map* map) {
  ElfTables tables;
  if (!tables.Read(map->l_addr, map->l_ld)) return nullptr;
  return reinterpret_cast<Dlsym>(tables.FindFunction("dlsym"));
}

// dlsym is asked for from within allocators and from sanitizers that are not ready yet, so it
// cannot be looked up with their help. The loader's own list of objects needs no call. libdl has
// the functions up to glibc 2.33, libc from then on (libdl is empty then).
FLOPSPROF_EARLY Dlsym LibcsDlsym() {
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    const char* name = FileName(map->l_name);
    if (!BeginsWith(name, "libc.") && !BeginsWith(name, "libdl.") && !BeginsWith(name, "libc-") &&
        !BeginsWith(name, "libdl-")) {
      continue;
    }
    if (const Dlsym found = DlsymOf(map)) return found;
  }
  return nullptr;
}

}  // namespace

FLOPSPROF_EARLY bool FindRealLoader() {
  const Dlsym libcs = LibcsDlsym();
  if (libcs == nullptr) return false;
  flopsprof_libc_dlsym = libcs;
  // A handle is the address of a link_map, dlopen(nullptr) that of the program's.
  void* const program = _r_debug.r_map;
  preloaded = libcs(program, "flopsprof_this_library") == &flopsprof_this_library;
  // In the chain of interposers the next is what RTLD_NEXT gives. A library that was not
  // preloaded stands outside of the chain and comes before its first.
  void* const chain = preloaded ? RTLD_NEXT : program;
  using Dlvsym = decltype(flopsprof_real_dlvsym);
  flopsprof_real_dlvsym = reinterpret_cast<Dlvsym>(libcs(chain, "dlvsym"));
  flopsprof_real_dlopen = reinterpret_cast<void* (*)(const char*, int)>(libcs(chain, "dlopen"));
  using Dlmopen = decltype(flopsprof_real_dlmopen);
  flopsprof_real_dlmopen = reinterpret_cast<Dlmopen>(libcs(chain, "dlmopen"));
  // Last, with release: who sees it may jump to the others.
  __atomic_store_n(&flopsprof_real_dlsym, reinterpret_cast<Dlsym>(libcs(chain, "dlsym")),
                   __ATOMIC_RELEASE);
  return flopsprof_real_dlsym != nullptr;
}

void* RealDlsym(void* handle, const char* name) {
  if (flopsprof_real_dlsym == nullptr && !FindRealLoader()) return nullptr;
  return flopsprof_libc_dlsym(handle, name);
}

void* NotFoundByDlsym(const char* name) {
  // Any library that surely has not got it.
  void* const libc = flopsprof_real_dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return libc == nullptr ? nullptr : RealDlsym(libc, name);
}

bool IsPreloaded() {
  if (flopsprof_real_dlsym == nullptr) FindRealLoader();
  return preloaded;
}

}  // namespace flopsprof::injector
