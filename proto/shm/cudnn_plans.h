// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace flopsprof::shm {

// Descriptions of cuDNN plans that a reader keeps for a process, each with an id of its own. Final
// for plans beyond them: executions may come as long as the process lives, so none is forgotten.
constexpr uint32_t kMaxCudnnPlans = 1u << 20;

}  // namespace flopsprof::shm
