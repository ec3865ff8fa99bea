// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// First words between an injector and its agent, over a Unix SOCK_SEQPACKET socket whose
// path is in FLOPSPROF_SOCKET: Hello ->, <- Welcome with the segment's memfd (SCM_RIGHTS).
// The socket then stays open: its end is how each side learns of the other's end.

#include <stdint.h>

namespace flopsprof::shm {

constexpr uint64_t kHelloMagic = 0x313048454c464c46ull;
constexpr uint64_t kWelcomeMagic = 0x31304c4557464c46ull;
constexpr uint32_t kHandshakeVersion = 3;

struct Hello {
  uint64_t magic;
  uint32_t version;
  uint32_t record_bytes;  // kRecordBytes
  int32_t pid;            // as the process sees it; the agent trusts SO_PEERCRED
  int32_t parent_pid;
  // Identity from the live environment; -1 = not set.
  int32_t rank;
  int32_t local_rank;
  int32_t world_size;
  int32_t node_rank;
  int32_t restart;
  uint32_t identity_source;  // IdentitySource
  uint64_t start_mono_ns;
  // When this image of the program (until exec) loaded the library, by CLOCK_MONOTONIC: the same in
  // each session.
  uint64_t image;
  uint32_t session;  // 1, 2 ... within the image: one more with each agent that takes it
  uint32_t reserved0;
  uint64_t reserved[6];
};
static_assert(sizeof(Hello) == 120);

enum class IdentitySource : uint32_t {
  kNone = 0,
  kOverride = 1,  // FLOPSPROF_RANK ...
  kTorchrun = 2,  // RANK with LOCAL_RANK
  kOpenMpi = 3,
  kPmi = 4,
  kSlurm = 5,
  kBareRank = 6,  // RANK alone: may be a pod's number
};

struct Welcome {
  uint64_t magic;
  uint32_t version;
  uint32_t accepted;  // 1, or 0 with `reason`
  uint64_t segment_bytes;
  uint32_t options;            // WelcomeOption bits
  uint32_t stacks_per_second;  // sampled per thread; kNoStacks, kEveryStack
  char reason[96];             // zero-terminated, when refused
  uint64_t epoch;              // number of this session, which no other session ever has; not 0
};
static_assert(sizeof(Welcome) == 136);

constexpr uint32_t kNoStacks = 0;
constexpr uint32_t kEveryStack = 0xffffffffu;  // one at each candidate (injector/stacks/README.md)

enum WelcomeOption : uint32_t {
  kOptionCupti = 1,    // take GPU times
  kOptionModules = 2,  // follow modules and the backward pass
  // How replays of CUDA graphs are timed. With neither option, each node is timed.
  kOptionGraphLaunches = 4,  // each launch as a whole
  kOptionGraphAuto = 8,      // each node until there have been many
  // While times_wanted is 0 and nothing is recorded, modules and backward nodes are not followed.
  kOptionRest = 16,
};

}  // namespace flopsprof::shm
