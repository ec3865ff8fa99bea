// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "collector/agent/calls/call_rows.h"
#include "collector/agent/calls/collective_groups.h"
#include "collector/agent/calls/collective_waits.h"
#include "collector/agent/calls/communication_rows.h"
#include "collector/agent/calls/kernel_formulas.h"
#include "collector/agent/join/correlator.h"
#include "collector/agent/rows/activity_rows.h"
#include "collector/agent/rows/range_rows.h"
#include "collector/agent/stacks/stack_rows.h"
#include "collector/agent/steps/step_rows.h"
#include "collector/agent/steps/window_filter.h"
#include "collector/agent/tables/name_table.h"
#include "collector/agent/tables/pending_count.h"
#include "collector/agent/tables/row_set.h"
#include "collector/agent/tables/work.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// What one replay of a captured call adds.
struct ReplayWork {
  BookedCall booked;  // its step is nobody's
  std::vector<RowChange> rows;
  std::array<model::FlopCount, shm::kPhaseCount> flops = {};
  bool formula_failed = false;
};

// Sums of one process, as proto/flopsprof/v1/profile.proto has them: increments. One
// thread; the names stay the caller's.
class Aggregator final : public JoinSink {
 public:
  // `formulas` and `names` outlive this. Null: all formulas are on; kernels have none.
  explicit Aggregator(std::optional<StepWindow> window,
                      const model::FormulaRegistry* formulas = nullptr,
                      const NameTable* names = nullptr)
      : formulas_(formulas), names_(names), kernel_formulas_(formulas), calls_(formulas) {
    if (window.has_value()) filter_.emplace(*window, &steps_);
  }

  // A finished call: counted, and described for the kernels that belong to it.
  BookedCall BookGemm(const shm::GemmCall& call);
  BookedCall BookLibrary(const shm::LibraryCall& call);
  BookedCall BookParted(const PartedCall& call);
  BookedCall BookCudnn(const shm::CudnnCall& call);
  BookedCall BookCollective(const shm::CollectiveCall& call);
  CollectiveGroups& collective_groups() { return collective_groups_; }
  BookedCall BookOperation(const shm::OperationCall& call);
  // Its texts have come, or never will.
  BookedCall BookNamed(const shm::NamedWork& work);

  // Describes captured calls for their replays: what Book... books between the two is not added
  // to any sum, and is asked no step.
  void BeginDescription(ReplayWork* work);
  void EndDescription();
  // The calls of `work`, so many times, and their flops in a step.
  void AddReplays(const std::vector<RowChange>& rows, uint64_t times);
  void AddReplayFlops(uint32_t step, const std::array<model::FlopCount, shm::kPhaseCount>& flops);

  // Books work of a step, if it is wanted: now, or once that is known. `book` is told whether
  // that is later.
  template <class Book>
  void WhenWanted(uint32_t step, Book book) {
    switch (Ask(step)) {
      case WindowFilter::Answer::kNo:
        return;
      case WindowFilter::Answer::kYes:
        return book(/*later=*/false);
      case WindowFilter::Answer::kOpen:
        filter_->Hold(step, [this, step, book] {
          if (Ask(step) == WindowFilter::Answer::kYes) book(/*later=*/true);
        });
    }
  }
  // Work of this step is not booked at all, as is known already.
  bool Unwanted(uint32_t step) { return Ask(step) == WindowFilter::Answer::kNo; }

  void OnScopeEnter(const shm::ScopeEnter& record);
  void OnMark(const shm::MarkRecord& record);
  void OnStep(const shm::StepRecord& record);
  void OnJoined(const JoinedActivity& activity) override;
  void OnCallTime(const BookedCall& call, uint64_t gpu_time_ns) override {
    if (!filter_.has_value()) return calls_.AddCallTime(call.row, gpu_time_ns);
    WhenWanted(call.context.step,
               [this, row = call.row, gpu_time_ns](bool) { calls_.AddCallTime(row, gpu_time_ns); });
  }
  void OnReplayed(const JoinedActivity& activity, uint32_t) override { OnJoined(activity); }

  // Books kernels whose names have come. A name is written before the kernels that have it, in
  // any ring: what still waits once all rings were emptied twice, or at the end, is booked without.
  void BookWaitingKernels(bool emptied, bool final);

  // Nothing more will come: nothing waits any longer.
  void Finish();

  // Appends at most `max` changed rows; returns how many. Kernels whose name has not come stay
  // back until `final`, which gives them the name "(name lost)".
  size_t Emit(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);
  // The same for stacks and what was launched with them.
  size_t EmitStacks(const NameTable& names, size_t max, bool final, uint64_t now_ns,
                    v1::ProcessProfile* profile);

