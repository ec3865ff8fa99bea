// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Sum, least, greatest and last of the numbers that ranges and marks carry. Integers are exact:
// even 2^63 of them do not overflow 128 bits. Texts are decimal: integers with all digits, others
// with 17; "" before the first number.
class NumberSums {
 public:
  // `bits`: of a uint64_t, int64_t or double.
  void Add(v1::PayloadType type, uint64_t bits);
  // Adds the sums of other numbers of this type. Leaves out texts that are no numbers.
  void Merge(v1::PayloadType type, const std::string& sum, const std::string& min,
             const std::string& max, const std::string& last);

  std::string sum() const { return Text(sum_, sum_double_); }
  std::string min() const { return Text(min_, min_double_); }
  std::string max() const { return Text(max_, max_double_); }
  std::string last() const { return Text(last_, last_double_); }

 private:
  void AddInteger(__int128 sum, __int128 min, __int128 max, __int128 last);
  void AddDouble(double sum, double min, double max, double last);
  std::string Text(__int128 integer, double number) const;

  v1::PayloadType type_ = v1::PAYLOAD_TYPE_NONE;  // of what was added
  __int128 sum_ = 0, min_ = 0, max_ = 0, last_ = 0;
  double sum_double_ = 0, min_double_ = 0, max_double_ = 0, last_double_ = 0;
};

}  // namespace flopsprof::model
