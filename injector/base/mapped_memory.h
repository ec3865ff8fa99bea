// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// Copies memory that may not be mapped, by a system call. A library with another layout must not
// crash the program. False: the memory is not mapped, or the system call is not allowed.
inline bool ReadMapped(const void* from, size_t bytes, void* to) {
  const ErrnoKeeper keep;
  const iovec here{to, bytes};
  const iovec there{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace flopsprof::injector
