// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "absl/strings/numbers.h"

namespace flopsprof::viewer {
namespace {

bool ParseUnsigned(std::string_view text, unsigned* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool NeedsQuotes(const std::string& word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  return word.empty() || word.find_first_not_of(kSafe) != std::string::npos;
}

}  // namespace

SplitArguments SplitAtSeparator(const std::vector<std::string>& arguments) {
  SplitArguments split;
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  split.own.assign(arguments.begin(), separator);
  if (separator != arguments.end()) {
    split.has_separator = true;
    split.command.assign(separator + 1, arguments.end());
  }
  return split;
}

bool IsRunAlias(const std::string& argv0) {
  return argv0.substr(argv0.rfind('/') + 1) == "flopsprof-run";
}

bool ParseStepWindow(const std::string& text, StepWindowText* window, std::string* error) {
  const size_t colon = text.find(':');
  const bool usable = colon != std::string::npos && text.find(':', colon + 1) == std::string::npos;
  const std::string first = usable ? text.substr(0, colon) : "";
  const std::string end = usable ? text.substr(colon + 1) : "";
  window->first = 0;
  window->end = std::numeric_limits<unsigned>::max();
  if (!usable || (first.empty() && end.empty()) ||
      (!first.empty() && !ParseUnsigned(first, &window->first)) ||
      (!end.empty() && !ParseUnsigned(end, &window->end))) {
    *error = "\"" + text +
             "\" is no range of steps: A:B takes steps A to B-1, numbered from 0 (for example "
             "10:20)";
    return false;
  }
  if (window->end <= window->first) {
    *error = "\"" + text + "\" holds no step: the second number is not included";
    return false;
  }
  return true;
}

bool ParseShare(const std::string& text, double* share, std::string* error) {
  constexpr double kLeastPercent = 0.01;
  double percent = 0;
  const bool ends_well = !text.empty() && text.back() == '%';
  const std::string number = ends_well ? text.substr(0, text.size() - 1) : "";
  // Digits and a point: no sign, no exponent, no "nan", no blank.
  const bool usable = !number.empty() &&
                      number.find_first_not_of("0123456789.") == std::string::npos &&
                      absl::SimpleAtod(number, &percent);
  if (!usable) {
    *error = "\"" + text + "\" is no share: give a percentage, for example 1% or 0.5%";
    return false;
  }
  if (percent < kLeastPercent || percent > 100) {
    *error = "\"" + text + "\" is not from 0.01% to 100%: 1% is a good start";
    return false;
  }
  *share = percent / 100;
  return true;
}

std::string QuoteCommand(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty()) line += ' ';
    if (!NeedsQuotes(word)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace flopsprof::viewer
