// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which graphs and executables hold a root forward or an optimizer step, so that their replays are
// steps: CapturedStep bits by address, injector/scopes/captured_steps.h.

#include <stdint.h>

namespace flopsprof::injector {

// One load while there is none, else a few. No lock.
uint8_t StepsOfGraph(const void* object);

// 0 forgets the object. Takes a lock. No room (counted): its replays are no steps.
void SetStepsOfGraph(const void* object, uint8_t steps);

}  // namespace flopsprof::injector
