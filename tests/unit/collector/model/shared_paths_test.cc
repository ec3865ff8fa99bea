// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/shared_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "collector/model/gradients.h"
#include "profile_builder.h"

namespace flopsprof::model {
namespace {

using ::testing::ElementsAre;

// What a process has, in the order of scopes 0 to 9: line, whole chain, calls and local parameters.
std::vector<std::string> Describe(const v1::ProcessProfile& process, const ModulePaths& paths) {
  std::vector<std::string> text;
  for (uint32_t scope = 0; scope < 10; ++scope) {
    const int node = paths.NodeOf(scope);
    if (node == ModulePaths::kOutside) continue;
    std::string line = paths.nodes()[static_cast<size_t>(node)].path;
    for (const int above : paths.ChainOf(scope)) {
      line += " < " + paths.nodes()[static_cast<size_t>(above)].path;
    }
    line += " calls " + std::to_string(paths.CallsOf(node));
    const auto sizes = paths.SizesOf(process, node);
    if (sizes.has_value()) line += " local " + std::to_string(sizes->local);
    text.push_back(line);
  }
  return text;
}

void ExpectAsAlone(std::list<ProfileBuilder>* ranks, const std::string& main_class) {
  SharedPaths shared(false);
  for (ProfileBuilder& rank : *ranks) {
    const v1::ProcessProfile& process = rank.profile();
    EXPECT_EQ(Describe(process, shared.PathsOf(process, main_class)),
              Describe(process, ModulePaths(process, false, main_class)));
    EXPECT_EQ(*shared.GradientsOfCalls(process), GradientsOf(process));
  }
}

// A model and a loss, at addresses from `base` on.
ProfileBuilder Rank(int rank, uint64_t base) {
  ProfileBuilder b(rank, 100 + rank);
  b.ModuleScope(1, 0, "", "DistributedDataParallel", base + 1)
      .ModuleScope(2, 1, "module", "Net", base + 2)
      .ModuleScope(3, 2, "fc", "Linear", base + 3)
      .ModuleScope(4, 0, "", "Loss", base + 9)
      .Range(5, 3, "part")
      .Listed(1, 0, "", "DistributedDataParallel", base + 1, 6)
      .Listed(1, 1, "module", "Net", base + 2, 6)
      .Listed(1, 2, "module.fc", "Linear", base + 3, 6)
      .Entered(1, v1::PHASE_FORWARD, 3 + static_cast<uint64_t>(rank))
      .Entered(3, v1::PHASE_FORWARD, 3);
  v1::ModuleSizes& sizes = *b.profile().add_module_sizes();
  sizes.set_root_scope(1);
  sizes.set_path("module.fc");
  sizes.set_local_params(10 + static_cast<uint64_t>(rank));
  return b;
}

TEST(SharedPathsTest, RanksOfOneModelAtOtherAddressesHaveOneShape) {
  ProfileBuilder a = Rank(0, 1000), b = Rank(1, 500);
  SharedPaths shared(false);
  EXPECT_EQ(shared.ShapeOf(a.profile()), shared.ShapeOf(b.profile()));
  EXPECT_EQ(shared.PathsOf(a.profile(), "").lines(), shared.PathsOf(b.profile(), "").lines());
}

TEST(SharedPathsTest, CallsAndLocalParametersStayThoseOfTheRank) {
  std::list<ProfileBuilder> ranks = {Rank(0, 1000), Rank(1, 500)};
  SharedPaths shared(false);
  shared.PathsOf(ranks.front().profile(), "");
  EXPECT_THAT(
      Describe(ranks.back().profile(), shared.PathsOf(ranks.back().profile(), "")),
      ElementsAre(" <  calls 4 local 0", " <  calls 4 local 0", "fc < fc <  calls 3 local 11",
                  "(Loss) < (Loss) calls 0", "fc < fc <  calls 3 local 11"));
  ExpectAsAlone(&ranks, "");
}

TEST(SharedPathsTest, AnotherNameOrAddressGivesAnotherShape) {
  ProfileBuilder a = Rank(0, 1000), b = Rank(1, 500), c = Rank(2, 700);
  b.profile().mutable_scopes(2)->set_name("fc2");
  c.profile().mutable_modules(2)->set_object(4);  // not the one that is called
  SharedPaths shared(false);
  EXPECT_NE(shared.ShapeOf(a.profile()), shared.ShapeOf(b.profile()));
  EXPECT_NE(shared.ShapeOf(a.profile()), shared.ShapeOf(c.profile()));
}

TEST(SharedPathsTest, TheMainModelIsThatOfTheRankItself) {
  // Equal models, of which each rank trains another one.
  std::list<ProfileBuilder> ranks;
  for (const uint32_t trained : {1u, 2u, 1u}) {
    ProfileBuilder& b = ranks.emplace_back(static_cast<int>(ranks.size()));
    b.ModuleScope(1, 0, "", "Actor", 10).ModuleScope(2, 0, "", "Critic", 20);
    b.Gemm(trained, v1::PHASE_BACKWARD, 1000);
  }
  SharedPaths shared(false);
  const auto path = [&](ProfileBuilder& rank, uint32_t scope) {
    const ModulePaths paths = shared.PathsOf(rank.profile(), "");
    return paths.nodes()[static_cast<size_t>(paths.NodeOf(scope))].path;
  };
  EXPECT_EQ(path(ranks.front(), 1), "");
  EXPECT_EQ(path(*std::next(ranks.begin()), 1), "(Actor)");
  EXPECT_EQ(path(ranks.back(), 1), "");
  ExpectAsAlone(&ranks, "");
  ExpectAsAlone(&ranks, "Critic");
}

TEST(SharedPathsTest, ModelsThatSeveralOthersHoldAreWorkedOutForEach) {
  // Which of the two wrappers holds the model depends on their addresses.
  std::list<ProfileBuilder> ranks;
  for (const uint64_t wrapper : {uint64_t{5}, uint64_t{90}}) {
    ProfileBuilder& b = ranks.emplace_back(static_cast<int>(ranks.size()));
    b.ModuleScope(1, 0, "", "Net", 50)
        .ModuleScope(2, 0, "", "A", wrapper)
        .ModuleScope(3, 0, "", "B", 60)
        .Listed(2, 0, "", "A", wrapper, 6)
        .Listed(2, 1, "a", "Net", 50, 6)
        .Listed(3, 0, "", "B", 60, 6)
        .Listed(3, 1, "b", "Net", 50, 6);
  }
  ExpectAsAlone(&ranks, "");
}

TEST(SharedPathsTest, GradientsFollowTheCallsOfTheRank) {
  std::list<ProfileBuilder> ranks = {Rank(0, 1000), Rank(1, 500), Rank(2, 800)};
  for (ProfileBuilder& b : ranks) {
    v1::ModuleWeights& weights = *b.profile().add_module_weights();
    weights.set_root_scope(1);
    weights.set_path("module.fc");
    weights.set_weights("2x3");
    b.Gemm(3, v1::PHASE_FORWARD, 60).set_shape("m=2 n=5 k=3 batch=1");
    b.Gemm(3, v1::PHASE_BACKWARD, 60).set_shape("m=3 n=5 k=2 batch=1");
  }
  ranks.back().profile().mutable_calls(1)->set_shape("m=2 n=3 k=5 batch=1");
  SharedPaths shared(false);
  EXPECT_THAT(*shared.GradientsOfCalls(ranks.front().profile()),
              ElementsAre(Gradient::kNotTold, Gradient::kData));
  EXPECT_EQ(shared.GradientsOfCalls(ranks.front().profile()),
            shared.GradientsOfCalls(std::next(ranks.begin())->profile()));
  EXPECT_THAT(*shared.GradientsOfCalls(ranks.back().profile()),
              ElementsAre(Gradient::kNotTold, Gradient::kWeight));
  ExpectAsAlone(&ranks, "");
}

TEST(SharedPathsTest, MoreShapesThanAreKeptAreWorkedOutToo) {
  std::list<ProfileBuilder> ranks;
  for (int i = 0; i < 300; ++i) {
    ranks.push_back(Rank(i, 1000));
    ranks.back().profile().mutable_scopes(2)->set_name("fc" + std::to_string(i));
  }
  ExpectAsAlone(&ranks, "");
  SharedPaths shared(false);
  std::vector<const v1::ProcessProfile*> processes;
  for (ProfileBuilder& rank : ranks) {
    rank.Gemm(3, v1::PHASE_FORWARD, 10);
    processes.push_back(&rank.profile());
  }
  EXPECT_EQ(shared.MainClassOf(processes), "Net");
}

}  // namespace
}  // namespace flopsprof::model
