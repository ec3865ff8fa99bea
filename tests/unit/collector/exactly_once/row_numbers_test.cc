// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Rows that differ in any field of their key have two numbers, those of one key have one: of all
// tables that come in blocks, by the store's rules.

#include "collector/agent/upload/row_numbers.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <random>

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

}  // namespace
}  // namespace flopsprof
