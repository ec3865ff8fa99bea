// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile_builder.h"
#include "tests/support/cpu_growth.h"
#include "tests/support/sanitizers.h"

namespace flopsprof::model {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::string PathOf(const ModulePaths& paths, uint32_t scope) {
  const int node = paths.NodeOf(scope);
  return node == ModulePaths::kOutside ? std::string(kOutsidePath) : paths.nodes()[node].path;
}

std::vector<std::string> ChainOf(const ModulePaths& paths, uint32_t scope) {
  std::vector<std::string> chain;
  for (const int node : paths.ChainOf(scope)) chain.push_back(paths.nodes()[node].path);
  return chain;
}

uint64_t CallsAt(const ModulePaths& paths, const std::string& path) {
  for (size_t i = 0; i < paths.nodes().size(); ++i) {
    if (paths.nodes()[i].path == path) return paths.CallsOf(static_cast<int>(i));
  }
  ADD_FAILURE() << "no line " << path;
  return 0;
}

const ModuleNode& NodeAt(const ModulePaths& paths, const std::string& path) {
  for (const ModuleNode& node : paths.nodes()) {
    if (node.path == path) return node;
  }
  static const ModuleNode kNone;
  ADD_FAILURE() << "no line " << path;
  return kNone;
}

TEST(ModulePathsTest, RootIsTheEmptyPathAndChildrenAreJoinedByDots) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10).ModuleScope(2, 1, "conv1", "Conv2d", 11);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 1), "");
  EXPECT_EQ(PathOf(paths, 2), "conv1");
  EXPECT_THAT(ChainOf(paths, 2), ElementsAre("conv1", ""));
  EXPECT_EQ(NodeAt(paths, "conv1").depth, 1u);
}

TEST(ModulePathsTest, ScopeZeroAndUnknownScopesAreOutside) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 0), "(outside)");
  EXPECT_EQ(PathOf(paths, 77), "(outside)");
  EXPECT_TRUE(paths.IsUndescribed(77));
  EXPECT_FALSE(paths.IsUndescribed(0));
}

TEST(ModulePathsTest, DdpIsFoldedIntoTheModel) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "DistributedDataParallel", 9)
      .ModuleScope(2, 1, "module", "Net", 10)
      .ModuleScope(3, 2, "conv1", "Conv2d", 11)
      .Listed(1, 0, "", "DistributedDataParallel", 9, 30)
      .Listed(1, 1, "module", "Net", 10, 30)
      .Listed(1, 2, "module.conv1", "Conv2d", 11, 20)
      .Entered(1, v1::PHASE_FORWARD, 3)
      .Entered(2, v1::PHASE_FORWARD, 3)
      .Entered(3, v1::PHASE_FORWARD, 3);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 1), "");
  EXPECT_EQ(PathOf(paths, 2), "");
  EXPECT_EQ(PathOf(paths, 3), "conv1");
  EXPECT_EQ(NodeAt(paths, "").class_name, "Net");
  EXPECT_EQ(CallsAt(paths, ""), 3u);  // not 6: one call enters both
  EXPECT_EQ(NodeAt(paths, "conv1").params, 20u);
  EXPECT_EQ(paths.nodes().size(), 2u);
}

TEST(ModulePathsTest, RawNamesKeepWhatWrappersAdd) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "DistributedDataParallel", 9)
      .ModuleScope(2, 1, "module", "Net", 10)
      .ModuleScope(3, 2, "conv1", "Conv2d", 11)
      .Listed(1, 0, "", "DistributedDataParallel", 9, 5)
      .Listed(1, 1, "module", "Net", 10, 5)
      .Listed(1, 2, "module.conv1", "Conv2d", 11, 5);
  const ModulePaths paths(b.profile(), /*raw_names=*/true);
  EXPECT_EQ(PathOf(paths, 3), "module.conv1");
  EXPECT_EQ(NodeAt(paths, "").class_name, "DistributedDataParallel");
  EXPECT_EQ(NodeAt(paths, "module").class_name, "Net");
}

