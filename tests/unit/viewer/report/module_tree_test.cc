// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/module_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/viewer/report/sample_run.h"

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Labels(const ModuleTree& tree) {
  std::vector<std::string> labels;
  for (const TreeRow& row : tree.rows) labels.push_back(row.label);
  return labels;
}

TEST(ModuleTreeTest, FoldsEqualNumberedLayersIntoTheirList) {
  const ModuleTree tree = BuildModuleTree(SampleSummary().modules, {});
  EXPECT_THAT(Labels(tree), ElementsAre("Net", "layers[0-3]", "fc", "(outside)"));
  EXPECT_EQ(tree.rows[1].module_count, 4u);
}

TEST(ModuleTreeTest, AFoldedLineIsTheSumOfItsModules) {
  const TreeRow row = BuildModuleTree(SampleSummary().modules, {}).rows[2];
  EXPECT_EQ(*row.flops[v1::PHASE_FORWARD], 48000u);
  EXPECT_EQ(*row.gpu_time_ns[v1::PHASE_BACKWARD], 48000u);
  EXPECT_EQ(*row.params, 1000u);
  EXPECT_DOUBLE_EQ(*row.flop_per_s, 2e9);
}

TEST(ModuleTreeTest, DoesNotFoldAModuleWithOtherFlops) {
  model::Summary summary = SampleSummary();
  summary.modules[5].inclusive.flops[v1::PHASE_FORWARD] = 11999;  // layers.1.fc
  EXPECT_THAT(Labels(BuildModuleTree(summary.modules, {})),
              ElementsAre("Net", "layers", "0", "fc", "1", "fc", "[2-3]", "fc", "(outside)"));
}

TEST(ModuleTreeTest, UnfoldedShowsEveryModule) {
  TreeOptions options;
  options.fold = false;
  EXPECT_EQ(BuildModuleTree(SampleSummary().modules, options).rows.size(),
            SampleSummary().modules.size());
}

TEST(ModuleTreeTest, DepthIsNoRecursion) {
  std::vector<model::ModuleSummary> modules(8000);
  std::string path = "(Net)";
  for (size_t i = 0; i < modules.size(); ++i) {
    modules[i].path = path;
    modules[i].depth = static_cast<uint32_t>(i);
    path += ".a";
  }
  TreeOptions options;
  options.max_rows = 0;
  EXPECT_EQ(BuildModuleTree(modules, options).rows.size(), 8000u);
}

TEST(ModuleTreeTest, AnUnknownCountMakesTheSumUnknown) {
  model::Summary summary = SampleSummary();
  for (model::ModuleSummary& module : summary.modules) {
    module.inclusive.flops[v1::PHASE_BACKWARD].reset();
  }
  const TreeRow row = BuildModuleTree(summary.modules, {}).rows[1];
  EXPECT_FALSE(row.flops[v1::PHASE_BACKWARD].has_value());
  EXPECT_TRUE(row.flops[v1::PHASE_FORWARD].has_value());
}

TEST(ModuleTreeTest, SaysHowFarFoldedModulesDiffer) {
  model::Summary summary = SampleSummary();
  summary.modules[2].inclusive.gpu_time_ns[v1::PHASE_FORWARD] = 15000;  // layers.0: 27 to 18 us
  EXPECT_DOUBLE_EQ(*BuildModuleTree(summary.modules, {}).rows[1].spread, 1.5);
}

TEST(ModuleTreeTest, WorkOfAModuleBesideItsChildrenHasALine) {
  model::Summary summary = SampleSummary();
  summary.modules[0].self = MakeWork(0, 500, 0, 0);
  const ModuleTree tree = BuildModuleTree(summary.modules, {});
  EXPECT_THAT(Labels(tree), ElementsAre("Net", "layers[0-3]", "fc", "(itself)", "(outside)"));
}

TEST(ModuleTreeTest, CutsAtADepthAndSaysSo) {
  TreeOptions options;
  options.max_depth = 1;
  const ModuleTree tree = BuildModuleTree(SampleSummary().modules, options);
  EXPECT_THAT(Labels(tree), ElementsAre("Net", "layers[0-3]", "(outside)"));
  EXPECT_TRUE(tree.cut);
}

TEST(ModuleTreeTest, KeepsOtherRootsApart) {
  const model::Work work = MakeWork(1, 1, 1, 1);
  const ModuleTree tree = BuildModuleTree(
      {MakeModule("", "Net", 1, 1, work, work), MakeModule("a.b", "Linear", 1, 1, work, work),
       MakeModule("(Loss)", "Loss", 0, 1, work, work),
       MakeModule("(Loss).bce", "BCE", 0, 1, work, work)},
      {});
  std::vector<uint32_t> depths;
  for (const TreeRow& row : tree.rows) depths.push_back(row.depth);
  EXPECT_THAT(Labels(tree), ElementsAre("Net", "a.b", "(itself)", "(Loss)", "bce", "(itself)"));
  EXPECT_THAT(depths, ElementsAre(0, 1, 1, 0, 1, 1));
}

}  // namespace
}  // namespace flopsprof::viewer
