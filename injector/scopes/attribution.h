// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which scope, phase and step the work belongs to that the calling thread launches now.

#include <stdint.h>

#include "proto/shm/records.h"

namespace flopsprof::injector {

struct Attribution {
  uint32_t scope;  // shm::kOutsideScope: none
  shm::Phase phase;
  uint32_t step;  // shm::kNoStep: before step 0
};

// Reads thread-local state and one atomic: no lock, allocation, Python or CUDA call.
Attribution CurrentAttribution();

// The session calls this when it begins to record. Sends the definitions of ranges that were
// entered before and are still open. They may never be entered again, but work that is launched now
// belongs to them.
void DefineScopesSoFar();

// To be called once, when the session begins. Then a thread also leaves what it enters in its last
// destructors.
void PrepareScopeEnds();

}  // namespace flopsprof::injector
