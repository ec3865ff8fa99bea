// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "collector/agent/calls/call_rows.h"
#include "collector/agent/rows/kernel_categories.h"
#include "collector/agent/rows/kernel_key.h"
#include "collector/agent/rows/scope_kernels.h"
#include "collector/agent/steps/step_span.h"
#include "collector/agent/tables/name_table.h"
#include "collector/agent/tables/row_set.h"
#include "collector/agent/tables/work.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// Rows that activities are summed in: of their library call, their time by scope and category,
// their kernel, their kernel by scope. All of these follow from what a step repeats, so an activity
// only adds to the sums of its like, and these to the rows when rows are sent. One thread.
class ActivityRows {
 public:
  // Both outlive this. `names` null: nothing is known by its name.
  ActivityRows(CallRows* calls, const NameTable* names) : calls_(*calls), names_(names) {}

  struct Kind {
    v1::TimeCategory category = v1::TIME_CATEGORY_UNKNOWN;
    uint64_t packed_kernel = 0;  // KernelKey
  };
  // Returns what it is: valid until the next activity.
  const Kind& Add(const JoinedActivity& activity);

  // Brings the rows up to date. Before anything below, and before rows of calls are sent.
  void Settle();

  // As Aggregator::Emit.
  size_t Emit(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);

  // Activities that were recorded and are in a row of times: of those that are settled.
  uint64_t recorded_count() const { return recorded_count_; }
  uint64_t names_lost_count() const { return names_lost_count_; }
  uint64_t refused_count() const {
    return times_.refused_count() + kernels_.refused_count() + scope_kernels_.refused_count();
  }

 private:
  static constexpr size_t kMaxRows = 1 << 20;
  // How many kinds of activities are added up at a time. Beyond, all are settled and begin anew.
  static constexpr size_t kMaxAlike = 1 << 16;

  // What decides all rows of an activity.
  struct Key {
    uint64_t kernel = 0;   // name, kind, category of the call
    uint64_t place = 0;    // scope and row of the call
    uint64_t variant = 0;  // loop, phase, whether of a call or a share

    friend bool operator==(const Key&, const Key&) = default;
    template <typename Hash>
    friend Hash AbslHashValue(Hash hash, const Key& key) {
      return Hash::combine(std::move(hash), key.kernel, key.place, key.variant);
    }
  };
  struct Alike {
    Kind kind;
    WorkContext context;
    uint32_t call_row = kNoRow;
    bool in_call = false;
    bool share = false;
    bool defined = false;   // all above is
    bool nameless = false;  // a kernel that nothing owns, booked without its name
    // Where it is added; kNoRow: not looked for yet, or refused.
    uint32_t time_row = kNoRow;
    uint32_t kernel_row = kNoRow;
    uint32_t scope_row = kNoRow;
    // Since it was settled.
    uint64_t count = 0;
    uint64_t timed = 0;  // of them, with valid times
    uint64_t gpu_time_ns = 0;
    uint64_t min_ns = 0;
    uint64_t max_ns = 0;
    StepSpan steps;  // in a step: all of one loop
  };
  struct TimeRow {
    uint64_t activities = 0;
    uint64_t unrecorded = 0;  // of them, shares
    uint64_t gpu_time_ns = 0;
  };
  struct KernelRow {
    uint64_t count = 0;
    uint64_t in_call = 0;  // of them
    uint64_t gpu_time_ns = 0;
    uint64_t min_ns = 0;
    uint64_t max_ns = 0;
    bool timed = false;  // min and max are valid
  };

  bool KnownByName(const JoinedActivity& activity) const;
  static Key KeyOf(const JoinedActivity& activity);
  Alike Define(const JoinedActivity& activity);
  void AddToRows(Alike* alike);
  static void AddToKernel(const Alike& alike, KernelRow* row);
  size_t EmitTimes(size_t max, v1::ProcessProfile* profile);
  size_t EmitKernels(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);
  size_t EmitScopeKernels(const NameTable& names, size_t max, bool final,
                          v1::ProcessProfile* profile);
  // Adds to the row of another key and empties this one.
  void MoveKernelRow(KernelRow* from, uint64_t to_key);

  CallRows& calls_;
  const NameTable* const names_;
  KernelCategories kernel_categories_;
  RowSet<Key, Alike> alike_{kMaxAlike};
  RowSet<uint64_t, TimeRow> times_{kMaxRows};
  RowSet<uint64_t, KernelRow> kernels_{kMaxRows};
  ScopeKernels scope_kernels_{&calls_};
  uint64_t recorded_count_ = 0;
  uint64_t names_lost_count_ = 0;
};

}  // namespace flopsprof::agent
