// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/table.h"

#include <algorithm>

#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kGap = 2;

}  // namespace

std::vector<size_t> Table::NaturalWidths() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = DisplayWidth(columns_[i].header);
    for (const auto& row : rows_) {
      if (i < row.size()) width = std::max(width, DisplayWidth(row[i].text));
    }
    widths.push_back(width);
  }
  return widths;
}

std::string Table::Render(const Terminal& terminal, size_t indent) {
  std::vector<size_t> widths = NaturalWidths();
  std::vector<bool> shown(columns_.size(), true);
  left_out_.clear();
  const auto total = [&] {
    size_t sum = indent;
    bool first = true;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!shown[i]) continue;
      sum += widths[i] + (first ? 0 : kGap);
      first = false;
    }
    return sum;
  };
  // The least that the flexible columns can come down to decides which columns go.
  const auto shrinkable = [&] {
    size_t sum = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if (shown[i] && column.flexible && widths[i] > column.min_width) {
        sum += widths[i] - column.min_width;
      }
    }
    return sum;
  };
  while (total() > terminal.width + shrinkable()) {
    size_t victim = columns_.size();
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!shown[i] || columns_[i].drop_order == 0) continue;
      if (victim == columns_.size() || columns_[i].drop_order < columns_[victim].drop_order) {
        victim = i;
      }
    }
    if (victim == columns_.size()) break;
    shown[victim] = false;
    const Column& column = columns_[victim];
    if (!column.header.empty()) {
      left_out_.push_back(column.group.empty() ? column.header
                                               : column.group + " " + column.header);
    }
  }
  for (size_t i = 0; i < columns_.size() && total() > terminal.width; ++i) {
    if (!shown[i] || !columns_[i].flexible) continue;
    const size_t excess = total() - terminal.width;
    const size_t spare = widths[i] > columns_[i].min_width ? widths[i] - columns_[i].min_width : 0;
    widths[i] -= std::min(excess, spare);
  }

  std::vector<Cell> header;
  for (const Column& column : columns_) header.push_back({column.header, Tone::kDim});
  std::string text = RenderGroups(terminal, widths, shown, indent);
  text += RenderRow(terminal, header, widths, shown, indent);
  for (const auto& row : rows_) text += RenderRow(terminal, row, widths, shown, indent);
  return text;
}

std::string Table::RenderGroups(const Terminal& terminal, const std::vector<size_t>& widths,
                                const std::vector<bool>& shown, size_t indent) const {
  std::string line;
  size_t position = indent;
  size_t written = 0;
  for (size_t i = 0; i < columns_.size();) {
    if (!shown[i]) {
      ++i;
      continue;
    }
    const std::string& group = columns_[i].group;
    size_t span = 0;
    size_t end = i;
    for (; end < columns_.size() && columns_[end].group == group; ++end) {
      if (shown[end]) span += widths[end] + (span == 0 ? 0 : kGap);
      if (group.empty()) {
        ++end;
        break;
      }
    }
    if (!group.empty()) {
      const std::string label = ShortenEnd(" " + group + " ", span, terminal.utf8);
      const size_t fill = span - DisplayWidth(label);
      std::string text;
      for (size_t k = 0; k < fill / 2; ++k) text += terminal.Rule();
      text += label;
      for (size_t k = 0; k < fill - fill / 2; ++k) text += terminal.Rule();
      line += std::string(position - written, ' ') + terminal.Paint(Tone::kDim, text);
      written = position + span;
    }
    position += span + kGap;
    i = end;
  }
  return line.empty() ? "" : line + "\n";
}

std::string Table::RenderRow(const Terminal& terminal, const std::vector<Cell>& cells,
                             const std::vector<size_t>& widths, const std::vector<bool>& shown,
                             size_t indent) const {
  std::string line(indent, ' ');
  size_t pending = 0;  // spaces owed; none are written at the end of a line
  bool first = true;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!shown[i]) continue;
    const Cell cell = i < cells.size() ? cells[i] : Cell{};
    const std::string text = columns_[i].shorten_middle
                                 ? ShortenMiddle(cell.text, widths[i], terminal.utf8)
                                 : ShortenEnd(cell.text, widths[i], terminal.utf8);
    const size_t space = widths[i] - std::min(widths[i], DisplayWidth(text));
    if (!first) pending += kGap;
    first = false;
    if (columns_[i].right) pending += space;
    if (!text.empty()) {
      line += std::string(pending, ' ') + terminal.Paint(cell.tone, text);
      pending = 0;
    }
    if (!columns_[i].right) pending += space;
  }
  return line + "\n";
}

}  // namespace flopsprof::viewer
