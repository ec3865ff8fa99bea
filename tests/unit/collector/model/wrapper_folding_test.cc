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

TEST(FoldWrappersTest, TakesPrivateWrappersOutEverywhere) {
  EXPECT_EQ(FoldWrappers("module._orig_mod.a._fsdp_wrapped_module._checkpoint_wrapped_module.b",
                         DdpAtRoot)
                .path,
            "a.b");
}

TEST(IsModuleWrapperTest, AcceptsQualifiedNames) {
  EXPECT_TRUE(IsModuleWrapper("torch.nn.parallel.DataParallel"));
  EXPECT_FALSE(IsModuleWrapper("MyDataParallelNet"));
}

}  // namespace
}  // namespace flopsprof::model