TEST(ModulePathsTest, FurtherPathsOfAModuleAreFoldedToo) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "DistributedDataParallel", 9)
      .ModuleScope(2, 1, "module", "Net", 10)
      .ModuleScope(3, 2, "a", "Linear", 11)
      .Listed(1, 0, "", "DistributedDataParallel", 9, 5)
      .Listed(1, 1, "module", "Net", 10, 5)
      .Listed(1, 2, "module.a", "Linear", 11, 5);
  for (const char* alias : {"module.b", "module.c.d", "module.b"}) {
    v1::ModuleAlias& row = *b.profile().add_module_aliases();
    row.set_root_scope(1);
    row.set_path("module.a");
    row.set_alias(alias);
  }
  const ModulePaths paths(b.profile());
  EXPECT_THAT(NodeAt(paths, "a").aliases, ElementsAre("b", "c.d"));
}

// `roots` models; every second one is the part of the one before it.
v1::ProcessProfile NestedRoots(uint32_t roots) {
  ProfileBuilder b(0);
  for (uint32_t id = 1; id <= roots; id += 2) {
    b.ModuleScope(id, 0, "", "Net", 10 * id).ModuleScope(id + 1, 0, "", "Linear", 10 * id + 1);
    b.Listed(id, 0, "", "Net", 10 * id, 5).Listed(id, 1, "fc", "Linear", 10 * id + 1, 5);
    b.Listed(id + 1, 0, "", "Linear", 10 * id + 1, 5);
  }
  return b.profile();
}

TEST(ModulePathsTest, ThousandsOfRootsAreNested) {
  const ModulePaths paths(NestedRoots(24'000));
  EXPECT_EQ(PathOf(paths, 1), "");
  EXPECT_EQ(PathOf(paths, 2), "fc");
  EXPECT_EQ(PathOf(paths, 24'000), "(Net)#11999.fc");
}

TEST(ModulePathsTest, CostOfRootsIsLinear) {
  EXPECT_LT(
      test::CpuTimesOfSixteenTimesTheSize(test::CasesOf(1'500), NestedRoots,
                                          [](const auto& profile) { ModulePaths paths(profile); }),
      100);
}

TEST(ModulePathsTest, RangesBeyondTheLinesAreInOther) {
  ProfileBuilder b(0);
  b.Range(1, 0, "outer");
  for (uint32_t id = 2; id <= 9000; ++id) b.Range(id, 1, "range " + std::to_string(id));
  b.Range(9001, 9000, "inside of one beyond");
  const ModulePaths paths(b.profile());
  EXPECT_EQ(paths.nodes().size(), 8192u + 1);
  EXPECT_EQ(PathOf(paths, 8192), "outer.range 8192");
  EXPECT_EQ(PathOf(paths, 8193), "outer.(other)");
  EXPECT_EQ(PathOf(paths, 9001), "outer.(other)");
  EXPECT_THAT(ChainOf(paths, 9001), ElementsAre("outer.(other)", "outer"));
  EXPECT_EQ(paths.ranges_without_line(), 9001u - 8192u);
}

TEST(ModulePathsTest, FoldsWithoutTheListOfModules) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "DistributedDataParallel", 9)
      .ModuleScope(2, 1, "module", "OptimizedModule", 10)
      .ModuleScope(3, 2, "_orig_mod", "Net", 11)
      .ModuleScope(4, 3, "fc", "Linear", 12);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 4), "fc");
  EXPECT_EQ(NodeAt(paths, "").class_name, "Net");
  EXPECT_FALSE(NodeAt(paths, "fc").params.has_value());
}

TEST(ModulePathsTest, AModelCalledBeforeItWasWrappedIsTheSameModel) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 1, "fc", "Linear", 11)
      .ModuleScope(3, 0, "", "DistributedDataParallel", 9)
      .ModuleScope(4, 3, "module", "Net", 10)
      .Listed(1, 0, "", "Net", 10, 30)
      .Listed(1, 1, "fc", "Linear", 11, 30)
      .Listed(3, 0, "", "DistributedDataParallel", 9, 30)
      .Listed(3, 1, "module", "Net", 10, 30)
      .Listed(3, 2, "module.fc", "Linear", 11, 30);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 1), "");
  EXPECT_EQ(PathOf(paths, 2), "fc");
  EXPECT_EQ(PathOf(paths, 4), "");
  EXPECT_EQ(paths.nodes().size(), 2u);
}

