// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <vector>

#include "collector/store/live/block_reader.h"

namespace flopsprof::store {

// The rows of one table as messages: what of them is the key, and what is measured. One thread.
class RowKeys {
 public:
  // `table`: place in kBlockTables.
  explicit RowKeys(size_t table);

  const google::protobuf::FieldDescriptor* rows() const { return rows_; }
  // The same bytes for all rows of one key. Valid until the next call.
  const std::string& KeyOf(const google::protobuf::Message& row);
  // Adds what the row measures to the increments of the row at `at`, their size: it has none yet.
  // False: something is larger than it may be.
  bool AddMeasures(const google::protobuf::Message& row, size_t at, Increments* increments) const;
  // A row of that key with no measures; nullptr: the bytes are none. Valid until the next call.
  const google::protobuf::Message* RowOf(const std::string& key);

 private:
  Wide MeasureOf(const google::protobuf::Message& row, size_t column) const;

  const BlockTable& layout_;
  const char tag_;  // so that no two tables have one key
  const google::protobuf::FieldDescriptor* rows_;
  std::vector<const google::protobuf::FieldDescriptor*> measures_;
  std::vector<const google::protobuf::FieldDescriptor*> no_key_;
  std::unique_ptr<google::protobuf::Message> scratch_;
  std::string key_;
};

}  // namespace flopsprof::store
