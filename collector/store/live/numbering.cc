// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/numbering.h"

#include <algorithm>
#include <numeric>

namespace flopsprof::store {
namespace {

void AppendVarint(uint64_t value, std::string* bytes) {
  for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>(value | 0x80));
  bytes->push_back(static_cast<char>(value));
}

bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 63 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    *value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace

bool Numbering::CanDefine(const Definition& more) const {
  if (more.rows.empty()) return true;
  if (more.end() > UINT32_MAX) return false;
  if (!spans_.empty() && more.first < spans_.back().end()) return false;
  if (std::any_of(more.rows.begin(), more.rows.end(),
                  [this](uint32_t row) { return HasNumber(row); })) {
    return false;
  }
  const auto descends = [](uint32_t a, uint32_t b) { return a >= b; };
  const auto twice = std::adjacent_find(more.rows.begin(), more.rows.end(), descends);
  if (twice == more.rows.end()) return true;  // as new rows are
  std::vector<uint32_t> sorted = more.rows;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

void Numbering::Append(uint32_t number, uint32_t row) {
  if (!spans_.empty()) {
    Span& last = spans_.back();
    if (last.end() == number && uint64_t{last.row} + last.count == row) {
      ++last.count;
      return;
    }
  }
  spans_.push_back({number, 1, row});
}

bool Numbering::Define(const Definition& more) {
  if (!CanDefine(more)) return false;
  if (more.rows.empty()) return true;
  const uint32_t largest = *std::max_element(more.rows.begin(), more.rows.end());
  if (largest / 64 >= numbered_.size()) numbered_.resize(largest / 64 + 1);
  uint32_t number = more.first;
  for (const uint32_t row : more.rows) {
    Append(number++, row);
    numbered_[row / 64] |= uint64_t{1} << row % 64;
  }
  return true;
}

uint64_t Numbering::Resolve(const std::vector<RowRun>& numbers, const Definition& more,
                            std::vector<RowRun>* rows) const {
  uint64_t known = 0;
  uint64_t all = 0;
  const auto add = [&](const RowRun& run) {
    rows->push_back(run);
    known += run.count;
  };
  auto span = spans_.begin();
  for (const RowRun& run : numbers) {
    all += run.count;
    const uint64_t end = uint64_t{run.first} + run.count;
    // The numbers ascend, so that spans which end before this one are done with.
    if (span != spans_.end() && span->end() <= run.first) {
      span = std::upper_bound(span, spans_.end(), run.first,
                              [](uint32_t n, const Span& each) { return n < each.end(); });
    }
    for (; span != spans_.end() && span->first < end; ++span) {
      const uint32_t first = std::max(span->first, run.first);
      const auto count = static_cast<uint32_t>(std::min(span->end(), end) - first);
      add({span->row + (first - span->first), count, run.at + (first - run.first)});
      if (span->end() > end) break;
    }
    for (uint64_t n = std::max(run.first, more.first); n < std::min(end, more.end()); ++n) {
      Increments::Extend(more.rows[n - more.first], run.at + (n - run.first), rows);
      ++known;
    }
  }
  return all - known;
}

// Spans: how many numbers lie between the one before and this one, how many there are, which is the
// first row.
std::string Numbering::Encode() const {
  std::string bytes;
  uint64_t end = 0;
  for (const Span& span : spans_) {
    AppendVarint(span.first - end, &bytes);
    AppendVarint(span.count, &bytes);
    AppendVarint(span.row, &bytes);
    end = span.end();
  }
  return bytes;
}

bool Numbering::Decode(std::string_view bytes, uint32_t row_count) {
  *this = Numbering();
  uint64_t end = 0;
  while (!bytes.empty()) {
    uint64_t between = 0, count = 0, row = 0;
    if (!TakeVarint(&bytes, &between) || !TakeVarint(&bytes, &count) || !TakeVarint(&bytes, &row)) {
      return false;
    }
    if (between > UINT32_MAX || count > row_count || row > row_count - count ||
        end + between + count > UINT32_MAX) {
      return false;
    }
    Definition more{static_cast<uint32_t>(end + between), std::vector<uint32_t>(count)};
    std::iota(more.rows.begin(), more.rows.end(), static_cast<uint32_t>(row));
    if (!Define(more)) return false;
    end += between + count;
  }
  return true;
}

}  // namespace flopsprof::store
