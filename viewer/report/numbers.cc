// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace flopsprof::viewer {
namespace {

constexpr char kUnknown[] = "?";

// Three digits, four from 100 on: 1.23, 12.3, 123.4.
std::string Digits(double value) {
  return value < 9.995 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
}

// Scales by 1000 so that the rounded number stays below 1000.
std::string Scaled(double value, const std::array<const char*, 8>& prefixes, const char* unit) {
  if (value < 0) return "-" + Scaled(-value, prefixes, unit);
  const bool whole = value == std::floor(value);
  if (value < 999.95) {
    const std::string digits = whole ? fmt::format("{:.0f}", value) : Digits(value);
    return *unit == '\0' ? digits : digits + " " + unit;
  }
  size_t prefix = 0;
  while (value >= 999.95 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return Digits(value) + " " + prefixes[prefix] + unit;
}

constexpr std::array<const char*, 8> kSiPrefixes = {"", "k", "M", "G", "T", "P", "E", "Z"};
constexpr std::array<const char*, 8> kCountPrefixes = {"", "K", "M", "B", "T", "e15", "e18", "e21"};

}  // namespace

std::string FormatCount(std::optional<double> value) {
  return value.has_value() ? Scaled(*value, kCountPrefixes, "") : kUnknown;
}

std::string FormatSi(std::optional<double> value) {
  return value.has_value() ? Scaled(*value, kSiPrefixes, "") : kUnknown;
}

std::string FormatExact(std::optional<model::FlopCount> value) {
  if (!value.has_value()) return kUnknown;
  std::string digits;
  model::FlopCount rest = *value;
  int count = 0;
  do {
    if (count > 0 && count % 3 == 0) digits.push_back(',');
    digits.push_back(static_cast<char>('0' + static_cast<int>(static_cast<uint64_t>(rest % 10))));
    rest /= 10;
    ++count;
  } while (rest != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string FormatSeconds(std::optional<double> seconds, bool utf8) {
  if (!seconds.has_value() || std::isnan(*seconds)) return kUnknown;
  const double value = *seconds;
  if (value == 0) return "0";
  if (value < 0) return "-" + FormatSeconds(-value, utf8);
  if (value < 999.5e-9) return fmt::format("{:.0f} ns", value * 1e9);
  if (value < 999.95e-6) return Digits(value * 1e6) + (utf8 ? " µs" : " us");
  if (value < 999.95e-3) return Digits(value * 1e3) + " ms";
  if (value < 119.95) return Digits(value) + " s";
  const auto whole = static_cast<long long>(std::llround(value));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string FormatShare(std::optional<double> share) {
  if (!share.has_value() || std::isnan(*share)) return kUnknown;
  const double percent = *share * 100;
  if (percent == 0) return "0";
  if (percent > 0 && percent < 0.05) return "<0.1%";
  // Not everything is never shown as everything.
  if (percent < 100 && percent >= 99.95) return ">99.9%";
  return fmt::format("{:.1f}%", percent);
}

std::string FormatBytes(std::optional<double> bytes) {
  return bytes.has_value() ? Scaled(*bytes, kSiPrefixes, "B") : kUnknown;
}

}  // namespace flopsprof::viewer
