// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/launch/child_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopsprof::launch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kLibrary[] = "/opt/fp/lib/libflopsprof_inject.so";

ChildEnvironment Build(const std::vector<std::string>& parent, const char* library = kLibrary) {
  return BuildChildEnvironment(parent, {library, "/run/x/agent", "run-1"});
}

TEST(ChildEnvironmentTest, AddsWhatTheInjectorNeeds) {
  EXPECT_THAT(Build({"HOME=/root"}).variables,
              ElementsAre("HOME=/root", "LD_PRELOAD=/opt/fp/lib/libflopsprof_inject.so",
                          "CUDA_INJECTION64_PATH=/opt/fp/lib/libflopsprof_inject.so",
                          "NVTX_INJECTION64_PATH=/opt/fp/lib/libflopsprof_inject.so",
                          "FLOPSPROF_SOCKET=/run/x/agent", "FLOPSPROF_RUN_ID=run-1"));
}

TEST(ChildEnvironmentTest, KeepsTheUsersPreloadBehindOurs) {
  EXPECT_THAT(Build({"LD_PRELOAD=/usr/lib/libjemalloc.so"}).variables,
              Contains("LD_PRELOAD=/opt/fp/lib/libflopsprof_inject.so:/usr/lib/libjemalloc.so"));
}

TEST(ChildEnvironmentTest, DoesNotPreloadTwice) {
  EXPECT_THAT(Build({"LD_PRELOAD=/a.so /opt/fp/lib/libflopsprof_inject.so"}).variables,
              Contains("LD_PRELOAD=/a.so /opt/fp/lib/libflopsprof_inject.so"));
}

TEST(ChildEnvironmentTest, LeavesAnotherToolsInjectionAndNamesIt) {
  const ChildEnvironment child =
      Build({"CUDA_INJECTION64_PATH=/opt/nvidia/nsight-systems/libToolsInjection64.so"});
  EXPECT_THAT(child.variables,
              Contains("CUDA_INJECTION64_PATH=/opt/nvidia/nsight-systems/libToolsInjection64.so"));
  EXPECT_THAT(child.notes, ElementsAre(HasSubstr("Nsight Systems")));
}

TEST(ChildEnvironmentTest, AnEmptyInjectionVariableIsFree) {
  const ChildEnvironment child = Build({"NVTX_INJECTION64_PATH="});
  EXPECT_THAT(child.variables,
              Contains("NVTX_INJECTION64_PATH=/opt/fp/lib/libflopsprof_inject.so"));
  EXPECT_THAT(child.notes, IsEmpty());
}

TEST(ChildEnvironmentTest, DoesNotPreloadAPathThatTheLoaderWouldSplit) {
  const ChildEnvironment child = Build({"LD_PRELOAD=/a.so"}, "/my programs/inject.so");
  EXPECT_THAT(child.variables, Contains("LD_PRELOAD=/a.so"));
  EXPECT_THAT(child.variables, Contains("CUDA_INJECTION64_PATH=/my programs/inject.so"));
  EXPECT_THAT(child.notes, ElementsAre(HasSubstr("space or a colon")));
}

TEST(ChildEnvironmentTest, ReplacesAllCopiesOfAVariable) {
  const ChildEnvironment child = Build({"FLOPSPROF_SOCKET=/old", "A=1", "FLOPSPROF_SOCKET=/older"});
  EXPECT_THAT(child.variables, Contains("FLOPSPROF_SOCKET=/run/x/agent"));
  EXPECT_THAT(child.variables, Not(Contains(HasSubstr("/old"))));
}

TEST(ChildEnvironmentTest, NamesThatOnlyBeginAlikeStay) {
  EXPECT_THAT(Build({"LD_PRELOAD_X=1"}).variables, Contains("LD_PRELOAD_X=1"));
}

TEST(ChildEnvironmentTest, TellsWhatItChanged) {
  const std::vector<std::string> parent = {"A=1", "FLOPSPROF_RUN_ID=run-1"};
  EXPECT_THAT(ChangedVariables(parent, Build(parent)), Not(Contains("A=1")));
  EXPECT_THAT(ChangedVariables(parent, Build(parent)), Not(Contains("FLOPSPROF_RUN_ID=run-1")));
}

}  // namespace
}  // namespace flopsprof::launch
