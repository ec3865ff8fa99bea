// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "communicator.h"
#include "reduction.h"

namespace sim::nccl {

enum class Operation {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kGather,
  kScatter,
  kSend,
  kReceive,
};

// One call of the collective or point-to-point interface.
struct Call {
  Operation operation;
  const void* send = nullptr;
  void* receive = nullptr;
  size_t count = 0;  // elements, as in the call: per rank where NCCL counts per rank
  ncclDataType_t type = ncclFloat32;
  Reduction reduction = {};
  int root = 0;  // root or peer
  Communicator* communicator = nullptr;
  void* stream = nullptr;

  size_t bytes() const { return count * ElementBytes(type); }
};

// Meets the other ranks and moves the data. `arrival_ns` is when this rank's kernel began;
// the result is when the last rank's did. Data of at most kMaxDataBytes per rank moves; for
// larger calls, and when the rendezvous is over or absent, each rank sees its own data in the
// place of every other's.
inline constexpr size_t kMaxDataBytes = 4 << 20;
uint64_t Exchange(const Call& call, uint64_t arrival_ns);

// The call's arguments for ledger and call log: count, type, ranks, root.
std::string Describe(const Call& call);

// The kernel's name, as NCCL 2.30 builds them.
std::string KernelName(const Call& call);

// The time the transfer takes once all ranks are there.
uint64_t TransferNs(const Call& call);

}  // namespace sim::nccl