TEST(ModulePathsTest, APartCalledAloneIsNamedFromItsModel) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Gan", 10)
      .ModuleScope(2, 0, "", "Decoder", 12)
      .Listed(1, 0, "", "Gan", 10, 30)
      .Listed(1, 1, "halves", "ModuleList", 11, 30)
      .Listed(1, 2, "halves.0", "Decoder", 12, 20);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 2), "halves.0");
  EXPECT_THAT(ChainOf(paths, 2), ElementsAre("halves.0", "halves", ""));
}

TEST(ModulePathsTest, ASharedModuleHasThePathOfNamedModules) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 1, "m0", "Block", 11)
      .ModuleScope(3, 2, "linear", "Linear", 12)
      .ModuleScope(4, 1, "m1", "Block", 13)
      .ModuleScope(5, 4, "linear", "Linear", 12)
      .Listed(1, 0, "", "Net", 10, 5)
      .Listed(1, 1, "m0", "Block", 11, 5)
      .Listed(1, 2, "m0.linear", "Linear", 12, 5)
      .Listed(1, 3, "m1", "Block", 13, 5)
      .Entered(3, v1::PHASE_FORWARD, 1)
      .Entered(5, v1::PHASE_FORWARD, 2);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 5), "m0.linear");
  EXPECT_EQ(CallsAt(paths, "m0.linear"), 3u);
  // The caller includes what it called; the other block does not.
  EXPECT_THAT(ChainOf(paths, 5), UnorderedElementsAre("m0.linear", "m1", ""));
}

TEST(ModulePathsTest, ContainersThatAreNeverCalledAreLines) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 1, "layers.0", "Block", 12)
      .Listed(1, 0, "", "Net", 10, 9)
      .Listed(1, 1, "layers", "ModuleList", 11, 8)
      .Listed(1, 2, "layers.0", "Block", 12, 8)
      .Listed(1, 3, "unused", "Linear", 13, 1)
      .Entered(2, v1::PHASE_FORWARD, 1);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(CallsAt(paths, "layers"), 0u);
  EXPECT_EQ(NodeAt(paths, "layers").class_name, "ModuleList");
  EXPECT_THAT(ChainOf(paths, 2), ElementsAre("layers.0", "layers", ""));
  EXPECT_EQ(paths.nodes().size(), 3u);  // nothing was called in "unused"
}

TEST(ModulePathsTest, OtherRootsAreNamedByClassInTheOrderOfTheirFirstCall) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Loss", 20)
      .ModuleScope(2, 0, "", "Net", 10)
      .ModuleScope(3, 0, "", "Loss", 21)
      .ModuleScope(4, 3, "inner", "Linear", 22)
      .Listed(1, 0, "", "Loss", 20, 0)
      .Listed(2, 0, "", "Net", 10, 100)
      .Listed(3, 0, "", "Loss", 21, 7);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 2), "");
  EXPECT_EQ(PathOf(paths, 1), "(Loss)");
  EXPECT_EQ(PathOf(paths, 3), "(Loss)#2");
  EXPECT_EQ(PathOf(paths, 4), "(Loss)#2.inner");
  EXPECT_THAT(ChainOf(paths, 4), ElementsAre("(Loss)#2.inner", "(Loss)#2"));
  EXPECT_EQ(NodeAt(paths, "(Loss)#2").depth, 0u);
}

TEST(ModulePathsTest, RangesInsideAModuleBelongToItAndRangesAroundItDoNotRenameIt) {
  ProfileBuilder b(0);
  b.Range(1, 0, "step")
      .ModuleScope(2, 1, "", "Net", 10)
      .Range(3, 2, "attention")
      .ModuleScope(4, 3, "fc", "Linear", 11)
      .ModuleScope(5, 0, "", "Net", 10);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 1), "(outside)");
  EXPECT_EQ(PathOf(paths, 2), "");
  EXPECT_EQ(PathOf(paths, 3), "");
  EXPECT_EQ(PathOf(paths, 4), "fc");
  EXPECT_EQ(PathOf(paths, 5), "");
}

TEST(ModulePathsTest, WithoutModulesTheRangesAreTheTree) {
  ProfileBuilder b(0);
  b.Range(1, 0, "solve").Range(2, 1, "gemm").Range(3, 0, "check").Range(4, 0, "");
  b.Entered(2, v1::PHASE_OTHER, 4);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 2), "solve.gemm");
  EXPECT_THAT(ChainOf(paths, 2), ElementsAre("solve.gemm", "solve"));
  EXPECT_EQ(NodeAt(paths, "solve.gemm").depth, 1u);
  EXPECT_EQ(CallsAt(paths, "solve.gemm"), 4u);
  EXPECT_EQ(PathOf(paths, 4), "(unnamed)");
}

