// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "collector/agent/tables/interval_union.h"
#include "collector/agent/tables/row_set.h"
#include "collector/agent/tables/work.h"
#include "collector/model/flops/flop_count.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

struct BusyTimes {
  uint64_t all_ns = 0;
  uint64_t not_communication_ns = 0;
};

// The busy time of one device: all of its work, and all but communication. The two are one until
// the first communication comes. Unions only grow; their difference may shrink.
class DeviceBusy {
 public:
  uint32_t device = 0;

  void Add(uint64_t begin_ns, uint64_t end_ns, bool communication) {
    if (communication) Part();
    if (all_.has_value()) all_->Add(begin_ns, end_ns);
    if (!communication) not_communication_.Add(begin_ns, end_ns);
  }
  // Adds all of it to another one, which must have begun before.
  void AddTo(DeviceBusy* other) const {
    if (all_.has_value()) other->Part();
    if (other->all_.has_value()) all().AddTo(&*other->all_);
    not_communication_.AddTo(&other->not_communication_);
  }
  void Fold() {
    if (all_.has_value()) all_->Fold();
    not_communication_.Fold();
  }

  // What has come since the last time.
  BusyTimes TakeAdded() {
    const BusyTimes taken =
        std::exchange(taken_, BusyTimes{all().total_ns(), not_communication_.total_ns()});
    return {taken_.all_ns - taken.all_ns, taken_.not_communication_ns - taken.not_communication_ns};
  }

  const IntervalUnion& all() const { return all_.has_value() ? *all_ : not_communication_; }
  const IntervalUnion& not_communication() const { return not_communication_; }
  uint64_t late_count() const {
    return std::max(all().late_count(), not_communication_.late_count());
  }

 private:
  void Part() {
    if (!all_.has_value()) all_ = not_communication_;
  }

  IntervalUnion not_communication_;
  std::optional<IntervalUnion> all_;  // none: as not_communication_
  BusyTimes taken_;
};

// Steps of one process, by label (proto/shm/records.h). A label's tail becomes part of it as soon
// as another one follows; a tail that is left at the end, and what ran beside steps, have rows of
// their own. A step's intervals are kept until kOpenSteps newer steps have begun and kOpenNs have
// passed since its end: CUPTI gives the records of each thread when a buffer is full or a second
// has passed, so those of short steps come after many newer steps. Activity that comes later still
// counts in every sum but the step's busy time (counted). What was sent of such a step is forgotten
// when kKeptSteps newer ones of its loop have begun, what was sent of a label after kKeptLabels:
// what comes later makes a new row, which the receiver adds to the old one. One thread.
class StepRows {
 public:
  void OnStep(const shm::StepRecord& record);
  // The step before `step`, if it is known, ends here. A step that was lost in between leaves
  // the one before it without this end: its length is then not known, not that of two.
  void EndBefore(uint32_t step, uint64_t mono_ns);
  // What is known of labels, whether their steps are wanted or not.
  void OnLabel(const shm::StepRecord& record);
  // Number of the step that a record's label belongs to, as far as it is known now.
  uint32_t NumberOf(uint32_t step) const;
  void AddFlops(uint32_t step, shm::Phase phase, model::FlopCount flops);
  void AddActivity(const JoinedActivity& activity, v1::TimeCategory category);
  // Something ran in the step whose flops are not known.
  void MarkUnknown(uint32_t step);

  // Appends what was added to at most `max` rows since they were sent; returns how many.
  size_t Emit(size_t max, bool final, v1::ProcessProfile* profile);

  // Steps that have had a row.
  size_t count() const { return count_; }
  // Rows and labels that are kept.
  size_t kept_count() const { return rows_.size() + labels_.size(); }
  // Has a step of the first loop begun, whether it is wanted or not?
  bool any_begun() const {
    return newest_label_ != shm::kNoStep && newest_label_number_ != shm::kNoStep;
  }
  uint32_t newest_step() const { return newest_label_number_; }
  // From the begin of the label before to the begin of the newest one; 0 = not known.
  uint64_t last_step_ns() const { return last_step_ns_; }
  uint64_t late_count() const { return late_count_; }
  // Steps beyond kMaxSteps, which have no row; labels that got a number when they were long
  // forgotten, beyond kMaxLateLabels.
  uint64_t refused_count() const { return refused_count_; }

