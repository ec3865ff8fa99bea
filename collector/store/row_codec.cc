// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/row_codec.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "collector/model/tally.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr uint64_t kDecimalBase = 1'000'000'000'000'000'000;

// Returns the last column of the field.
int SetByReflection(const Statement& statement, const FieldDescriptor& field, int column,
                    Message* row) {
  const Reflection& reflection = *row->GetReflection();
  const bool is_text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  const int64_t value = is_text ? 0 : statement.Int(column);
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      reflection.SetInt32(row, &field, static_cast<int32_t>(value));
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      reflection.SetInt64(row, &field, value);
      break;
    case FieldDescriptor::CPPTYPE_UINT32:
      reflection.SetUInt32(row, &field, static_cast<uint32_t>(value));
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      reflection.SetUInt64(row, &field, static_cast<uint64_t>(value));
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      reflection.SetBool(row, &field, value != 0);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      reflection.SetEnumValue(row, &field, static_cast<int>(value));
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      reflection.SetString(row, &field, std::string(statement.TextView(column)));
      break;
    default:
      static_cast<v1::Count&>(*reflection.MutableMessage(row, &field)) =
          FromDecimal({value, statement.Int(column + 1)});
      ++column;
  }
  return column;
}

}  // namespace

DecimalCount ToDecimal(const v1::Count& count) {
  const model::FlopCount value = model::ToFlopCount(count);
  const model::FlopCount high = value / kDecimalBase;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (high > static_cast<uint64_t>(kMax)) {
    return {kMax, static_cast<int64_t>(kDecimalBase - 1)};
  }
  return {static_cast<int64_t>(high), static_cast<int64_t>(value % kDecimalBase)};
}

v1::Count FromDecimal(DecimalCount count) {
  v1::Count result;
  model::ToProto(model::FlopCount{static_cast<uint64_t>(count.high)} * kDecimalBase +
                     static_cast<uint64_t>(count.low),
                 &result);
  return result;
}

int BindFields(const Message& row, const std::vector<const FieldDescriptor*>& fields, int first,
               Statement* statement) {
  const Reflection& reflection = *row.GetReflection();
  int index = first;
  std::string scratch;
  for (const FieldDescriptor* field : fields) {
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        statement->BindInt(index++, reflection.GetInt32(row, field));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        statement->BindInt(index++, reflection.GetInt64(row, field));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        statement->BindInt(index++, reflection.GetUInt32(row, field));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        statement->BindInt(index++, static_cast<int64_t>(reflection.GetUInt64(row, field)));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        statement->BindInt(index++, reflection.GetBool(row, field) ? 1 : 0);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        statement->BindInt(index++, reflection.GetEnumValue(row, field));
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        // Returns the field itself, not scratch, for generated messages.
        statement->BindText(index++, reflection.GetStringReference(row, field, &scratch));
        break;
      default: {
        const DecimalCount count =
            ToDecimal(static_cast<const v1::Count&>(reflection.GetMessage(row, field)));
        statement->BindInt(index++, count.high);
        statement->BindInt(index++, count.low);
      }
    }
  }
  return index;
}

RowReader::RowReader(std::vector<const FieldDescriptor*> fields) : fields_(std::move(fields)) {
  for (const FieldDescriptor* field : fields_) setters_.push_back(FindRowSetter(field));
}

size_t RowReader::Read(const Statement& statement, int first, Message* row) const {
  int column = first;
  size_t longest_bytes = 0;
  for (size_t i = 0; i < fields_.size(); ++i, ++column) {
    const RowSetter* setter = setters_[i];
    if (setter == nullptr) {
      if (fields_[i]->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        longest_bytes = std::max(longest_bytes, statement.TextView(column).size());
      }
      column = SetByReflection(statement, *fields_[i], column, row);
    } else if (setter->set_int != nullptr) {
      const int64_t value = statement.Int(column);
      if (value != 0) setter->set_int(row, value);
    } else if (setter->text != nullptr) {
      const std::string_view text = statement.TextView(column);
      if (!text.empty()) setter->text(row)->assign(text.data(), text.size());
      longest_bytes = std::max(longest_bytes, text.size());
    } else {
      *setter->count(row) = FromDecimal({statement.Int(column), statement.Int(column + 1)});
      ++column;
    }
  }
  return longest_bytes;
}

}  // namespace flopsprof::store
