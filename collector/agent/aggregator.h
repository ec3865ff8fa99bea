// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "collector/agent/call_rows.h"
#include "collector/agent/collective_groups.h"
#include "collector/agent/collective_waits.h"
#include "collector/agent/communication_rows.h"
#include "collector/agent/correlator.h"
#include "collector/agent/kernel_categories.h"
#include "collector/agent/kernel_formulas.h"
#include "collector/agent/name_table.h"
#include "collector/agent/range_rows.h"
#include "collector/agent/row_set.h"
#include "collector/agent/scope_kernels.h"
#include "collector/agent/stack_rows.h"
#include "collector/agent/step_rows.h"
#include "collector/agent/work.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// Half-open window of steps. Work outside of it, before step 0 too, is not booked at all.
struct StepWindow {
  uint32_t first = 0;
  uint32_t end = 0xffffffffu;

  bool Contains(uint32_t step) const { return step != shm::kNoStep && step >= first && step < end; }
};

// What one replay of a captured call adds.
struct ReplayWork {
  BookedCall booked;  // its step is nobody's
  std::vector<RowChange> rows;
  std::array<model::FlopCount, shm::kPhaseCount> flops = {};
};

// Sums of one process, as proto/flopsprof/v1/profile.proto has them: cumulative rows. One
// thread; the names stay the caller's.
class Aggregator : public JoinSink {
 public:
  // `formulas` and `names` outlive this. Null: all formulas are on; kernels have none.
  explicit Aggregator(std::optional<StepWindow> window,
                      const model::FormulaRegistry* formulas = nullptr,
                      const NameTable* names = nullptr)
      : window_(window),
        formulas_(formulas),
        names_(names),
        kernel_formulas_(formulas),
        calls_(formulas) {}

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
  BookedCall BookModelled(const shm::RecordHeader& header, uint32_t scope,
                          const ModelledWork& work);

  // Describes captured calls for their replays: what Book... books between the two is not added
  // to any sum, and is asked no step.
  void BeginDescription(ReplayWork* work);
  void EndDescription();
  // The calls of `work`, so many times, and their flops in a step.
  void AddReplays(const std::vector<RowChange>& rows, uint64_t times);
  void AddReplayFlops(uint32_t step, const std::array<model::FlopCount, shm::kPhaseCount>& flops);

  // Whether work of this step is booked at all.
  bool Wanted(uint32_t step) const { return !window_.has_value() || InWindow(step); }

  void OnScopeEnter(const shm::ScopeEnter& record);
  void OnMark(const shm::MarkRecord& record);
  void OnStep(const shm::StepRecord& record);
  void OnJoined(const JoinedActivity& activity) override;
  void OnCallTime(uint32_t row, uint64_t gpu_time_ns) override;
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
  uint64_t names_lost_count() const { return names_lost_count_; }
  // Rows that found no room; the work in them is only in the totals of steps and devices.
  uint64_t refused_count() const;
  // Intervals that came too late for a busy time.
  uint64_t late_count() const;
  // Communication that was timed together with the rest of its graph.
  uint64_t shared_communication_count() const { return shared_communication_count_; }
  // Times that are not valid, though the injector had not marked them.
  uint64_t bad_times_count() const { return bad_times_count_; }

 private:
  static constexpr size_t kMaxRows = 1 << 20;
  static constexpr size_t kMaxDevices = 64;
  static constexpr size_t kMaxWaitingKernels = 1 << 16;

  struct TimeRow {
    uint64_t activities = 0;
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
  struct Device {
    DeviceBusy busy;
    uint64_t first_ns = UINT64_MAX;
    uint64_t last_ns = 0;
    bool changed = false;
  };

  bool InWindow(uint32_t step) const;
  bool Booked(uint32_t step) const { return describing_ != nullptr || Wanted(step); }
  BookedCall Book(const shm::RecordHeader& header, uint32_t scope, const CallWork& work);
  // Gives a kernel that nothing owns the work that a formula has for its name. False: none has.
  bool BookKernel(JoinedActivity* activity);
  void BookJoined(const JoinedActivity& activity);
  v1::TimeCategory CategoryByName(const JoinedActivity& activity);
  void AddActivity(const JoinedActivity& activity);
  void AddToDevice(const JoinedActivity& activity, bool communication);
  size_t EmitTimes(size_t max, v1::ProcessProfile* profile);
  size_t EmitKernels(const NameTable& names, size_t max, bool final, v1::ProcessProfile* profile);
  size_t EmitScopeKernels(const NameTable& names, size_t max, bool final,
                          v1::ProcessProfile* profile);
  // Adds to the row of another key and empties this one.
  void MoveKernelRow(KernelRow* from, uint64_t to_key);
  std::string KernelName(const NameTable& names, uint64_t packed_key) const;
  size_t EmitScopeCalls(size_t max, v1::ProcessProfile* profile);
  size_t EmitDevices(v1::ProcessProfile* profile);

  const std::optional<StepWindow> window_;
  const model::FormulaRegistry* const formulas_;
  const NameTable* const names_;
  KernelFormulas kernel_formulas_;
  KernelCategories kernel_categories_;
  struct WaitingKernel {
    JoinedActivity activity;
    int passes = 0;  // that emptied all rings
  };
  std::deque<WaitingKernel> waiting_kernels_;
  ReplayWork* describing_ = nullptr;
  CallRows calls_;
  CollectiveGroups collective_groups_;
  std::vector<CollectiveTime> collective_times_;
  CommunicationRows communications_;
  StepRows steps_;
  RowSet<uint64_t, TimeRow> times_{kMaxRows};
  RowSet<uint64_t, KernelRow> kernels_{kMaxRows};
  StackRows stacks_;
  ScopeKernels scope_kernels_{&calls_};
  RowSet<uint64_t, uint64_t> scope_calls_{kMaxRows};
  RangeRows ranges_;
  std::vector<Device> devices_;
  model::FlopCount flops_ = 0;
  uint64_t activity_count_ = 0;
  uint64_t names_lost_count_ = 0;
  uint64_t bad_times_count_ = 0;
  uint64_t shared_communication_count_ = 0;
  uint64_t devices_refused_count_ = 0;
};

}  // namespace flopsprof::agent
