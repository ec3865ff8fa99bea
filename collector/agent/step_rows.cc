// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/step_rows.h"

#include <algorithm>

namespace flopsprof::agent {

uint32_t StepRows::Find(uint32_t step) {
  if (step == cached_step_) return cached_row_;
  const uint32_t row = rows_.FindOrAdd(step);
  cached_step_ = step;
  cached_row_ = row;
  return row;
}

void StepRows::OnStep(const shm::StepRecord& record) {
  const uint32_t step = record.header.step;
  if (step == shm::kNoStep) return;
  if (record.event == static_cast<uint8_t>(shm::StepEvent::kBegin)) {
    Begin(step, record.mono_ns);
  } else if (record.event == static_cast<uint8_t>(shm::StepEvent::kWindowEnd)) {
    EndBefore(step, record.mono_ns);  // this one is not recorded
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
    if (next != kNoRow) row.next_begin_mono_ns = rows_.Hold(next).begin_mono_ns;
  }
  EndBefore(step, mono_ns);
  if (any_begun_ && step < newest_step_) return;
  const bool next = any_begun_ && step == newest_step_ + 1 && mono_ns > newest_begin_mono_ns_;
  last_step_ns_ = next ? mono_ns - newest_begin_mono_ns_ : 0;
  any_begun_ = true;
  newest_step_ = step;
  newest_begin_mono_ns_ = mono_ns;
  FoldOldSteps();
}

void StepRows::EndBefore(uint32_t step, uint64_t mono_ns) {
  const uint32_t index = step == 0 ? kNoRow : rows_.Find(step - 1);
  if (index != kNoRow) rows_.Change(index).next_begin_mono_ns = mono_ns;
}

void StepRows::FoldOldSteps() {
  if (newest_step_ < kOpenSteps) return;
  const uint32_t until = newest_step_ - kOpenSteps;
  // A process that jumps ahead leaves at most a few rows unfolded, not a long loop.
  if (until > folded_until_ + 2 * kOpenSteps) folded_until_ = until - 2 * kOpenSteps;
  for (; folded_until_ < until; folded_until_++) {
    const uint32_t index = rows_.Find(folded_until_);
    if (index == kNoRow) continue;
    for (DeviceBusy& device : rows_.Hold(index).devices) {
      device.all.Fold();
      device.not_communication.Fold();
    }
  }
}

void StepRows::AddFlops(uint32_t step, shm::Phase phase, model::FlopCount flops) {
  if (flops == 0 || step == shm::kNoStep) return;
  const uint32_t index = Find(step);
  if (index == kNoRow) return;
  rows_.Change(index).flops[static_cast<size_t>(phase)] += flops;
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
  const uint32_t device = activity.record.device;
  auto busy = std::find_if(row.devices.begin(), row.devices.end(),
                           [device](const DeviceBusy& d) { return d.device == device; });
  if (busy == row.devices.end()) {
    if (row.devices.size() >= kMaxDevices) return;
    row.devices.emplace_back().device = device;
    busy = row.devices.end() - 1;
  }
  const uint64_t late = busy->late_count();
  busy->Add(activity.record.start_gpu_ns, activity.record.end_gpu_ns, communication);
  late_count_ += busy->late_count() - late;
}

size_t StepRows::Emit(size_t max, v1::ProcessProfile* profile) {
  return rows_.EmitChanged(max, [&](uint32_t step, const Row& row) {
    v1::StepRow* out = profile->add_steps();
    out->set_step(step);
    out->set_begin_mono_ns(row.begin_mono_ns);
    const uint64_t end =
        row.next_begin_mono_ns != 0 ? row.next_begin_mono_ns : row.optimizer_end_mono_ns;
    out->set_end_mono_ns(end);
    out->set_complete(row.begin_mono_ns != 0 && end != 0);
    for (model::FlopCount flops : row.flops) model::ToProto(flops, out->add_flops());
    for (uint64_t ns : row.gpu_time_ns) out->add_gpu_time_ns(ns);
    out->set_activities(row.activities);
    uint64_t busy_ns = 0;
    uint64_t not_communication_ns = 0;
    for (const DeviceBusy& device : row.devices) {
      busy_ns += device.all.total_ns();
      not_communication_ns += device.not_communication.total_ns();
    }
    out->set_gpu_busy_ns(busy_ns);
    // Late intervals may be missing in one of the two.
    out->set_exposed_communication_ns(busy_ns - std::min(busy_ns, not_communication_ns));
    if (row.has_unknown || row.exposed_unknown) {
      v1::StepFacts* facts = profile->add_step_facts();
      facts->set_step(step);
      facts->set_has_unknown(row.has_unknown);
      facts->set_exposed_unknown(row.exposed_unknown);
    }
    return true;
  });
}

}  // namespace flopsprof::agent
