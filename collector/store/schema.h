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

// PRAGMA user_version of profile.db. Other numbers are refused, by readers and by writers.
inline constexpr int kSchemaVersion = 5;

// Tables of an empty profile.db, and the views on them: documented in README.md.
const char* TablesSql();
std::string ViewsSql();
// Both, and the version.
std::string SchemaSql();

// What becomes of a stored value when a further row of its key comes.
enum class Rule {
  kKey,
  kSum,         // added up; a Count exactly, in two columns
  kMin,         // the smaller one; 0 = none yet. With `by`: none where that column is 0
  kMax,         // the larger one
  kNewest,      // that of the row that was merged last
  kNewestText,  // the same; "" says nothing
  kOr,          // 1 when one of them is
  kByRevision,  // that of the row with the larger `by`, of equal ones the newest
  // Of decimal text; `by` is the column of its PayloadType. "" = none yet.
  kNumberSum,
  kNumberMin,
  kNumberMax,
  kBeginAndEnd,  // 1 when both the columns begin_mono_ns and end_mono_ns are known
};

struct ColumnRule {
  const google::protobuf::FieldDescriptor* field;
  Rule rule;
  std::string by = {};
};

// Where the rows of a repeated field of ProcessProfile are kept: table and columns have the names
// of the fields. Columns are in the order of the fields in their message; what has no rule is not
// stored.
struct RowTable {
  std::string name;
  const google::protobuf::FieldDescriptor*
      rows;  // field of ProcessProfile; null: not of a repeated
  const google::protobuf::Descriptor* row_type;
  std::vector<ColumnRule> columns;
  std::string merge_sql;  // MergeSql of it
  bool is_live = false;   // its rows are summed up in memory

  std::vector<const google::protobuf::FieldDescriptor*> fields() const;
};

const std::vector<RowTable>& RowTables();
// Those whose rows are summed up in memory (proto/flopsprof/block_tables.h), in the order of
// kBlockTables. Their key in profile.db is the process and `place`, which has no meaning.
const std::vector<const RowTable*>& LiveTables();
// ProcessProfile.info: one row a process.
const RowTable& InfoTable();

// The columns of these fields.
std::vector<std::string> ColumnsOf(
    const std::vector<const google::protobuf::FieldDescriptor*>& fields);

std::string QuotedColumn(const std::string& column);

// One column and its rule, of a row that is merged.
struct SqlColumn {
  std::string name;  // of a Count: without _high and _low
  Rule rule;
  std::string by = {};
  bool is_count = false;
};

// INSERT of a row, with a parameter for each column in turn after that of process_id, that merges
// it into a stored one of its key.
// `rows`: a SELECT that gives rows in place of one whose values are bound; it needs a WHERE.
std::string MergeSql(const std::string& table, const std::vector<SqlColumn>& columns,
                     const std::string& rows = "");
std::string MergeSql(const RowTable& table, const std::string& rows = "");

}  // namespace flopsprof::store
