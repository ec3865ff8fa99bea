// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/live_process.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

namespace flopsprof::store {

using google::protobuf::Message;
using google::protobuf::Reflection;

void PreparedPart::Table::Clear() {
  new_keys.clear();
  defined.first = 0;
  defined.rows.clear();
  of_rows.Clear();
  of_block.Clear();
}

RunKeys::RunKeys() {
  for (size_t at = 0; at < kBlockTables.size(); ++at) of_tables.emplace_back(at);
}

LiveProcess::LiveProcess() {
  for (const BlockTable& layout : kBlockTables) tables_.emplace_back(layout);
}

absl::Status LiveProcess::Prepare(const v1::ProcessProfile& part, const std::string& agent,
                                  RunKeys* keys, PreparedPart* prepared) {
  if (absl::Status status = CheckBlocks(part); !status.ok()) return status;
  prepared->agent = agent;
  prepared->numbering = part.numbering();
  prepared->undefined_rows = 0;
  prepared->rows_set_aside = is_set_aside_ ? CountRows(part) : 0;
  if (is_set_aside_) return absl::OkStatus();
  std::array<const v1::RowBlock*, kBlockTables.size()> blocks = {};
  for (const v1::RowBlock& block : part.blocks()) blocks[FindBlockTable(block.table())] = &block;
  const Reflection& reflection = *part.GetReflection();
  for (size_t at = 0; at < kBlockTables.size(); ++at) {
    PreparedPart::Table& table = prepared->tables[at];
    table.Clear();
    new_rows_.clear();
    absl::Status status;
    const auto* rows = keys->of_tables[at].rows();
    if (reflection.FieldSize(part, rows) > 0) status = PrepareRows(part, at, keys, &table);
    if (status.ok() && reflection.FieldSize(part.defined(), rows) > 0) {
      if (blocks[at] == nullptr) {
        return absl::InvalidArgumentError("ProcessProfile.defined has rows without their block");
      }
      table.defined.first = blocks[at]->first_defined();
      status = PrepareDefined(part.defined(), at, keys, &table);
    }
    if (status.ok() && blocks[at] != nullptr) status = PrepareBlock(*blocks[at], at, prepared);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

uint32_t LiveProcess::RowOf(KeyId key, size_t at, PreparedPart::Table* prepared) {
  if (const std::optional<uint32_t> row = tables_[at].Find(key)) return *row;
  const auto next = tables_[at].size() + static_cast<uint32_t>(prepared->new_keys.size());
  const auto [found, added] = new_rows_.try_emplace(key, next);
  if (added) prepared->new_keys.push_back(key);
  return found->second;
}

absl::Status LiveProcess::PrepareRows(const v1::ProcessProfile& part, size_t at, RunKeys* keys,
                                      PreparedPart::Table* prepared) {
  RowKeys& of_table = keys->of_tables[at];
  const Reflection& reflection = *part.GetReflection();
  Increments& more = prepared->of_rows;
  absl::flat_hash_map<uint32_t, size_t> places;  // of rows in `more`
  for (int i = 0; i < reflection.FieldSize(part, of_table.rows()); ++i) {
    const Message& row = reflection.GetRepeatedMessage(part, of_table.rows(), i);
    const uint32_t index = RowOf(keys->table.Intern(of_table.KeyOf(row)), at, prepared);
    const auto [place, added] = places.try_emplace(index, more.count);
    if (added) more.AddRow(index);
    if (!of_table.AddMeasures(row, place->second, &more)) {
      return absl::InvalidArgumentError(
          absl::StrCat(of_table.rows()->full_name(), " has a value that is too large"));
    }
  }
  if (tables_[at].WouldOverflow(more)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sum of ", of_table.rows()->full_name(), " would overflow"));
  }
  return absl::OkStatus();
}

absl::Status LiveProcess::PrepareDefined(const v1::ProcessProfile& defined, size_t at,
                                         RunKeys* keys, PreparedPart::Table* prepared) {
  RowKeys& of_table = keys->of_tables[at];
  const Reflection& reflection = *defined.GetReflection();
  for (int i = 0; i < reflection.FieldSize(defined, of_table.rows()); ++i) {
    const Message& row = reflection.GetRepeatedMessage(defined, of_table.rows(), i);
    prepared->defined.rows.push_back(RowOf(keys->table.Intern(of_table.KeyOf(row)), at, prepared));
  }
  return absl::OkStatus();
}

absl::Status LiveProcess::PrepareBlock(const v1::RowBlock& block, size_t at,
                                       PreparedPart* prepared) {
  PreparedPart::Table& table = prepared->tables[at];
  const std::string name = absl::StrCat("RowBlock of table ", kBlockTables[at].rows);
  if (table.of_rows.count > 0) {
    return absl::InvalidArgumentError(name + " comes with rows beside it");
  }
  Increments& more = table.of_block;
  if (absl::Status status = ReadBlock(kBlockTables[at], block, &more); !status.ok()) return status;
  static const Numbering kNone;
  const Numbers* of_agent = FindNumbers(prepared->agent);
  const bool continues = of_agent != nullptr && of_agent->numbering == prepared->numbering;
  const Numbering* numbers = continues ? &of_agent->tables[at] : &kNone;
  if (!numbers->CanDefine(table.defined)) {
    return absl::InvalidArgumentError(name + " defines a number or a key twice");
  }
  table.runs.clear();
  prepared->undefined_rows += numbers->Resolve(more.runs, table.defined, &table.runs);
  std::swap(table.runs, more.runs);
  if (tables_[at].WouldOverflow(more)) {
    return absl::InvalidArgumentError(absl::StrCat("a sum of ", name, " would overflow"));
  }
  return absl::OkStatus();
}

LiveProcess::Numbers* LiveProcess::FindNumbers(const std::string& agent) {
  for (Numbers& numbers : numbers_) {
    if (numbers.agent == agent) return &numbers;
  }
  return nullptr;
}

void LiveProcess::Apply(const PreparedPart& prepared, KeyTable* keys) {
  counts_changed_ = counts_changed_ || prepared.undefined_rows > 0 || prepared.rows_set_aside > 0;
  undefined_rows_ += prepared.undefined_rows;
  rows_set_aside_ += prepared.rows_set_aside;
  if (is_set_aside_) return;
  Numbers* const numbers = UseNumbers(prepared);
  for (size_t at = 0; at < tables_.size(); ++at) {
    const PreparedPart::Table& more = prepared.tables[at];
    for (const KeyId key : more.new_keys) {
      keys->Hold(key);
      tables_[at].Add(key);
    }
    if (!more.of_rows.runs.empty()) tables_[at].Merge(more.of_rows);
    if (!more.of_block.runs.empty()) tables_[at].Merge(more.of_block);
    if (numbers == nullptr || more.defined.rows.empty()) continue;
    numbers->tables[at].Define(more.defined);
    numbers_changed_ = true;
  }
  while (numbers_.size() > kSurelyKept &&
         (numbers_.size() > kMostAgents || number_bytes() > kMostNumberBytes)) {
    numbers_.erase(numbers_.begin());
  }
}

LiveProcess::Numbers* LiveProcess::UseNumbers(const PreparedPart& prepared) {
  const bool defines =
      std::any_of(prepared.tables.begin(), prepared.tables.end(),
                  [](const PreparedPart::Table& table) { return !table.defined.rows.empty(); });
  Numbers* numbers = FindNumbers(prepared.agent);
  if (numbers == nullptr) {
    if (!defines) return nullptr;
    numbers = &numbers_.emplace_back();
    numbers->agent = prepared.agent;
  } else if (numbers != &numbers_.back()) {
    if (prepared.numbering != numbers->numbering && !defines) return nullptr;
    std::rotate(numbers_.begin() + (numbers - numbers_.data()),
                numbers_.begin() + (numbers - numbers_.data()) + 1, numbers_.end());
    numbers = &numbers_.back();
    numbers_changed_ = true;
  }
  if (numbers->numbering > prepared.numbering) return nullptr;  // nobody uses it
  if (!defines) return numbers;
  if (numbers->numbering != prepared.numbering) numbers->tables = {};
  numbers->numbering = prepared.numbering;
  return numbers;
}

void LiveProcess::SetAside(uint64_t lost, std::string why, KeyTable* keys) {
  ReleaseKeys(keys);
  numbers_.clear();
  numbers_changed_ = false;
  is_set_aside_ = counts_changed_ = true;
  rows_set_aside_ += lost;
  damage_ = std::move(why);
}

void LiveProcess::ForgetNumbers(std::string why) {
  numbers_.clear();
  numbers_changed_ = true;
  damage_ = std::move(why);
}

void LiveProcess::ReleaseKeys(KeyTable* keys) {
  for (size_t at = 0; at < tables_.size(); ++at) {
    for (uint32_t row = 0; row < tables_[at].size(); ++row) keys->Release(tables_[at].key(row));
    tables_[at] = LiveTable(kBlockTables[at]);
  }
}

bool LiveProcess::is_changed() const {
  return numbers_changed_ || counts_changed_ ||
         std::any_of(tables_.begin(), tables_.end(),
                     [](const LiveTable& table) { return table.is_changed(); });
}

void LiveProcess::SetStored(bool is_read) {
  for (LiveTable& table : tables_) table.SetStored(is_read);
  numbers_changed_ = counts_changed_ = false;
  stored = applied;
}

size_t LiveProcess::bytes() const {
  size_t bytes = sizeof(*this);
  for (const LiveTable& table : tables_) bytes += table.bytes();
  return bytes + number_bytes();
}

size_t LiveProcess::number_bytes() const {
  size_t bytes = 0;
  for (const Numbers& numbers : numbers_) {
    bytes += sizeof numbers + numbers.agent.size();
    for (const Numbering& table : numbers.tables) bytes += table.bytes();
  }
  return bytes;
}

}  // namespace flopsprof::store
