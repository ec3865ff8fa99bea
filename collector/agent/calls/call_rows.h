// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/agent/calls/call_parts.h"
#include "collector/agent/calls/modelled_works.h"
#include "collector/agent/calls/part_lists.h"
#include "collector/agent/calls/plan_table.h"
#include "collector/agent/tables/row_set.h"
#include "collector/agent/tables/work.h"
#include "collector/model/flops/flop_count.h"
#include "collector/model/flops/formula_registry.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/cudnn_plans.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// What a call has done, for the sums of its step.
struct CallWork {
  uint32_t row = kNoRow;
  v1::TimeCategory category = v1::TIME_CATEGORY_UNKNOWN;
  model::FlopCount flops = 0;            // in the call's own phase; 0 also when not known
  model::FlopCount recompute_flops = 0;  // in phase recompute
};

// What a call adds to a row.
struct RowChange {
  uint32_t row = kNoRow;
  uint64_t calls = 0;
  model::FlopCount flops = 0;
  bool flops_known = false;
  uint64_t bytes = 0;
};

// Library calls of one process by scope, phase, function and shape, with their flops and times.
// One thread.
class CallRows {
 public:
  // `formulas` outlives this; null: all are on.
  explicit CallRows(const model::FormulaRegistry* formulas = nullptr,
                    size_t max_plans = shm::kMaxCudnnPlans,
                    size_t max_plan_text_bytes = size_t{64} << 20)
      : formulas_(formulas), plans_(max_plans, max_plan_text_bytes) {}

  void DefinePlan(uint32_t id, std::string_view json) { plans_.Define(id, json); }
  bool HasPlan(uint32_t id) const { return plans_.Has(id); }

  CallWork AddGemm(const shm::GemmCall& call);
  CallWork AddLibrary(const shm::LibraryCall& call);
  // One call whose work is the sum of its parts; not known as soon as one part's is not.
  CallWork AddParted(const PartedCall& call);
  // `plan` 0, or one that HasPlan denies: counted as unknown.
  CallWork AddCudnn(const shm::CudnnCall& call);
  CallWork AddCollective(const shm::CollectiveCall& call);
  // No library call: its work is modelled.
  CallWork AddOperation(const shm::OperationCall& call);
  CallWork AddModelled(const shm::RecordHeader& header, uint32_t scope, const ModelledWork& work);
  uint64_t failed_formula_count() const { return failed_formula_count_; }

  // While set, calls are described there instead of being added.
  void DescribeTo(std::vector<RowChange>* changes) {
    described_ = changes;
    described_failure_ = false;
  }
  // Since then a formula gave no count.
  bool described_failure() const { return described_failure_; }
  void CountFailedFormula() { failed_formula_count_++; }
  // The calls that were described, so many times.
  void Apply(const RowChange& change, uint64_t times);
  // So many calls of the row have no record of their own.
  void MarkUnrecorded(uint32_t row, uint64_t calls);

  // Kernels whose times are valid.
  void AddKernels(uint32_t row, uint64_t count, uint64_t gpu_time_ns);
  void AddCallTime(uint32_t row, uint64_t gpu_time_ns);
  // One end of a collective: its duration, and the part of it before the last end began.
  void AddWait(uint32_t row, uint64_t duration_ns, uint64_t wait_ns);

  // Name of the function or operation of a row.
  std::string FunctionOf(uint32_t row) const;
  // What a row is of, without its sums.
  v1::CallRow Describe(uint32_t row) const;

  // Appends what was added to at most `max` rows since they were sent; returns how many.
  size_t Emit(size_t max, v1::ProcessProfile* profile);

  // Calls that found no row: more than kMaxRows shapes. Their flops are in the step sums only.
  uint64_t refused_count() const { return refused_count_; }
  uint64_t plans_refused_count() const { return plans_.refused_count(); }
  uint64_t call_count() const { return call_count_; }
  // Calls that were recorded and are in a row.
  uint64_t recorded_count() const { return call_count_ - refused_count_ - unrecorded_count_; }

 private:
  static constexpr size_t kMaxRows = 1 << 18;

  // A call record with everything zeroed that is not part of the key, step 0 or kNoStep.
  using Key = std::array<char, shm::kRecordBytes>;
  // Since the row was sent.
  struct Sums {
    uint64_t calls = 0;
    uint64_t unrecorded_calls = 0;
    uint64_t bytes = 0;
    uint64_t kernels = 0;
    uint64_t gpu_time_ns = 0;
    uint64_t min_gpu_time_ns = 0;
    uint64_t max_gpu_time_ns = 0;
    model::FlopCount flops = 0;
    bool timed = false;  // min and max are valid
    // Collectives.
    uint64_t matched_calls = 0;
    uint64_t matched_time_ns = 0;
    uint64_t wait_ns = 0;
  };
  struct Row {
    Sums sums;
    bool flops_known = false;         // the key decides
    bool reckoned = false;            // the next one is set
    model::FlopCount call_flops = 0;  // of each call, if they are known: the key decides
  };

  template <class Record>
  uint32_t Count(const Record& key_record, std::optional<model::FlopCount> flops, uint64_t calls,
                 uint64_t bytes);
  template <class Record>
  void CountSplit(Record key, model::FlopCount flops, model::FlopCount recompute_flops,
                  CallWork* work);
  void CountIn(uint32_t row, std::optional<model::FlopCount> flops, uint64_t calls, uint64_t bytes);
  static void Add(std::optional<model::FlopCount> flops, uint64_t calls, uint64_t bytes, Row* row);
  std::optional<model::FlopCount> FlopsIn(uint32_t row, const shm::GemmCall& call);
  void DescribeKey(const Key& key, v1::CallRow* out) const;
  static void EmitCollective(const Key& key, const Sums& sums, const v1::CallRow& call,
                             v1::ProcessProfile* profile);

  const model::FormulaRegistry* const formulas_;
  PlanTable plans_;
  PartLists part_lists_;
  ModelledWorks modelled_;
  RowSet<Key, Row> rows_{kMaxRows};
  uint64_t failed_formula_count_ = 0;
  std::vector<RowChange>* described_ = nullptr;
  bool described_failure_ = false;
  uint64_t call_count_ = 0;
  uint64_t unrecorded_count_ = 0;  // that are in a row
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent
