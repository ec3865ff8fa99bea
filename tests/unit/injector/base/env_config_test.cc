// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/env_config.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>

namespace flopsprof::injector {
namespace {

// Each test runs in an environment without the launchers' variables.
class EnvConfigTest : public ::testing::Test {
 protected:
  void SetUp() override { clearenv(); }
};

TEST_F(EnvConfigTest, NobodyIsNobody) {
  const Identity who = ResolveIdentity();
  EXPECT_EQ(who.rank, -1);
  EXPECT_EQ(who.source, shm::IdentitySource::kNone);
}

TEST_F(EnvConfigTest, OnlyKnownWaysOfSeeingModuleCallsAreForced) {
  EXPECT_EQ(ForcedModuleHook(), nullptr);
  setenv("FLOPSPROF_MODULE_HOOK", "", 1);
  EXPECT_EQ(ForcedModuleHook(), nullptr);
  for (const char* way : {"swap", "monitoring", "hooks", "none"}) {
    setenv("FLOPSPROF_MODULE_HOOK", way, 1);
    EXPECT_STREQ(ForcedModuleHook(), way);
  }
  setenv("FLOPSPROF_MODULE_HOOK", "hook", 1);
  EXPECT_EQ(ForcedModuleHook(), nullptr);
}

TEST_F(EnvConfigTest, OnlyKnownWaysOfFollowingTheBackwardPassAreForced) {
  EXPECT_EQ(ForcedBackward(), nullptr);
  for (const char* way : {"engine", "callback", "nodes", "none"}) {
    setenv("FLOPSPROF_BACKWARD", way, 1);
    EXPECT_STREQ(ForcedBackward(), way);
  }
  setenv("FLOPSPROF_BACKWARD", "bogus", 1);
  EXPECT_EQ(ForcedBackward(), nullptr);
}

TEST_F(EnvConfigTest, WhatIsNotUnderstoodIsSaidWithWhatIsUsed) {
  const std::pair<const char*, const char*> settings[] = {
      {"FLOPSPROF_MODULE_HOOK", "the first that fits"},
      {"FLOPSPROF_BACKWARD", "the first that fits"},
      {"FLOPSPROF_GRAPH_NODE_LIMIT", "1000000"},
      {"FLOPSPROF_CONNECT_TIMEOUT_MS", "1000"},
      {"FLOPSPROF_RANK", "the launcher's"},
      {"FLOPSPROF_LOCAL_RANK", "none"},
      {"FLOPSPROF_WORLD_SIZE", "none"},
      {"FLOPSPROF_NODE_RANK", "none"}};
  for (const auto& [name, used] : settings) {
    setenv(name, "", 1);
    EXPECT_STREQ(SettingsNotUnderstood().get(), "");
    setenv(name, "a\n", 1);
    EXPECT_EQ(SettingsNotUnderstood().get(),
              std::string("not understood: ") + name + "=a? (used: " + used + ")");
    unsetenv(name);
  }
  EXPECT_EQ(GraphNodeLimit(), 1000000u);
  EXPECT_EQ(ConnectTimeoutNs(), 1000000000u);
  setenv("FLOPSPROF_RANK", "3", 1);
  setenv("FLOPSPROF_MODULE_HOOK", "none", 1);
  EXPECT_STREQ(SettingsNotUnderstood().get(), "");
  setenv("FLOPSPROF_CONNECT_TIMEOUT_MS", "10001", 1);
  setenv("FLOPSPROF_NODE_RANK", "12345678901234567890", 1);
  EXPECT_STREQ(SettingsNotUnderstood().get(),
               "not understood: FLOPSPROF_CONNECT_TIMEOUT_MS=10001 (used: 10000); "
               "FLOPSPROF_NODE_RANK=1234567890123456... (used: none)");
  EXPECT_EQ(ConnectTimeoutNs(), 10000000000u);
}

TEST_F(EnvConfigTest, TorchrunWinsOverTheSlurmTaskThatStartedIt) {
  setenv("SLURM_PROCID", "1", 1);
  setenv("SLURM_LOCALID", "0", 1);
  setenv("SLURM_NODEID", "1", 1);
  setenv("RANK", "9", 1);
  setenv("LOCAL_RANK", "1", 1);
  setenv("WORLD_SIZE", "16", 1);
  setenv("TORCHELASTIC_RESTART_COUNT", "2", 1);
  const Identity who = ResolveIdentity();
  EXPECT_EQ(who.rank, 9);
  EXPECT_EQ(who.local_rank, 1);
  EXPECT_EQ(who.world_size, 16);
  EXPECT_EQ(who.node_rank, 1);
  EXPECT_EQ(who.restart, 2);
  EXPECT_EQ(who.source, shm::IdentitySource::kTorchrun);
}

TEST_F(EnvConfigTest, OpenMpiWinsOverSlurm) {
  setenv("SLURM_PROCID", "5", 1);
  setenv("SLURM_LOCALID", "5", 1);
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  EXPECT_EQ(ResolveIdentity().rank, 3);
  EXPECT_EQ(ResolveIdentity().source, shm::IdentitySource::kOpenMpi);
}

TEST_F(EnvConfigTest, SlurmAlone) {
  setenv("SLURM_PROCID", "5", 1);
  setenv("SLURM_LOCALID", "1", 1);
  setenv("SLURM_NTASKS", "8", 1);
  EXPECT_EQ(ResolveIdentity().rank, 5);
  EXPECT_EQ(ResolveIdentity().world_size, 8);
  EXPECT_EQ(ResolveIdentity().source, shm::IdentitySource::kSlurm);
}

TEST_F(EnvConfigTest, ABareRankMayBeAPods) {
  setenv("RANK", "4", 1);
  EXPECT_EQ(ResolveIdentity().rank, 4);
  EXPECT_EQ(ResolveIdentity().source, shm::IdentitySource::kBareRank);
}

TEST_F(EnvConfigTest, TheUsersOverrideWinsOverAll) {
  setenv("RANK", "4", 1);
  setenv("LOCAL_RANK", "0", 1);
  setenv("FLOPSPROF_RANK", "7", 1);
  EXPECT_EQ(ResolveIdentity().rank, 7);
  EXPECT_EQ(ResolveIdentity().source, shm::IdentitySource::kOverride);
}

TEST_F(EnvConfigTest, WhatIsNoNumberIsNotSet) {
  setenv("RANK", "4x", 1);
  setenv("LOCAL_RANK", "0", 1);
  EXPECT_EQ(ResolveIdentity().rank, -1);
  setenv("RANK", "99999999999", 1);
  EXPECT_EQ(ResolveIdentity().rank, -1);
}

TEST_F(EnvConfigTest, AnEmptySocketIsNone) {
  EXPECT_EQ(AgentSocketPath(), nullptr);
  setenv("FLOPSPROF_SOCKET", "", 1);
  EXPECT_EQ(AgentSocketPath(), nullptr);
}

TEST_F(EnvConfigTest, TheWaitForTheAgentIsBounded) {
  EXPECT_EQ(ConnectTimeoutNs(), 1000000000u);
  setenv("FLOPSPROF_CONNECT_TIMEOUT_MS", "3600000", 1);
  EXPECT_EQ(ConnectTimeoutNs(), 10000000000u);
}

TEST_F(EnvConfigTest, AnotherNvtxToolIsLeftInPlace) {
  setenv("NVTX_INJECTION64_PATH", "/opt/other.so", 1);
  PublishNvtxInjection("/ours.so");
  EXPECT_STREQ(getenv("NVTX_INJECTION64_PATH"), "/opt/other.so");
}

}  // namespace
}  // namespace flopsprof::injector
