// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pages of memory without the allocator of the program.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// Zeroed pages, address space until they are used; nullptr on failure.
void* MapPages(size_t bytes);

// Address space that becomes memory from its begin on, a step at a time: where the kernel refuses
// what it could not give (vm.overcommit_memory=2), only what is open counts. A refusal stays one:
// no call after it asks the kernel again. Threads: the user's lock.
class GrowingPages {
 public:
  // True also when they are reserved already.
  bool Reserve(size_t bytes);
  // The first `bytes` of them may be used, zeroed. A system call for each step, none within one.
  bool Open(size_t bytes) { return bytes <= open_bytes_ || OpenMore(bytes); }
  // Of a table whose other parts were refused: its address space is given back, for good.
  void Refuse();
  void* begin() const { return begin_; }

 private:
  static constexpr size_t kStepBytes = size_t{1} << 20;

  bool OpenMore(size_t bytes);

  char* begin_ = nullptr;
  size_t bytes_ = 0;
  size_t open_bytes_ = 0;
  bool refused_ = false;
};

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
