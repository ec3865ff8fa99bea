// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "viewer/report/views.h"

namespace flopsprof::viewer {

// What of the run is in this report, where that is not all: budget, windows and marks. "" = all of
// it.
std::string RecordingLines(const ReportContext& context);

}  // namespace flopsprof::viewer
