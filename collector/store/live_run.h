// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <atomic>
#include <cstdint>

#include "collector/model/run_sums.h"
#include "collector/store/run_folder.h"

namespace flopsprof::store {

// Of a sum that is being made, in another thread.
struct LiveProgress {
  std::atomic<uint64_t> done{0};  // processes that were gone through
  std::atomic<uint64_t> processes{0};
  std::atomic<bool> cancelled{false};  // end soon, with Cancelled
};

struct LiveSums {
  model::RunSums sums;
  RunFolder::Position at;
  int64_t newest_utc_ns = 0;  // when the newest of it came
  absl::Duration stopped;     // how long nothing was merged for it
};

// So many processes are in memory at once with all their rows, and so many rows: of some 400 bytes
// each.
inline constexpr uint64_t kMostLiveAtOnce = 256;
inline constexpr size_t kMostLiveRowsAtOnce = 400'000;

// Adds up a run that is being written, from what its merge has in memory and profile.db for the
// rest: all of one position of the log, and the same as a reader of the folder at that position
// has (run_reader.h). No copy of the database is made. Uploads are merged meanwhile; processes that
// something comes of are copied in memory. Any thread. Unavailable, FailedPrecondition: as
// RunFolder::Freeze.
absl::StatusOr<LiveSums> SumLiveRun(RunFolder* run, absl::Duration patience, LiveProgress* progress,
                                    uint64_t most_at_once = kMostLiveAtOnce);

}  // namespace flopsprof::store
