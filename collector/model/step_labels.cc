// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/step_labels.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collector/model/flops/flop_count.h"
#include "proto/shm/records.h"

namespace flopsprof::model {
namespace {

using shm::StepPlace;

struct Label {
  uint32_t key = 0;
  uint32_t number = 0;
  const v1::StepLabelRow* facts = nullptr;
  const v1::StepRow* in = nullptr;
  const v1::StepRow* tail = nullptr;
  const v1::StepRow* beside = nullptr;
};

using KeyAndNumber = std::pair<uint32_t, uint32_t>;
bool IsBefore(const KeyAndNumber& label, uint32_t key) { return label.first < key; }

uint32_t LoopOf(uint32_t key) { return key >> shm::kStepLoopShift; }
uint32_t OptimizerSteps(const Label& label) {
  return label.facts == nullptr ? 0 : label.facts->optimizer_steps();
}
uint64_t BesideNs(const Label& label) {
  return label.facts == nullptr ? 0 : label.facts->beside_mono_ns();
}

// Sums only; not when it was.
void AddWork(const v1::StepRow& from, v1::StepRow* to) {
  while (to->flops_size() < from.flops_size()) to->add_flops();
  for (int i = 0; i < from.flops_size(); ++i) {
    ToProto(ToFlopCount(to->flops(i)) + ToFlopCount(from.flops(i)), to->mutable_flops(i));
  }
  while (to->gpu_time_ns_size() < from.gpu_time_ns_size()) to->add_gpu_time_ns(0);
  for (int i = 0; i < from.gpu_time_ns_size(); ++i) {
    to->set_gpu_time_ns(i, to->gpu_time_ns(i) + from.gpu_time_ns(i));
  }
  to->set_gpu_busy_ns(to->gpu_busy_ns() + from.gpu_busy_ns());
  to->set_exposed_communication_ns(to->exposed_communication_ns() +
                                   from.exposed_communication_ns());
  to->set_not_communication_ns(to->not_communication_ns() + from.not_communication_ns());
  to->set_activities(to->activities() + from.activities());
}

struct Step {
  v1::StepRow row;
  v1::StepLabelRow facts;
  bool has_unknown = false;
  bool exposed_unknown = false;
};

class Joiner {
 public:
  explicit Joiner(v1::ProcessProfile* process) : process_(*process) {}

  void Join() {
    Collect();
    std::map<uint32_t, std::vector<Label*>> loops;
    for (auto& [key, label] : labels_) loops[LoopOf(key)].push_back(&label);
    for (auto& [loop, labels] : loops) JoinLoop(labels);
    for (v1::MarkRow& row : *process_.mutable_marks()) {
      if (row.in_steps() > 0 && !NumberSpan(&row)) row.set_in_steps(0);
    }
    for (v1::ScopeKernelRow& row : *process_.mutable_scope_kernels()) {
      if (row.in_step() && !NumberSpan(&row)) row.set_in_step(false);
    }
    Write();
  }

 private:
  void Collect() {
    const auto at = [this](uint32_t step) -> Label& {
      const uint32_t key = step & shm::kStepKeyMask;
      Label& label = labels_[key];
      if (label.facts == nullptr) label.number = key & shm::kStepLabelMask;
      label.key = key;
      return label;
    };
    for (const v1::StepLabelRow& row : process_.step_labels()) facts_[row.step()] = &row;
    for (const auto& [key, row] : facts_) {
      if (row->number() != shm::kNoStep) numbered_.emplace_back(key, row->number());
    }
    for (const v1::StepRow& row : process_.steps()) {
      if (row.step() == shm::StepAt(StepPlace::kBeside, shm::kStepKeyMask)) {
        before_ = &row;
        continue;
      }
      Label& label = at(row.step());
      switch (shm::PlaceOfStep(row.step())) {
        case StepPlace::kIn:
          label.in = &row;
          break;
        case StepPlace::kTail:
          label.tail = &row;
          break;
        default:
          label.beside = &row;
      }
    }
    for (auto& [key, label] : labels_) {
      const auto found = facts_.find(key);
      if (found == facts_.end()) continue;
      label.facts = found->second;
      label.number = found->second->number();
    }
    for (const v1::StepFacts& row : process_.step_facts()) unknown_[row.step()] = &row;
  }

