// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "collector/agent/steps/step_rows.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Half-open window of steps. Work outside of it, before step 0 too, is not booked at all.
struct StepWindow {
  uint32_t first = 0;
  uint32_t end = 0xffffffffu;

  bool Contains(uint32_t step) const { return step != shm::kNoStep && step >= first && step < end; }
};

// Which work is of the window. A label's number may change while the injector learns what a turn of
// the loop is (injector/scopes/step_cycle.h), and rows are sums that nobody can take apart again:
// work of a label that may still come into the window, or leave it, is held back until a label that
// is settled or kOpenLabels newer ones have begun, the process ends, or too much is held, which
// decides the oldest label by the number that it has. Decisions that a later number belies are
// counted. One thread.
class WindowFilter {
 public:
  // The injector knows a cycle of 128 parts when the 129th begins; after that a label keeps its
  // number, but for what it never sees again.
  static constexpr uint32_t kOpenLabels = 129;
  static constexpr size_t kMaxHeld = 1 << 18;  // some 60 MiB

  // `steps` outlives this.
  WindowFilter(StepWindow window, const StepRows* steps, size_t max_held = kMaxHeld)
      : window_(window), steps_(*steps), max_held_(max_held) {}

  enum class Answer { kNo, kYes, kOpen };
  Answer Ask(uint32_t step);

  // Calls `book` when the step of an open answer is decided; it asks again then.
  void Hold(uint32_t step, std::function<void()> book);

  // Around what StepRows::OnLabel is told of the same record.
  void BeforeLabel(const shm::StepRecord& record);
  void AfterLabel(const shm::StepRecord& record);

  // No number will change any more.
  void DecideAll();

  const StepWindow& window() const { return window_; }
  // Steps whose work was booked or left out by a number that turned out to be another.
  uint64_t belied_count() const { return belied_count_; }

 private:
  static constexpr size_t kLoops = 16;
  static constexpr size_t kMaxBooked = 1 << 16;

  struct Loop {
    bool any_begun = false;
    uint32_t newest = 0;   // label that has begun, without the loop's bits, as all here
    uint32_t decided = 0;  // labels below it are
    std::map<uint32_t, std::vector<std::function<void()>>> held;
    std::set<uint32_t> booked;  // decided labels in the window; the newest kMaxBooked
  };

  bool Contains(uint32_t step) const;
  Answer AnswerOf(uint32_t step) const;
  void DecideBefore(uint32_t loop, uint32_t label);
  void DecideOldest(uint32_t loop);

  const StepWindow window_;
  const StepRows& steps_;
  const size_t max_held_;
  std::array<Loop, kLoops> loops_;
  size_t held_count_ = 0;
  uint64_t belied_count_ = 0;
  bool was_inside_ = false;  // the label of a record, before it was told
  bool known_ = false;       // known_answer_ is that of known_step_
  uint32_t known_step_ = 0;
  Answer known_answer_ = Answer::kNo;
};

}  // namespace flopsprof::agent
