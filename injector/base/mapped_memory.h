// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// Copies what may not be mapped, by a system call: a library of another layout must not crash.
// False: it is not mapped, or the call is not allowed.
inline bool ReadMapped(const void* from, size_t bytes, void* to) {
  const ErrnoKeeper keep;
  const iovec here{to, bytes};
  const iovec there{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace flopsprof::injector
