// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Order of a table's rows, and the table as Markdown and as CSV.

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>

#include <algorithm>
#include <utility>

#include "viewer/report/csv.h"
#include "viewer/report/markdown.h"
#include "viewer/report/table.h"

namespace flopsprof::viewer {
namespace {

constexpr char kAtLeast[] = "at_least";

// "forward GPU time" in s: "forward_gpu_time_s".
std::string CsvName(const Column& column, const std::string& name) {
  if (!column.csv_name.empty()) return column.csv_name;
  const std::string& unit = column.unit;
  std::string text;
  for (const char c : name + (unit.empty() ? "" : " " + unit)) {
    const bool keeps = absl::ascii_isalnum(static_cast<unsigned char>(c));
    if (!keeps && (text.empty() || text.back() == '_')) continue;
    text += keeps ? absl::ascii_tolower(static_cast<unsigned char>(c)) : '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  return text;
}

// A column without a name is drawn, not told.
bool IsTold(const Column& column) { return !column.header.empty(); }

}  // namespace

bool Table::Sort(SortKey key) {
  const auto column = std::find_if(columns_.begin(), columns_.end(),
                                   [key](const Column& one) { return one.key == key; });
  if (column == columns_.end()) return false;
  const auto at = static_cast<size_t>(column - columns_.begin());
  const auto cell = [at](const std::vector<Cell>& row) {
    return at < row.size() ? row[at] : Cell{};
  };
  if (key == SortKey::kName) {
    std::stable_sort(rows_.begin(), rows_.end(),
                     [&](const auto& a, const auto& b) { return cell(a).text < cell(b).text; });
    return true;
  }
  std::vector<std::pair<std::optional<double>, std::vector<Cell>>> rows;
  for (std::vector<Cell>& row : rows_) {
    double value = 0;
    const bool known = absl::SimpleAtod(cell(row).raw, &value);
    rows.emplace_back(known ? std::optional<double>(value) : std::nullopt, std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    if (a.first.has_value() != b.first.has_value()) return a.first.has_value();
    return a.first.has_value() && *a.first > *b.first;
  });
  for (size_t i = 0; i < rows.size(); ++i) rows_[i] = std::move(rows[i].second);
  return true;
}

void Table::Keep(size_t count) {
  if (rows_.size() > count) rows_.resize(count);
}

std::string Table::RenderMarkdown() const {
  std::string head = "|";
  std::string line = "|";
  for (const Column& column : columns_) {
    head += " " + MarkdownText(NameOf(column)) + " |";
    line += column.right ? " ---: |" : " --- |";
  }
  std::string text = head + "\n" + line + "\n";
  for (const std::vector<Cell>& row : rows_) {
    text += "|";
    for (size_t i = 0; i < columns_.size(); ++i) {
      text += " " + (i < row.size() ? MarkdownText(row[i].text) : "") + " |";
    }
    text += "\n";
  }
  return text;
}

std::string Table::RenderCsv() const {
  bool any_bound = false;
  for (const std::vector<Cell>& row : rows_) {
    for (const Cell& cell : row) any_bound = any_bound || cell.at_least;
  }
  std::string text;
  for (const Column& column : columns_) {
    if (!IsTold(column)) continue;
    text += (text.empty() ? "" : ",") + CsvText(CsvName(column, NameOf(column)));
  }
  text += any_bound ? std::string(",") + kAtLeast + "\r\n" : "\r\n";
  for (const std::vector<Cell>& row : rows_) {
    std::string bounds;
    bool first = true;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if (!IsTold(column)) continue;
      const Cell cell = i < row.size() ? row[i] : Cell{};
      const bool unknown = cell.text == "?" || cell.text == "-";
      const std::string& value = cell.raw.empty() ? cell.text : cell.raw;
      text += (first ? "" : ",") + (unknown ? "" : CsvText(value));
      first = false;
      if (cell.at_least) {
        bounds += (bounds.empty() ? "" : " ") + CsvName(column, NameOf(column));
      }
    }
    text += any_bound ? "," + CsvText(bounds) + "\r\n" : "\r\n";
  }
  return text;
}

}  // namespace flopsprof::viewer