  // Numbers in the place of a row's first and last label; false: neither is of a step. Labels of
  // no step come before all others, so that what began under one is in the first step after it.
  // The two may be of different loops.
  template <typename Row>
  bool NumberSpan(Row* row) const {
    const uint32_t from = row->first_step();
    const uint32_t until = row->last_step();
    const bool one_loop = LoopOf(from) == LoopOf(until);
    uint32_t first = NumberOf(from);
    if (first == shm::kNoStep) {
      const auto next = std::lower_bound(numbered_.begin(), numbered_.end(), from, IsBefore);
      const uint32_t end = one_loop ? until : from | shm::kStepLabelMask;
      if (next != numbered_.end() && next->first <= end) first = next->second;
    }
    uint32_t last = NumberOf(until);
    if (last == shm::kNoStep) {
      const auto next = std::lower_bound(numbered_.begin(), numbered_.end(), until, IsBefore);
      const uint32_t begin = one_loop ? from : until & ~shm::kStepLabelMask;
      if (next != numbered_.begin() && (next - 1)->first >= begin) last = (next - 1)->second;
    }
    if (first == shm::kNoStep && last == shm::kNoStep) return false;
    if (first == shm::kNoStep) first = last;
    if (last == shm::kNoStep) last = first;
    // Of a loop that another thread has got, labels rise while numbers begin again.
    if (from <= until && first > last) std::swap(first, last);
    row->set_first_step(first);
    row->set_last_step(last);
    return true;
  }

  uint32_t NumberOf(uint32_t key) const {
    const auto known = facts_.find(key);
    return known == facts_.end() ? key & shm::kStepLabelMask : known->second->number();
  }

  // A teacher's forward, which comes before each step and the first one too, is of the step.
  static bool IsHelped(const std::vector<const Label*>& labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
      const bool first = i == 0 || labels[i]->number != labels[i - 1]->number;
      if (first && (labels[i]->facts == nullptr || !labels[i]->facts->helped())) return false;
    }
    return labels.back()->beside == nullptr;
  }

  bool EndedWell() const {
    const v1::ProcessInfo& info = process_.info();
    return info.state() == v1::PROCESS_STATE_EXITED &&
           (!info.exit_code_known() || info.exit_code() == 0);
  }

  void JoinLoop(const std::vector<Label*>& all) {
    const bool any_optimizer =
        std::any_of(all.begin(), all.end(), [](const Label* l) { return OptimizerSteps(*l) > 0; });
    const Label& newest = *all.back();
    // Forwards after the last optimizer: none of a step.
    const bool has_rest = any_optimizer && EndedWell() && OptimizerSteps(newest) == 0 &&
                          !(newest.facts != nullptr && newest.facts->cut());
    std::vector<const Label*> labels;
    for (const Label* label : all) {
      if (label->number == shm::kNoStep || (has_rest && label == &newest)) continue;
      labels.push_back(label);
    }
    if (labels.empty()) return;
    const bool helped = IsHelped(labels);
    for (size_t i = 0; i < labels.size(); ++i) {
      const Label& label = *labels[i];
      const bool last = i + 1 == labels.size();
      Step& step = StepOf(label.key, label.number);
      if (helped && (i == 0 || labels[i - 1]->number != label.number)) {
        const v1::StepRow* work = i == 0 ? before_ : labels[i - 1]->beside;
        if (work != nullptr) AddWork(*work, &step.row);
        if (i > 0) step.row.set_begin_mono_ns(BesideNs(*labels[i - 1]));
      }
      AddLabel(label, last, &step);
      if (last && has_rest && label.facts != nullptr && BesideNs(label) == 0) {
        step.row.set_end_mono_ns(label.facts->optimizer_end_mono_ns());
      }
      if (!last && !helped && label.beside != nullptr) AddBeside(label, *labels[i + 1]);
    }
  }

