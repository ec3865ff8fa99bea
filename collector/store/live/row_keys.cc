// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/row_keys.h"

#include <algorithm>

namespace flopsprof::store {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

RowKeys::RowKeys(size_t table)
    : layout_(kBlockTables[table]),
      tag_(static_cast<char>(layout_.rows)),
      rows_(v1::ProcessProfile::descriptor()->FindFieldByNumber(static_cast<int>(layout_.rows))) {
  const google::protobuf::Descriptor* type = rows_->message_type();
  for (size_t i = 0; i < layout_.column_count(); ++i) {
    measures_.push_back(type->FindFieldByNumber(static_cast<int>(layout_.columns[i].field)));
  }
  no_key_ = measures_;
  if (layout_.within_agent != 0) {
    no_key_.push_back(type->FindFieldByNumber(static_cast<int>(layout_.within_agent)));
  }
  scratch_.reset(google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

const std::string& RowKeys::KeyOf(const Message& row) {
  scratch_->CopyFrom(row);
  const google::protobuf::Reflection& reflection = *scratch_->GetReflection();
  for (const FieldDescriptor* field : no_key_) reflection.ClearField(scratch_.get(), field);
  scratch_->DiscardUnknownFields();
  key_.assign(1, tag_);
  scratch_->AppendToString(&key_);
  return key_;
}

Wide RowKeys::MeasureOf(const Message& row, size_t column) const {
  const google::protobuf::Reflection& reflection = *row.GetReflection();
  const FieldDescriptor* field = measures_[column];
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const auto& count = static_cast<const v1::Count&>(reflection.GetMessage(row, field));
      return Wide{count.high()} << 64 | count.low();
    }
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetUInt32(row, field);
    default:
      return reflection.GetUInt64(row, field);
  }
}

bool RowKeys::AddMeasures(const Message& row, size_t at, Increments* increments) const {
  bool good = true;
  const bool is_new = at == increments->columns[0].size();
  if (is_new) increments->high.push_back(0);
  // From the last: what becomes of kFirst depends on the first.
  for (size_t i = measures_.size(); i-- > 0;) {
    const Measure measure = layout_.columns[i].measure;
    const bool is_count = measure == Measure::kCountSum;
    UnsetVector<uint64_t>& column = increments->columns[i];
    if (is_new) column.push_back(0);
    const Wide more = MeasureOf(row, i);
    Wide value = column[at] | (is_count ? Wide{increments->high[at]} << 64 : 0);
    const bool counted = increments->columns[0].size() > at && increments->columns[0][at] != 0;
    if (is_new || (measure == Measure::kFirst && !counted)) {
      value = more;
    } else if (measure == Measure::kSum || is_count) {
      value += more;
    } else if (measure == Measure::kGreatest) {
      value = std::max(value, more);
    } else if (measure == Measure::kLeast) {
      value = value == 0 || more == 0 ? std::max(value, more) : std::min(value, more);
    } else if (MeasureOf(row, 0) != 0) {
      value = std::min(value, more);
    }
    column[at] = static_cast<uint64_t>(value);
    if (is_count) increments->high[at] = static_cast<uint64_t>(value >> 64);
    good = good && (is_count ? more <= kLargestCount : more <= layout_.columns[i].largest) &&
           (is_count ? value >> 126 == 0 : value <= INT64_MAX);
    increments->most[i] += more;
  }
  return good;
}

const Message* RowKeys::RowOf(const std::string& key) {
  if (key.empty() || key[0] != tag_) return nullptr;
  scratch_->Clear();
  const auto size = static_cast<int>(key.size() - 1);
  return scratch_->ParseFromArray(key.data() + 1, size) ? scratch_.get() : nullptr;
}

}  // namespace flopsprof::store