  KernelFormulas& kernel_formulas() { return kernel_formulas_; }
  StackRows& stacks() { return stacks_; }
  CallRows& calls() { return calls_; }
  // Kernels of collectives since the last call, on the clock of the activity records.
  std::vector<CollectiveTime> TakeCollectiveTimes() { return std::exchange(collective_times_, {}); }
  const CallRows& calls() const { return calls_; }
  const StepRows& steps() const { return steps_; }
  model::FlopCount flops() const { return flops_; }
  uint64_t activity_count() const { return activity_count_; }
  // Calls and activities that were recorded and are in a row; of activities, when rows were given
  // out last. And those that may still come into one.
  uint64_t recorded_call_count() const { return calls_.recorded_count(); }
  uint64_t recorded_activity_count() const { return activities_.recorded_count(); }
  uint64_t pending_call_count() const { return pending_calls_.count(); }
  uint64_t pending_activity_count() const {
    return pending_activities_.count() + waiting_kernels_.size();
  }
  uint64_t names_lost_count() const { return activities_.names_lost_count(); }
  // Rows that found no room; the work in them is only in the totals of steps and devices.
  uint64_t refused_count() const;
  // Intervals that came too late for a busy time.
  uint64_t late_count() const;
  // Communication that was timed together with the rest of its graph.
  uint64_t shared_communication_count() const { return shared_communication_count_; }
  // Steps that a window got or lost by a number that turned out to be another.
  uint64_t belied_step_count() const { return filter_ ? filter_->belied_count() : 0; }
  // Times that are not valid, though the injector had not marked them.
  uint64_t bad_times_count() const { return bad_times_count_; }

 private:
  static constexpr size_t kMaxRows = 1 << 20;
  static constexpr size_t kMaxDevices = 64;
  static constexpr size_t kMaxWaitingKernels = 1 << 16;

  struct Device {
    DeviceBusy busy;
    uint64_t first_ns = UINT64_MAX;
    uint64_t last_ns = 0;
    bool changed = false;
  };

  WindowFilter::Answer Ask(uint32_t step) {
    return filter_.has_value() ? filter_->Ask(step) : WindowFilter::Answer::kYes;
  }
  BookedCall Book(const shm::RecordHeader& header, uint32_t scope, const CallWork& work);
  // Books what `add` makes a row of, if its step is wanted: of a record of a call.
  template <class Add>
  BookedCall BookIfWanted(const shm::RecordHeader& header, uint32_t scope, Add add);
  void BookDescribed(const shm::RecordHeader& header, const ReplayWork& work);
  // The same of a kernel, which no record of a call stands for.
  BookedCall BookFormula(const shm::RecordHeader& header, uint32_t scope, const ModelledWork& work);
  void AddStep(const shm::StepRecord& record);
  // Gives a kernel that nothing owns the work that a formula has for its name. False: none has.
  bool BookKernel(JoinedActivity* activity);
  void BookWhenWanted(const JoinedActivity& activity);
  void BookWhenNamed(const JoinedActivity& activity);
  void BookJoined(const JoinedActivity& activity);
  void AddActivity(const JoinedActivity& activity);
  void AddCommunication(const JoinedActivity& activity);
  void AddToDevice(const JoinedActivity& activity, bool communication);
  size_t EmitScopeCalls(size_t max, v1::ProcessProfile* profile);
  size_t EmitDevices(v1::ProcessProfile* profile);

  const model::FormulaRegistry* const formulas_;
  const NameTable* const names_;
  KernelFormulas kernel_formulas_;
  struct WaitingKernel {
    JoinedActivity activity;
    int passes = 0;  // that emptied all rings
  };
  std::deque<WaitingKernel> waiting_kernels_;
  ReplayWork* describing_ = nullptr;
  CallRows calls_;
  PendingCount pending_calls_;
  PendingCount pending_activities_;
  CollectiveGroups collective_groups_;
  std::vector<CollectiveTime> collective_times_;
  CommunicationRows communications_;
  StepRows steps_;
  std::optional<WindowFilter> filter_;  // none: all steps are wanted
  ActivityRows activities_{&calls_, names_};
  StackRows stacks_;
  RowSet<uint64_t, uint64_t> scope_calls_{kMaxRows};
  RangeRows ranges_;
  std::vector<Device> devices_;
  model::FlopCount flops_ = 0;
  uint64_t activity_count_ = 0;
  uint64_t bad_times_count_ = 0;
  uint64_t shared_communication_count_ = 0;
  uint64_t devices_refused_count_ = 0;
};

}  // namespace flopsprof::agent
