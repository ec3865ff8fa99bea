// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// Adds to a part what its rows are together, by phase and by device, as work of the span of time
// that `utc_ns` lies in. Rows of the first `known` calls, times and device times are not looked at:
// they were there before.
struct HistoryStart {
  int calls = 0;
  int times = 0;
  int device_times = 0;
};
HistoryStart HistoryStartOf(const v1::ProcessProfile& part);
void AddHistory(int64_t utc_ns, HistoryStart known, v1::ProcessProfile* part);

}  // namespace flopsprof::agent
