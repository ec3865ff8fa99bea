// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/steps/window_filter.h"

#include <algorithm>
#include <utility>

namespace flopsprof::agent {
namespace {

uint32_t StepKeyOf(uint32_t step) { return step & shm::kStepKeyMask; }
uint32_t StepLoopOf(uint32_t step) { return StepKeyOf(step) >> shm::kStepLoopShift; }
uint32_t StepLabelOf(uint32_t step) { return step & shm::kStepLabelMask; }
uint32_t StepKeyAt(uint32_t loop, uint32_t label) { return loop << shm::kStepLoopShift | label; }

// Before the first step there is no label.
bool HasStepLabel(uint32_t step) {
  return step != shm::kNoStep && StepKeyOf(step) != shm::kStepKeyMask;
}

}  // namespace

bool WindowFilter::Contains(uint32_t step) const {
  const uint32_t number = steps_.NumberOf(step);
  if (!window_.Contains(number)) return false;
  // What runs between two steps is of the window when both are.
  return shm::PlaceOfStep(step) != shm::StepPlace::kBeside || window_.Contains(number + 1);
}

WindowFilter::Answer WindowFilter::Ask(uint32_t step) {
  if (known_ && step == known_step_) return known_answer_;
  known_ = true;
  known_step_ = step;
  known_answer_ = AnswerOf(step);
  return known_answer_;
}

WindowFilter::Answer WindowFilter::AnswerOf(uint32_t step) const {
  if (!HasStepLabel(step)) return Answer::kNo;
  const Loop& loop = loops_[StepLoopOf(step)];
  const uint32_t label = StepLabelOf(step);
  if (label < loop.decided) return Contains(step) ? Answer::kYes : Answer::kNo;
  // Its begin is in another ring.
  if (!loop.any_begun || label > loop.newest) return Answer::kOpen;
  const uint32_t number = steps_.NumberOf(step);
  if (number == shm::kNoStep) return Answer::kNo;  // that is for good
  // From the same turn as the newest label that is decided to a turn for each label since.
  uint32_t lowest = 0;
  uint32_t highest = label;
  if (loop.decided > 0) {
    const uint32_t newest = steps_.NumberOf(StepKeyAt(StepLoopOf(step), loop.decided - 1));
    lowest = newest == shm::kNoStep ? 0 : newest;
    highest = newest == shm::kNoStep ? label - loop.decided : newest + 1 + label - loop.decided;
  }
  lowest = std::min(lowest, number);
  highest = std::max(highest, number);
  return highest < window_.first || lowest >= window_.end ? Answer::kNo : Answer::kOpen;
}

void WindowFilter::Hold(uint32_t step, std::function<void()> book) {
  const uint32_t loop = StepLoopOf(step);
  if (held_count_ >= max_held_) DecideOldest(loop);
  if (Ask(step) != Answer::kOpen) return book();
  loops_[loop].held[StepLabelOf(step)].push_back(std::move(book));
  held_count_++;
}

void WindowFilter::BeforeLabel(const shm::StepRecord& record) {
  if (record.event != static_cast<uint8_t>(shm::StepEvent::kNumber)) return;
  was_inside_ =
      HasStepLabel(record.header.step) && window_.Contains(steps_.NumberOf(record.header.step));
}

void WindowFilter::AfterLabel(const shm::StepRecord& record) {
  const uint32_t step = record.header.step;
  if (!HasStepLabel(step)) return;
  known_ = false;
  Loop& loop = loops_[StepLoopOf(step)];
  const uint32_t label = StepLabelOf(step);
  if (record.event == static_cast<uint8_t>(shm::StepEvent::kBegin)) {
    loop.newest = loop.any_begun ? std::max(loop.newest, label) : label;
    loop.any_begun = true;
    if (record.settled != 0) {
      DecideBefore(StepLoopOf(step), label + 1);
    } else if (loop.newest >= kOpenLabels) {
      DecideBefore(StepLoopOf(step), loop.newest - kOpenLabels + 1);
    }
    return;
  }
  if (record.event != static_cast<uint8_t>(shm::StepEvent::kNumber) || loop.decided == 0) return;
  const uint32_t first = std::min(StepKeyOf(record.first_label), StepKeyOf(step));
  const bool is_inside = window_.Contains(steps_.NumberOf(step));
  if (first == StepKeyOf(step)) {
    if (label >= loop.decided || is_inside == was_inside_) return;
    belied_count_++;
    if (was_inside_) loop.booked.erase(label);
    return;
  }
  // Many labels have got one number, or none.
  const uint32_t from = StepLoopOf(first) == StepLoopOf(step) ? StepLabelOf(first) : 0;
  const uint32_t until = std::min(label, loop.decided - 1);
  if (from > until) return;
  const auto begin = loop.booked.lower_bound(from);
  const auto end = loop.booked.upper_bound(until);
  const auto inside = static_cast<uint64_t>(std::distance(begin, end));
  if (is_inside) {
    belied_count_ += until - from + 1 - inside;
  } else {
    belied_count_ += inside;
    loop.booked.erase(begin, end);
  }
}

void WindowFilter::DecideBefore(uint32_t index, uint32_t label) {
  Loop& loop = loops_[index];
  loop.decided = std::max(loop.decided, label);
  known_ = false;
  while (!loop.held.empty() && loop.held.begin()->first < loop.decided) {
    const auto held = loop.held.extract(loop.held.begin());
    held_count_ -= held.mapped().size();
    if (Contains(StepKeyAt(index, held.key()))) loop.booked.insert(held.key());
    if (loop.booked.size() > kMaxBooked) loop.booked.erase(loop.booked.begin());
    for (const std::function<void()>& book : held.mapped()) book();
  }
}

void WindowFilter::DecideOldest(uint32_t index) {
  if (loops_[index].held.empty()) {
    const auto most = std::max_element(
        loops_.begin(), loops_.end(),
        [](const Loop& a, const Loop& b) { return a.held.size() < b.held.size(); });
    index = static_cast<uint32_t>(most - loops_.begin());
  }
  const auto& held = loops_[index].held;
  if (!held.empty()) DecideBefore(index, held.begin()->first + 1);
}

void WindowFilter::DecideAll() {
  for (uint32_t loop = 0; loop < kLoops; ++loop) DecideBefore(loop, shm::kStepLabelMask + 1);
}

}  // namespace flopsprof::agent
