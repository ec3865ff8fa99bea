// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace flopsprof::shm {

// How many descriptions of cuDNN plans a reader keeps for a process, each with an id of its own.
// Plans beyond this limit stay unknown: executions may come as long as the process lives, so no
// description is ever dropped.
constexpr uint32_t kMaxCudnnPlans = 1u << 20;

}  // namespace flopsprof::shm
