// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/agent/processes/process_recorder.h"
#include "flopsprof/v1/control.pb.h"

namespace flopsprof::agent {

// One process' part in what `flopsprof ctl` asks for: words in its shared memory say what is
// wanted, the process answers there (proto/shm/ring_layout.h). One thread; does not own the
// recorder.
class ProcessControl {
 public:
  explicit ProcessControl(ProcessRecorder* recorder)
      : recorder_(recorder), recorded_from_begin_(recording()) {}

  // Times from CUPTI are needed from now on; it may take a moment until they are ready.
  void Prepare(uint32_t number);
  bool prepared() const;
  // Steps to record, at step begins; kNoSteps: ends at once what runs.
  void WantSteps(shm::StepsWanted steps);
  // The window that was open when this was called last has ended; gives CUPTI back when the last
  // kernel of it has come, or has been waited for. True: done.
  bool Settle(uint64_t now_ns);

  void WantFlush(uint32_t number);
  bool flushed(uint32_t number) const;

  bool live() const { return recorder_ != nullptr && !recorder_->finished(); }
  // The process has ended and its recorder goes: what was to be said of it stays so. Only
  // recording() and Describe may be called from then on.
  void Retire();
  bool recording() const;
  // kNoStep: none has begun.
  uint32_t step() const;
  shm::StepsWanted steps_wanted() const;
  // Has a window been opened since Prepare?
  bool opened() const;

  ProcessRecorder* recorder() const { return recorder_; }
  v1::RecordingState state() const;
  void Describe(v1::ControlProcess* process) const;

 private:
  shm::SegmentHeader& header() const { return recorder_->header(); }

  ProcessRecorder* recorder_;       // null: retired
  v1::ControlProcess last_;         // of one that is
  const bool recorded_from_begin_;  // a window that the injector does not count
  uint32_t windows_before_ = 0;
  uint64_t settling_since_ns_ = 0;
  uint64_t all_came_ns_ = 0;
};

}  // namespace flopsprof::agent
