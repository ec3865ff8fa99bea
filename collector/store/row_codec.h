// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <vector>

#include "collector/store/row_setters.h"
#include "collector/store/sqlite.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::store {

// Moves the StoredFields of a message to and from the columns of a statement. Unsigned 64-bit
// values keep their bits: above 2^63 they read as negative in SQL (addresses only).

// Binds from parameter `first` on; returns the next free parameter.
int BindFields(const google::protobuf::Message& row,
               const std::vector<const google::protobuf::FieldDescriptor*>& fields, int first,
               Statement* statement);

// Reads fields of one type of message. Thread: any, once it is made.
class RowReader {
 public:
  explicit RowReader(std::vector<const google::protobuf::FieldDescriptor*> fields);

  const std::vector<const google::protobuf::FieldDescriptor*>& fields() const { return fields_; }

  // From column `first` on. Returns the bytes of the longest text.
  size_t Read(const Statement& statement, int first, google::protobuf::Message* row) const;

 private:
  std::vector<const google::protobuf::FieldDescriptor*> fields_;
  std::vector<const RowSetter*> setters_;  // of each; nullptr: by reflection
};

// high * 10^18 + low; values from 2^63 * 10^18 on, which no machine reaches, are cut to that.
struct DecimalCount {
  int64_t high = 0;
  int64_t low = 0;
};
DecimalCount ToDecimal(const v1::Count& count);
v1::Count FromDecimal(DecimalCount count);

}  // namespace flopsprof::store
