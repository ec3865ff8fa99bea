// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which steps are recorded, when `flopsprof ctl` decides about it. A window opens and closes at the
// begin of a step, on the thread that begins it, so that only whole steps are recorded; the agent
// names the steps in the segment's header (proto/shm/ring_layout.h). While no window is open,
// definitions are written, scopes and steps followed, and nothing else. A window whose steps were
// jumped over has as many later ones instead; the note `window` says so.

#include <stdint.h>

namespace flopsprof::injector {

// Around the change of the process' step number: what ends before the step, what begins with it.
// `label`: what its records carry.
void BeforeStepBegins(uint32_t label, uint32_t step);
void AfterStepBegan(uint32_t label, uint32_t step);

// Four times a second, on the helper thread: what begins and ends without a step.
void FollowWindow(uint32_t step);

}  // namespace flopsprof::injector
