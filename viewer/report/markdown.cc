// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/markdown.h"

#include <absl/strings/ascii.h>

#include <algorithm>

namespace flopsprof::viewer {
namespace {

// Between two characters that GitHub would read together; nothing is shown of it.
constexpr char kNothing[] = "<!-- -->";

// Characters that may begin something (CommonMark lets each of them follow a backslash).
constexpr std::string_view kSigns = "\\`*_{}[]()#+!|~$^=";

// "@somebody" is told about it; "#12", "http://" and "www." become links.
bool JoinsWithTheNext(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '@' || c == '#') return true;
  if (c == ':') return text.substr(at, 3) == "://";
  if (c != '.' || at < 3) return false;
  return absl::AsciiStrToLower(std::string(text.substr(at - 3, 3))) == "www";
}

}  // namespace

std::string MarkdownText(std::string_view text) {
  std::string escaped;
  size_t at = 0;
  for (; at < text.size() && text[at] == ' '; ++at) escaped += "&nbsp;";
  const size_t begin = at;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    // A list, where a line begins.
    const bool list = at == begin && c == '-' && at + 1 < text.size() && text[at + 1] == ' ';
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (kSigns.find(c) != kSigns.npos || list) {
      escaped += std::string("\\") + c;
    } else {
      escaped += c;
    }
    if (JoinsWithTheNext(text, at)) escaped += kNothing;
  }
  return escaped;
}

std::string MarkdownLines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    absl::StripAsciiWhitespace(&line);
    if (!line.empty()) lines += MarkdownText(line) + "  \n";
    if (line.empty()) lines += "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace flopsprof::viewer
