// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "proto/shm/ring_layout.h"

namespace flopsprof::agent {

// What a process has done for us. The injector counts all of it anyhow: nothing is added to its
// work by reading it.
struct EventCounts {
  double hook_calls = 0;
  double module_calls = 0;
  double nodes = 0;
  double launches = 0;
  double activities = 0;
  double own_cpu_ns = 0;  // of the injector's thread
  double cupti_ns = 0;    // that CUPTI's own overhead records tell

  EventCounts& operator+=(const EventCounts& more);
  EventCounts Times(double factor) const;
};

EventCounts ReadEventCounts(const shm::SegmentHeader& header);
// A counter that falls, in memory that the process may write as it likes, has not moved.
EventCounts Since(const EventCounts& before, const EventCounts& now);

// What events cost on this machine: their instructions are known (docs/overhead.md, held by
// tests/bench/run.sh), the time of one is measured at start. All of it is taken as time of the job,
// which is an upper bound where other threads, or the wait for the GPU, hide it.
class OverheadCosts {
 public:
  explicit OverheadCosts(double ns_per_instruction);

  // While work is recorded.
  double RecordedNs(const EventCounts& events) const;
  // What the same events cost while nothing is recorded: hooks return early. `resting`: modules
  // and backward nodes are not followed either.
  double PausedNs(const EventCounts& events, bool resting) const;
  // What CUPTI alone takes of `events`, as long as it is subscribed.
  double CuptiNs(const EventCounts& events) const;

  double ns_per_instruction() const { return ns_per_instruction_; }

 private:
  const double ns_per_instruction_;
};

// Time of an instruction between work that is not ours, with cold caches; some 2 ms of one core.
double MeasureInstructionNs();

}  // namespace flopsprof::agent
