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
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const BlockTable& TimesTable() { return kBlockTables[FindBlockTable(kTimes)]; }

// Of the numbers 4, 5 and 206.
v1::RowBlock TimesBlock() {
  v1::RowBlock block;
  block.set_table(kTimes);
  block.set_runs(Runs({4, 2, 200, 1}));
  AddColumn(kActivities, {1, 300, 0}, &block);
  return block;
}

std::vector<uint32_t> NumbersOf(const Increments& increments) {
  std::vector<uint32_t> numbers;
  for (const RowRun& run : increments.runs) {
    EXPECT_EQ(run.at, numbers.size());
    for (uint32_t i = 0; i < run.count; ++i) numbers.push_back(run.first + i);
  }
  return numbers;
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
  EXPECT_THAT(NumbersOf(increments), ElementsAre(4, 5, 206));
  EXPECT_EQ(increments.count, 3u);
  EXPECT_THAT(increments.columns[0], ElementsAre(1, 300, 0));
  EXPECT_THAT(increments.columns[1], IsEmpty());
  EXPECT_TRUE(increments.most[0] >= 300 && increments.most[0] < 512) << "a bound of their bits";
}

TEST(BlockReaderTest, GivesCountsBeyond64Bits) {
  v1::RowBlock block;
  block.set_table(kCalls);
  block.set_runs(Runs({0, 2}));
  AddColumn(v1::CallRow::kFlopsFieldNumber, {(Wide128{5} << 64) + 7, 9}, &block);
  Increments increments;
  ASSERT_TRUE(ReadBlock(kBlockTables[FindBlockTable(kCalls)], block, &increments).ok());
  EXPECT_THAT(increments.columns[1], ElementsAre(7, 9));
  EXPECT_THAT(increments.high, ElementsAre(5, 0));
}

TEST(BlockReaderTest, RefusesColumnsOfUnequalLengths) {
  v1::RowBlock block = TimesBlock();
  for (const size_t size : {0, 1, 2, 4, 5, 7, 23}) {
    block.mutable_columns(0)->set_values(std::string(size, '\1'));
    EXPECT_THAT(WhyRefused(block), HasSubstr("unequal lengths")) << size;
  }
  block.set_runs("");
  block.mutable_columns(0)->set_values(std::string(3, '\1'));
  EXPECT_THAT(WhyRefused(block), HasSubstr("unequal lengths")) << "values of no rows";
}

TEST(BlockReaderTest, RefusesValuesThatNoMachineReaches) {
  constexpr Wide128 kMost = Wide128{1} << 62;
  v1::RowBlock block = TimesBlock();
  block.mutable_columns(0)->set_values(Values(8, {1, kMost, 2}));
  Increments increments;
  EXPECT_TRUE(ReadBlock(TimesTable(), block, &increments).ok()) << "whatever bits the others have";
  block.mutable_columns(0)->set_values(Values(8, {1, 2, kMost + 1}));
  EXPECT_THAT(WhyRefused(block), HasSubstr("too large"));
  block.mutable_columns(0)->set_values(Values(9, {1, 2, 3}));
  EXPECT_THAT(WhyRefused(block), HasSubstr("too large")) << "nine bytes";
  v1::RowBlock calls;
  calls.set_table(kCalls);
  calls.set_runs(Runs({0, 1}));
  v1::MeasureColumn& flops = *AddColumn(v1::CallRow::kFlopsFieldNumber, {kLargestCount}, &calls);
  const BlockTable& table = kBlockTables[FindBlockTable(kCalls)];
  EXPECT_TRUE(ReadBlock(table, calls, &increments).ok());
  flops.set_values(Values(16, {kLargestCount + 1}));
  EXPECT_THAT(WhyRefused(calls), HasSubstr("too large"));
  flops.set_values(Values(17, {1}));
  EXPECT_THAT(WhyRefused(calls), HasSubstr("too large"));
}

// In few bytes: the distance to the next row does not make rows of what lies between, and a count
// does not make rows of no bytes.
TEST(BlockReaderTest, RefusesNumbersThatAreNone) {
  v1::RowBlock block = TimesBlock();
  for (const std::string& runs :
       {Runs({4, 2, 0xffffffff, 1}), Runs({0xffffffff, 2}), Runs({0, 0, 1, 3}), Runs({4}),
        Runs({4, Wide128{1} << 32}), Runs({Wide128{1} << 32, 3}), Runs({4, 2, 200}) + "\x81",
        std::string(12, '\xff')}) {
    block.set_runs(runs);
    EXPECT_THAT(WhyRefused(block), HasSubstr("bad number"));
  }
  block.set_runs(Runs({0, 0xffffffff}));
  EXPECT_THAT(WhyRefused(block), HasSubstr("unequal lengths"));
  block.clear_columns();
  EXPECT_THAT(WhyRefused(block), HasSubstr("rows without a column"));
  block.set_runs(Runs({0xffffffff, 1}));
  AddColumn(kActivities, {5}, &block);
  Increments increments;
  ASSERT_TRUE(ReadBlock(TimesTable(), block, &increments).ok());
  EXPECT_THAT(NumbersOf(increments), ElementsAre(0xffffffff)) << "the last number";
}

// Each width, in columns of all lengths around those that are read at once.
TEST(BlockReaderTest, GivesValuesOfAllWidths) {
  Increments increments;
  for (size_t width = 1; width <= 8; ++width) {
    const uint64_t largest = std::min(~uint64_t{0} >> (64 - 8 * width), uint64_t{1} << 62);
    for (uint32_t count = 1; count < 40; ++count) {
      std::vector<uint64_t> values;
      std::string bytes;
      for (uint32_t i = 0; i < count; ++i) {
        values.push_back(largest - i * (largest / 41));
        bytes += Values(width, {values.back()});
      }
      v1::RowBlock block;
      block.set_table(kTimes);
      block.set_runs(Runs({0, count}));
      v1::MeasureColumn& column = *block.add_columns();
      column.set_field(kActivities);
      column.set_values(bytes);
      ASSERT_TRUE(ReadBlock(TimesTable(), block, &increments).ok()) << width;
      EXPECT_THAT(increments.columns[0], ElementsAreArray(values)) << width << " " << count;
      EXPECT_TRUE(increments.most[0] >= largest);
    }
  }
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
