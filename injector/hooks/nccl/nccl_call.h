// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the hooks of NCCL's collectives share.

#include <stddef.h>

#include "injector/hooks/call_scope.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {

constexpr int kNcclInvalidUsage = 5;  // ncclInvalidUsage

struct Collective {
  shm::CollectiveKind kind;
  size_t count;
  int data_type;  // ncclDataType_t
  int peer;       // root or peer; -1: none
  void* communicator;
};

// After the real call: the record, or that of the failure. Inside of a group nothing is launched
// before ncclGroupEnd; its launches then belong to the group's last collective.
void EndCollective(CallScope* call, int status, const void* caller, const Collective& collective);

// To be called for a collective while work is not recorded: its number is still taken, so that the
// numbers of all ranks agree.
void SkipCollective(int status, shm::CollectiveKind kind, int peer, void* communicator);

}  // namespace flopsprof::injector
