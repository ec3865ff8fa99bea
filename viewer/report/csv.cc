// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/csv.h"

#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

// "-12", "+0.5e-3": no formula.
bool IsPlainNumber(std::string_view text) {
  const auto skip_digits = [&text] {
    size_t count = 0;
    for (; !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())); ++count) {
      text.remove_prefix(1);
    }
    return count;
  };
  const auto skip = [&text](std::string_view one_of) {
    const bool there = !text.empty() && one_of.find(text.front()) != one_of.npos;
    if (there) text.remove_prefix(1);
    return there;
  };
  skip("+-");
  size_t digits = skip_digits();
  if (skip(".")) digits += skip_digits();
  if (digits == 0) return false;
  if (skip("eE")) {
    skip("+-");
    if (skip_digits() == 0) return false;
  }
  return text.empty();
}

// What spreadsheets take for the beginning of a formula, also behind blanks, also full-width.
bool MayBeFormula(std::string_view text) {
  const bool begins_cell = !text.empty() && (text.front() == '\t' || text.front() == '\n');
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n')) {
    text.remove_prefix(1);
  }
  constexpr std::array<std::string_view, 8> kSigns = {
      "=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
  const bool sign = std::any_of(kSigns.begin(), kSigns.end(), [text](std::string_view sign) {
    return text.substr(0, sign.size()) == sign;
  });
  return begins_cell || (sign && !IsPlainNumber(text));
}

}  // namespace

std::string CsvText(std::string_view text) {
  std::string clean;
  while (true) {
    const size_t end = text.find_first_of("\n\t");
    clean += CleanText(text.substr(0, end));
    if (end == text.npos) break;
    clean += text[end];
    text.remove_prefix(end + 1);
  }
  if (MayBeFormula(clean)) clean.insert(clean.begin(), '\'');
  if (clean.find_first_of(",\"\n\t") == std::string::npos) return clean;
  std::string field = "\"";
  for (const char c : clean) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

CsvRows RowsOfCsv(std::string_view text) {
  CsvRows rows;
  bool quoted = false;
  bool new_row = true;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '\r') continue;
    if (!quoted && c == '\n') {
      new_row = true;
      continue;
    }
    if (new_row) rows.emplace_back(1);
    new_row = false;
    if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else {
      rows.back().back() += c;
    }
  }
  return rows;
}

std::string JoinedCsv(const std::vector<CsvRows>& tables) {
  std::vector<std::string> header;
  for (const CsvRows& table : tables) {
    if (table.empty()) continue;
    for (const std::string& name : table[0]) {
      if (std::find(header.begin(), header.end(), name) == header.end()) header.push_back(name);
    }
  }
  if (header.empty()) return "";
  std::string text = absl::StrJoin(header, ",") + "\r\n";
  for (const CsvRows& table : tables) {
    for (size_t row = 1; row < table.size(); ++row) {
      std::vector<std::string> fields(header.size());
      for (size_t i = 0; i < std::min(table[0].size(), table[row].size()); ++i) {
        const auto column = std::find(header.begin(), header.end(), table[0][i]);
        fields[static_cast<size_t>(column - header.begin())] = table[row][i];
      }
      text += absl::StrJoin(fields, ",") + "\r\n";
    }
  }
  return text;
}

}  // namespace flopsprof::viewer
