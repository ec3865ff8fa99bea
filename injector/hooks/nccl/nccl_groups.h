// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Identifies communicators of different processes that belong to one group, and numbers their
// calls. Every rank of a group computes the same numbers on its own. It uses what NCCL itself
// requires to be equal on all ranks: the unique id, the order of splits, the order of calls.

#include <stdint.h>

#include "proto/shm/records.h"

namespace flopsprof::injector {

struct GroupCall {
  uint64_t group = 0;     // 0: the communicator was made before us, or there are too many
  uint64_t sequence = 0;  // 0: not known
};

// A communicator was made (or has gone); `group` 0: nothing is known of it. Any thread.
void AddCommunicator(const void* communicator, uint64_t group);
void ForgetCommunicator(const void* communicator);

// Group of a communicator that is split or shrunk off now. `color`: which part.
uint64_t ChildGroup(const void* parent, int64_t color);

// Takes the number of a call. Lock-free. `peer`: of sends and receives.
GroupCall NextGroupCall(const void* communicator, shm::CollectiveKind kind, int32_t peer);

uint64_t HashBytes(const void* bytes, uint64_t count, uint64_t seed);

}  // namespace flopsprof::injector
