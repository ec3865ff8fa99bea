// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Real operations, exactly. 64 bits hold one call, not the sum over a long run.
using FlopCount = unsigned __int128;

// What a call's arguments may say at most: larger counts are nonsense (2^96 operations take the
// fastest GPU a million years) and leave room to add 2^32 calls without overflow.
constexpr FlopCount kMaxCallFlops = FlopCount{1} << 96;

inline void ToProto(FlopCount value, v1::Count* count) {
  count->set_low(static_cast<uint64_t>(value));
  count->set_high(static_cast<uint64_t>(value >> 64));
}

inline FlopCount ToFlopCount(const v1::Count& count) {
  return (FlopCount{count.high()} << 64) | count.low();
}

// Product of sizes, none of them negative. nullopt: a negative one, or more than kMaxCallFlops.
class SizeProduct {
 public:
  SizeProduct& Times(int64_t size) {
    if (size < 0) valid_ = false;
    if (!valid_) return *this;
    // Not by division: that of 128 bits would be most of the cost of a call.
    valid_ = !__builtin_mul_overflow(value_, static_cast<FlopCount>(size), &value_) &&
             value_ <= kMaxCallFlops;
    return *this;
  }
  std::optional<FlopCount> value() const {
    return valid_ ? std::optional<FlopCount>(value_) : std::nullopt;
  }

 private:
  FlopCount value_ = 1;
  bool valid_ = true;
};

}  // namespace flopsprof::model
