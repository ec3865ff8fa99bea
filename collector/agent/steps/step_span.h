// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "collector/agent/tables/work.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Loop and label of a first and a last step of one loop (proto/shm/records.h): labels say which of
// two comes first. Between loops only numbers do, which may still change: rows of different loops
// are kept apart, and readers compare them.
struct StepSpan {
  uint32_t first = 0;
  uint32_t last = 0;

  void Add(StepSpan more) {
    first = std::min(first, more.first);
    last = std::max(last, more.last);
  }
};

// 0 also for work in no step.
constexpr uint32_t LoopOfStep(uint32_t step) {
  return InStep(step) ? (step & shm::kStepKeyMask) >> shm::kStepLoopShift : 0;
}

}  // namespace flopsprof::agent
