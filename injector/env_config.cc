// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/env_config.h"

#include <stdlib.h>
#include <string.h>

namespace flopsprof::injector {
namespace {

const char* NonEmpty(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && value[0] != '\0' ? value : nullptr;
}

// A decimal number from 0 to 2^31 - 1 and nothing else; -1 otherwise.
int32_t ParseNumber(const char* text) {
  if (text == nullptr || text[0] == '\0') return -1;
  int64_t value = 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9') return -1;
    value = value * 10 + (*text - '0');
    if (value > INT32_MAX) return -1;
  }
  return static_cast<int32_t>(value);
}

int32_t Number(const char* name) { return ParseNumber(getenv(name)); }

int32_t FirstNumber(const char* a, const char* b, const char* c = nullptr) {
  int32_t value = Number(a);
  if (value < 0) value = Number(b);
  if (value < 0 && c != nullptr) value = Number(c);
  return value;
}

int32_t NodeRank() {
  const int32_t group = FirstNumber("GROUP_RANK", "NODE_RANK", "CROSS_RANK");
  return group >= 0 ? group : FirstNumber("PET_NODE_RANK", "SLURM_NODEID", "JOB_COMPLETION_INDEX");
}

struct LocalLauncher {
  const char* rank;
  const char* local_rank;
  const char* world_size;
  shm::IdentitySource source;
};

constexpr LocalLauncher kLaunchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE", shm::IdentitySource::kTorchrun},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE",
     shm::IdentitySource::kOpenMpi},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", shm::IdentitySource::kPmi},
    {"PMIX_RANK", "PALS_LOCAL_RANKID", "PMI_SIZE", shm::IdentitySource::kPmi},
    {"PALS_RANKID", "PALS_LOCAL_RANKID", "PMI_SIZE", shm::IdentitySource::kPmi},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE",
     shm::IdentitySource::kPmi},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_SIZE",
     shm::IdentitySource::kPmi},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", shm::IdentitySource::kSlurm},
};

}  // namespace

const char* AgentSocketPath() {
  const char* path = secure_getenv("FLOPSPROF_SOCKET");  // never in a set-user-id program
  return path != nullptr && path[0] != '\0' ? path : nullptr;
}

const char* CuptiPathFromUser() { return NonEmpty("FLOPSPROF_CUPTI"); }

uint64_t GraphNodeLimit() {
  const int32_t limit = Number("FLOPSPROF_GRAPH_NODE_LIMIT");
  // CUPTI 13.0 was seen to give no valid times any more after about 25 million.
  return limit < 0 ? 1000000 : static_cast<uint64_t>(limit);
}

uint64_t ConnectTimeoutNs() {
  int32_t ms = Number("FLOPSPROF_CONNECT_TIMEOUT_MS");
  if (ms < 0) ms = 1000;
  if (ms > 10000) ms = 10000;
  return static_cast<uint64_t>(ms) * 1000000u;
}

const char* Tf32Override() { return NonEmpty("NVIDIA_TF32_OVERRIDE"); }

const char* ForcedModuleHook() {
  const char* value = NonEmpty("FLOPSPROF_MODULE_HOOK");
  if (value == nullptr) return nullptr;
  constexpr const char* kWays[] = {"swap", "monitoring", "hooks", "none"};
  for (const char* way : kWays) {
    if (strcmp(value, way) == 0) return way;
  }
  return nullptr;
}

const char* StepAtName() { return NonEmpty("FLOPSPROF_STEP_AT"); }

const char* ForcedBackward() {
  const char* value = NonEmpty("FLOPSPROF_BACKWARD");
  if (value == nullptr) return nullptr;
  constexpr const char* kWays[] = {"callback", "nodes", "none"};
  for (const char* way : kWays) {
    if (strcmp(value, way) == 0) return way;
  }
  return nullptr;
}

Identity ResolveIdentity() {
  Identity who;
  who.restart = FirstNumber("TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT");
  who.rank = Number("FLOPSPROF_RANK");
  if (who.rank >= 0) {
    who.local_rank = Number("FLOPSPROF_LOCAL_RANK");
    who.world_size = Number("FLOPSPROF_WORLD_SIZE");
    who.node_rank = Number("FLOPSPROF_NODE_RANK");
    who.source = shm::IdentitySource::kOverride;
    return who;
  }
  for (const LocalLauncher& launcher : kLaunchers) {
    const int32_t rank = Number(launcher.rank);
    const int32_t local_rank = Number(launcher.local_rank);
    if (rank < 0 || local_rank < 0) continue;
    who.rank = rank;
    who.local_rank = local_rank;
    who.world_size = Number(launcher.world_size);
    who.node_rank = NodeRank();
    who.source = launcher.source;
    return who;
  }
  who.rank = Number("RANK");
  if (who.rank >= 0) {
    who.world_size = Number("WORLD_SIZE");
    who.source = shm::IdentitySource::kBareRank;
  }
  return who;
}

void PublishNvtxInjection(const char* own_path) {
  if (own_path != nullptr) setenv("NVTX_INJECTION64_PATH", own_path, 0);
}

}  // namespace flopsprof::injector
