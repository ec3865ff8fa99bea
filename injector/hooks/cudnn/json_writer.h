// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// Text that ends at its room; what does not fit is noticed at the end.
class JsonWriter {
 public:
  JsonWriter(char* room, size_t bytes) : room_(room), bytes_(bytes) {}
  void Add(const char* text) {
    for (; *text != '\0'; ++text) AddChar(*text);
  }
  void Add(int64_t number) {
    char digits[24];
    size_t count = 0;
    const bool negative = number < 0;
    auto rest = negative ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (negative) AddChar('-');
    while (count > 0) AddChar(digits[--count]);
  }
  // 0: it did not fit.
  size_t used() const { return used_ <= bytes_ ? used_ : 0; }

 private:
  void AddChar(char c) {
    if (used_ < bytes_) room_[used_] = c;
    ++used_;
  }
  char* const room_;
  const size_t bytes_;
  size_t used_ = 0;
};

}  // namespace flopsprof::injector
