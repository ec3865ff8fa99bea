// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A set of addresses, which are never followed. It allocates: not for the launch path. Threads: the
// user's lock.

#include <stdint.h>

namespace flopsprof::injector {

class AddressSet {
 public:
  bool Contains(const void* address) const;
  // False: it was there already, or there is no memory.
  bool Add(const void* address);
  void Clear();

 private:
  bool Grow();

  const void** places_ = nullptr;  // open addressing; null: free
  uint32_t mask_ = 0;
  uint32_t count_ = 0;
};

}  // namespace flopsprof::injector
