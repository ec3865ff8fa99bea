// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/model/rank_groups.h"
#include "collector/model/recording_figures.h"

namespace flopsprof::model {

// Which parts of the run were recorded, if `flopsprof ctl` or --max-overhead decided this.
RecordingSummary SummarizeRecording(const RunProfile& run, const RankGroups& groups);

// The process was there before the first `flopsprof ctl start`.
bool IsPausedAtStart(const v1::ProcessProfile& process);

}  // namespace flopsprof::model
