// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/libc_functions.h"

#include "viewer/attach/elf_image.h"

namespace flopsprof::attach {
namespace {

constexpr char kSyscallRet[] = "\x0f\x05\xc3";
constexpr char kRestoreRt[] = "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05";

}  // namespace

LibcFunctions FindLibc(const Target& target) {
  LibcFunctions found;
  Mapping first;
  for (const Mapping& mapping : target.Mappings()) {
    const std::string_view file = FileOf(mapping.path);
    if (file.rfind("ld-musl", 0) == 0 || file.rfind("libc.musl", 0) == 0) {
      found.error = "its C library is musl, and the library that is to be loaded needs glibc";
      return found;
    }
    if (file.rfind("libc.so.6", 0) != 0 && file.rfind("libc-2.", 0) != 0) continue;
    if (first.end == 0) first = mapping;
    found.places.end = mapping.end;
  }
  if (first.end == 0) {
    found.error = "it has no C library that could load ours: it is statically linked";
    return found;
  }
  const ElfImage image = ImageOf(target, first);
  found.places.begin = first.begin;
  found.places.syscall_ret = image.Code({kSyscallRet, sizeof(kSyscallRet) - 1});
  found.places.restore_rt = image.Code({kRestoreRt, sizeof(kRestoreRt) - 1});
  found.dlopen = image.Symbol("dlopen");
  found.dlsym = image.Symbol("dlsym");
  found.dlerror = image.Symbol("dlerror");
  found.errno_location = image.Symbol("__errno_location");
  found.environ_variable = image.Symbol("__environ");
  const bool all = found.dlopen != 0 && found.dlsym != 0 && found.dlerror != 0 &&
                   found.errno_location != 0 && found.places.syscall_ret != 0 &&
                   found.places.restore_rt != 0;
  if (!all) found.error = "its C library has no dlopen (glibc 2.34 or newer has), or is unreadable";
  return found;
}

}  // namespace flopsprof::attach