  static constexpr uint32_t kKeptSteps = 256;
  static constexpr uint32_t kKeptLabels = 4096;
  static constexpr uint64_t kOpenNs = 4'000'000'000;
  static constexpr size_t kMaxOpenSteps = 4096;  // shorter ones are folded sooner

 private:
  static constexpr size_t kMaxSteps = 1 << 18;
  static constexpr uint32_t kOpenSteps = 4;
  static constexpr size_t kMaxDevices = 64;
  static constexpr uint32_t kMaxLateLabels = 1 << 16;
  static constexpr size_t kLoops = 1 << (shm::kStepPlaceShift - shm::kStepLoopShift);

  // Sums and facts are those since the row was sent.
  struct Row {
    uint64_t begin_mono_ns = 0;
    uint64_t next_begin_mono_ns = 0;
    uint64_t optimizer_end_mono_ns = 0;
    std::array<model::FlopCount, shm::kPhaseCount> flops = {};
    std::array<uint64_t, shm::kPhaseCount> gpu_time_ns = {};
    uint64_t activities = 0;
    bool has_unknown = false;
    bool exposed_unknown = false;
    bool was_forgotten = false;  // its intervals are
    std::vector<DeviceBusy> devices;
  };
  struct Label {
    bool defined = false;
    uint32_t number = 0;
    uint64_t numbered_mono_ns = 0;  // rings are read one after the other: the newest word counts
    uint32_t optimizer_steps = 0;   // since it was sent
    bool disturbed = false;
    bool cut = false;
    bool helped = false;
    uint64_t optimizer_end_mono_ns = 0;
    uint64_t beside_mono_ns = 0;
  };

  // Labels that have got a number together.
  struct Range {
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t number = 0;
    uint64_t mono_ns = 0;

    bool Contains(uint32_t key) const { return first <= key && key <= last; }
  };
  static constexpr size_t kMaxRanges = 64;  // the injector has one or two a loop

  // Labels are without the loop's bits.
  struct OpenStep {
    uint32_t label;
    uint64_t begin_mono_ns;
  };
  struct Loop {
    uint32_t newest_row = 0;
    std::deque<OpenStep> open;  // begun in this order, not folded
    uint32_t rows_forgotten_until = 0;
    uint32_t newest_label = 0;
    uint32_t labels_forgotten_until = 0;
  };

  Loop& LoopOf(uint32_t key) { return loops_[key >> shm::kStepLoopShift]; }
  bool IsOldRow(uint32_t step);
  bool IsOldLabel(uint32_t key);
  uint32_t Find(uint32_t step);
  Label* ChangeLabel(uint32_t key);
  void NumberRange(const Range& range);
  void NumberForgotten(const Range& range);
  const Range* RangeOf(uint32_t key) const;
  void SetNumber(uint32_t key, uint32_t number, uint64_t mono_ns);
  void FoldTail(uint32_t key, uint32_t index);
  void Begin(uint32_t step, uint64_t mono_ns);
  void FoldOldSteps(Loop* loop, uint32_t loop_bits);
  void EmitRow(uint32_t step, Row* row, v1::ProcessProfile* profile);
  void ForgetOld();

  RowSet<uint32_t, Row> rows_{kMaxSteps};
  RowSet<uint32_t, Label> labels_{kMaxSteps};
  std::vector<Range> ranges_;             // for labels that come later; the newest last
  uint32_t newest_label_ = shm::kNoStep;  // of the first loop
  uint32_t newest_label_number_ = 0;
  uint32_t cached_step_ = shm::kNoStep;
  uint32_t cached_row_ = kNoRow;
  std::array<Loop, kLoops> loops_;
  uint64_t newest_begin_mono_ns_ = 0;
  uint64_t last_step_ns_ = 0;
  uint64_t late_count_ = 0;
  uint64_t refused_count_ = 0;
  size_t count_ = 0;
};

}  // namespace flopsprof::agent