TEST(ModulePathsTest, RecomputedForwardsAreNotCalls) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .Entered(1, v1::PHASE_FORWARD, 2)
      .Entered(1, v1::PHASE_RECOMPUTE, 2);
  EXPECT_EQ(CallsAt(ModulePaths(b.profile()), ""), 2u);
}

TEST(ModulePathsTest, SurvivesScopesThatAreTheirOwnParents) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 2, "a", "A", 10).ModuleScope(2, 1, "b", "B", 11).ModuleScope(3, 3, "c", "C", 12);
  const ModulePaths paths(b.profile());
  EXPECT_NE(paths.NodeOf(1), ModulePaths::kOutside);
  EXPECT_NE(paths.NodeOf(3), ModulePaths::kOutside);
}

TEST(ModulePathsTest, AClassCalledOutsideDoesNotTakeThatPath) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 0, "", "outside", 11)
      .Listed(1, 0, "", "Net", 10, 5);
  EXPECT_EQ(PathOf(ModulePaths(b.profile()), 2), "(outside)#2");
}

TEST(ModulePathsTest, SizesAreThoseOfTheModelInItsWrapper) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "DistributedDataParallel", 10)
      .ModuleScope(2, 1, "module", "Net", 11)
      .Listed(1, 0, "", "DistributedDataParallel", 10, 9)
      .Listed(1, 1, "module", "Net", 11, 9);
  for (const char* path : {"", "module"}) {
    v1::ModuleSizes& sizes = *b.profile().add_module_sizes();
    sizes.set_root_scope(1);
    sizes.set_path(path);
    sizes.set_buffers(*path == '\0' ? 5 : 4);
  }
  const ModulePaths paths(b.profile());
  const ModuleNode& root = NodeAt(paths, "");
  EXPECT_EQ(root.params, 9u);
  ASSERT_TRUE(root.sizes.has_value());
  EXPECT_EQ(root.sizes->buffers, 4u);
}

// An adapter on `q` is taken off: what it wrapped is then `q` itself.
TEST(ModulePathsTest, AModuleThatMovedHasALineForEachOfItsPlaces) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 1, "q", "Adapter", 11)
      .ModuleScope(3, 2, "base_layer", "Linear", 12)
      .ModuleScope(4, 1, "q#2", "Linear", 12)
      .Listed(1, 0, "", "Net", 10, 8)
      .Listed(1, 1, "q", "Adapter", 11, 12)
      .Listed(1, 2, "q.base_layer", "Linear", 12, 8)
      .Listed(1, 1, "q#2", "Linear", 12, 8);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 3), "q.base_layer");
  EXPECT_EQ(PathOf(paths, 4), "q#2");
  EXPECT_THAT(ChainOf(paths, 4), ElementsAre("q#2", ""));
  EXPECT_EQ(NodeAt(paths, "q").params, 12u);
  EXPECT_EQ(NodeAt(paths, "q#2").params, 8u);
}

// As above, and the model around it is gone: what is left is called alone.
TEST(ModulePathsTest, AModelTakenOutOfItsWrapperKeepsWhatItGotSince) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "PeftModel", 9)
      .ModuleScope(2, 1, "model", "Net", 10)
      .ModuleScope(3, 2, "q", "Adapter", 11)
      .ModuleScope(4, 3, "base_layer", "Linear", 12)
      .ModuleScope(5, 0, "", "Net", 10)
      .ModuleScope(6, 5, "q#2", "Linear", 12)
      .Listed(1, 0, "", "PeftModel", 9, 12)
      .Listed(1, 1, "model", "Net", 10, 12)
      .Listed(1, 2, "model.q", "Adapter", 11, 12)
      .Listed(1, 3, "model.q.base_layer", "Linear", 12, 8)
      .Listed(5, 0, "", "Net", 10, 8)
      .Listed(5, 1, "q#2", "Linear", 12, 8);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 4), "model.q.base_layer");
  EXPECT_EQ(PathOf(paths, 5), "model");
  EXPECT_EQ(PathOf(paths, 6), "model.q#2");
  EXPECT_EQ(NodeAt(paths, "model.q#2").params, 8u);
}

