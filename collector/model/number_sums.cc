// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/number_sums.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace flopsprof::model {
namespace {

std::string IntegerText(__int128 value) {
  auto rest =
      value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<__int128> ParseInteger(const std::string& text) {
  const bool negative = !text.empty() && text[0] == '-';
  const size_t begin = negative ? 1 : 0;
  if (text.size() == begin || text.size() > begin + 38) return std::nullopt;  // 2^127 has 39
  __int128 value = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return negative ? -value : value;
}

}  // namespace

void NumberSums::AddInteger(__int128 sum, __int128 min, __int128 max, __int128 last) {
  const bool first = type_ == v1::PAYLOAD_TYPE_NONE;
  sum_ += sum;
  min_ = first ? min : std::min(min_, min);
  max_ = first ? max : std::max(max_, max);
  last_ = last;
}

// A number that is none makes the sum none; least and greatest are of the others.
void NumberSums::AddDouble(double sum, double min, double max, double last) {
  const bool first = type_ == v1::PAYLOAD_TYPE_NONE;
  sum_double_ += sum;
  min_double_ = first ? min : std::fmin(min_double_, min);
  max_double_ = first ? max : std::fmax(max_double_, max);
  last_double_ = last;
}

void NumberSums::Add(v1::PayloadType type, uint64_t bits) {
  switch (type) {
    case v1::PAYLOAD_TYPE_UNSIGNED: {
      const __int128 value = bits;
      AddInteger(value, value, value, value);
      break;
    }
    case v1::PAYLOAD_TYPE_SIGNED: {
      const __int128 value = static_cast<int64_t>(bits);
      AddInteger(value, value, value, value);
      break;
    }
    case v1::PAYLOAD_TYPE_DOUBLE: {
      double value;
      std::memcpy(&value, &bits, sizeof value);
      AddDouble(value, value, value, value);
      break;
    }
    default:
      return;
  }
  type_ = type;
}

void NumberSums::Merge(v1::PayloadType type, const std::string& sum, const std::string& min,
                       const std::string& max, const std::string& last) {
  if (type == v1::PAYLOAD_TYPE_DOUBLE) {
    double numbers[4];
    const std::string* texts[4] = {&sum, &min, &max, &last};
    for (int i = 0; i < 4; ++i) {
      if (!absl::SimpleAtod(*texts[i], &numbers[i])) return;
    }
    AddDouble(numbers[0], numbers[1], numbers[2], numbers[3]);
  } else {
    const auto a = ParseInteger(sum), b = ParseInteger(min), c = ParseInteger(max),
               d = ParseInteger(last);
    if (!a.has_value() || !b.has_value() || !c.has_value() || !d.has_value()) return;
    AddInteger(*a, *b, *c, *d);
  }
  type_ = type;
}

std::string NumberSums::Text(__int128 integer, double number) const {
  switch (type_) {
    case v1::PAYLOAD_TYPE_UNSIGNED:
    case v1::PAYLOAD_TYPE_SIGNED:
      return IntegerText(integer);
    case v1::PAYLOAD_TYPE_DOUBLE:
      return absl::StrFormat("%.17g", number);
    default:
      return "";
  }
}

}  // namespace flopsprof::model
