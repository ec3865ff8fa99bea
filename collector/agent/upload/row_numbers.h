// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/flopsprof/block_tables.h"

namespace flopsprof::agent {

// The numbers that stand for the keys of a process' rows in what is sent (RowBlock). A key is sent
// once, with the first row that has it: what is made here must be sent, in this order. One thread.
class RowNumbers {
 public:
  // Puts the rows of the part into blocks.
  void ToBlocks(v1::ProcessProfile* part);
  // From now on all is defined again, in another numbering.
  void Restart(uint32_t numbering);
  uint32_t numbering() const { return numbering_; }

 private:
  __extension__ using Wide = unsigned __int128;
  struct Row {
    uint32_t number = 0;
    std::array<Wide, kMostBlockColumns> measures = {};
  };

  void TableToBlock(size_t table, v1::ProcessProfile* part);
  // Numbers of the rows, in the order of which they come back; those that are new are moved to
  // `defined`.
  std::vector<Row> TakeRows(size_t table, v1::ProcessProfile* part);

  uint32_t numbering_ = 1;
  std::array<absl::flat_hash_map<std::string, uint32_t>, kBlockTables.size()> numbers_;
};

}  // namespace flopsprof::agent