  void AddLabel(const Label& label, bool last, Step* step) {
    if (label.in != nullptr) {
      const v1::StepRow& in = *label.in;
      AddWork(in, &step->row);
      const bool begun = step->row.begin_mono_ns() != 0;
      if (!begun) step->row.set_begin_mono_ns(in.begin_mono_ns());
      uint64_t end_ns = in.end_mono_ns();
      if (BesideNs(label) != 0) end_ns = BesideNs(label);
      step->row.set_end_mono_ns(end_ns);
      step->row.set_complete(in.complete() && end_ns != 0);
    }
    if (!last && label.tail != nullptr) AddWork(*label.tail, &step->row);
    if (label.facts != nullptr) {
      step->facts.set_optimizer_steps(step->facts.optimizer_steps() + OptimizerSteps(label));
      step->facts.set_optimizer_end_mono_ns(
          std::max(step->facts.optimizer_end_mono_ns(), label.facts->optimizer_end_mono_ns()));
      step->facts.set_disturbed(step->facts.disturbed() || label.facts->disturbed());
      step->facts.set_cut(step->facts.cut() || label.facts->cut());
      if (label.facts->cut()) step->row.set_complete(false);
    }
    AddUnknown(label.key, step);
    if (!last) AddUnknown(shm::StepAt(StepPlace::kTail, label.key), step);
  }

  void AddUnknown(uint32_t key, Step* step) {
    const auto found = unknown_.find(key);
    if (found == unknown_.end()) return;
    step->has_unknown |= found->second->has_unknown();
    step->exposed_unknown |= found->second->exposed_unknown();
  }

  void AddBeside(const Label& label, const Label& next) {
    v1::StepRow row;
    AddWork(*label.beside, &row);
    row.set_step(label.number);
    row.set_begin_mono_ns(BesideNs(label));
    if (next.in != nullptr) row.set_end_mono_ns(next.in->begin_mono_ns());
    beside_.push_back(std::move(row));
  }

  Step& StepOf(uint32_t key, uint32_t number) {
    Step& step = steps_[{LoopOf(key), number}];
    step.row.set_step(number);
    step.facts.set_step(number);
    step.facts.set_number(number);
    return step;
  }

  void Write() {
    std::vector<Step> steps;
    for (auto& [key, step] : steps_) steps.push_back(std::move(step));
    process_.clear_steps();
    process_.clear_step_facts();
    process_.clear_step_labels();
    process_.clear_beside_steps();
    for (Step& step : steps) {
      *process_.add_steps() = std::move(step.row);
      if (step.facts.optimizer_steps() > 0 || step.facts.disturbed()) {
        *process_.add_step_labels() = step.facts;
      }
      if (!step.has_unknown && !step.exposed_unknown) continue;
      v1::StepFacts* facts = process_.add_step_facts();
      facts->set_step(step.facts.step());
      facts->set_has_unknown(step.has_unknown);
      facts->set_exposed_unknown(step.exposed_unknown);
    }
    for (v1::StepRow& row : beside_) *process_.add_beside_steps() = std::move(row);
  }

  v1::ProcessProfile& process_;
  std::map<uint32_t, Label> labels_;  // by loop and label
  std::map<uint32_t, const v1::StepLabelRow*> facts_;
  std::vector<KeyAndNumber> numbered_;  // of facts_, without labels of no step
  std::map<uint32_t, const v1::StepFacts*> unknown_;
  const v1::StepRow* before_ = nullptr;  // forwards without gradients before the first step
  std::map<std::pair<uint32_t, uint32_t>, Step> steps_;  // by loop and number
  std::vector<v1::StepRow> beside_;
};

}  // namespace

void JoinSteps(v1::ProcessProfile* process) {
  if (process->steps_size() > 0) Joiner(process).Join();
}

}  // namespace flopsprof::model
