// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace flopsprof::injector {

// at(low) ... at(high - 1) ascend. Returns one more than the last index whose number is at or below
// `value`, and `low` where none is. Looks around `near` first: a backward pass asks for falling
// numbers, so that the answer mostly lies next to the one before.
template <class Numbers>
uint64_t UpperBoundNear(const Numbers& at, uint64_t low, uint64_t high, uint64_t near,
                        uint64_t value) {
  if (near < low) near = low;
  if (near > high) near = high;
  uint64_t step = 1;
  if (near > low && at(near - 1) > value) {
    for (high = near - 1; step < high - low && at(high - step) > value; step *= 2) high -= step;
    if (step < high - low) low = high - step + 1;
  } else {
    for (low = near; step <= high - low && at(low + step - 1) <= value; step *= 2) low += step;
    if (step <= high - low) high = low + step - 1;
  }
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (at(middle) <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace flopsprof::injector
