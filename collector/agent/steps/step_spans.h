// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collector/agent/steps/step_rows.h"

namespace flopsprof::agent {

// Loop and label of a first and a last step (proto/shm/records.h).
struct StepSpan {
  uint32_t first = 0;
  uint32_t last = 0;
};

// First and last step of some work, in each loop: labels say which of two steps of one loop comes
// first, only numbers do between loops, and those may change until the process ends.
class StepSpans {
 public:
  void Add(uint32_t key) { Add({key, key}); }
  void Add(StepSpan span);  // of one loop
  void Add(const StepSpans& more);

  bool of_several_loops() const { return spans_.size() > 1; }
  // Of all loops, by the numbers that their labels have now; loops whose labels are of no step only
  // where there is no other.
  StepSpan Whole(const StepRows& steps) const;

 private:
  std::vector<StepSpan> spans_;  // one a loop; seldom more than one
};

}  // namespace flopsprof::agent
