// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/report/numbers.h"

namespace flopsprof::viewer {
namespace {

std::string RawOf(std::optional<double> value) {
  return value.has_value() && std::isfinite(*value) ? RawNumber(*value) : "";
}

std::string RawCount(const model::FlopCount& count) {
  std::string digits = FormatExact(count);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  return digits;
}

}  // namespace

std::string RawNumber(double value) { return fmt::format("{}", value); }

Cell TimeCell(const ReportContext& context, std::optional<uint64_t> ns, bool incomplete,
              Tone tone) {
  const bool known = ns.has_value() && !(incomplete && *ns == 0);
  return {TimeText(context, ns, incomplete), tone, known ? RawOf(Seconds(ns)) : "",
          known && incomplete};
}

Cell SecondsCell(const ReportContext& context, std::optional<double> seconds, bool at_least,
                 Tone tone) {
  const std::string text = FormatSeconds(seconds, context.terminal.utf8);
  const bool bound = at_least && text != "?";
  return {bound ? AtLeast(context) + text : text, tone, RawOf(seconds), bound};
}

Cell FlopsCell(const ReportContext& context, std::optional<model::FlopCount> count, bool at_least,
               Tone tone) {
  const std::string text = context.style.exact ? FormatExact(count) : FormatSi(AsDouble(count));
  const bool bound = at_least && count.has_value();
  return {bound ? AtLeast(context) + text : text, tone, count.has_value() ? RawCount(*count) : "",
          bound};
}

Cell SiCell(const ReportContext& context, std::optional<double> value, bool at_least,
            const char* unknown) {
  if (!value.has_value()) return {unknown};
  return {(at_least ? AtLeast(context) : "") + FormatSi(value), Tone::kPlain, RawOf(value),
          at_least};
}

Cell ShareCell(std::optional<double> share, const char* unknown) {
  if (!share.has_value() || std::isnan(*share)) return {unknown};
  return {FormatShare(share), Tone::kPlain, RawOf(share)};
}

Cell BytesCell(std::optional<double> bytes) {
  return {FormatBytes(bytes), Tone::kPlain, RawOf(bytes)};
}

Cell CountCell(std::optional<double> count, const char* unknown) {
  if (!count.has_value()) return {unknown};
  return {FormatCount(count), Tone::kPlain, fmt::format("{:.0f}", *count)};
}

std::string Bar(double share, const Terminal& terminal, double width) {
  const int eighths = static_cast<int>(std::clamp(share, 0.0, 1.0) * width * 8 + 0.5);
  std::string bar;
  if (!terminal.utf8) return std::string(static_cast<size_t>((eighths + 4) / 8), '#');
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  return bar + kParts[eighths % 8];
}

std::string Level(double height, const Terminal& terminal) {
  constexpr const char* kLevels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr const char* kAscii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
  const int level = std::clamp(static_cast<int>(height * 8), 0, 7);
  return terminal.utf8 ? kLevels[level] : kAscii[level];
}

}  // namespace flopsprof::viewer
