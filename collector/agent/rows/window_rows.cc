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
  open_ = windows_.FindOrAdd(static_cast<uint32_t>(windows_.size() + 1));
  if (open_ == kNoRow) return;
  Window& window = windows_.Change(open_);
  window.begin_mono_ns = mono_ns;
  window.first_step = step;
}

void WindowRows::End(uint64_t mono_ns, int64_t step) {
  // A run that was not paused at its start: until now everything was recorded.
  if (windows_.size() == 0) Begin(process_begin_mono_ns_, -1);
  if (open_ == kNoRow) return;
  Window& window = windows_.Change(open_);
  window.end_mono_ns = std::max(mono_ns, window.begin_mono_ns);
  window.end_step = step;
  open_ = kNoRow;
}

void WindowRows::Mark(const std::string& name, uint64_t mono_ns, int64_t utc_ns, int64_t step) {
  const uint32_t row = marks_.FindOrAdd(static_cast<uint32_t>(marks_.size() + 1));
  if (row != kNoRow) marks_.Change(row) = {name, mono_ns, utc_ns, step};
}

void WindowRows::Seen(uint64_t mono_ns, bool final) {
  seen_mono_ns_ = std::max(seen_mono_ns_, mono_ns);
  if (!final || windows_.size() == 0) return;
  windows_.Change(static_cast<uint32_t>(windows_.size() - 1));
}

size_t WindowRows::Emit(size_t max, v1::ProcessProfile* profile) {
  const size_t emitted = windows_.EmitChanged(max, [&](uint32_t number, const Window& window) {
    v1::WindowRow* row = profile->add_windows();
    row->set_number(number);
    row->set_begin_mono_ns(window.begin_mono_ns);
    row->set_end_mono_ns(window.end_mono_ns);
    row->set_begin_utc_ns(UtcNsOf(window.begin_mono_ns));
    row->set_end_utc_ns(UtcNsOf(window.end_mono_ns));
    row->set_first_step(window.first_step);
    row->set_end_step(window.end_step);
    row->set_process_begin_mono_ns(process_begin_mono_ns_);
    row->set_process_until_mono_ns(seen_mono_ns_);
    return true;
  });
  return emitted + marks_.EmitChanged(max - emitted, [&](uint32_t number, const Instant& mark) {
    v1::InstantRow* row = profile->add_instants();
    row->set_number(number);
    row->set_name(mark.name);
    row->set_mono_ns(mark.mono_ns);
    row->set_utc_ns(mark.utc_ns);
    row->set_step(mark.step);
    return true;
  });
}

}  // namespace flopsprof::agent
