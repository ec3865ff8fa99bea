// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/profile_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "collector/model/gradients.h"
#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "profile_builder.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string Repeated(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

// Flops of all lines, each once.
FlopCount SelfForward(const Summary& summary) {
  FlopCount sum = 0;
  for (const ModuleSummary& module : summary.modules) {
    sum += module.self.flops[v1::PHASE_FORWARD].value_or(0);
  }
  return sum;
}

// Ranges 1 to `count`, each inside of the one before, with one product of 10 flops in each.
ProfileBuilder NestedRanges(uint32_t count) {
  ProfileBuilder b(0);
  for (uint32_t id = 1; id <= count; ++id) {
    b.Range(id, id - 1, "push").Entered(id, v1::PHASE_FORWARD, 1);
    b.Gemm(id, v1::PHASE_FORWARD, 10);
  }
  return b;
}

// Of the processor: a machine may be busy.
double SecondsOf(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(BoundedNameTest, LeavesNamesThatFit) {
  EXPECT_EQ(BoundedName("layers.0.fc", true), "layers.0.fc");
  EXPECT_EQ(BoundedName(std::string(4096, 'x'), true), std::string(4096, 'x'));
  EXPECT_EQ(BoundedName("a" + Repeated(".a", 255), true), "a" + Repeated(".a", 255));
  EXPECT_EQ(BoundedName(Repeated(".", 4000), false), Repeated(".", 4000));
}

TEST(BoundedNameTest, CutsLongNamesAndSaysSo) {
  const std::string cut = BoundedName(std::string(5000, 'x'), false);
  EXPECT_THAT(cut, SizeIs(4096));
  EXPECT_THAT(cut, StartsWith("xxxx"));
  EXPECT_TRUE(IsCutName(cut));
  EXPECT_FALSE(IsCutName(std::string(4096, 'x')));
  EXPECT_EQ(BoundedName(cut, false), cut);
}

TEST(BoundedNameTest, TwoLongNamesWithOneBeginningStayTwo) {
  const std::string head(5000, 'x');
  EXPECT_NE(BoundedName(head + "a", false), BoundedName(head + "b", false));
}

TEST(BoundedNameTest, APathKeeps255PartsAndTheMark) {
  const std::string cut = BoundedName(Repeated("a.", 16000), true);
  EXPECT_EQ(std::count(cut.begin(), cut.end(), '.'), 254);
  EXPECT_TRUE(IsCutName(cut));
  EXPECT_EQ(BoundedName(cut, true), cut);
}

TEST(BoundedNameTest, CutsBetweenCharacters) {
  // "é" is two bytes: 4076, where the mark begins, is in the middle of one.
  const std::string cut = BoundedName("x" + Repeated("\xc3\xa9", 3000), false);
  EXPECT_EQ(cut.find("\xe2\x80\xa6#"), 4075u);
}

TEST(ProfileBoundsTest, AModuleNameOf16000DotsIsCutAndCounted) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 1).ModuleScope(2, 1, Repeated("a.", 16000), "Linear", 2);
  b.Entered(1, v1::PHASE_FORWARD, 1).Entered(2, v1::PHASE_FORWARD, 1);
  b.Gemm(2, v1::PHASE_FORWARD, 1000);
  const Summary summary = Summarize(RunOf(b.profile()));
  EXPECT_EQ(summary.ranks[0].loss.at("names_cut"), 1u);
  EXPECT_EQ(SelfForward(summary), FlopCount(1000));
  for (const ModuleSummary& module : summary.modules) {
    EXPECT_LE(module.path.size(), kMaxNameBytes);
    EXPECT_LT(module.depth, kMaxPathParts);
  }
  EXPECT_THAT(ToJson(summary), HasSubstr("names_cut"));
}

TEST(ProfileBoundsTest, AListedPathOf16000DotsIsCutInEveryTable) {
  ProfileBuilder b(0);
  const std::string path = "a" + Repeated(".a", 16000);
  b.ModuleScope(1, 0, "", "Net", 1).Listed(1, 0, "", "Net", 1, 5).Listed(1, 1, path, "Fc", 2, 5);
  b.profile().add_module_sizes()->set_path(path);
  b.profile().add_module_aliases()->set_alias(path);
  b.profile().add_module_weights()->set_path(path);
  b.Entered(1, v1::PHASE_FORWARD, 1);
  b.Gemm(1, v1::PHASE_FORWARD, 10);
  const Summary summary = Summarize(RunOf(b.profile()));
  EXPECT_EQ(summary.ranks[0].loss.at("names_cut"), 1u);
  CutNames(&b.profile());
  EXPECT_EQ(b.profile().module_sizes(0).path(), b.profile().modules(1).path());
  EXPECT_EQ(b.profile().module_aliases(0).alias(), b.profile().modules(1).path());
  EXPECT_EQ(b.profile().module_weights(0).path(), b.profile().modules(1).path());
}

