// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer of hook_bench: one LTTng-UST event of 48 bytes.
void EmitLttngEvent();

// False: no session has enabled the event, so that emitting it would measure nothing.
bool LttngEventIsEnabled();
