// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
}  // namespace google::protobuf

namespace flopsprof::store {

// PRAGMA user_version of profile.db. A reader refuses larger numbers.
inline constexpr int kSchemaVersion = 1;

// Tables and views of an empty profile.db, documented in README.md.
const char* SchemaSql();

// Tables that were added later, made where they are missing. A reader does without them.
const char* AddedSql();

// Views that take the place of those of an earlier version.
std::string ViewsSql();

// A table that holds one kind of row of ProcessProfile: a column per scalar field, with the
// field's name; a Count field has the columns <name>_high and <name>_low, its value is
// high * 10^18 + low.
struct RowTable {
  std::string name;
  const google::protobuf::FieldDescriptor* rows;  // repeated field of ProcessProfile
  std::vector<std::string> key;                   // besides process_id
  // A stored row is replaced by one that is not smaller in these columns, compared in turn;
  // empty: always.
  std::vector<std::string> newer;

  const google::protobuf::Descriptor* row_type() const;
};

const std::vector<RowTable>& RowTables();

// The scalar and Count fields of a message, in the order of its columns. Repeated fields are
// left out.
std::vector<const google::protobuf::FieldDescriptor*> StoredFields(
    const google::protobuf::Descriptor& type);

// The columns of these fields.
std::vector<std::string> ColumnsOf(
    const std::vector<const google::protobuf::FieldDescriptor*>& fields);

}  // namespace flopsprof::store
