// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "flopsprof/v1/ingest.pb.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Everything that is known about one run: what the store holds and the summary is made from.
struct RunProfile {
  std::string run_id;
  v1::RunInfo run;
  // One per process that loaded the injector, in no particular order.
  std::vector<v1::ProcessProfile> processes;
};

}  // namespace flopsprof::model
