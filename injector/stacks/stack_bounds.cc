// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/stack_bounds.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {
namespace {

const char* ParseHex(const char* at, const char* end, uintptr_t* value) {
  *value = 0;
  const char* const begin = at;
  for (; at < end; ++at) {
    const char c = *at;
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    *value = *value << 4 | static_cast<uintptr_t>(digit);
  }
  return at == begin ? nullptr : at;
}

// By number: the program may have its own open, read and close.
int OpenMaps() {
  return static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0));
}

}  // namespace

bool ParseMapping(const char* line, const char* line_end, uintptr_t* begin, uintptr_t* end,
                  bool* readable) {
  const char* at = ParseHex(line, line_end, begin);
  if (at == nullptr || at == line_end || *at != '-') return false;
  at = ParseHex(at + 1, line_end, end);
  if (at == nullptr || line_end - at < 2 || *at != ' ') return false;
  *readable = at[1] == 'r';
  return true;
}

bool FindMappingAt(uintptr_t address, uintptr_t* begin, uintptr_t* end) {
  const ErrnoKeeper keep;
  const int maps = OpenMaps();
  if (maps < 0) return false;
  char buffer[4096];
  size_t held = 0;
  bool found = false;
  bool skipping = false;  // the rest of a line that is longer than the buffer
  for (;;) {
    const long got = syscall(SYS_read, maps, buffer + held, sizeof(buffer) - held);
    if (got <= 0) break;
    held += static_cast<size_t>(got);
    const char* at = buffer;
    const char* const all = buffer + held;
    while (const void* newline = memchr(at, '\n', static_cast<size_t>(all - at))) {
      const auto* line_end = static_cast<const char*>(newline);
      bool readable = false;
      const bool parsed = !skipping && ParseMapping(at, line_end, begin, end, &readable);
      skipping = false;
      if (parsed && address >= *begin && address < *end) {
        found = readable;
        break;
      }
      at = line_end + 1;
    }
    if (found) break;
    held = static_cast<size_t>(all - at);
    if (held == sizeof(buffer)) {
      skipping = true;
      held = 0;
    } else {
      memmove(buffer, at, held);
    }
  }
  syscall(SYS_close, maps);
  if (!found) *begin = *end = 0;
  return found;
}

}  // namespace flopsprof::injector
