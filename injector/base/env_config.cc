// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/env_config.h"

#include <stdlib.h>
#include <string.h>

namespace flopsprof::injector {
namespace {

constexpr size_t kShownBytes = 16;  // of a value that was not understood

// In place of the environment; nullptr: the environment.
const char* given = nullptr;
size_t given_bytes = 0;

const char* FindGiven(const char* name) {
  const size_t length = strlen(name);
  for (size_t at = 0; at < given_bytes; at += strlen(given + at) + 1) {
    if (strncmp(given + at, name, length) == 0 && given[at + length] == '=') {
      return given + at + length + 1;
    }
  }
  return nullptr;
}

const char* Variable(const char* name) { return given != nullptr ? FindGiven(name) : getenv(name); }

const char* NonEmpty(const char* name) {
  const char* value = Variable(name);
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

int32_t Number(const char* name) { return ParseNumber(Variable(name)); }

// What FLOPSPROF_ variables may say: one of some words, or a number up to `most`.
struct Setting {
  const char* name;
  const char* const* words;  // the last is nullptr; nullptr: a number
  int32_t most;
  const char* otherwise;  // what is used in place of anything else
};

constexpr const char* kModuleHooks[] = {"swap", "monitoring", "hooks", "none", nullptr};
constexpr const char* kBackwardWays[] = {"engine", "callback", "nodes", "none", nullptr};
constexpr Setting kModuleHook = {"FLOPSPROF_MODULE_HOOK", kModuleHooks, 0, "the first that fits"};
constexpr Setting kBackward = {"FLOPSPROF_BACKWARD", kBackwardWays, 0, "the first that fits"};
// CUPTI 13.0 was seen to give no valid times any more after about 25 million.
constexpr Setting kGraphNodeLimit = {"FLOPSPROF_GRAPH_NODE_LIMIT", nullptr, INT32_MAX, "1000000"};
constexpr Setting kConnectTimeoutMs = {"FLOPSPROF_CONNECT_TIMEOUT_MS", nullptr, 10000, "1000"};
constexpr Setting kReconnectS = {"FLOPSPROF_RECONNECT_S", nullptr, 86400, "30"};
constexpr Setting kSettings[] = {
    kModuleHook,
    kBackward,
    kGraphNodeLimit,
    kConnectTimeoutMs,
    kReconnectS,
    {"FLOPSPROF_RANK", nullptr, INT32_MAX, "the launcher's"},
    {"FLOPSPROF_LOCAL_RANK", nullptr, INT32_MAX, "none"},
    {"FLOPSPROF_WORLD_SIZE", nullptr, INT32_MAX, "none"},
    {"FLOPSPROF_NODE_RANK", nullptr, INT32_MAX, "none"},
};

// The word that a variable says, nullptr: none that it may.
const char* Word(const Setting& setting) {
  const char* value = NonEmpty(setting.name);
  if (value == nullptr) return nullptr;
  for (const char* const* word = setting.words; *word != nullptr; ++word) {
    if (strcmp(value, *word) == 0) return *word;
  }
  return nullptr;
}

// The number that a variable says, at most the most that it may; else what is used otherwise.
int32_t NumberOf(const Setting& setting) {
  const int32_t value = Number(setting.name);
  if (value < 0) return ParseNumber(setting.otherwise);
  return value < setting.most ? value : setting.most;
}

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

void UseSettings(const char* settings, size_t bytes) {
  given = settings;
  given_bytes = bytes;
}

const char* AgentSocketPath() {
  // Never in a set-user-id program.
  const char* path =
      given != nullptr ? FindGiven("FLOPSPROF_SOCKET") : secure_getenv("FLOPSPROF_SOCKET");
  return path != nullptr && path[0] != '\0' ? path : nullptr;
}

const char* CuptiPathFromUser() { return NonEmpty("FLOPSPROF_CUPTI"); }

uint64_t GraphNodeLimit() { return static_cast<uint64_t>(NumberOf(kGraphNodeLimit)); }

uint64_t ConnectTimeoutNs() {
  return static_cast<uint64_t>(NumberOf(kConnectTimeoutMs)) * 1000000u;
}

uint64_t ReconnectNs() { return static_cast<uint64_t>(NumberOf(kReconnectS)) * 1000000000u; }

const char* Tf32Override() { return NonEmpty("NVIDIA_TF32_OVERRIDE"); }

const char* ForcedModuleHook() { return Word(kModuleHook); }

const char* StepAtName() { return NonEmpty("FLOPSPROF_STEP_AT"); }

const char* ForcedBackward() { return Word(kBackward); }

Text<512> SettingsNotUnderstood() {
  Text<512> text;
  for (const Setting& setting : kSettings) {
    const char* value = NonEmpty(setting.name);
    if (value == nullptr) continue;
    const int32_t number = setting.words == nullptr ? Number(setting.name) : -1;
    if (setting.words == nullptr ? number >= 0 && number <= setting.most
                                 : Word(setting) != nullptr) {
      continue;
    }
    char shown[kShownBytes + 1] = {};
    for (size_t i = 0; i < kShownBytes && value[i] != '\0'; ++i) {
      shown[i] = value[i] >= ' ' && value[i] <= '~' ? value[i] : '?';
    }
    text.Add(text.get()[0] == '\0' ? "not understood: " : "; ").Add(setting.name).Add("=");
    text.Add(shown).Add(strlen(value) > kShownBytes ? "... (used: " : " (used: ");
    if (number > setting.most) {
      text.AddNumber(static_cast<uint64_t>(setting.most));
    } else {
      text.Add(setting.otherwise);
    }
    text.Add(")");
  }
  return text;
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
