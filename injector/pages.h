// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pages of memory without the allocator of the program.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// Zeroed pages, address space until they are used; nullptr on failure.
void* MapPages(size_t bytes);

// Of another object, which the loader has made read-only when it had relocated it (RELRO).
struct ProtectedRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool Contains(const void* place) const {
    const auto address = reinterpret_cast<uintptr_t>(place);
    return address >= begin && address < end;
  }
};

// The range that a PT_GNU_RELRO entry means, rounded as the loader does.
ProtectedRange ProtectedRangeOf(uintptr_t begin, uintptr_t end);

// Writes addresses into one object's pages. Those that are read-only become writable with the
// first write there, and are read-only again when this ends. Until then no other thread's writer
// opens or closes pages: it would take them away from under this one.
class ProtectedWriter {
 public:
  explicit ProtectedWriter(const ProtectedRange& range) : range_(range) {}
  ~ProtectedWriter();
  ProtectedWriter(const ProtectedWriter&) = delete;
  ProtectedWriter& operator=(const ProtectedWriter&) = delete;

  // False: the pages cannot be made writable.
  bool Write(void** place, void* value);

 private:
  bool Protect(int rights) const;

  const ProtectedRange range_;
  bool open_ = false;
};

}  // namespace flopsprof::injector
