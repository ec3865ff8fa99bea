// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory lent to CUPTI for activity records. CUPTI asks for it on launching threads, so it is
// reserved once and handed out without a lock or an allocation; CUPTI owns a buffer until it
// gives it back, and none is ever freed.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace flopsprof::injector {

class ActivityBuffers {
 public:
  static constexpr size_t kBufferBytes = size_t{512} << 10;  // about 2,400 kernels
  static constexpr uint32_t kBufferCount = 64;

  constexpr ActivityBuffers() = default;

  // Reserves address space; pages are used as CUPTI writes them. False: no memory.
  bool Reserve();

  // A free buffer. When all are lent: the discard buffer, whose records nobody can read, because
  // CUPTI before 12.9 may crash when it is given none.
  uint8_t* Lend();

  // Takes a buffer back after it has been read.
  void Return(const uint8_t* buffer);

  static bool IsDiscard(const uint8_t* buffer);
  bool Owns(const uint8_t* buffer) const {
    return memory_ != nullptr && buffer >= memory_ &&
           buffer < memory_ + kBufferCount * kBufferBytes;
  }

  // Does CUPTI have one?
  bool AnyIsLent() const;

 private:
  uint8_t* memory_ = nullptr;
  std::atomic<uint64_t> lent_{0};  // bit i: buffer i
  std::atomic<int64_t> lent_discards_{0};
  static_assert(kBufferCount == 64);
};

}  // namespace flopsprof::injector
