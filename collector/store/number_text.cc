// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/number_text.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::store {
namespace {

struct Integer {
  bool negative = false;
  std::string digits;  // of the magnitude, the lowest first, no zeros at the end; "" = 0
};

std::optional<Integer> ParseInteger(const std::string& text) {
  Integer integer;
  integer.negative = !text.empty() && text[0] == '-';
  const size_t begin = integer.negative ? 1 : 0;
  if (text.size() == begin) return std::nullopt;
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
  }
  integer.digits.assign(text.rbegin(), text.rend() - static_cast<ptrdiff_t>(begin));
  while (!integer.digits.empty() && integer.digits.back() == '0') integer.digits.pop_back();
  integer.negative = integer.negative && !integer.digits.empty();
  return integer;
}

bool IsSmaller(const std::string& a, const std::string& b) {  // magnitudes
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

bool IsLess(const Integer& a, const Integer& b) {
  if (a.negative != b.negative) return a.negative;
  return a.negative ? IsSmaller(b.digits, a.digits) : IsSmaller(a.digits, b.digits);
}

std::string AddMagnitudes(const std::string& a, const std::string& b) {
  std::string sum;
  int carry = 0;
  for (size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
    const int digit = (i < a.size() ? a[i] - '0' : 0) + (i < b.size() ? b[i] - '0' : 0) + carry;
    sum += static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  return sum;
}

// Needs a >= b.
std::string SubtractMagnitudes(const std::string& a, const std::string& b) {
  std::string rest;
  int borrow = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    int digit = a[i] - '0' - borrow - (i < b.size() ? b[i] - '0' : 0);
    borrow = digit < 0 ? 1 : 0;
    rest += static_cast<char>('0' + digit + 10 * borrow);
  }
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  return rest;
}

Integer Add(const Integer& a, const Integer& b) {
  if (a.negative == b.negative) return {a.negative, AddMagnitudes(a.digits, b.digits)};
  const bool a_is_smaller = IsSmaller(a.digits, b.digits);
  const Integer& large = a_is_smaller ? b : a;
  const Integer& small = a_is_smaller ? a : b;
  std::string rest = SubtractMagnitudes(large.digits, small.digits);
  const bool negative = large.negative && !rest.empty();
  return {negative, std::move(rest)};
}

std::string ToText(const Integer& integer) {
  if (integer.digits.empty()) return "0";
  std::string text = integer.negative ? "-" : "";
  text.append(integer.digits.rbegin(), integer.digits.rend());
  return text;
}

std::optional<double> ParseDouble(const std::string& text) {
  double value;
  return absl::SimpleAtod(text, &value) ? std::optional(value) : std::nullopt;
}

// Of what is a number in `a` and `b`: one alone is as it is.
template <class Number, class Combine>
std::string Combined(const std::string& a, const std::string& b,
                     std::optional<Number> (*parse)(const std::string&), Combine combine) {
  const std::optional<Number> x = parse(a);
  const std::optional<Number> y = parse(b);
  if (!x.has_value()) return y.has_value() ? b : "";
  return y.has_value() ? combine(*x, *y) : a;
}

std::string DoubleText(double value) { return absl::StrFormat("%.17g", value); }

using TextFunction = std::string (*)(bool, const std::string&, const std::string&);

std::string TextOf(sqlite3_value* value) {
  const unsigned char* text = sqlite3_value_text(value);
  if (text == nullptr) return "";
  return std::string(reinterpret_cast<const char*>(text),
                     static_cast<size_t>(sqlite3_value_bytes(value)));
}

template <TextFunction function>
void Call(sqlite3_context* context, int, sqlite3_value** values) {
  const bool is_double = sqlite3_value_int(values[0]) == v1::PAYLOAD_TYPE_DOUBLE;
  const std::string text = function(is_double, TextOf(values[1]), TextOf(values[2]));
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

}  // namespace

std::string NumberSum(bool is_double, const std::string& a, const std::string& b) {
  if (is_double) {
    return Combined<double>(a, b, ParseDouble,
                            [](double x, double y) { return DoubleText(x + y); });
  }
  return Combined<Integer>(a, b, ParseInteger,
                           [](const Integer& x, const Integer& y) { return ToText(Add(x, y)); });
}

std::string NumberMin(bool is_double, const std::string& a, const std::string& b) {
  if (is_double) {
    return Combined<double>(a, b, ParseDouble,
                            [](double x, double y) { return DoubleText(std::fmin(x, y)); });
  }
  return Combined<Integer>(
      a, b, ParseInteger, [&](const Integer& x, const Integer& y) { return IsLess(y, x) ? b : a; });
}

std::string NumberMax(bool is_double, const std::string& a, const std::string& b) {
  if (is_double) {
    return Combined<double>(a, b, ParseDouble,
                            [](double x, double y) { return DoubleText(std::fmax(x, y)); });
  }
  return Combined<Integer>(
      a, b, ParseInteger, [&](const Integer& x, const Integer& y) { return IsLess(x, y) ? b : a; });
}

int AddNumberFunctions(sqlite3* db) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const auto add = [db](const char* name, void (*call)(sqlite3_context*, int, sqlite3_value**)) {
    return sqlite3_create_function_v2(db, name, 3, kFlags, nullptr, call, nullptr, nullptr,
                                      nullptr);
  };
  int code = add("number_sum", Call<NumberSum>);
  if (code == SQLITE_OK) code = add("number_min", Call<NumberMin>);
  if (code == SQLITE_OK) code = add("number_max", Call<NumberMax>);
  return code;
}

}  // namespace flopsprof::store
