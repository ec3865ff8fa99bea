// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/store/live/live_table.h"
#include "collector/store/live/numbering.h"
#include "collector/store/live/row_keys.h"

namespace flopsprof::store {

// What one part of a process adds, once it is known that it can be added. Memory is kept from one
// use to the next.
struct PreparedPart {
  struct Table {
    std::vector<KeyId> new_keys;  // of rows from the table's size on
    Numbering::Definition defined;
    Increments of_rows, of_block;
    std::vector<RowRun> runs;  // of the block, while its numbers are looked up

    void Clear();
  };
  std::string agent;
  uint32_t numbering = 0;
  std::array<Table, kBlockTables.size()> tables;
  uint64_t undefined_rows = 0;  // with numbers that were never defined
  uint64_t rows_set_aside = 0;  // all: its process is set aside
};

// The keys of a run's rows, and how they are made.
struct RunKeys {
  RunKeys();
  KeyTable table;
  std::vector<RowKeys> of_tables;  // as kBlockTables
};

// What is summed up of one process in the tables of kBlockTables. One thread.
class LiveProcess {
 public:
  LiveProcess();

  // Works out what the part adds. InvalidArgument: it cannot be added, for what is in it. Nothing
  // is changed; Apply follows before another part is prepared, or never.
  absl::Status Prepare(const v1::ProcessProfile& part, const std::string& agent, RunKeys* keys,
                       PreparedPart* prepared);
  void Apply(const PreparedPart& prepared, KeyTable* keys);

  // What is stored of it is damaged: its rows are counted from now on, and go nowhere. `lost`: rows
  // in memory that cannot be stored; `why`: for the report.
  void SetAside(uint64_t lost, std::string why, KeyTable* keys);
  bool is_set_aside() const { return is_set_aside_; }
  uint64_t rows_set_aside() const { return rows_set_aside_; }
  // What its numbers mean is damaged: nothing is known of them any more.
  void ForgetNumbers(std::string why);
  // Of both, as a sentence; "": nothing, or it was said before.
  const std::string& damage() const { return damage_; }
  // It gives back what it has of them, and is of no more use.
  void ReleaseKeys(KeyTable* keys);

  LiveTable& table(size_t at) { return tables_[at]; }
  const LiveTable& table(size_t at) const { return tables_[at]; }

  // Numbers of one numbering of an agent's.
  struct Numbers {
    std::string agent;
    uint32_t numbering = 0;
    std::array<Numbering, kBlockTables.size()> tables;
  };
  // Of the agents that something came of last, the last one at the end. Others are forgotten: those
  // beyond kMostAgents, and beyond kSurelyKept where they need more than kMostNumberBytes.
  static constexpr size_t kMostAgents = 64;
  static constexpr size_t kSurelyKept = 4;
  static constexpr size_t kMostNumberBytes = 4 << 20;
  std::vector<Numbers>& numbers() { return numbers_; }
  // Since the last SetStored.
  bool numbers_changed() const { return numbers_changed_; }

  // Rows that came under numbers that were never defined.
  uint64_t undefined_rows() const { return undefined_rows_; }
  void SetUndefinedRows(uint64_t count) { undefined_rows_ = count; }

  bool is_changed() const;
  void SetStored(bool is_read = false);  // as LiveTable's
  size_t bytes() const;

  // Number of the newest record of the log that is in it; of which it was so stored.
  uint64_t applied = 0;
  uint64_t stored = 0;
  uint64_t last_used = 0;

 private:
  absl::Status PrepareRows(const v1::ProcessProfile& part, size_t at, RunKeys* keys,
                           PreparedPart::Table* prepared);
  absl::Status PrepareDefined(const v1::ProcessProfile& part, size_t at, RunKeys* keys,
                              PreparedPart::Table* prepared);
  absl::Status PrepareBlock(const v1::RowBlock& block, size_t at, PreparedPart* prepared);
  // The row of that key, which may be a new one.
  uint32_t RowOf(KeyId key, size_t at, PreparedPart::Table* prepared);
  Numbers* FindNumbers(const std::string& agent);
  // Those of the part's numbering, moved to the end; nullptr: they are of a newer one.
  Numbers* UseNumbers(const PreparedPart& prepared);
  size_t number_bytes() const;

  std::vector<LiveTable> tables_;
  std::vector<Numbers> numbers_;
  bool numbers_changed_ = false;
  uint64_t undefined_rows_ = 0;
  bool counts_changed_ = false;
  bool is_set_aside_ = false;
  uint64_t rows_set_aside_ = 0;
  std::string damage_;
  absl::flat_hash_map<KeyId, uint32_t> new_rows_;  // of the table that is being prepared
};

}  // namespace flopsprof::store