TEST(ProfileBoundsTest, EveryKindOfNameIsCutAndTextsAreNot) {
  const std::string name(70000, 'n');
  v1::ProcessProfile profile = ProfileBuilder(0).profile();
  profile.add_kernels()->set_name(name);
  profile.add_kernel_owners()->set_name(name);
  profile.add_marks()->set_domain(name);
  profile.add_devices()->set_name(name);
  profile.add_instants()->set_name(name);
  profile.add_graphs()->set_state(name);
  (*profile.mutable_strings())[1] = name;
  (*profile.mutable_loss())[name] = 1;
  profile.add_stacks()->set_frames(name);
  profile.add_calls()->set_detail(name);
  EXPECT_FALSE(IsBounded(profile));
  BoundProfile(&profile);
  EXPECT_TRUE(IsBounded(profile));
  const std::string cut = BoundedName(name, false);
  EXPECT_EQ(profile.kernels(0).name(), cut);
  EXPECT_EQ(profile.kernel_owners(0).name(), cut);
  EXPECT_EQ(profile.marks(0).domain(), cut);
  EXPECT_EQ(profile.devices(0).name(), cut);
  EXPECT_EQ(profile.instants(0).name(), cut);
  EXPECT_EQ(profile.graphs(0).state(), cut);
  EXPECT_EQ(profile.strings().at(1), cut);
  EXPECT_EQ(profile.loss().at(cut), 1u);
  EXPECT_EQ(profile.stacks(0).frames(), name);
  EXPECT_EQ(profile.calls(0).detail(), name);
  EXPECT_EQ(profile.loss().at("names_cut"), 1u);
}

TEST(ProfileBoundsTest, RangesInsideOfOneAnotherAreCutAt128) {
  const Summary summary = Summarize(RunOf(NestedRanges(300).profile()));
  // By hand: 128 ranges, one "(deeper)" for the other 172, "(outside)".
  ASSERT_THAT(summary.modules, SizeIs(130));
  EXPECT_EQ(summary.ranks[0].loss.at("scopes_cut"), 172u);
  const ModuleSummary& deeper = summary.modules[128];
  EXPECT_THAT(deeper.path, EndsWith(".push.(deeper)"));
  EXPECT_EQ(deeper.self.flops[v1::PHASE_FORWARD], FlopCount(1720));
  EXPECT_EQ(deeper.calls, 172u);
  EXPECT_EQ(summary.modules[0].inclusive.flops[v1::PHASE_FORWARD], FlopCount(3000));
  EXPECT_EQ(SelfForward(summary), FlopCount(3000));
}

TEST(ProfileBoundsTest, AModuleInLeakedRangesKeepsItsLine) {
  ProfileBuilder b(0);
  for (uint32_t id = 1; id <= 1000; ++id) {
    b.Range(3 * id, id == 1 ? 0 : 3 * (id - 1), "push");
    b.ModuleScope(3 * id + 1, 3 * id, "", "Net", 7);
    b.ModuleScope(3 * id + 2, 3 * id + 1, "fc", "Linear", 8);
    b.Entered(3 * id + 2, v1::PHASE_FORWARD, 1);
    b.Gemm(3 * id + 2, v1::PHASE_FORWARD, 10);
  }
  const Summary summary = Summarize(RunOf(b.profile()));
  ASSERT_THAT(summary.modules, SizeIs(3));
  EXPECT_EQ(summary.modules[1].path, "fc");
  EXPECT_EQ(summary.modules[1].self.flops[v1::PHASE_FORWARD], FlopCount(10000));
  EXPECT_EQ(summary.modules[1].calls, 1000u);
}

