// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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
};

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
};

// A table of text that fits a width: a flexible column shrinks, then columns are left out and
// named. Cells must be clean text.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void AddRow(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  size_t row_count() const { return rows_.size(); }
  // Columns that Render left out, as "group header".
  const std::vector<std::string>& left_out() const { return left_out_; }

  // Lines with a newline each, indented by `indent` spaces, header first.
  std::string Render(const Terminal& terminal, size_t indent);

 private:
  std::vector<size_t> NaturalWidths() const;
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
