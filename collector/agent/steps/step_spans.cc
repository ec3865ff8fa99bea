// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/steps/step_spans.h"

#include <algorithm>

#include "proto/shm/records.h"

namespace flopsprof::agent {

void StepSpans::Add(StepSpan span) {
  for (StepSpan& known : spans_) {
    if (known.first >> shm::kStepLoopShift != span.first >> shm::kStepLoopShift) continue;
    known.first = std::min(known.first, span.first);
    known.last = std::max(known.last, span.last);
    return;
  }
  spans_.push_back(span);
}

void StepSpans::Add(const StepSpans& more) {
  for (const StepSpan& span : more.spans_) Add(span);
}

StepSpan StepSpans::Whole(const StepRows& steps) const {
  if (spans_.empty()) return {};
  StepSpan whole = spans_.front();
  uint32_t first = shm::kNoStep;
  uint32_t last = 0;
  for (const StepSpan& span : spans_) {
    const uint32_t begin = steps.NumberOf(span.first);
    const uint32_t end = steps.NumberOf(span.last);
    if (begin == shm::kNoStep && end == shm::kNoStep) continue;
    // Labels of no step come before the loop's step 0.
    const uint32_t lowest = begin == shm::kNoStep ? 0 : begin;
    const uint32_t highest = end == shm::kNoStep ? begin : end;
    if (first == shm::kNoStep || highest > last) {
      last = highest;
      whole.last = span.last;
    }
    if (lowest < first) {
      first = lowest;
      whole.first = span.first;
    }
  }
  return whole;
}

}  // namespace flopsprof::agent