TEST(ProfileBoundsTest, ModulesBeyond256AreInTheLineOfTheLastOne) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 1);
  for (uint32_t id = 2; id <= 1000; ++id) {
    b.ModuleScope(id, id - 1, "m", "Block", id).Entered(id, v1::PHASE_FORWARD, 1);
    b.Gemm(id, v1::PHASE_FORWARD, 10);
  }
  const Summary summary = Summarize(RunOf(b.profile()));
  ASSERT_THAT(summary.modules, SizeIs(257));  // 256 and "(outside)"
  EXPECT_EQ(summary.ranks[0].loss.at("scopes_cut"), 744u);
  // Its own and that of 744 others.
  EXPECT_EQ(summary.modules[255].self.flops[v1::PHASE_FORWARD], FlopCount(7450));
  EXPECT_EQ(summary.modules[255].calls, 1u);
  EXPECT_EQ(SelfForward(summary), FlopCount(9990));
}

TEST(ProfileBoundsTest, CirclesOfParentsAreCut) {
  ProfileBuilder b(0);
  b.Range(1, 3, "a").Range(2, 1, "b").Range(3, 2, "c").Range(4, 4, "self").Range(5, 77, "orphan");
  for (uint32_t id = 1; id <= 5; ++id) b.Gemm(id, v1::PHASE_FORWARD, 10);
  const Summary summary = Summarize(RunOf(b.profile()));
  EXPECT_EQ(SelfForward(summary), FlopCount(50));
  EXPECT_EQ(summary.ranks[0].loss.at("scopes_cut"), 2u);
}

TEST(ProfileBoundsTest, BoundingTwiceChangesNothing) {
  v1::ProcessProfile once = NestedRanges(500).profile();
  BoundProfile(&once);
  EXPECT_TRUE(IsBounded(once));
  v1::ProcessProfile twice = once;
  BoundProfile(&twice);
  EXPECT_EQ(twice.SerializeAsString(), once.SerializeAsString());
}

TEST(ProfileBoundsTest, ThePathOfDeepRangesWithLongNamesIsBounded) {
  ProfileBuilder b(0);
  for (uint32_t id = 1; id <= 100; ++id) {
    b.Range(id, id - 1, std::string(1000, 'r'));
    b.Gemm(id, v1::PHASE_FORWARD, 10);
  }
  const Summary summary = Summarize(RunOf(b.profile()));
  for (const ModuleSummary& module : summary.modules) {
    EXPECT_LE(module.path.size(), kMaxNameBytes + kDeeperName.size() + 1);
  }
  EXPECT_EQ(SelfForward(summary), FlopCount(1000));
}

// 8,000 nested ranges took 65 s and 2.2 GiB.
TEST(ProfileBoundsTest, TheCostOfDepthIsLinear) {
  const RunProfile small = RunOf(NestedRanges(2000).profile());
  const RunProfile large = RunOf(NestedRanges(16000).profile());
  const double small_s = SecondsOf([&] { Summarize(small); });
  const double large_s = SecondsOf([&] { Summarize(large); });
  EXPECT_LT(large_s, 0.5 + 40 * small_s);
  EXPECT_LT(large_s, 30);
}

TEST(ProfileBoundsTest, HugeNumbersDoNoHarm) {
  ProfileBuilder b(INT32_MAX);
  b.info().set_world_size(INT32_MAX);
  b.info().set_restart(INT32_MIN);
  b.info().set_start_utc_ns(INT64_MAX);
  v1::ProcessLife& life = *b.profile().add_process_lives();
  life.set_until_utc_ns(INT64_MIN);
  life.set_ancestor_pid(INT32_MIN);
  b.Range(UINT32_MAX, UINT32_MAX - 1, "x").Range(UINT32_MAX - 1, 0, "y");
  v1::CallRow& row = b.Gemm(UINT32_MAX, v1::PHASE_FORWARD, UINT64_MAX, UINT64_MAX);
  row.mutable_flops()->set_high(UINT64_MAX);
  b.Step(UINT32_MAX, 1, UINT64_MAX);
  b.Time(UINT32_MAX, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, UINT64_MAX);
  RunProfile run = RunOf(b.profile());
  run.processes.push_back(run.processes[0]);
  run.processes[1].mutable_key()->set_node("b");
  const Summary summary = Summarize(run);
  EXPECT_TRUE(HasFinding(summary, "0-2147483646 of 2147483647 are missing"));
  EXPECT_FALSE(ToJson(summary).empty());
  CallGradients(run);
}

}  // namespace
}  // namespace flopsprof::model
