// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/row_codec.h"

#include <limits>

#include "collector/model/tally.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr uint64_t kDecimalBase = 1'000'000'000'000'000'000;

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

int ReadFields(const Statement& statement, const std::vector<const FieldDescriptor*>& fields,
               int first, Message* row) {
  const Reflection& reflection = *row->GetReflection();
  int column = first;
  for (const FieldDescriptor* field : fields) {
    const int64_t value =
        field->cpp_type() == FieldDescriptor::CPPTYPE_STRING ? 0 : statement.Int(column);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        reflection.SetInt32(row, field, static_cast<int32_t>(value));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        reflection.SetInt64(row, field, value);
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        reflection.SetUInt32(row, field, static_cast<uint32_t>(value));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        reflection.SetUInt64(row, field, static_cast<uint64_t>(value));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(row, field, value != 0);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection.SetEnumValue(row, field, static_cast<int>(value));
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        reflection.SetString(row, field, statement.Text(column));
        break;
      default:
        static_cast<v1::Count&>(*reflection.MutableMessage(row, field)) =
            FromDecimal({value, statement.Int(column + 1)});
        ++column;
    }
    ++column;
  }
  return column;
}

}  // namespace flopsprof::store