TEST(ModulePathsTest, TheMainRootIsTheOneThatTrained) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Teacher", 10)
      .ModuleScope(2, 0, "", "Student", 20)
      .Listed(1, 0, "", "Teacher", 10, 1000)
      .Listed(2, 0, "", "Student", 20, 10);
  b.Gemm(1, v1::PHASE_FORWARD, 900);
  b.Gemm(2, v1::PHASE_FORWARD, 10);
  b.Gemm(2, v1::PHASE_BACKWARD, 20);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 2), "");
  EXPECT_EQ(PathOf(paths, 1), "(Teacher)");
  EXPECT_FALSE(NodeAt(paths, "(Teacher)").copy_of.has_value());
}

TEST(ModulePathsTest, WithoutABackwardTheMainRootIsTheOneThatDidMost) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Embedder", 10)
      .ModuleScope(2, 0, "", "Net", 20)
      .Listed(1, 0, "", "Embedder", 10, 1000)
      .Listed(2, 0, "", "Net", 20, 10);
  b.Gemm(1, v1::PHASE_FORWARD, 5);
  b.Gemm(2, v1::PHASE_FORWARD, 6);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 2), "");
}

// An average of the weights in a wrapper of its own (timm's ModelEmaV2), evaluated more often than
// the model is trained, and called first.
TEST(ModulePathsTest, ACopyOfTheTrainedModelIsNamedAsSuch) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "ModelEma", 9)
      .ModuleScope(2, 1, "module", "Net", 10)
      .ModuleScope(3, 2, "fc", "Linear", 11)
      .ModuleScope(4, 0, "", "Net", 20)
      .ModuleScope(5, 4, "fc", "Linear", 21)
      .Listed(1, 0, "", "ModelEma", 9, 8)
      .Listed(1, 1, "module", "Net", 10, 8)
      .Listed(1, 2, "module.fc", "Linear", 11, 8)
      .Listed(4, 0, "", "Net", 20, 8)
      .Listed(4, 1, "fc", "Linear", 21, 8);
  b.Gemm(3, v1::PHASE_EVALUATION, 900);
  b.Gemm(5, v1::PHASE_BACKWARD, 10);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 5), "fc");
  EXPECT_EQ(PathOf(paths, 3), "(ModelEma).module.fc");
  EXPECT_EQ(NodeAt(paths, "(ModelEma).module").copy_of, "");
  EXPECT_FALSE(NodeAt(paths, "(ModelEma)").copy_of.has_value());
  EXPECT_FALSE(NodeAt(paths, "").copy_of.has_value());
}

TEST(ModulePathsTest, AChildOfTheProgramsOwnWithAWrappersNameIsALine) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 1, "_orig_mod", "Linear", 11)
      .Listed(1, 0, "", "Net", 10, 108)
      .Listed(1, 1, "_orig_mod", "Linear", 11, 72);
  const ModulePaths paths(b.profile());
  EXPECT_EQ(PathOf(paths, 2), "_orig_mod");
  EXPECT_EQ(NodeAt(paths, "").class_name, "Net");
  EXPECT_EQ(NodeAt(paths, "").params, 108u);
}

TEST(ModulePathsTest, PlacementIsTheLastWordOfTheWeights) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 1, "fc", "Linear", 11)
      .Listed(1, 0, "", "Net", 10, 8)
      .Listed(1, 1, "fc", "Linear", 11, 8);
  v1::ModuleWeights& weights = *b.profile().add_module_weights();
  weights.set_root_scope(1);
  weights.set_path("fc");
  weights.set_weights("2x4 on:cpu");
  const ModulePaths paths(b.profile());
  EXPECT_EQ(NodeAt(paths, "fc").placement, Placement::kCpu);
  EXPECT_EQ(NodeAt(paths, "").placement, Placement::kNotTold);
  EXPECT_EQ(ShapesOf("2x4 on:cpu"), "2x4");
  EXPECT_EQ(ShapesOf("on:cpu,gpu"), "");
  EXPECT_EQ(PlacementOf("on:cpu,gpu"), Placement::kMoved);
}

}  // namespace
}  // namespace flopsprof::model
