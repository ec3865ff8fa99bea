// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "collector/agent/calls/call_rows.h"
#include "collector/agent/steps/step_span.h"
#include "collector/agent/tables/row_set.h"
#include "collector/agent/tables/work.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// Kernels, copies and sets by where and by what they were launched: scope, phase, library function.
// One thread.
class ScopeKernels {
 public:
  // `calls` outlives this.
  explicit ScopeKernels(const CallRows* calls) : calls_(*calls) {}

  struct Work {
    WorkContext context;
    uint32_t call_row = kNoRow;  // of the call rows
    uint64_t packed_kernel = 0;  // KernelKey
    v1::TimeCategory category = v1::TIME_CATEGORY_UNKNOWN;
  };
  // Index of the row of `count` activities, or kNoRow.
  uint32_t FindOrAdd(const Work& work, uint64_t count);
  // `steps`, of one loop, count where the row is of work in steps.
  void Add(uint32_t row, uint64_t count, uint64_t gpu_time_ns, StepSpan steps);

  // Rows whose kernel has its name. `describe` gives name and kind of a kernel, and in place of a
  // key the first one of that name; false: not yet.
  using DescribeKernel =
      std::function<bool(uint64_t* packed_kernel, std::string* name, v1::ScopeKernelRow* row)>;
  size_t Emit(size_t max, const DescribeKernel& describe, v1::ProcessProfile* profile);

  uint64_t refused_count() const { return rows_.refused_count() + texts_refused_count_; }

 private:
  static constexpr size_t kMaxRows = 1 << 18;
  static constexpr size_t kMaxTexts = 1 << 17;

  // Scope and function; kernel; loop, phase, category, whether in a step.
  using Key = std::array<uint64_t, 3>;
  struct Row {
    uint64_t count = 0;
    uint64_t gpu_time_ns = 0;
    StepSpan steps;
  };

  static void AddTo(Row* row, const Row& more);
  uint32_t FunctionOf(uint32_t call_row);
  // Id of a text in the process's `strings`; sent when it is new.
  uint64_t StringOf(const std::string& text, v1::ProcessProfile* profile);

  const CallRows& calls_;
  std::vector<uint32_t> function_of_row_;  // of a call row: 1 + index in functions_; 0: not asked
  std::vector<std::string> functions_;     // of library calls and operations; [0] is ""
  absl::flat_hash_map<std::string, uint32_t> function_index_;
  absl::flat_hash_set<uint64_t> strings_;  // that were sent
  uint64_t texts_refused_count_ = 0;
  RowSet<Key, Row> rows_{kMaxRows};
};

}  // namespace flopsprof::agent
