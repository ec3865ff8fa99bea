// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pages of memory without the allocator of the program.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// Zeroed pages. They are only address space until they are used. nullptr on failure.
void* MapPages(size_t bytes);

// Address space that becomes memory step by step, from its begin on. A kernel that accounts for all
// memory (vm.overcommit_memory=2) counts only the open part. After a refusal the kernel is never
// asked again. Threads: under the user's lock.
class GrowingPages {
 public:
  // True also when they are reserved already.
  bool Reserve(size_t bytes);
  // After this the first `bytes` may be used; they are zeroed. Each new step costs one system call.
  bool Open(size_t bytes) { return bytes <= open_bytes_ || OpenMore(bytes); }
  // For a table whose other parts were refused: gives the address space back, for good.
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

}  // namespace flopsprof::injector
