// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/collectives.h"

#include <gtest/gtest.h>

#include "profile_builder.h"

namespace flopsprof::model {
namespace {

// A model "" (scope 1) with a part "fc" (scope 2).
ProfileBuilder Rank(int rank) {
  ProfileBuilder b(rank, 100 + rank);
  b.ModuleScope(1, 0, "", "Net", 10).ModuleScope(2, 1, "fc", "Linear", 11);
  return b;
}

void AllGather(ProfileBuilder* b, uint32_t scope, uint64_t group, uint64_t time_ns,
               uint64_t matched = 0, uint64_t wait_ns = 0) {
  v1::CallRow& call = b->Gemm(scope, v1::PHASE_FORWARD, 0, 2);
  call.set_kind(v1::CALL_KIND_COLLECTIVE);
  call.set_api("ncclAllGather");
  call.set_detail("2 ranks");
  call.set_bytes(100);
  call.set_gpu_time_ns(time_ns);
  v1::CollectiveRow& row = *b->profile().add_collectives();
  row.set_scope(scope);
  row.set_phase(v1::PHASE_FORWARD);
  row.set_api("ncclAllGather");
  row.set_shape(call.shape());
  row.set_in_step(true);
  row.set_group(group);
  row.set_calls(2);
  row.set_matched_calls(matched);
  row.set_matched_time_ns(matched == 0 ? 0 : time_ns);
  row.set_wait_ns(wait_ns);
}

std::vector<CollectiveSummary> Sum(std::vector<ProfileBuilder> ranks) {
  CollectiveSums sums;
  for (ProfileBuilder& b : ranks) sums.NoteGroups(b.info().rank(), b.profile());
  for (ProfileBuilder& b : ranks) sums.Add({}, b.profile(), ModulePaths(b.profile()));
  return sums.Finish();
}

TEST(CollectivesTest, EachModuleHasItsOwn) {
  ProfileBuilder b = Rank(0);
  AllGather(&b, 1, 5, 1000);
  AllGather(&b, 2, 5, 3000);
  const std::vector<CollectiveSummary> rows = Sum({b});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].module, "fc");  // the longest first
  EXPECT_EQ(rows[0].gpu_time_ns, 3000u);
  EXPECT_EQ(rows[1].module, "");
  EXPECT_EQ(rows[1].bytes, 100u);
}

TEST(CollectivesTest, AGroupIsTheRanksThatShareItsNumber) {
  ProfileBuilder zero = Rank(0), one = Rank(1), three = Rank(3);
  for (ProfileBuilder* b : {&zero, &one, &three}) AllGather(b, 1, 5, 10);
  AllGather(&zero, 1, 6, 20);
  AllGather(&three, 1, 6, 20);
  AllGather(&one, 1, 0, 5);  // not known
  const std::vector<CollectiveSummary> rows = Sum({zero, one, three});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].ranks, "0,3");
  EXPECT_EQ(rows[1].ranks, "0-1,3");
  EXPECT_EQ(rows[1].calls, 6u);
  EXPECT_EQ(rows[2].ranks, "");
}

TEST(CollectivesTest, WaitsAreSummed) {
  ProfileBuilder zero = Rank(0), one = Rank(1);
  AllGather(&zero, 1, 5, 1000, 2, 700);
  AllGather(&one, 1, 5, 400, 2, 0);
  const std::vector<CollectiveSummary> rows = Sum({zero, one});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].matched_calls, 4u);
  EXPECT_EQ(rows[0].matched_time_ns, 1400u);
  EXPECT_EQ(rows[0].wait_ns, 700u);
}

TEST(CollectivesTest, RunsWithoutCollectiveRowsKeepTheirCalls) {
  ProfileBuilder b = Rank(0);
  AllGather(&b, 2, 5, 1000);
  b.profile().clear_collectives();
  const std::vector<CollectiveSummary> rows = Sum({b});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].ranks, "");
}

}  // namespace
}  // namespace flopsprof::model
