// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/steps/step_rows.h"

#include <algorithm>

namespace flopsprof::agent {

namespace {

uint32_t KeyOf(uint32_t step) { return step & shm::kStepKeyMask; }
bool IsFirstLoop(uint32_t key) { return key >> shm::kStepLoopShift == 0; }
uint32_t LabelOf(uint32_t key) { return key & shm::kStepLabelMask; }
uint32_t LoopBits(uint32_t key) { return KeyOf(key) & ~shm::kStepLabelMask; }

}  // namespace

bool StepRows::IsOldRow(uint32_t step) {
  const Loop& loop = LoopOf(KeyOf(step));
  return loop.newest_row > kKeptSteps && LabelOf(step) < loop.newest_row - kKeptSteps &&
         (loop.open.empty() || LabelOf(step) < loop.open.front().label);
}

bool StepRows::IsOldLabel(uint32_t key) {
  const Loop& loop = LoopOf(key);
  return loop.newest_label > kKeptLabels && LabelOf(key) < loop.newest_label - kKeptLabels;
}

uint32_t StepRows::FindAnew(uint32_t step) {
  uint32_t key = step;
  const bool forgotten = LabelOf(step) < LoopOf(KeyOf(step)).rows_forgotten_until;
  if (shm::PlaceOfStep(step) == shm::StepPlace::kTail) {
    const uint32_t in = rows_.Find(KeyOf(step));
    if (forgotten || (in != kNoRow && rows_.Hold(in).next_begin_mono_ns != 0)) key = KeyOf(step);
  }
  const size_t known = rows_.size();
  const uint32_t row = rows_.FindOrAdd(key);
  if (rows_.size() != known) {
    rows_.Hold(row).was_forgotten = forgotten;
    if (!forgotten && shm::PlaceOfStep(key) == shm::StepPlace::kIn) ++count_;
    if (RangeOf(KeyOf(key)) != nullptr) ChangeLabel(KeyOf(key));
  }
  cached_step_ = step;
  cached_row_ = row;
  return row;
}

StepRows::Label* StepRows::ChangeLabel(uint32_t key) {
  const uint32_t index = labels_.FindOrAdd(key);
  if (index == kNoRow) return nullptr;
  Label& label = labels_.Change(index);
  if (std::exchange(label.defined, true)) return &label;
  const Range* range = RangeOf(key);
  label.number = range != nullptr ? range->number : LabelOf(key);
  label.numbered_mono_ns = range != nullptr ? range->mono_ns : 0;
  return &label;
}

void StepRows::SetNumber(uint32_t key, uint32_t number, uint64_t mono_ns) {
  Label* label = ChangeLabel(key);
  if (label == nullptr || mono_ns < label->numbered_mono_ns) return;
  label->number = number;
  label->numbered_mono_ns = mono_ns;
}

// A record may name 2^30 labels: those that have rows are numbered now, others when they come.
void StepRows::NumberRange(const Range& range) {
  std::vector<uint32_t> keys;
  const auto add = [&](uint32_t key) {
    if (range.Contains(key)) keys.push_back(key);
  };
  labels_.ForEach([&](uint32_t, uint32_t key) { add(key); });
  rows_.ForEach([&](uint32_t, uint32_t step) {
    if (labels_.Find(KeyOf(step)) == kNoRow) add(KeyOf(step));
  });
  for (const uint32_t key : keys) SetNumber(key, range.number, range.mono_ns);
  NumberForgotten(range);
  ranges_.erase(std::remove_if(ranges_.begin(), ranges_.end(),
                               [&range](const Range& old) {
                                 return range.Contains(old.first) && range.Contains(old.last) &&
                                        old.mono_ns <= range.mono_ns;
                               }),
                ranges_.end());
  if (ranges_.size() >= kMaxRanges) ranges_.erase(ranges_.begin());
  ranges_.push_back(range);
}

// Which of them there were is not known any more: the receiver joins the word with what it has.
void StepRows::NumberForgotten(const Range& range) {
  const uint32_t until = LoopOf(range.first).labels_forgotten_until;
  if (until == 0 || LabelOf(range.first) >= until) return;
  const uint32_t last = std::min(range.last, LoopBits(range.first) | (until - 1));
  const uint32_t count = last - range.first + 1;
  if (count > kMaxLateLabels) refused_count_ += count - kMaxLateLabels;
  for (uint32_t i = 0; i < std::min(count, kMaxLateLabels); ++i) {
    if (labels_.Find(last - i) == kNoRow) SetNumber(last - i, range.number, range.mono_ns);
  }
}

// The newest word about a label that has no row of its own; nullptr: none.
const StepRows::Range* StepRows::RangeOf(uint32_t key) const {
  const Range* newest = nullptr;
  for (const Range& range : ranges_) {
    const bool newer = newest == nullptr || range.mono_ns >= newest->mono_ns;
    if (range.Contains(key) && newer) newest = &range;
  }
  return newest;
}

uint32_t StepRows::NumberOf(uint32_t step) const {
  if (step == shm::kNoStep) return step;
  const uint32_t key = KeyOf(step);
  const uint32_t index = labels_.Find(key);
  if (index != kNoRow) return labels_.Held(index).number;
  if (const Range* range = RangeOf(key)) return range->number;
  const uint32_t label = key & shm::kStepLabelMask;
  if (!IsFirstLoop(key) || newest_label_ == shm::kNoStep || key <= newest_label_) return label;
  // Its own definition is in another ring: as far from its label as the newest one that is known.
  return label + newest_label_number_ - newest_label_;
}

void StepRows::OnLabel(const shm::StepRecord& record) {
  const uint32_t key = KeyOf(record.header.step);
  const auto event = static_cast<shm::StepEvent>(record.event);
  if (event == shm::StepEvent::kWindowEnd) {
    if (record.header.step != shm::kNoStep || newest_label_ == shm::kNoStep) return;
    if (Label* label = ChangeLabel(newest_label_)) label->cut = true;
    return;
  }
  if (record.header.step == shm::kNoStep) return;
  switch (event) {
    case shm::StepEvent::kBegin: {
      LoopOf(key).newest_label = std::max(LoopOf(key).newest_label, LabelOf(key));
      if (IsFirstLoop(key)) {
        const bool next = newest_label_ != shm::kNoStep && key == newest_label_ + 1 &&
                          record.mono_ns > newest_begin_mono_ns_;
        last_step_ns_ = next ? record.mono_ns - newest_begin_mono_ns_ : 0;
        newest_begin_mono_ns_ = record.mono_ns;
        newest_label_ = key;
        newest_label_number_ = record.number;
      }
      if (record.number == (key & shm::kStepLabelMask) && record.helped == 0) return;
      Label* label = ChangeLabel(key);
      if (label == nullptr) return;
      label->helped = record.helped != 0;
      SetNumber(key, record.number, record.mono_ns);
      return;
    }
    case shm::StepEvent::kNumber: {
      const uint32_t first = std::min(KeyOf(record.first_label), key);
      if (first == key) {
        SetNumber(key, record.number, record.mono_ns);
      } else {
        NumberRange({first, key, record.number, record.mono_ns});
      }
      if (key == newest_label_) newest_label_number_ = record.number;
      return;
    }
    case shm::StepEvent::kOptimizerEnd:
      if (Label* label = ChangeLabel(key)) {
        ++label->optimizer_steps;
        label->optimizer_end_mono_ns = std::max(label->optimizer_end_mono_ns, record.mono_ns);
      }
      return;
    case shm::StepEvent::kDisturbed:
      if (Label* label = ChangeLabel(key)) label->disturbed = true;
      return;
    case shm::StepEvent::kBeside:
      if (Label* label = ChangeLabel(key)) label->beside_mono_ns = record.mono_ns;
      return;
    default:
      return;
  }
}

void StepRows::OnStep(const shm::StepRecord& record) {
  const uint32_t step = record.header.step;
  if (step == shm::kNoStep) return;
  if (record.event == static_cast<uint8_t>(shm::StepEvent::kBegin)) {
    Begin(step, record.mono_ns);
  } else if (record.event == static_cast<uint8_t>(shm::StepEvent::kWindowEnd)) {
    // This one is not recorded.
    EndBefore(record.first_label != 0 ? record.first_label : step, record.mono_ns);
  } else if (record.event == static_cast<uint8_t>(shm::StepEvent::kOptimizerEnd)) {
    const uint32_t index = Find(step);
    if (index == kNoRow) return;
    Row& row = rows_.Change(index);
    row.optimizer_end_mono_ns = std::max(row.optimizer_end_mono_ns, record.mono_ns);
  }
}

void StepRows::Begin(uint32_t step, uint64_t mono_ns) {
  const uint32_t index = Find(step);
  if (index == kNoRow) {
    refused_count_++;
    EndBefore(step, mono_ns);
    return;
  }
  Row& row = rows_.Change(index);
  row.begin_mono_ns = mono_ns;
  if (row.next_begin_mono_ns == 0) {
    const uint32_t next = rows_.Find(step + 1);
    if (next != kNoRow && rows_.Hold(next).begin_mono_ns != 0) {
      row.next_begin_mono_ns = rows_.Hold(next).begin_mono_ns;
      FoldTail(step, index);
    }
  }
  EndBefore(step, mono_ns);
  Loop& loop = LoopOf(KeyOf(step));
  if (LabelOf(step) < loop.newest_row) return;
  loop.newest_row = LabelOf(step);
  loop.open.push_back({LabelOf(step), mono_ns});
  FoldOldSteps(&loop, LoopBits(step));
}

void StepRows::EndBefore(uint32_t step, uint64_t mono_ns) {
  const bool first = (step & shm::kStepLabelMask) == 0;
  const uint32_t index = first ? kNoRow : rows_.Find(step - 1);
  if (index == kNoRow) return;
  rows_.Change(index).next_begin_mono_ns = mono_ns;
  FoldTail(step - 1, index);
}

// Another step follows: the tail is part of the label before it.
void StepRows::FoldTail(uint32_t key, uint32_t index) {
  cached_step_ = shm::kNoStep;
  const uint32_t tail_index = rows_.Find(shm::StepAt(shm::StepPlace::kTail, key));
  if (tail_index == kNoRow) return;
  Row& tail = rows_.Hold(tail_index);
  Row& row = rows_.Change(index);
  for (size_t phase = 0; phase < row.flops.size(); ++phase) {
    row.flops[phase] += tail.flops[phase];
    row.gpu_time_ns[phase] += tail.gpu_time_ns[phase];
  }
  row.activities += tail.activities;
  row.has_unknown |= tail.has_unknown;
  row.exposed_unknown |= tail.exposed_unknown;
  for (const DeviceBusy& from : tail.devices) {
    auto to = std::find_if(row.devices.begin(), row.devices.end(),
                           [&](const DeviceBusy& d) { return d.device == from.device; });
    if (to == row.devices.end()) {
      row.devices.emplace_back().device = from.device;
      to = row.devices.end() - 1;
    }
    from.AddTo(&*to);
  }
  tail = Row();
}

void StepRows::FoldOldSteps(Loop* loop, uint32_t loop_bits) {
  std::deque<OpenStep>& open = loop->open;
  while (open.size() > kOpenSteps) {
    const uint64_t end_ns = open[1].begin_mono_ns;
    const bool recent = open.back().begin_mono_ns < end_ns + kOpenNs;
    if (recent && open.size() <= kMaxOpenSteps) return;
    const uint32_t index = rows_.Find(loop_bits | open.front().label);
    if (index != kNoRow) {
      for (DeviceBusy& device : rows_.Hold(index).devices) device.Fold();
    }
    open.pop_front();
  }
}

void StepRows::MarkUnknown(uint32_t step) {
  if (step == shm::kNoStep) return;
  const uint32_t index = Find(step);
  if (index != kNoRow && !rows_.Hold(index).has_unknown) rows_.Change(index).has_unknown = true;
}

void StepRows::AddActivity(const JoinedActivity& activity, v1::TimeCategory category) {
  if (activity.context.step == shm::kNoStep) return;
  const uint32_t index = Find(activity.context.step);
  if (index == kNoRow) return;
  Row& row = rows_.Change(index);
  row.activities++;
  const bool communication = category == v1::TIME_CATEGORY_COMMUNICATION;
  row.has_unknown |= category == v1::TIME_CATEGORY_UNKNOWN;
  row.exposed_unknown |= communication && activity.share;
  if (!activity.valid_times) return;
  row.gpu_time_ns[static_cast<size_t>(activity.context.phase)] += activity.duration_ns;
  // The way of most: the first device, in order.
  if (!communication && !row.was_forgotten && !row.devices.empty()) {
    DeviceBusy& busy = row.devices.front();
    const bool first = busy.device == activity.record.device;
    if (first && busy.AddBehind(activity.record.start_gpu_ns, activity.record.end_gpu_ns)) return;
  }
  AddToDevice(activity, communication, &row);
}

void StepRows::AddToDevice(const JoinedActivity& activity, bool communication, Row* row) {
  if (row->was_forgotten) {
    late_count_++;
    return;
  }
  const uint32_t device = activity.record.device;
  auto busy = std::find_if(row->devices.begin(), row->devices.end(),
                           [device](const DeviceBusy& d) { return d.device == device; });
  if (busy == row->devices.end()) {
    if (row->devices.size() >= kMaxDevices) return;
    row->devices.emplace_back().device = device;
    busy = row->devices.end() - 1;
  }
  const uint64_t late = busy->late_count();
  busy->Add(activity.record.start_gpu_ns, activity.record.end_gpu_ns, communication);
  late_count_ += busy->late_count() - late;
}

size_t StepRows::Emit(size_t max, bool final, v1::ProcessProfile* profile) {
  size_t emitted = labels_.EmitChanged(max, [&](uint32_t key, Label& label) {
    v1::StepLabelRow* out = profile->add_step_labels();
    out->set_step(key);
    out->set_revision(label.numbered_mono_ns);
    out->set_number(label.number);
    out->set_optimizer_steps(std::exchange(label.optimizer_steps, 0));
    out->set_disturbed(label.disturbed);
    out->set_optimizer_end_mono_ns(label.optimizer_end_mono_ns);
    out->set_beside_mono_ns(label.beside_mono_ns);
    out->set_cut(label.cut);
    out->set_helped(label.helped);
    return true;
  });
  emitted += rows_.EmitChanged(max - emitted, [&](uint32_t step, Row& row) {
    const bool tail = shm::PlaceOfStep(step) == shm::StepPlace::kTail;
    // It may become part of its step.
    if (tail && !final && !IsOldRow(step)) return false;
    const bool empty = row.activities == 0 && !row.has_unknown && !row.exposed_unknown &&
                       row.flops == std::array<model::FlopCount, shm::kPhaseCount>{};
    if (tail && empty) return true;
    EmitRow(step, &row, profile);
    return true;
  });
  ForgetOld();
  return emitted;
}

void StepRows::EmitRow(uint32_t step, Row* row, v1::ProcessProfile* profile) {
  v1::StepRow* out = profile->add_steps();
  out->set_step(step);
  out->set_begin_mono_ns(row->begin_mono_ns);
  const uint64_t end =
      row->next_begin_mono_ns != 0 ? row->next_begin_mono_ns : row->optimizer_end_mono_ns;
  out->set_end_mono_ns(end);
  out->set_complete(row->begin_mono_ns != 0 && end != 0);
  for (model::FlopCount flops : std::exchange(row->flops, {})) {
    model::ToProto(flops, out->add_flops());
  }
  for (uint64_t ns : std::exchange(row->gpu_time_ns, {})) out->add_gpu_time_ns(ns);
  out->set_activities(std::exchange(row->activities, 0));
  BusyTimes busy;
  for (DeviceBusy& device : row->devices) {
    const BusyTimes added = device.TakeAdded();
    busy.all_ns += added.all_ns;
    busy.not_communication_ns += added.not_communication_ns;
  }
  out->set_gpu_busy_ns(busy.all_ns);
  out->set_not_communication_ns(busy.not_communication_ns);
  if (!row->has_unknown && !row->exposed_unknown) return;
  v1::StepFacts* facts = profile->add_step_facts();
  facts->set_step(step);
  facts->set_has_unknown(std::exchange(row->has_unknown, false));
  facts->set_exposed_unknown(std::exchange(row->exposed_unknown, false));
}

void StepRows::ForgetOld() {
  std::vector<uint32_t> old;
  rows_.ForEach([&](uint32_t index, uint32_t step) {
    if (IsOldRow(step) && !rows_.IsChanged(index)) old.push_back(index);
  });
  for (const uint32_t index : old) {
    const uint32_t step = rows_.key(index);
    uint32_t& until = LoopOf(KeyOf(step)).rows_forgotten_until;
    until = std::max(until, LabelOf(step) + 1);
    rows_.Forget(index);
  }
  if (!old.empty()) cached_step_ = shm::kNoStep;
  old.clear();
  labels_.ForEach([&](uint32_t index, uint32_t key) {
    if (IsOldLabel(key) && !labels_.IsChanged(index)) old.push_back(index);
  });
  for (const uint32_t index : old) {
    const uint32_t key = labels_.key(index);
    uint32_t& until = LoopOf(key).labels_forgotten_until;
    until = std::max(until, LabelOf(key) + 1);
    labels_.Forget(index);
  }
  ranges_.erase(std::remove_if(ranges_.begin(), ranges_.end(),
                               [this](const Range& range) { return IsOldLabel(range.last); }),
                ranges_.end());
}

}  // namespace flopsprof::agent
