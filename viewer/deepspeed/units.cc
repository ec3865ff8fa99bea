// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/units.h"

#include "absl/strings/str_format.h"
#include "viewer/deepspeed/python_text.h"

namespace flopsprof::viewer::deepspeed {
namespace {

struct Magnitude {
  double magnitude;
  const char* unit;
};

std::string Scaled(double value, const Magnitude& step) {
  return General(Round2(value / step.magnitude)) + " " + step.unit;
}

std::string NewestText(double value) {
  constexpr Magnitude kLadder[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}};
  for (const Magnitude& step : kLadder) {
    if (value >= step.magnitude) return Scaled(value, step);
  }
  if (value >= 1 || value == 0) return Scaled(value, {1, ""});
  return Scaled(value, value >= 1e-3 ? Magnitude{1e-3, "m"} : Magnitude{1e-6, "u"});
}

std::string NewestParams(double value) {
  std::string text = NewestText(value);
  if (const size_t giga = text.find('G'); giga != std::string::npos) text[giga] = 'B';
  return text.back() == ' ' ? text.substr(0, text.size() - 1) : text;
}

std::string NewestShare(double part, double whole) {
  return General(whole == 0 ? 0 : Round2(100 * part / whole)) + "%";
}

// A number below a thousand is as Python prints it.
std::string Plain(const Number& number) {
  return number.whole ? absl::StrFormat("%.0f", number.value) : FloatText(number.value);
}

template <size_t kSteps>
std::string OldText(const Number& number, const Magnitude (&ladder)[kSteps], const char* suffix,
                    const char* plain_suffix) {
  for (const Magnitude& step : ladder) {
    if (number.value < step.magnitude) continue;
    return FloatText(Round2(number.value / step.magnitude)) + " " + step.unit + suffix;
  }
  return Plain(number) + plain_suffix;
}

constexpr Magnitude kOldLadder[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "K"}};
constexpr Magnitude kOldRates[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "K"}};
constexpr Magnitude kOldParams[] = {{1e6, "M"}, {1e3, "k"}};

std::string OldDuration(double seconds) {
  if (seconds > 1) return FloatText(Round2(seconds)) + " s";
  if (seconds * 1e3 > 1) return FloatText(Round2(seconds * 1e3)) + " ms";
  if (seconds * 1e6 > 1) return FloatText(Round2(seconds * 1e6)) + " us";
  return seconds == 0 ? "0" : FloatText(seconds);
}

std::string OldTimer(double seconds) { return seconds == 0 ? "0.0" : OldDuration(seconds); }

std::string OldShare(double part, double whole) {
  return absl::StrFormat("%.2f%%", (whole == 0 ? 0 : part / whole) * 100);
}

// A function of optional numbers from one of numbers.
template <auto kText>
constexpr auto Known =
    [](const auto& value) -> std::string { return value.has_value() ? kText(*value) : kUnknown; };

template <auto kText>
constexpr auto KnownShare = [](Seconds part, Seconds whole) -> std::string {
  return part.has_value() && whole.has_value() ? kText(*part, *whole) : kUnknown;
};

std::string NewestNumber(const Number& n) { return NewestText(n.value); }
std::string NewestMacs(const Number& n) { return NewestText(n.value) + "MACs"; }
std::string NewestRate(const Number& n) { return NewestText(n.value) + "FLOPS"; }
std::string NewestParamsOf(const Number& n) { return NewestParams(n.value); }
std::string NewestDuration(double seconds) { return NewestText(seconds) + "s"; }
std::string NewestSamples(const Number& n) { return FloatText(Round2(n.value)); }
std::string OldSamples(const Number& n) { return absl::StrFormat("%.2f", n.value); }
std::string OldNumber(const Number& n) { return OldText(n, kOldLadder, "", ""); }
std::string OldMacs(const Number& n) { return OldText(n, kOldLadder, "MACs", " MACs"); }
std::string OldRate(const Number& n) { return OldText(n, kOldRates, "FLOPS", " FLOPS"); }
std::string OldParamsOf(const Number& n) { return OldText(n, kOldParams, "", ""); }

}  // namespace

const Units& NewestUnits() {
  static constexpr Units kUnits = {
      .number = Known<NewestNumber>,
      .macs = Known<NewestMacs>,
      .rate = Known<NewestRate>,
      .params = Known<NewestParamsOf>,
      .duration = Known<NewestDuration>,
      .timer = Known<NewestDuration>,
      .samples = Known<NewestSamples>,
      .share = KnownShare<NewestShare>,
  };
  return kUnits;
}

const Units& OldUnits() {
  static constexpr Units kUnits = {
      .number = Known<OldNumber>,
      .macs = Known<OldMacs>,
      .rate = Known<OldRate>,
      .params = Known<OldParamsOf>,
      .duration = Known<OldDuration>,
      .timer = Known<OldTimer>,
      .samples = Known<OldSamples>,
      .share = KnownShare<OldShare>,
  };
  return kUnits;
}

Count Rate(const Count& flops, const Seconds& seconds) {
  if (!flops.has_value() || !seconds.has_value()) return std::nullopt;
  return Number{*seconds == 0 ? 0 : flops->value / *seconds, false};
}

Count Times(double factor, const Count& count) {
  if (!count.has_value()) return std::nullopt;
  return Number{factor * count->value, count->whole};
}

Count Product(const Count& a, const Count& b) {
  return a.has_value() ? Times(a->value, b) : std::nullopt;
}

Count Added(const Count& a, const Count& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return Number{a->value + b->value, a->whole && b->whole};
}

Seconds Sum(const Seconds& a, const Seconds& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return *a + *b;
}

Seconds Value(const Count& count) {
  return count.has_value() ? Seconds(count->value) : std::nullopt;
}

}  // namespace flopsprof::viewer::deepspeed
