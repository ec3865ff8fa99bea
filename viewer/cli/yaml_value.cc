// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/yaml_value.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace flopsprof::viewer {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Stripped(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct YamlLine {
  size_t number = 0;
  size_t indent = 0;
  std::string_view key;    // "" = the line has none
  std::string_view value;  // with its quotes
};

std::string_view WithoutQuotes(std::string_view word) {
  const bool is_quoted = word.size() >= 2 && (word.front() == '"' || word.front() == '\'') &&
                         word.back() == word.front();
  return is_quoted ? word.substr(1, word.size() - 2) : word;
}

// What stands behind the key, without a comment.
std::string_view ValueIn(std::string_view rest) {
  rest = Stripped(rest);
  if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
    const size_t end = rest.find(rest.front(), 1);
    if (end != std::string_view::npos) return rest.substr(0, end + 1);
  }
  if (rest.substr(0, 1) == "#") return "";
  return Stripped(rest.substr(0, rest.find(" #")));
}

YamlLine ReadYamlLine(std::string_view text, size_t number) {
  YamlLine line;
  line.number = number;
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos || text[first] == '#') return line;
  line.indent = first;
  const size_t colon = text.find(':', first);
  const bool ends_key =
      colon != std::string_view::npos &&
      (colon + 1 == text.size() || kBlanks.find(text[colon + 1]) != std::string_view::npos);
  if (!ends_key) return line;
  line.key = WithoutQuotes(Stripped(text.substr(first, colon - first)));
  line.value = ValueIn(text.substr(colon + 1));
  return line;
}

bool IsNull(std::string_view word) {
  return word.empty() || word == "~" || word == "null" || word == "Null" || word == "NULL";
}

}  // namespace

YamlValue FindYamlValue(std::string_view text, std::string_view outer, std::string_view key) {
  constexpr std::string_view kOtherForms = "{[&*!|>";
  const std::vector<std::string_view> lines = LinesOf(text);
  const auto other_form = [](const YamlLine& line) {
    return absl::StrCat("line ", line.number, ": the value of ", std::string(line.key),
                        " is written in a form that is not read here; --ds-config FILE names the "
                        "configuration itself");
  };
  bool inside = outer.empty();
  for (size_t i = 0; i < lines.size(); ++i) {
    const YamlLine line = ReadYamlLine(lines[i], i + 1);
    if (line.key.empty()) continue;
    const bool has_other_form =
        !line.value.empty() && kOtherForms.find(line.value[0]) != std::string_view::npos;
    if (line.indent == 0 && !outer.empty()) {
      inside = line.key == outer;
      if (inside && has_other_form && line.value != "{}") return {"", other_form(line)};
      continue;
    }
    if (!inside || line.key != key || (outer.empty() && line.indent > 0)) continue;
    if (has_other_form) return {"", other_form(line)};
    const bool is_mapping = line.value.empty() && i + 1 < lines.size() &&
                            ReadYamlLine(lines[i + 1], i + 2).indent > line.indent;
    if (is_mapping) return {"", other_form(line)};
    if (IsNull(line.value)) return {};
    return {std::string(WithoutQuotes(line.value)), ""};
  }
  return {};
}

}  // namespace flopsprof::viewer
