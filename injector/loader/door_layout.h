// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by doors.cc and door_code.S. Enough doors for several copies of every hooked function.
#define FLOPSPROF_DOOR_COUNT 8192
#define FLOPSPROF_DOOR_BYTES 16
