// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <vector>

#include "collector/store/sqlite.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::store {

// Moves the StoredFields of a message to and from the columns of a statement. Unsigned 64-bit
// values keep their bits: above 2^63 they read as negative in SQL (addresses only).

// Binds from parameter `first` on; returns the next free parameter.
int BindFields(const google::protobuf::Message& row,
               const std::vector<const google::protobuf::FieldDescriptor*>& fields, int first,
               Statement* statement);

// Reads from column `first` on; returns the next column.
int ReadFields(const Statement& statement,
               const std::vector<const google::protobuf::FieldDescriptor*>& fields, int first,
               google::protobuf::Message* row);

// high * 10^18 + low; values from 2^63 * 10^18 on, which no machine reaches, are cut to that.
struct DecimalCount {
  int64_t high = 0;
  int64_t low = 0;
};
DecimalCount ToDecimal(const v1::Count& count);
v1::Count FromDecimal(DecimalCount count);

}  // namespace flopsprof::store
