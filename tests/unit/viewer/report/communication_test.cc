// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/viewer/report/sample_run.h"
#include "tests/unit/viewer/report/view_text.h"

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kWhereWaitIsKnown[] = "wait is known where all ranks";

std::string RenderCommunication(const model::Summary& summary, int top = 10) {
  return RenderView(summary, {.views = {"communication"}, .top = top});
}

TEST(CommunicationViewTest, PayloadIsPerTimeAfterTheLastRankBegan) {
  const std::string text = RenderCommunication(SampleSummary());
  // 24,240 bytes in 10,000 - 4,000 ns.
  EXPECT_THAT(LinesWith(text, "ncclAllReduce"),
              ElementsAre("ncclAllReduce | 2 ranks: 0-1 | backward | 6 | 24.2 kB | 10.0 µs | "
                          "7.50 µs | 25.0% | 4.00 µs | 6.00 µs | 4.04 GB/s",
                          "features.0 | ncclAllReduce | backward | 6 | 24.2 kB | 10.0 µs | "
                          "7.50 µs | 25.0% | 4.00 µs | 6.00 µs | 4.04 GB/s"));
  EXPECT_THAT(text, Not(HasSubstr(kWhereWaitIsKnown)));
}

TEST(CommunicationViewTest, WithACallWhoseWaitIsUnknownThereIsNoRate) {
  model::Summary summary = SampleSummary();
  summary.collectives[0].matched_calls = 5;
  const std::string text = RenderCommunication(summary);
  EXPECT_THAT(LinesWith(text, "2 ranks: 0-1"),
              ElementsAre("ncclAllReduce | 2 ranks: 0-1 | backward | 6 | 24.2 kB | 10.0 µs | "
                          "7.50 µs | 25.0% | ≥4.00 µs | ? | ?"));
  EXPECT_THAT(text, HasSubstr(kWhereWaitIsKnown));
}

TEST(CommunicationViewTest, WithoutAnyMatchTheWaitIsUnknown) {
  model::Summary summary = SampleSummary();
  model::CollectiveSummary& row = summary.collectives[0];
  row.matched_calls = row.matched_time_ns = row.wait_ns = 0;
  EXPECT_THAT(LinesWith(RenderCommunication(summary), "ncclAllReduce"),
              ElementsAre("ncclAllReduce | 2 ranks: 0-1 | backward | 6 | 24.2 kB | 10.0 µs | "
                          "7.50 µs | 25.0% | ? | ? | ?",
                          "features.0 | ncclAllReduce | backward | 6 | 24.2 kB | 10.0 µs | "
                          "7.50 µs | 25.0% | ? | ? | ?"));
  // No kernel of it was seen.
  row.gpu_time_ns = 0;
  EXPECT_THAT(
      LinesWith(RenderCommunication(summary), "2 ranks: 0-1"),
      ElementsAre("ncclAllReduce | 2 ranks: 0-1 | backward | 6 | 24.2 kB | ? | ? | ? | ? | ? | ?"));
}

TEST(CommunicationViewTest, ExposedTimeThatWasNotComparedIsUnknown) {
  model::Summary summary = SampleSummary();
  summary.collectives[0].compared_time_ns -= 1;
  EXPECT_THAT(LinesWith(RenderCommunication(summary), "2 ranks: 0-1"),
              ElementsAre("ncclAllReduce | 2 ranks: 0-1 | backward | 6 | 24.2 kB | 10.0 µs | ? | "
                          "? | 4.00 µs | 6.00 µs | 4.04 GB/s"));
}

TEST(CommunicationViewTest, ModulesOfOneGroupAddUpAndTheLongestIsFirst) {
  model::Summary summary = SampleSummary();
  // 6,000 bytes in 12,000 - 7,000 ns; together 30,240 in 22,000 - 11,000 ns.
  summary.collectives.push_back({"ncclAllReduce", "2 ranks", "backward", "", "0-1", 2, 6000, 12000,
                                 2, 12000, 7000, 12000, 1000});
  EXPECT_THAT(
      LinesWith(RenderCommunication(summary), "ncclAllReduce"),
      ElementsAre("ncclAllReduce | 2 ranks: 0-1 | backward | 8 | 30.2 kB | 22.0 µs | "
                  "18.5 µs | 15.9% | 11.0 µs | 11.0 µs | 2.75 GB/s",
                  "(model) | ncclAllReduce | backward | 2 | 6.00 kB | 12.0 µs | 11.0 µs | 8.3% | "
                  "7.00 µs | 5.00 µs | 1.20 GB/s",
                  "features.0 | ncclAllReduce | backward | 6 | 24.2 kB | 10.0 µs | "
                  "7.50 µs | 25.0% | 4.00 µs | 6.00 µs | 4.04 GB/s"));
  const std::string first = RenderCommunication(summary, 1);
  EXPECT_THAT(LinesWith(first, "features.0"), IsEmpty());
  EXPECT_THAT(first, HasSubstr("top 1 of 2 rows"));
}

TEST(CommunicationViewTest, GroupsOfOneSizeAreOneRowWhereThereAreMoreThanFit) {
  model::Summary summary = SampleSummary();
  for (const char* ranks : {"2-3", "4-5"}) {
    summary.collectives.push_back(summary.collectives[0]);
    summary.collectives.back().ranks = ranks;
  }
  EXPECT_THAT(LinesWith(RenderCommunication(summary, 2), "3 groups"),
              ElementsAre("ncclAllReduce | 3 groups of 2 ranks | backward | 18 | 72.7 kB | "
                          "30.0 µs | 22.5 µs | 25.0% | 12.0 µs | 18.0 µs | 4.04 GB/s"));
}

TEST(CommunicationViewTest, WithoutCollectivesThereIsNoTable) {
  model::Summary summary = SampleSummary();
  summary.collectives.clear();
  EXPECT_THAT(RenderCommunication(summary), HasSubstr("Communication\n  none recorded\n"));
  EXPECT_THAT(RenderCommunication(summary), Not(HasSubstr("collective")));
  EXPECT_THAT(RenderView(summary, {}), Not(HasSubstr("Communication")));
}

}  // namespace
}  // namespace flopsprof::viewer
