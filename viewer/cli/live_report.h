// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/model/run_sums.h"
#include "flopsprof/v1/query.pb.h"

namespace flopsprof::viewer {

// A report as a collector has made it from memory.
struct CollectorsReport {
  v1::ReportHead head;
  model::RunSums sums;
};

// How long a collector may be silent: one that works says so every half second.
inline constexpr absl::Duration kCollectorsSilence = absl::Seconds(2);

// Asks the collector at `target` ("unix:PATH", "HOST:PORT") for the report of a run; "" = the only
// one. DeadlineExceeded: it was silent for so long. Other failures: as v1::Query says.
absl::StatusOr<CollectorsReport> AskCollector(const std::string& target, const std::string& run_id,
                                              absl::Duration silence = kCollectorsSilence);

// A run that is being written by a collector of this user on this machine.
struct WrittenRun {
  std::string target;  // of the collector; "" = there is none
  std::string run_id;
};
WrittenRun FindWrittenRun(const std::string& folder);

}  // namespace flopsprof::viewer
