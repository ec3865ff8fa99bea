// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/python_text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_format.h"

namespace flopsprof::viewer::deepspeed {

// Both round the exact binary value, halves to even.
double Round2(double value) { return std::strtod(absl::StrFormat("%.2f", value).c_str(), nullptr); }

std::string General(double value) { return absl::StrFormat("%g", value); }

std::string FloatText(double value) {
  constexpr double kLeastFixed = 1e-4;
  constexpr double kFirstScientific = 1e16;
  const double size = std::abs(value);
  const bool fixed = size == 0 || (size >= kLeastFixed && size < kFirstScientific);
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string text(digits, end.ptr);
  return fixed && text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string TwoDigits(double value) {
  // Python keeps a digit behind the point, for which it takes an exponent one digit earlier than C.
  const std::string text = absl::StrFormat("%.2g", value);
  if (text.find_first_of(".e") != std::string::npos) return text;
  if (text.size() < 2) return text + ".0";
  const std::string second = text[1] == '0' ? "" : std::string(".") + text[1];
  return text[0] + second + "e+01";
}

std::string Quoted(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + quote;
}

std::string DictText(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string text;
  for (const auto& [key, value] : items) {
    text += (text.empty() ? "" : ", ") + Quoted(key) + ": " + Quoted(value);
  }
  return "{" + text + "}";
}

}  // namespace flopsprof::viewer::deepspeed
