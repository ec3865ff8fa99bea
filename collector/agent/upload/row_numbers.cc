// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/upload/row_numbers.h"

#include <google/protobuf/message.h>

#include <algorithm>

namespace flopsprof::agent {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

__extension__ using Wide = unsigned __int128;

void AppendVarint(Wide value, std::string* bytes) {
  for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>(value | 0x80));
  bytes->push_back(static_cast<char>(value));
}

// As many bytes as the largest needs, and one at the least.
size_t WidthOf(Wide largest) {
  size_t width = 1;
  while (largest >>= 8) ++width;
  return width;
}

void AppendBytes(Wide value, size_t width, std::string* bytes) {
  for (size_t i = 0; i < width; ++i, value >>= 8) bytes->push_back(static_cast<char>(value));
}

const FieldDescriptor* FieldOf(const google::protobuf::Descriptor* type, uint32_t number) {
  return type->FindFieldByNumber(static_cast<int>(number));
}

// Takes the measure out of the row.
Wide TakeMeasure(const FieldDescriptor* field, const Reflection& reflection, Message* row) {
  Wide value = 0;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    const auto& count = static_cast<const v1::Count&>(reflection.GetMessage(*row, field));
    value = Wide{count.high()} << 64 | count.low();
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
    value = reflection.GetUInt32(*row, field);
  } else {
    value = reflection.GetUInt64(*row, field);
  }
  reflection.ClearField(row, field);
  return value;
}

// Two rows of one key, as a collector would merge them.
void Merge(const BlockTable& layout, const std::array<Wide, kMostBlockColumns>& more,
           std::array<Wide, kMostBlockColumns>* to) {
  // From the last: what becomes of kFirst depends on the first.
  for (size_t i = layout.column_count(); i-- > 0;) {
    Wide& value = (*to)[i];
    switch (layout.columns[i].measure) {
      case Measure::kSum:
      case Measure::kCountSum:
        value += more[i];
        break;
      case Measure::kLeast:
        value = value == 0 || more[i] == 0 ? std::max(value, more[i]) : std::min(value, more[i]);
        break;
      case Measure::kGreatest:
        value = std::max(value, more[i]);
        break;
      case Measure::kFirst:
        if (more[0] != 0) value = (*to)[0] == 0 ? more[i] : std::min(value, more[i]);
    }
  }
}

}  // namespace

void RowNumbers::Restart(uint32_t numbering) {
  numbering_ = numbering;
  for (auto& numbers : numbers_) numbers.clear();
}

void RowNumbers::ToBlocks(v1::ProcessProfile* part) {
  for (size_t table = 0; table < kBlockTables.size(); table++) TableToBlock(table, part);
}

std::vector<RowNumbers::Row> RowNumbers::TakeRows(size_t table, v1::ProcessProfile* part) {
  const BlockTable& layout = kBlockTables[table];
  const FieldDescriptor* rows = FieldOf(part->GetDescriptor(), layout.rows);
  std::vector<const FieldDescriptor*> measures;
  for (size_t column = 0; column < layout.column_count(); column++) {
    measures.push_back(FieldOf(rows->message_type(), layout.columns[column].field));
  }
  const Reflection& reflection = *part->GetReflection();
  auto& numbers = numbers_[table];
  std::vector<Row> taken;
  absl::flat_hash_map<uint32_t, size_t> places;
  std::string key;
  const int count = reflection.FieldSize(*part, rows);
  for (int i = 0; i < count; i++) {
    Message* row = reflection.MutableRepeatedMessage(part, rows, i);
    const Reflection& of_row = *row->GetReflection();
    Row next;
    for (size_t column = 0; column < measures.size(); column++) {
      next.measures[column] = TakeMeasure(measures[column], of_row, row);
    }
    if (layout.within_agent != 0) {
      of_row.ClearField(row, FieldOf(rows->message_type(), layout.within_agent));
    }
    key.clear();
    row->AppendToString(&key);
    const auto [found, added] = numbers.try_emplace(key, static_cast<uint32_t>(numbers.size()));
    next.number = found->second;
    if (added) {
      Message* defined = reflection.AddMessage(part->mutable_defined(), rows);
      defined->GetReflection()->Swap(defined, row);
    }
    const auto [place, is_new] = places.try_emplace(next.number, taken.size());
    if (is_new) {
      taken.push_back(next);
    } else {
      Merge(layout, next.measures, &taken[place->second].measures);
    }
  }
  reflection.ClearField(part, rows);
  return taken;
}

void RowNumbers::TableToBlock(size_t table, v1::ProcessProfile* part) {
  const BlockTable& layout = kBlockTables[table];
  if (part->GetReflection()->FieldSize(*part, FieldOf(part->GetDescriptor(), layout.rows)) == 0)
    return;
  const auto known = static_cast<uint32_t>(numbers_[table].size());
  std::vector<Row> rows = TakeRows(table, part);
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.number < b.number; });
  part->set_numbering(numbering_);
  v1::RowBlock& block = *part->add_blocks();
  block.set_table(layout.rows);
  if (numbers_[table].size() > known) block.set_first_defined(known);
  uint32_t next = 0;
  for (size_t i = 0; i < rows.size();) {
    const uint32_t first = rows[i].number;
    uint32_t count = 0;
    while (i < rows.size() && rows[i].number == first + count) ++i, ++count;
    AppendVarint(first - next, block.mutable_runs());
    AppendVarint(count, block.mutable_runs());
    next = first + count;
  }
  for (size_t column = 0; column < layout.column_count(); column++) {
    Wide largest = 0;
    for (const Row& row : rows) largest = std::max(largest, row.measures[column]);
    // Rows that measure nothing are sent with one column all the same.
    const bool is_last = column + 1 == layout.column_count();
    if (largest == 0 && !(is_last && block.columns_size() == 0)) continue;
    v1::MeasureColumn& out = *block.add_columns();
    out.set_field(layout.columns[column].field);
    const size_t width = WidthOf(largest);
    out.mutable_values()->reserve(width * rows.size());
    for (const Row& row : rows) AppendBytes(row.measures[column], width, out.mutable_values());
  }
}

}  // namespace flopsprof::agent
