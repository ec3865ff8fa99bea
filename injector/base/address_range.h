// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace flopsprof::injector {

// Addresses from `begin` up to, without, `end`; empty: holds none.
struct AddressRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  bool Contains(uintptr_t address) const { return address >= begin && address < end; }
  bool Contains(const void* address) const {
    return Contains(reinterpret_cast<uintptr_t>(address));
  }
};

inline bool operator==(const AddressRange& a, const AddressRange& b) {
  return a.begin == b.begin && a.end == b.end;
}

}  // namespace flopsprof::injector
