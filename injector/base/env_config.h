// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only reader of the environment in the injector. README.md lists the variables.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/text.h"
#include "proto/shm/handshake.h"

namespace flopsprof::injector {

struct Identity {  // -1: not set
  int32_t rank = -1;
  int32_t local_rank = -1;
  int32_t world_size = -1;
  int32_t node_rank = -1;
  int32_t restart = -1;
  shm::IdentitySource source = shm::IdentitySource::kNone;
};

// After a late attach: these are read instead of the environment, which the program may be changing
// meanwhile. "NAME=value" with a zero byte behind each; they stay where they are.
void UseSettings(const char* settings, size_t bytes);

// Path of the agent's socket, or nullptr: then the injector does nothing at all.
const char* AgentSocketPath();

// Full path of a libcupti chosen by the user, or nullptr.
const char* CuptiPathFromUser();

// After this many timed nodes of CUDA graphs, whole launches are timed in their place (--graphs
// auto).
uint64_t GraphNodeLimit();

// How long the first GPU call may wait for the agent; at most 10 s.
uint64_t ConnectTimeoutNs();

// After the agent has gone another one is looked for so long; 0: not at all. At most a day.
uint64_t ReconnectNs();

// NVIDIA_TF32_OVERRIDE as it is set, or nullptr: it overrules every math mode.
const char* Tf32Override();

// The only way of seeing module calls that is tried: "swap", "monitoring", "hooks" or "none".
// nullptr: each is tried in this order until one fits.
const char* ForcedModuleHook();

// The only way of following backward nodes that is tried: "engine", "callback", "nodes" or "none".
// nullptr: each is tried in this order until one fits.
const char* ForcedBackward();

// Text of a note: which of the variables above, or of FLOPSPROF_RANK and the like, was not
// understood, and what is used in its place. "": everything was understood.
Text<512> SettingsNotUnderstood();

// A step begins where a module, range or function of this name does; nullptr: not asked for.
const char* StepAtName();

// Who this process is, by the first of these that is set: FLOPSPROF_RANK and its kin; RANK
// together with LOCAL_RANK (torchrun, DeepSpeed, accelerate, Ray); Open MPI; PMI and PMIx with
// a local id; Slurm; RANK alone, which may be a pod's number. Reads the live environment, which
// some launchers fill in only after the process has started.
Identity ResolveIdentity();

// Lets NVTX find the injector, unless another tool has been chosen.
void PublishNvtxInjection(const char* own_path);

}  // namespace flopsprof::injector
