// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// What was written for an agent that has not told of it before it ended, as losses of the process:
// calls_lost_with_agent, launches_lost_with_agent, activities_lost_with_agent. Exact: calls that
// are stored, calls that were not written, and these are the calls that were made. Launches and
// activities are only known once the process has ended; until then they are not set.
void CountLostWithAgents(v1::ProcessProfile* process);

// The newest agent of the process has ended before it, and none after it has told the rest: what
// the process did then, and what was lost with that agent, is not known.
bool EndIsUnknown(const v1::ProcessProfile& process);

}  // namespace flopsprof::model
