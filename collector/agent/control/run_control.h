// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/agent/control/governor.h"
#include "collector/agent/control/process_control.h"
#include "flopsprof/v1/control.pb.h"

namespace flopsprof::agent {

inline constexpr uint32_t kControlVersion = 1;

// Carries out what `flopsprof ctl` asks for, over all processes of a node, so that they record the
// same steps where that is possible. Never waits: Follow brings on what takes time. One thread.
class RunControl {
 public:
  struct Options {
    bool paused = false;       // nothing is recorded until a start
    bool fixed_steps = false;  // the run has --steps: start and stop are refused
    bool governed = false;     // the run has --max-overhead: the same
  };
  explicit RunControl(Options options);

  // A process has come; it records as the others do. Does not own it; the recorder stays until
  // Retire.
  void Adopt(ProcessRecorder* recorder);
  // It has ended, and its recorder goes. What is said of it stays, of the newest kMaxDescribed.
  void Retire(const ProcessRecorder* recorder);

  // Does it, or begins to. The reply has neither names of the run nor `flushed`.
  v1::ControlReply Handle(const v1::ControlRequest& request, uint64_t now_ns);

  // Brings on what was begun; call it after each pass over the rings. `emptied`: all were.
  void Follow(uint64_t now_ns, bool emptied);

  // Number of a flush for which the processes have done their part and every ring was emptied
  // since; 0: none. What is known now is what is to be uploaded.
  uint32_t TakeReadyFlush();

  // What --max-overhead decides: a window from the next step on, or now where there are no steps;
  // its end with the step that runs, or at once. Nothing where it cannot be.
  void OpenWindow(uint64_t now_ns);
  void CloseWindow(bool now);
  Governor::Window window() const;
  // Duration of the newest step of any process. 0: no step has been seen to end.
  uint64_t step_ns() const { return step_ns_; }

  // Processes that come now are to begin without recording.
  bool NewAreToPause() const { return state_ != State::kRecording || end_ != shm::kNoEnd; }

 private:
  static constexpr size_t kMaxDescribed = 1000;

  enum class State { kPaused, kStarting, kRecording, kStopping };

  std::vector<ProcessControl*> Live();
  // Why a user may not begin or end a window: "" where that is free.
  std::string RefusalOfWindows(std::string* next) const;
  std::string Start(uint32_t steps, uint64_t now_ns, std::string* next);
  std::string Stop(bool now, std::string* next);
  std::string Mark(const std::string& name, uint64_t now_ns, std::string* next);
  void Plan(uint64_t now_ns);
  bool AnyIsRecording() const;
  bool WindowsHaveEnded(uint64_t now_ns, bool emptied);
  void MeasureSpeed(uint64_t now_ns);
  void MeasureStep(uint64_t now_ns, uint32_t newest);
  void FollowFlush(uint64_t now_ns, bool emptied);
  void DescribeState(v1::ControlReply* reply);

  const Options options_;
  std::vector<std::unique_ptr<ProcessControl>> processes_;
  size_t retired_count_ = 0;    // of them
  size_t forgotten_count_ = 0;  // not among them any more
  State state_;
  uint32_t number_ = 0;  // of the newest start
  uint64_t start_deadline_ns_ = 0;
  uint32_t steps_asked_ = 0;    // of the newest start; 0 = until a stop
  uint32_t first_ = 0;          // of the window
  uint32_t end_ = shm::kNoEnd;  // kNoEnd also until a stop

  uint64_t speed_since_ns_ = 0;
  uint32_t speed_step_ = 0;
  double steps_per_s_ = 0;
  uint32_t timed_step_ = shm::kNoStep;  // the newest that was seen, and since when
  uint64_t timed_since_ns_ = 0;
  uint64_t step_ns_ = 0;

  uint32_t flush_ = 0;  // the newest
  uint32_t flush_ready_ = 0;
  uint64_t flush_deadline_ns_ = 0;
  int flush_passes_ = 0;  // with all rings emptied, since the processes' answers
  bool flushing_ = false;
};

}  // namespace flopsprof::agent
