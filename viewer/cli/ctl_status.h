// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "flopsprof/v1/control.pb.h"
#include "viewer/report/terminal.h"

namespace flopsprof::viewer {

// What `flopsprof ctl status` prints.
std::string StatusText(const v1::ControlReply& reply, const Terminal& terminal);
std::string StatusJson(const v1::ControlReply& reply);

// "steps 12 to 14", "from step 12 on"; "" where there is no window of steps.
std::string WindowText(const v1::ControlReply& reply);

}  // namespace flopsprof::viewer
