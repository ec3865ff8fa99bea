// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Measures and limits the address space of a process: for children of tests.

#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

namespace flopsprof::test {

inline size_t AddressSpacePages() {
  size_t pages = 0;
  std::FILE* statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr) return 0;
  if (std::fscanf(statm, "%zu", &pages) != 1) pages = 0;
  std::fclose(statm);
  return pages;
}

inline bool LimitAddressSpaceToFurther(size_t bytes) {
  const size_t now = AddressSpacePages() * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit = {now + bytes, now + bytes};
  return setrlimit(RLIMIT_AS, &limit) == 0;
}

// The child's exit status. 0: `call` was refused memory at each try, and kept no address space.
template <class Call>
int KeepsAddressSpaceWhenRefused(size_t limit_bytes, const Call& call) {
  if (!LimitAddressSpaceToFurther(limit_bytes)) return 10;
  const size_t before = AddressSpacePages();
  for (int i = 0; i < 100; ++i) {
    if (!call()) return 11;
  }
  return before != 0 && AddressSpacePages() == before ? 0 : 12;
}

}  // namespace flopsprof::test
