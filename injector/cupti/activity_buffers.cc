// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/activity_buffers.h"

#include "injector/base/platform.h"

namespace flopsprof::injector {
namespace {

alignas(8) uint8_t discard_buffer[ActivityBuffers::kBufferBytes];

}  // namespace

bool ActivityBuffers::Reserve() {
  if (memory_ == nullptr) memory_ = static_cast<uint8_t*>(MapPages(kBufferBytes * kBufferCount));
  return memory_ != nullptr;
}

uint8_t* ActivityBuffers::Lend() {
  uint64_t lent = lent_.load(std::memory_order_relaxed);
  while (memory_ != nullptr && ~lent != 0) {
    const int free = __builtin_ctzll(~lent);
    // Acquire; pairs with the release in Return: the last reader has finished.
    if (lent_.compare_exchange_weak(lent, lent | uint64_t{1} << free, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return memory_ + static_cast<size_t>(free) * kBufferBytes;
    }
  }
  lent_discards_.fetch_add(1, std::memory_order_relaxed);
  return discard_buffer;
}

void ActivityBuffers::Return(const uint8_t* buffer) {
  if (IsDiscard(buffer)) lent_discards_.fetch_sub(1, std::memory_order_release);
  if (memory_ == nullptr || buffer < memory_) return;
  const size_t index = static_cast<size_t>(buffer - memory_) / kBufferBytes;
  if (index < kBufferCount) {
    lent_.fetch_and(~(uint64_t{1} << index), std::memory_order_release);
  }
}

bool ActivityBuffers::AnyIsLent() const {
  return lent_.load(std::memory_order_acquire) != 0 ||
         lent_discards_.load(std::memory_order_acquire) > 0;
}

bool ActivityBuffers::IsDiscard(const uint8_t* buffer) { return buffer == discard_buffer; }

}  // namespace flopsprof::injector
