// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/window_rows.h"

#include <algorithm>

#include "collector/base/clock.h"

namespace flopsprof::agent {
namespace {

int64_t UtcNsOf(uint64_t mono_ns) {
  if (mono_ns == 0) return 0;
  const base::Clock& clock = base::Clock::Real();
  return clock.UtcNs() - static_cast<int64_t>(clock.MonoNs() - mono_ns);
}

int64_t StepOf(const shm::StepRecord& record) {
  return record.header.step == shm::kNoStep ? -1 : int64_t{record.header.step};
}

}  // namespace

void WindowRows::OnStep(const shm::StepRecord& record) {
  switch (static_cast<shm::StepEvent>(record.event)) {
    case shm::StepEvent::kProcessBegin:
      process_begin_mono_ns_ = record.mono_ns;
      return;
    case shm::StepEvent::kWindowBegin:
      return Begin(record.mono_ns, StepOf(record));
    case shm::StepEvent::kWindowEnd:
      return End(record.mono_ns, StepOf(record));
    default:
      return;
  }
}

void WindowRows::Begin(uint64_t mono_ns, int64_t step) {
  any_begun_ = true;
  open_ = windows_.size() < kMaxRows;
  if (!open_) {
    ++refused_count_;
    return;
  }
  windows_.push_back({.begin_mono_ns = mono_ns, .first_step = step});
}

void WindowRows::End(uint64_t mono_ns, int64_t step) {
  // A run that was not paused at its start: until now everything was recorded.
  if (!any_begun_) Begin(process_begin_mono_ns_, -1);
  if (!open_) return;
  Window& window = windows_.back();
  window.end_mono_ns = std::max(mono_ns, window.begin_mono_ns);
  window.end_step = step;
  window.changed = true;
  open_ = false;
}

void WindowRows::Mark(const std::string& name, uint64_t mono_ns, int64_t utc_ns, int64_t step) {
  if (marks_.size() < kMaxRows) {
    marks_.push_back({name, mono_ns, utc_ns, step});
  } else {
    ++refused_count_;
  }
}

void WindowRows::Seen(uint64_t mono_ns, bool final) {
  seen_mono_ns_ = std::max(seen_mono_ns_, mono_ns);
  if (final && !windows_.empty()) windows_.back().changed = true;
}

size_t WindowRows::Emit(size_t max, v1::ProcessProfile* profile) {
  size_t emitted = 0;
  for (Window& window : windows_) {
    if (!window.changed || emitted == max) continue;
    window.changed = false;
    ++emitted;
    v1::WindowRow* row = profile->add_windows();
    row->set_begin_mono_ns(window.begin_mono_ns);
    row->set_end_mono_ns(window.end_mono_ns);
    row->set_begin_utc_ns(UtcNsOf(window.begin_mono_ns));
    row->set_end_utc_ns(UtcNsOf(window.end_mono_ns));
    row->set_first_step(window.first_step);
    row->set_end_step(window.end_step);
    row->set_process_begin_mono_ns(process_begin_mono_ns_);
    row->set_process_until_mono_ns(seen_mono_ns_);
  }
  // The newest one says how long the process was there.
  while (windows_.size() > 1 && !windows_.front().changed) windows_.pop_front();
  for (; !marks_.empty() && emitted < max; ++emitted) {
    const Instant& mark = marks_.front();
    v1::InstantRow* row = profile->add_instants();
    row->set_name(mark.name);
    row->set_mono_ns(mark.mono_ns);
    row->set_utc_ns(mark.utc_ns);
    row->set_step(mark.step);
    marks_.pop_front();
  }
  return emitted;
}

}  // namespace flopsprof::agent
