// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The statement that merges a row into a stored one, made from the rules of its columns.

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <google/protobuf/descriptor.h>

#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;

// What a column is set to: $T is what is stored, $E what comes, $BT and $BE the same of `by`.
const char* Expression(Rule rule, bool by) {
  switch (rule) {
    case Rule::kSum:
      return "$T+$E";
    case Rule::kMin:
      return by ? "CASE WHEN $BE=0 THEN $T WHEN $BT=0 THEN $E ELSE min($T,$E) END"
                : "CASE WHEN $E=0 THEN $T WHEN $T=0 THEN $E ELSE min($T,$E) END";
    case Rule::kMax:
    case Rule::kOr:
      return "max($T,$E)";
    case Rule::kNewestText:
      return "iif($E='',$T,$E)";
    case Rule::kByRevision:
      return "iif($BE>=$BT,$E,$T)";
    case Rule::kNumberSum:
      return "number_sum($BT,$T,$E)";
    case Rule::kNumberMin:
      return "number_min($BT,$T,$E)";
    case Rule::kNumberMax:
      return "number_max($BT,$T,$E)";
    case Rule::kBeginAndEnd:
      return "($TABLE.begin_mono_ns<>0 OR excluded.begin_mono_ns<>0) AND "
             "($TABLE.end_mono_ns<>0 OR excluded.end_mono_ns<>0)";
    case Rule::kKey:
    case Rule::kNewest:
      break;
  }
  return "$E";
}

std::string Update(const std::string& table, const SqlColumn& column) {
  const auto stored = [&](const std::string& name) {
    return absl::StrCat(table, ".", QuotedColumn(name));
  };
  const auto comes = [](const std::string& name) {
    return absl::StrCat("excluded.", QuotedColumn(name));
  };
  if (!column.is_count) {
    return absl::StrCat(QuotedColumn(column.name), "=",
                        absl::StrReplaceAll(Expression(column.rule, !column.by.empty()),
                                            {{"$TABLE", table},
                                             {"$T", stored(column.name)},
                                             {"$E", comes(column.name)},
                                             {"$BT", stored(column.by)},
                                             {"$BE", comes(column.by)}}));
  }
  const std::string high = column.name + "_high";
  const std::string low = column.name + "_low";
  const std::string lows = absl::StrCat("(", stored(low), "+", comes(low), ")");
  constexpr char kBase[] = "1000000000000000000";
  return absl::StrCat(QuotedColumn(high), "=", stored(high), "+", comes(high), "+", lows, "/",
                      kBase, ",", QuotedColumn(low), "=", lows, "%", kBase);
}

}  // namespace

std::string QuotedColumn(const std::string& column) { return absl::StrCat("\"", column, "\""); }

std::string MergeSql(const std::string& table, const std::vector<SqlColumn>& columns,
                     const std::string& rows) {
  std::vector<std::string> names = {"process_id"};
  std::vector<std::string> key = {"process_id"};
  std::vector<std::string> updates;
  for (const SqlColumn& column : columns) {
    if (column.is_count) {
      names.push_back(QuotedColumn(column.name + "_high"));
      names.push_back(QuotedColumn(column.name + "_low"));
    } else {
      names.push_back(QuotedColumn(column.name));
    }
    if (column.rule == Rule::kKey) {
      key.push_back(QuotedColumn(column.name));
    } else {
      updates.push_back(Update(table, column));
    }
  }
  const std::vector<std::string> marks(names.size(), "?");
  const std::string one_row = absl::StrCat("VALUES(", absl::StrJoin(marks, ","), ")");
  return absl::StrCat("INSERT INTO ", table, "(", absl::StrJoin(names, ","), ") ",
                      rows.empty() ? one_row : rows, " ON CONFLICT(", absl::StrJoin(key, ","),
                      ") DO UPDATE SET ", absl::StrJoin(updates, ","));
}

std::string MergeSql(const RowTable& table, const std::string& rows) {
  std::vector<SqlColumn> columns;
  for (const ColumnRule& column : table.columns) {
    columns.push_back({column.field->name(), column.rule, column.by,
                       column.field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE});
  }
  return MergeSql(table.name, columns, rows);
}

}  // namespace flopsprof::store
