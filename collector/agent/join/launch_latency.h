// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "collector/agent/tables/recent_table.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// How long launches of one process waited for the GPU: from the call on the host to the begin of
// the kernel, copy or set, where launches have the host's clock (shm::Recording::kTimedWork). One
// thread.
//
// CUPTI's times are on a clock of their own, which may be set while the job runs. So what a launch
// waited counts only once a pair of readings (kClock) before it and one after it agree. Replays of
// CUDA graphs whose nodes are timed one by one are not measured: nobody says which node is the
// first.
class LaunchLatency {
 public:
  void AddLaunch(const shm::LaunchRecord& record);
  // The launch made a node of a graph: nothing ran.
  void Forget(uint32_t correlation);
  void AddActivity(const shm::ActivityRecord& record);
  void AddClock(const shm::ClockRecord& record);
  // Nothing comes any more.
  void Finish();

  // Was there any launch with a time?
  bool any() const { return row_.launches() > 0; }
  // All until now. `min_ns`, `max_ns` and `error_ns` are those of what is measured.
  const v1::LaunchLatencyRow& row() const { return row_; }

 private:
  // What lacks its other half: a launch, or the activity, which another ring may tell first.
  struct Half {
    uint64_t mono_ns = 0;
    uint64_t gpu_ns = 0;
  };
  // Waits by the two clocks as they are: their difference is added for all at once.
  struct Waits {
    uint64_t count = 0;
    __int128 sum_ns = 0;
    int64_t min_ns = INT64_MAX;
    int64_t max_ns = INT64_MIN;
    uint64_t last_gpu_ns = 0;  // the latest begin
    void Add(const Half& whole);
    void Add(const Waits& other);
  };
  struct Pair {
    uint64_t mono_ns;
    uint64_t gpu_ns;
    uint64_t gap_ns;
    // CLOCK_MONOTONIC minus CUPTI's clock.
    int64_t offset_ns() const { return static_cast<int64_t>(mono_ns - gpu_ns); }
  };
  static constexpr size_t kMaxHalves = 1 << 18;
  // As the correlator: of the oldest those that have both are forgotten.
  static constexpr size_t kKeptDone = 4096;

  Half* FindOrAdd(uint32_t correlation, bool* added);
  void Book(const Half& whole);
  void Commit(Waits* waits);
  void Discard(Waits* waits);

  RecentTable<Half> halves_;     // by correlation
  std::optional<Pair> pair_;     // the newest
  uint64_t worst_gap_ns_ = 0;    // of the pairs that agree, and what they differ by
  uint64_t jumped_mono_ns_ = 0;  // the clocks were set against each other, last before this
  Waits newest_;                 // since the newest pair
  Waits ripe_;                   // before it: they count when the next one agrees
  v1::LaunchLatencyRow row_;
};

}  // namespace flopsprof::agent
