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

// Called by the session when it begins to record: sends the definitions of the ranges that were
// entered before. They may never be entered again, but what is launched now is theirs.
void DefineScopesSoFar();

// Once, when the session begins: what a thread enters in its last destructors is left as well.
void PrepareScopeEnds();

}  // namespace flopsprof::injector
