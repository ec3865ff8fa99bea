// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does an object of PyTorch keep two known numbers? Compared in several objects with
// different numbers, all words but one fall away for each. Used by one thread at a time.

#include <stdint.h>
#include <string.h>

namespace flopsprof::injector {

inline uint64_t FieldAt(const void* object, uint32_t offset) {
  uint64_t value;
  memcpy(&value, static_cast<const char*>(object) + offset, sizeof(value));
  return value;
}

template <uint32_t kBytes>
class FieldSearch {
 public:
  void Begin() {
    seen_ = 0;
    memset(sequence_fits_, 1, sizeof(sequence_fits_));
    memset(thread_fits_, 1, sizeof(thread_fits_));
  }

  void Compare(const void* object, uint64_t sequence, uint64_t thread) {
    ++seen_;
    for (uint32_t i = 0; i < kWords; ++i) {
      const uint64_t value = FieldAt(object, 8 * i);
      if (value != sequence) sequence_fits_[i] = false;
      if (value != thread) thread_fits_[i] = false;
    }
  }

  // Sequence offset * 10000 + thread offset; 0 unless exactly one place fits each.
  uint64_t End() const {
    if (seen_ < 4) return 0;
    const uint64_t sequence = OnlyPlace(sequence_fits_);
    const uint64_t thread = OnlyPlace(thread_fits_);
    return sequence == 0 || thread == 0 ? 0 : sequence * 10000 + thread;
  }

 private:
  static constexpr uint32_t kWords = kBytes / 8;

  static uint32_t OnlyPlace(const bool* fits) {
    uint32_t place = 0, count = 0;
    for (uint32_t i = 0; i < kWords; ++i) {
      if (!fits[i]) continue;
      place = 8 * i;
      ++count;
    }
    return count == 1 ? place : 0;  // an object starts with other members: 0 is no place
  }

  uint32_t seen_;
  bool sequence_fits_[kWords];
  bool thread_fits_[kWords];
};

}  // namespace flopsprof::injector
