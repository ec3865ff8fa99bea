// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one way of writing into pages of other objects that the loader has made read-only (RELRO).

#include <stdint.h>

#include "injector/base/address_range.h"

namespace flopsprof::injector {

// The range that a PT_GNU_RELRO entry means, rounded as the loader does.
AddressRange ProtectedRangeOf(uintptr_t begin, uintptr_t end);

// Writes addresses into one object's pages. Those that are read-only become writable with the
// first write there, and are read-only again when this ends. Until then no other thread's writer
// opens or closes pages: it would take them away from under this one.
class ProtectedWriter {
 public:
  explicit ProtectedWriter(const AddressRange& range) : range_(range) {}
  ~ProtectedWriter();
  ProtectedWriter(const ProtectedWriter&) = delete;
  ProtectedWriter& operator=(const ProtectedWriter&) = delete;

  // False: the pages cannot be made writable.
  bool Write(void** place, void* value);

 private:
  bool Protect(int rights) const;

  const AddressRange range_;
  bool open_ = false;
};

}  // namespace flopsprof::injector
