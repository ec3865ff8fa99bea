// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Rows that differ in any field of their key have two numbers, those of one key have one: of all
// tables that come in blocks, by the store's rules.

#include "collector/agent/upload/row_numbers.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "collector/store/live/live_process.h"
#include "collector/store/schema.h"
#include "tests/support/row_blocks.h"

namespace flopsprof {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Another value than it has.
void Change(const FieldDescriptor* field, std::mt19937_64* random, Message* row) {
  const Reflection& reflection = *row->GetReflection();
  const auto some = static_cast<uint32_t>((*random)() % 1000) + 1;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(row, field, reflection.GetUInt32(*row, field) + some);
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(row, field,
                                 reflection.GetInt32(*row, field) + static_cast<int32_t>(some));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.SetUInt64(row, field, reflection.GetUInt64(*row, field) + some);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(row, field, !reflection.GetBool(*row, field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(row, field, (reflection.GetEnumValue(*row, field) + 1) % 3);
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetString(row, field,
                                  reflection.GetString(*row, field) + std::to_string((*random)()));
    default: {
      auto& count = static_cast<v1::Count&>(*reflection.MutableMessage(row, field));
      count.set_low(count.low() + some);
      count.set_high(some % 2);
    }
  }
}

void ChangeAll(const store::RowTable& table, store::Rule of, std::mt19937_64* random,
               Message* row) {
  for (const store::ColumnRule& column : table.columns) {
    if ((column.rule == store::Rule::kKey) == (of == store::Rule::kKey)) {
      Change(column.field, random, row);
    }
  }
}

class RowNumbersTest : public ::testing::Test {
 protected:
  // How many numbers these rows have.
  static int CountNumbers(const store::RowTable& table, const std::vector<Message*>& rows) {
    v1::ProcessProfile part;
    for (const Message* row : rows) {
      part.GetReflection()->AddMessage(&part, table.rows)->CopyFrom(*row);
    }
    agent::RowNumbers().ToBlocks(&part);
    EXPECT_EQ(part.GetReflection()->FieldSize(part, table.rows), 0);
    return part.GetReflection()->FieldSize(part.defined(), table.rows);
  }

  std::mt19937_64 random_{20261130};
};

TEST_F(RowNumbersTest, KeysThatDifferInAnyFieldHaveTwo) {
  for (const store::RowTable* table : store::LiveTables()) {
    for (const store::ColumnRule& column : table->columns) {
      v1::ProcessProfile home;
      Message* row = home.GetReflection()->AddMessage(&home, table->rows);
      ChangeAll(*table, store::Rule::kKey, &random_, row);
      ChangeAll(*table, store::Rule::kSum, &random_, row);
      Message* other = home.GetReflection()->AddMessage(&home, table->rows);
      other->CopyFrom(*row);
      Change(column.field, &random_, other);
      const int wanted = column.rule == store::Rule::kKey ? 2 : 1;
      EXPECT_EQ(CountNumbers(*table, {row, other}), wanted) << column.field->full_name();
    }
  }
}

// What comes out of the blocks of several parts is what went in.
TEST_F(RowNumbersTest, BlocksHaveTheRowsOfTheirParts) {
  agent::RowNumbers numbers;
  testing::BlockExpander expander;
  std::vector<v1::ProcessProfile> known;
  for (int round = 0; round < 30; ++round) {
    v1::ProcessProfile part;
    for (const store::RowTable* table : store::LiveTables()) {
      const Reflection& reflection = *part.GetReflection();
      Message* fresh = reflection.AddMessage(&part, table->rows);
      ChangeAll(*table, store::Rule::kKey, &random_, fresh);
      ChangeAll(*table, store::Rule::kSum, &random_, fresh);
      for (const v1::ProcessProfile& before : known) {
        if (random_() % 2 == 0) continue;
        Message* again = reflection.AddMessage(&part, table->rows);
        again->CopyFrom(reflection.GetRepeatedMessage(before, table->rows, 0));
        ChangeAll(*table, store::Rule::kSum, &random_, again);
      }
    }
    known.push_back(part);
    v1::ProcessProfile blocks = part;
    numbers.ToBlocks(&blocks);
    if (round % 10 == 9) numbers.Restart(numbers.numbering() + 1);
    // Mostly known rows.
    if (round > 3 && round % 10 != 0) {
      ASSERT_LT(blocks.ByteSizeLong(), part.ByteSizeLong());
    }
    expander.Expand("agent", &blocks);
    google::protobuf::util::MessageDifferencer compare;
    compare.set_repeated_field_comparison(google::protobuf::util::MessageDifferencer::AS_SET);
    std::string differences;
    compare.ReportDifferencesToString(&differences);
    ASSERT_TRUE(compare.Compare(part, blocks)) << differences;
  }
}

// The bytes by hand, as proto/flopsprof/v1/profile.proto says.
TEST_F(RowNumbersTest, BlocksHaveTheBytesOfTheProtocol) {
  agent::RowNumbers numbers;
  v1::ProcessProfile part;
  for (const uint32_t scope : {7, 8, 9, 10, 11}) part.add_times()->set_scope(scope);
  numbers.ToBlocks(&part);
  ASSERT_EQ(part.blocks_size(), 1);
  EXPECT_EQ(part.blocks(0).runs(), std::string("\0\5", 2));
  ASSERT_EQ(part.blocks(0).columns_size(), 1)
      << "rows have a column also where they measure nothing";
  EXPECT_EQ(part.blocks(0).columns(0).values(), std::string(5, '\0'));
  v1::ProcessProfile next;
  for (const uint32_t scope : {11, 8, 9}) {  // numbers 4, 1, 2
    v1::TimeRow& row = *next.add_times();
    row.set_scope(scope);
    row.set_activities(scope - 7);
    if (scope == 8) row.set_gpu_time_ns(0x10203);
  }
  numbers.ToBlocks(&next);
  const v1::RowBlock& block = next.blocks(0);
  EXPECT_EQ(block.table(), 8u);
  EXPECT_EQ(block.runs(), "\1\2\1\1");
  ASSERT_EQ(block.columns_size(), 2);
  EXPECT_EQ(block.columns(0).field(), 5u);
  EXPECT_EQ(block.columns(0).values(), "\1\2\4");
  EXPECT_EQ(block.columns(1).field(), 6u);
  EXPECT_EQ(block.columns(1).values(), std::string("\3\2\1\0\0\0\0\0\0", 9));
}

// Names may come twice in a part, under two ids of the process.
TEST_F(RowNumbersTest, TwoRowsOfOneKeyAreAddedUp) {
  v1::ProcessProfile part;
  for (const uint32_t step : {9, 3}) {
    v1::ScopeKernelRow& row = *part.add_scope_kernels();
    row.set_scope(1);
    row.set_count(step);
    row.set_first_step(step);
    row.set_last_step(step);
  }
  agent::RowNumbers().ToBlocks(&part);
  testing::BlockExpander().Expand("agent", &part);
  ASSERT_EQ(part.scope_kernels_size(), 1);
  EXPECT_EQ(part.scope_kernels(0).count(), 12u);
  EXPECT_EQ(part.scope_kernels(0).first_step(), 3u);
  EXPECT_EQ(part.scope_kernels(0).last_step(), 9u);
}

// Of any number of bytes up to the largest there may be: mostly of few.
// `share`: of the largest one part of so many.
store::Wide AnyValue(const BlockColumn& column, store::Wide share, std::mt19937_64* random) {
  const bool is_count = column.measure == Measure::kCountSum;
  const store::Wide largest = (is_count ? store::kLargestCount : column.largest) / share;
  if ((*random)() % 20 == 0) return largest;
  const store::Wide all = store::Wide{(*random)()} << 64 | (*random)();
  return (all >> (*random)() % 128) % (largest + 1);
}

class BlockPropertiesTest : public RowNumbersTest {
 protected:
  // Some of `rows` keys of a table, with any values, or with small ones.
  void AddRows(size_t at, uint32_t rows, v1::ProcessProfile* part) {
    const BlockTable& layout = kBlockTables[at];
    const store::RowTable& table = *store::LiveTables()[at];
    const bool all = random_() % 2 == 0;
    const bool small = random_() % 2 == 0;
    for (uint32_t key = 1; key <= rows; ++key) {
      if (!all && random_() % 3 == 0) continue;
      Message* row = part->GetReflection()->AddMessage(part, table.rows);
      for (const store::ColumnRule& column : table.columns) {
        if (column.rule != store::Rule::kKey) continue;
        if (column.field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
          row->GetReflection()->SetUInt32(row, column.field, key);
        }
        if (column.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
          row->GetReflection()->SetString(row, column.field, std::to_string(key));
        }
      }
      for (size_t i = 0; i < layout.column_count(); ++i) {
        const auto* field =
            row->GetDescriptor()->FindFieldByNumber(static_cast<int>(layout.columns[i].field));
        testing::SetMeasure(
            field, small ? random_() % 300 : AnyValue(layout.columns[i], share_, &random_), row);
      }
    }
  }

  v1::ProcessProfile AnyPart(uint32_t rows) {
    v1::ProcessProfile part;
    for (size_t at = 0; at < kBlockTables.size(); ++at) AddRows(at, rows, &part);
    return part;
  }

  store::Wide share_ = 1;
};

// To the integer: the agent's blocks, read by the collector, are the agent's rows.
TEST_F(BlockPropertiesTest, TheCollectorReadsWhatTheAgentWrites) {
  agent::RowNumbers numbers;
  testing::BlockExpander expander;
  store::Increments read;
  for (int round = 0; round < 40; ++round) {
    v1::ProcessProfile blocks = AnyPart(1 + random_() % 60);
    numbers.ToBlocks(&blocks);
    ASSERT_TRUE(store::CheckBlocks(blocks).ok());
    v1::ProcessProfile rows = blocks;  // by code that shares nothing with either
    expander.Expand("agent", &rows);
    for (const v1::RowBlock& block : blocks.blocks()) {
      const size_t at = FindBlockTable(block.table());
      const auto status = store::ReadBlock(kBlockTables[at], block, &read);
      ASSERT_TRUE(status.ok()) << status;
      const store::RowKeys keys(at);
      store::Increments alone;
      const Reflection& reflection = *rows.GetReflection();
      const int count = reflection.FieldSize(rows, keys.rows());
      ASSERT_EQ(read.count, static_cast<size_t>(count));
      for (int i = 0; i < count; ++i) {
        const auto& row = reflection.GetRepeatedMessage(rows, keys.rows(), i);
        ASSERT_TRUE(keys.AddMeasures(row, static_cast<size_t>(i), &alone));
      }
      for (size_t i = 0; i < kBlockTables[at].column_count(); ++i) {
        for (size_t row = 0; row < read.count; ++row) {
          const uint64_t value = read.columns[i].empty() ? 0 : read.columns[i][row];
          ASSERT_EQ(value, alone.columns[i][row]) << block.table() << " " << i << " " << row;
          ASSERT_GE(read.most[i], value);
        }
      }
      for (size_t row = 0; row < read.high.size(); ++row)
        ASSERT_EQ(read.high[row], alone.high[row]);
    }
  }
}

// Rows alone and rows in blocks end as the same sums.
TEST_F(BlockPropertiesTest, BlocksAddWhatRowsDo) {
  store::RunKeys keys;
  store::LiveProcess by_rows, by_blocks;
  store::PreparedPart prepared;
  agent::RowNumbers numbers;
  share_ = 64;  // no sum of the rounds is too large
  for (int round = 0; round < 30; ++round) {
    v1::ProcessProfile part = AnyPart(50);
    ASSERT_TRUE(by_rows.Prepare(part, "agent", &keys, &prepared).ok());
    by_rows.Apply(prepared, &keys.table);
    numbers.ToBlocks(&part);
    const absl::Status status = by_blocks.Prepare(part, "agent", &keys, &prepared);
    ASSERT_TRUE(status.ok()) << status;
    by_blocks.Apply(prepared, &keys.table);
    ASSERT_EQ(by_blocks.undefined_rows(), 0u);
  }
  for (size_t at = 0; at < kBlockTables.size(); ++at) {
    ASSERT_GT(by_rows.table(at).size(), 0u);
    ASSERT_EQ(by_rows.table(at).size(), by_blocks.table(at).size());
    for (uint32_t row = 0; row < by_rows.table(at).size(); ++row) {
      const auto other = by_blocks.table(at).Find(by_rows.table(at).key(row));
      ASSERT_TRUE(other.has_value());
      for (size_t i = 0; i < kBlockTables[at].column_count(); ++i) {
        ASSERT_TRUE(by_rows.table(at).value(row, i) == by_blocks.table(at).value(*other, i))
            << at << " " << row << " " << i;
      }
    }
  }
}

// Bytes of a peer's: whatever they are, they are refused with a word or they are rows, of which
// there are no more than the bytes.
TEST_F(BlockPropertiesTest, ChangedBytesAreRefusedOrAreFewRows) {
  store::RunKeys keys;
  store::LiveProcess process;
  store::PreparedPart prepared;
  int refused = 0, taken = 0;
  for (int round = 0; round < 3000; ++round) {
    v1::ProcessProfile part = AnyPart(1 + random_() % 20);
    agent::RowNumbers().ToBlocks(&part);
    v1::RowBlock& block =
        *part.mutable_blocks(static_cast<int>(random_() % static_cast<size_t>(part.blocks_size())));
    std::string* bytes = block.mutable_runs();
    if (random_() % 2 == 0) {
      const auto column = static_cast<int>(random_() % static_cast<size_t>(block.columns_size()));
      bytes = block.mutable_columns(column)->mutable_values();
    }
    const size_t at = random_() % (bytes->size() + 1);
    if (random_() % 3 == 0) {
      bytes->resize(at);
    } else if (at < bytes->size()) {
      (*bytes)[at] = static_cast<char>(random_());
    } else {
      bytes->append(1 + random_() % 9, static_cast<char>(random_()));
    }
    const absl::Status form = store::CheckBlocks(part);
    const absl::Status status = process.Prepare(part, "agent", &keys, &prepared);
    if (!form.ok()) {
      ASSERT_EQ(status, form);
    }
    if (status.ok()) {
      ++taken;
      ASSERT_LE(store::CountRows(part), part.ByteSizeLong());
    } else {
      ++refused;
      ASSERT_TRUE(absl::IsInvalidArgument(status)) << status;
      ASSERT_FALSE(status.message().empty());
    }
    keys.table.ForgetUnheld();
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(taken, 500);
}

}  // namespace
}  // namespace flopsprof
