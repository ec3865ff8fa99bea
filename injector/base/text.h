// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A short text on the stack, cut off when it is full.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

template <size_t kBytes>
class Text {
 public:
  Text() { text_[0] = '\0'; }

  Text& Add(const char* more) {
    for (; *more != '\0' && used_ + 1 < kBytes; ++more) text_[used_++] = *more;
    text_[used_] = '\0';
    return *this;
  }

  Text& AddNumber(uint64_t number) {
    char digits[21];
    char* first = digits + sizeof(digits) - 1;
    *first = '\0';
    do {
      *--first = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return Add(first);
  }

  const char* get() const { return text_; }

 private:
  char text_[kBytes];
  size_t used_ = 0;
};

}  // namespace flopsprof::injector
