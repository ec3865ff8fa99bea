// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "viewer/report/report.h"
#include "viewer/report/terminal.h"

namespace flopsprof::viewer {

struct Column {
  std::string header;
  // Neighbours of one group have its name above their headers.
  std::string group = {};
  bool right = true;
  // When the table is too wide, columns with the smallest number above 0 go first; 0 stays.
  int drop_order = 0;
  // This column shrinks, down to `min_width`, before any column is left out.
  bool flexible = false;
  size_t min_width = 0;
  // How its cells are cut: names of kernels in the middle, tree labels at the end.
  bool shorten_middle = false;
  // By this the rows can be sorted; of several columns with one key the first counts.
  std::optional<SortKey> key = {};
  // The unit of the numbers in `raw`: "s", "bytes" ... CSV has it in the header.
  std::string unit = {};
  std::string csv_name = {};  // in place of the name made of group, header and unit
};

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
  // The number behind the text, in whole units and with all digits; "" where there is none, or it
  // is not known.
  std::string raw = {};
  bool at_least = false;  // it is a lower bound
};

// A table of text that fits a width: a flexible column shrinks, then columns are left out and
// named, then whatever has letters is cut, with a mark. Cells must be clean text.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void AddRow(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  void AddRowsOf(const Table& table) {
    rows_.insert(rows_.end(), table.rows_.begin(), table.rows_.end());
  }
  size_t row_count() const { return rows_.size(); }
  // Columns that Render left out, as "group header".
  const std::vector<std::string>& left_out() const { return left_out_; }

  // The greatest first, names from A on, what is not known last; false: no column has the key.
  bool Sort(SortKey key);
  // Leaves out all rows behind the first so many.
  void Keep(size_t count);

  // A table as GitHub shows it: all columns, nothing cut, names without effect.
  std::string RenderMarkdown() const;
  // RFC 4180: headers, then all rows. Numbers are whole units with all digits, what is not known is
  // empty. The last column names those of the row that are lower bounds, if there are any.
  std::string RenderCsv() const;

  // Lines with a newline each, indented by `indent` spaces, header first.
  std::string Render(const Terminal& terminal, size_t indent);

 private:
  std::vector<size_t> NaturalWidths() const;
  size_t Total(const std::vector<size_t>& widths, const std::vector<bool>& shown,
               size_t indent) const;
  // Leaves columns out until the rest can fit by shrinking.
  void LeaveOut(const std::vector<size_t>& widths, size_t width, size_t indent,
                std::vector<bool>* shown);
  void Shrink(const std::vector<bool>& shown, size_t width, size_t indent,
              std::vector<size_t>* widths) const;
  // A name above narrow columns needs its room: the first of them gets it.
  void WidenForGroups(const std::vector<bool>& shown, size_t room,
                      std::vector<size_t>* widths) const;
  static std::string NameOf(const Column& column);
  std::string RenderGroups(const Terminal& terminal, const std::vector<size_t>& widths,
                           const std::vector<bool>& shown, size_t indent) const;
  std::string RenderRow(const Terminal& terminal, const std::vector<Cell>& cells,
                        const std::vector<size_t>& widths, const std::vector<bool>& shown,
                        size_t indent) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> left_out_;
};

}  // namespace flopsprof::viewer
