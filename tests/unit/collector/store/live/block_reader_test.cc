// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/block_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "block_samples.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BlockTable& TimesTable() { return kBlockTables[FindBlockTable(kTimes)]; }

v1::RowBlock TimesBlock() {
  v1::RowBlock block;
  block.set_table(kTimes);
  block.set_numbers(Varints({4, 0, 200}));
  AddColumn(kActivities, {1, 300, 0}, &block);
  return block;
}

std::string WhyRefused(const v1::RowBlock& block) {
  Increments increments;
  const absl::Status status =
      ReadBlock(kBlockTables[FindBlockTable(block.table())], block, &increments);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

// What a block says becomes of a measure is what the schema says.
TEST(BlockTablesTest, AreThoseOfTheSchema) {
  ASSERT_EQ(LiveTables().size(), kBlockTables.size());
  for (size_t at = 0; at < kBlockTables.size(); ++at) {
    std::map<int, ColumnRule> rules;
    for (const ColumnRule& column : LiveTables()[at]->columns) {
      if (column.rule != Rule::kKey) rules.emplace(column.field->number(), column);
    }
    ASSERT_EQ(rules.size(), kBlockTables[at].column_count()) << LiveTables()[at]->name;
    for (const BlockColumn& column : kBlockTables[at].columns) {
      if (column.field == 0) continue;
      const ColumnRule& rule = rules.at(static_cast<int>(column.field));
      const std::string name = rule.field->full_name();
      const bool is_count = rule.field->type() == google::protobuf::FieldDescriptor::TYPE_MESSAGE;
      const bool is_short = rule.field->type() == google::protobuf::FieldDescriptor::TYPE_UINT32;
      EXPECT_EQ(column.largest, is_short ? 0xffffffff : uint64_t{1} << 62) << name;
      const Measure wanted = rule.rule == Rule::kSum ? is_count ? Measure::kCountSum : Measure::kSum
                             : rule.rule == Rule::kMax ? Measure::kGreatest
                             : rule.by.empty()         ? Measure::kLeast
                                                       : Measure::kFirst;
      EXPECT_EQ(column.measure, wanted) << name;
      if (wanted == Measure::kFirst) {
        EXPECT_EQ(LiveTables()[at]->row_type->FindFieldByName(rule.by)->number(),
                  static_cast<int>(kBlockTables[at].columns[0].field));
      }
    }
  }
}

TEST(BlockReaderTest, GivesNumbersAndMeasures) {
  Increments increments;
  ASSERT_TRUE(ReadBlock(TimesTable(), TimesBlock(), &increments).ok());
  EXPECT_THAT(increments.rows, ElementsAre(4, 5, 206));
  EXPECT_THAT(increments.columns[0], ElementsAre(1, 300, 0));
  EXPECT_THAT(increments.columns[1], IsEmpty());
  EXPECT_TRUE(increments.most[0] == 300);
}

TEST(BlockReaderTest, GivesCountsBeyond64Bits) {
  v1::RowBlock block;
  block.set_table(kCalls);
  block.set_numbers(Varints({0, 0}));
  AddColumn(v1::CallRow::kFlopsFieldNumber, {(Wide128{5} << 64) + 7, 9}, &block);
  Increments increments;
  ASSERT_TRUE(ReadBlock(kBlockTables[FindBlockTable(kCalls)], block, &increments).ok());
  EXPECT_THAT(increments.columns[1], ElementsAre(7, 9));
  EXPECT_THAT(increments.high, ElementsAre(5, 0));
}

TEST(BlockReaderTest, RefusesColumnsOfUnequalLengths) {
  v1::RowBlock block = TimesBlock();
  block.mutable_columns(0)->set_values(Varints({1, 2}));
  EXPECT_THAT(WhyRefused(block), HasSubstr("unequal lengths"));
  block.mutable_columns(0)->set_values(Varints({1, 2, 3, 4}));
  EXPECT_THAT(WhyRefused(block), HasSubstr("unequal lengths"));
}

TEST(BlockReaderTest, RefusesWhatEndsWithinANumber) {
  v1::RowBlock block = TimesBlock();
  block.mutable_columns(0)->mutable_values()->back() = '\x80';
  EXPECT_THAT(WhyRefused(block), HasSubstr("unequal lengths"));
  block = TimesBlock();
  block.mutable_numbers()->push_back('\x80');
  EXPECT_THAT(WhyRefused(block), HasSubstr("ends within a number"));
}

TEST(BlockReaderTest, RefusesValuesThatNoMachineReaches) {
  v1::RowBlock block = TimesBlock();
  block.mutable_columns(0)->set_values(Varints({1, 2, (Wide128{1} << 62) + 1}));
  EXPECT_THAT(WhyRefused(block), HasSubstr("too large"));
  block.mutable_columns(0)->set_values("\x01\x01" + std::string(10, '\xff') + "\x01");
  EXPECT_THAT(WhyRefused(block), HasSubstr("too large"));
  v1::RowBlock calls;
  calls.set_table(kCalls);
  calls.set_numbers(Varints({0}));
  AddColumn(v1::CallRow::kFlopsFieldNumber, {Wide128{1} << 123}, &calls);
  EXPECT_THAT(WhyRefused(calls), HasSubstr("too large"));
}

// In few bytes: the distance to the next row does not make rows of what lies between.
TEST(BlockReaderTest, RefusesNumbersBeyond32Bits) {
  v1::RowBlock block = TimesBlock();
  block.set_numbers(Varints({4, 0, 0xffffffff}));
  EXPECT_THAT(WhyRefused(block), HasSubstr("bad number"));
}

TEST(BlockReaderTest, RefusesColumnsThatTheTableHasNot) {
  v1::RowBlock block = TimesBlock();
  block.mutable_columns(0)->set_field(99);
  EXPECT_THAT(WhyRefused(block), HasSubstr("column"));
  block.mutable_columns(0)->set_field(0);
  EXPECT_THAT(WhyRefused(block), HasSubstr("column"));
  block = TimesBlock();
  *block.add_columns() = block.columns(0);
  EXPECT_THAT(WhyRefused(block), HasSubstr("twice"));
}

TEST(BlockReaderTest, RefusesPartsWithBlocksThatAreNone) {
  v1::ProcessProfile part;
  *part.add_blocks() = TimesBlock();
  EXPECT_FALSE(CheckBlocks(part).ok()) << "without a numbering";
  part.set_numbering(1);
  EXPECT_TRUE(CheckBlocks(part).ok());
  part.add_blocks()->set_table(kTimes);
  EXPECT_FALSE(CheckBlocks(part).ok()) << "a table twice";
  part.mutable_blocks(1)->set_table(v1::ProcessProfile::kStepsFieldNumber);
  EXPECT_FALSE(CheckBlocks(part).ok()) << "a table without blocks";
  part.mutable_blocks()->RemoveLast();
  part.mutable_defined()->mutable_defined();
  EXPECT_FALSE(CheckBlocks(part).ok()) << "defined in defined";
}

}  // namespace
}  // namespace flopsprof::store
