// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/wrapper_folding.h"

#include <gtest/gtest.h>

namespace flopsprof::model {
namespace {

std::string NoClass(std::string_view) { return ""; }

std::string DdpAtRoot(std::string_view path) {
  return path.empty() ? "DistributedDataParallel" : "";
}

TEST(FoldWrappersTest, LeavesAnUnwrappedPathAlone) {
  EXPECT_EQ(FoldWrappers("layers.0.fc", NoClass).path, "layers.0.fc");
  EXPECT_EQ(FoldWrappers("layers.0.fc", NoClass).level, 0);
}

TEST(FoldWrappersTest, TakesModuleOutUnderDdpOnly) {
  EXPECT_EQ(FoldWrappers("module.conv1", DdpAtRoot).path, "conv1");
  EXPECT_EQ(FoldWrappers("module.conv1", NoClass).path, "module.conv1");
  EXPECT_EQ(FoldWrappers("net.module", DdpAtRoot).path, "net.module");
}

TEST(FoldWrappersTest, TheWrappedModelIsTheRoot) {
  EXPECT_EQ(FoldWrappers("module", DdpAtRoot).path, "");
  EXPECT_EQ(FoldWrappers("module", DdpAtRoot).level, 1);
}

TEST(FoldWrappersTest, TakesPrivateWrappersOutWhereTheClassIsNotKnown) {
  EXPECT_EQ(FoldWrappers("module._orig_mod.a._fsdp_wrapped_module._checkpoint_wrapped_module.b",
                         DdpAtRoot)
                .path,
            "a.b");
}

TEST(FoldWrappersTest, LeavesAChildOfTheProgramsOwnWithAWrappersName) {
  const auto net = [](std::string_view path) { return path.empty() ? "Net" : "Linear"; };
  for (const char* path : {"_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module"}) {
    EXPECT_EQ(FoldWrappers(path, net).path, path);
    EXPECT_EQ(FoldWrappers(path, net).level, 0);
  }
}

TEST(FoldWrappersTest, TakesAChildOutOfItsOwnWrapperOnly) {
  const auto compiled = [](std::string_view) { return "OptimizedModule"; };
  EXPECT_EQ(FoldWrappers("_orig_mod.fc", compiled).path, "fc");
  EXPECT_EQ(FoldWrappers("module.fc", compiled).path, "module.fc");
  const auto own = [](std::string_view) { return "__main__.OptimizedModule"; };
  EXPECT_EQ(FoldWrappers("_orig_mod.fc", own).path, "_orig_mod.fc");
}

TEST(IsModuleWrapperTest, AcceptsQualifiedNames) {
  EXPECT_TRUE(IsModuleWrapper("torch.nn.parallel.DataParallel"));
  EXPECT_FALSE(IsModuleWrapper("__main__.DataParallel"));
  EXPECT_FALSE(IsModuleWrapper("MyDataParallelNet"));
}

}  // namespace
}  // namespace flopsprof::model
