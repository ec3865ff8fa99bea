// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/table.h"

#include <algorithm>
#include <map>

#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kGap = 2;
// Columns of words, where columns that may shrink were not enough.
constexpr size_t kLeastText = 8;
constexpr size_t kLeastTextAtAll = 3;

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

size_t Table::Total(const std::vector<size_t>& widths, const std::vector<bool>& shown,
                    size_t indent) const {
  size_t sum = indent;
  bool first = true;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (!shown[i]) continue;
    sum += widths[i] + (first ? 0 : kGap);
    first = false;
  }
  return sum;
}

std::string Table::NameOf(const Column& column) {
  return column.group.empty() ? column.header : column.group + " " + column.header;
}

void Table::LeaveOut(const std::vector<size_t>& widths, size_t width, size_t indent,
                     std::vector<bool>* shown) {
  // The least that the flexible columns can come down to decides which columns go.
  const auto spare = [&] {
    size_t sum = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      if ((*shown)[i] && column.flexible && widths[i] > column.min_width) {
        sum += widths[i] - column.min_width;
      }
    }
    return sum;
  };
  while (Total(widths, *shown, indent) > width + spare()) {
    size_t victim = columns_.size();
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!(*shown)[i] || columns_[i].drop_order == 0) continue;
      if (victim == columns_.size() || columns_[i].drop_order < columns_[victim].drop_order) {
        victim = i;
      }
    }
    if (victim == columns_.size()) break;
    (*shown)[victim] = false;
    if (!columns_[victim].header.empty()) left_out_.push_back(NameOf(columns_[victim]));
  }
}

void Table::WidenForGroups(const std::vector<bool>& shown, size_t room,
                           std::vector<size_t>* widths) const {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (shown[i] && !columns_[i].group.empty()) groups[columns_[i].group].push_back(i);
  }
  for (const auto& [group, members] : groups) {
    // A rule on both sides says which columns it is of.
    const size_t wanted = DisplayWidth(group) + (members.size() > 1 ? 4 : 2);
    size_t span = kGap * (members.size() - 1);
    for (const size_t member : members) span += (*widths)[member];
    if (span >= wanted || wanted - span > room) continue;
    room -= wanted - span;
    (*widths)[members.front()] += wanted - span;
  }
}

void Table::Shrink(const std::vector<bool>& shown, size_t width, size_t indent,
                   std::vector<size_t>* widths) const {
  const auto shrink = [&](bool flexible, size_t least_of_others) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      const size_t total = Total(*widths, shown, indent);
      const Column& column = columns_[i];
      // A number that is cut is another number.
      const bool may = flexible ? column.flexible : !column.right;
      if (total <= width || !shown[i] || !may) continue;
      const size_t least = flexible ? column.min_width : least_of_others;
      const size_t spare = (*widths)[i] > least ? (*widths)[i] - least : 0;
      (*widths)[i] -= std::min(total - width, spare);
    }
  };
  shrink(/*flexible=*/true, 0);
  shrink(/*flexible=*/false, kLeastText);
  shrink(/*flexible=*/false, kLeastTextAtAll);
}

std::string Table::Render(const Terminal& terminal, size_t indent) {
  std::vector<size_t> widths = NaturalWidths();
  std::vector<bool> shown(columns_.size(), true);
  left_out_.clear();
  LeaveOut(widths, terminal.width, indent, &shown);
  size_t spare = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    if (shown[i] && column.flexible) spare += widths[i] - std::min(widths[i], column.min_width);
  }
  const size_t total = Total(widths, shown, indent);
  WidenForGroups(shown, terminal.width + spare - std::min(total, terminal.width + spare), &widths);
  Shrink(shown, terminal.width, indent, &widths);

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
