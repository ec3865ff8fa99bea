// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/stacks/symbolizer.h"
#include "collector/agent/tables/name_table.h"
#include "collector/agent/tables/row_set.h"
#include "collector/agent/tables/work.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// What launches that were sampled with their stack have launched, and the stacks. One thread.
class StackRows {
 public:
  Symbolizer& symbolizer() { return symbolizer_; }

  // The frames of a stack as they came, innermost first. False: not a stack.
  bool Define(uint32_t stack, const std::string& bytes);

  // Work of a sampled launch; `packed_kernel` and `category` say what it was.
  void Add(const JoinedActivity& activity, uint64_t packed_kernel, v1::TimeCategory category);

  // Rows whose kernel has its name, and stacks whose frames have theirs, or all when `final`.
  // Symbol tables are read every few seconds only. `describe` fills kernel and kind of a row;
  // false: not yet.
  using DescribeKernel = std::function<bool(uint64_t packed_kernel, v1::StackRow* row)>;
  size_t Emit(const NameTable& names, size_t max, bool final, uint64_t now_ns,
              const DescribeKernel& describe, v1::ProcessProfile* profile);

  uint64_t refused_count() const { return rows_.refused_count() + refused_stack_count_; }

 private:
  static constexpr size_t kMaxRows = 1 << 16;
  static constexpr size_t kMaxStacks = 1 << 15;
  static constexpr uint64_t kSymbolPeriodNs = 5'000'000'000;

  using Key = std::array<uint64_t, 3>;  // stack and scope, packed kernel, phase and category
  struct Row {
    uint64_t samples = 0;
    uint64_t launches = 0;
    uint64_t gpu_time_ns = 0;
  };
  using Frames = std::vector<shm::StackFrame>;

  size_t EmitStacks(const NameTable& names, size_t max, bool final, uint64_t now_ns,
                    v1::ProcessProfile* profile);

  Symbolizer symbolizer_;
  absl::flat_hash_map<uint32_t, Frames> stacks_;
  std::vector<uint32_t> unsent_;  // stacks
  uint64_t next_symbols_ns_ = 0;
  uint64_t refused_stack_count_ = 0;
  RowSet<Key, Row> rows_{kMaxRows};
};

}  // namespace flopsprof::agent
