// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "collector/agent/steps/step_span.h"
#include "collector/agent/tables/name_table.h"
#include "collector/agent/tables/row_set.h"
#include "collector/model/number_sums.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// What entries of ranges carry beside their names, and marks. One thread.
class RangeRows {
 public:
  // Entries without category and number add nothing.
  void AddEntry(const shm::ScopeEnter& record);
  void AddMark(const shm::MarkRecord& record);

  // Appends at most `max` changed rows; returns how many. Rows whose names have not come stay back
  // until `final`.
  size_t Emit(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);

  uint64_t refused_count() const { return entries_.refused_count() + marks_.refused_count(); }

 private:
  static constexpr size_t kMaxRows = 1 << 17;

  struct EntryRow {
    uint32_t category_name = 0;
    uint64_t entries = 0;
    model::NumberSums numbers;
  };
  struct MarkRow {
    uint32_t category_name = 0;
    uint64_t count = 0;
    uint64_t in_steps = 0;
    StepSpan steps;  // valid when there are
    model::NumberSums numbers;
  };
  // Scope, category, PayloadType.
  using EntryKey = std::tuple<uint32_t, uint32_t, uint8_t>;
  // Scope, domain, name, category, PayloadType, loop.
  using MarkKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint8_t, uint32_t>;

  size_t EmitMarks(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);

  RowSet<EntryKey, EntryRow> entries_{kMaxRows};
  RowSet<MarkKey, MarkRow> marks_{kMaxRows};
};

}  // namespace flopsprof::agent
