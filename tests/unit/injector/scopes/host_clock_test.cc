// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Begin and end of scopes with the host's clock.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "injector/base/platform.h"
#include "injector/scopes/public_api.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/started_ranges.h"
#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

constexpr char kDomainA[] = "a", kDomainB[] = "b";

class HostClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::ResetScopesForTesting();
    test::BeginRecording();
    test::RecordHostClock(true);
  }
  void TearDown() override {
    test::RecordHostClock(false);
    test::ResetScopesForTesting();
  }
  static uint32_t Enter(const char* domain, const char* name) {
    return EnterNamedRange(shm::ScopeKind::kRange, domain, name, kTerminated);
  }
  static ThreadScopes& stack() { return ThisThread(); }
  // "+0 " and "-0 " of entries and ends of frame 0; "!" of an end alone, "?" without a time.
  static std::string Taken() {
    std::string text;
    uint64_t before_ns = 0;
    for (const auto& record : test::TakeRecords()) {
      uint64_t mono_ns = 0;
      if (record.type() == shm::RecordType::kScopeEnter) {
        const auto& enter = record.As<shm::ScopeEnter>();
        text += "+" + std::to_string(enter.frame);
        mono_ns = enter.mono_ns;
      } else if (record.type() == shm::RecordType::kScopeExit) {
        const auto& exit = record.As<shm::ScopeExit>();
        text += "-" + std::to_string(exit.frame);
        if (exit.kind == static_cast<uint8_t>(shm::ScopeExitKind::kAlone)) text += "!";
        mono_ns = exit.mono_ns;
      } else {
        continue;
      }
      if (mono_ns == 0) text += "?";
      EXPECT_TRUE(mono_ns == 0 || mono_ns >= before_ns);
      before_ns = mono_ns;
      text += " ";
    }
    return text;
  }
};

TEST_F(HostClockTest, WithoutItNoEndIsToldAndNoTime) {
  test::RecordHostClock(false);
  const uint32_t outer = Enter(nullptr, "outer");
  Enter(nullptr, "inner");
  flopsprof_pop();
  stack().Leave(outer);
  EXPECT_EQ(Taken(), "+0? +0? ");
}

TEST_F(HostClockTest, RangesHaveBeginAndEndOnTheirThread) {
  const uint64_t before_ns = MonoNs();
  Enter(nullptr, "outer");
  Enter(nullptr, "inner");
  flopsprof_pop();
  flopsprof_pop();
  const uint64_t after_ns = MonoNs();
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 6u) << "two definitions among them";
  const auto& enter = records[1].As<shm::ScopeEnter>();
  const auto& exit = records[5].As<shm::ScopeExit>();
  EXPECT_EQ(enter.scope, exit.scope);
  EXPECT_EQ(exit.frame, 0u);
  EXPECT_EQ(exit.kind, static_cast<uint8_t>(shm::ScopeExitKind::kLeft));
  EXPECT_GE(enter.mono_ns, before_ns);
  EXPECT_GE(exit.mono_ns, enter.mono_ns);
  EXPECT_LE(exit.mono_ns, after_ns);
}

TEST_F(HostClockTest, ADepthThatIsKeptEndsItsFrame) {
  const uint32_t outer = Enter(nullptr, "outer");
  const uint32_t inner = Enter(nullptr, "inner");
  stack().Leave(inner);
  stack().Leave(outer);
  stack().Leave(outer);
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_EQ(Taken(), "+0 +1 -1 -0 ");
}

TEST_F(HostClockTest, ADepthFromElsewhereEndsItTooAndOneEndIsOfAllAbove) {
  const uint32_t depth = stack().depth();
  Enter(nullptr, "outer");
  Enter(nullptr, "inner");
  stack().LeaveAny(depth);
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_EQ(Taken(), "+0 +1 -0 ");
}

TEST_F(HostClockTest, OverlappingRangesEndAlone) {
  Enter(kDomainA, "a");
  Enter(kDomainB, "b");
  EXPECT_TRUE(stack().CloseRange(kDomainA));
  EXPECT_EQ(stack().depth(), 2u);
  EXPECT_TRUE(stack().CloseRange(kDomainB));
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_FALSE(stack().CloseRange(kDomainA));
  EXPECT_EQ(Taken(), "+0 +1 -0! -1 ");
}

TEST_F(HostClockTest, ARangeThatWasEndedAloneDoesNotEndAgain) {
  const uint32_t a = Enter(kDomainA, "a");
  Enter(kDomainB, "b");
  stack().CloseRange(kDomainA);
  stack().Leave(a);
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_EQ(Taken(), "+0 +1 -0! ");
}

TEST_F(HostClockTest, RangesWithAndWithoutTimesMixWhenAnotherAgentComes) {
  test::RecordHostClock(false);
  Enter(nullptr, "before");
  test::RecordHostClock(true);
  Enter(nullptr, "timed");
  test::RecordHostClock(false);
  Enter(nullptr, "after");
  EXPECT_TRUE(stack().CloseRange(nullptr));
  EXPECT_EQ(stack().depth(), 2u);
  test::RecordHostClock(true);
  EXPECT_TRUE(stack().CloseRange(nullptr));
  EXPECT_EQ(stack().depth(), 1u);
  EXPECT_TRUE(stack().CloseRange(nullptr));
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_EQ(Taken(), "+0? +1 +0? -1 ");
}

TEST_F(HostClockTest, ARangeWithoutATimeIsFoundBelowOneThatHasOne) {
  test::RecordHostClock(false);
  Enter(kDomainA, "before");
  test::RecordHostClock(true);
  Enter(kDomainB, "timed");
  EXPECT_TRUE(stack().CloseRange(kDomainA));
  EXPECT_TRUE(stack().CloseRange(kDomainB));
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_EQ(Taken(), "+0? +1 -1 ");
}

TEST_F(HostClockTest, ARangeWithANumberHasATimeOnlyWhereThatIsAskedFor) {
  flopsprof_push_value("batch", 3);
  flopsprof_pop();
  test::RecordHostClock(false);
  flopsprof_push_value("batch", 4);
  flopsprof_pop();
  EXPECT_EQ(Taken(), "+0 -0 +0? ");
}

TEST_F(HostClockTest, TheEndIsNotToldWhereTheClockIsNotAskedForAnyMore) {
  Enter(nullptr, "outer");
  test::RecordHostClock(false);
  flopsprof_pop();
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_EQ(Taken(), "+0 ");
}

TEST_F(HostClockTest, WhatEndsWhenNothingIsRecordedIsNotTold) {
  Enter(nullptr, "outer");
  Taken();
  test::StopRecording();
  flopsprof_pop();
  EXPECT_EQ(stack().depth(), 0u);
  EXPECT_EQ(Taken(), "");
}

TEST_F(HostClockTest, ABackwardNodeIsNoRangeThatAPopEnds) {
  Enter(nullptr, "outer");
  stack().BeginNodeOfScope(0);
  EXPECT_FALSE(stack().CloseRange(nullptr));
  stack().EndNode();
  EXPECT_TRUE(stack().CloseRange(nullptr));
}

TEST_F(HostClockTest, EachThreadHasFramesOfItsOwn) {
  Enter(nullptr, "outer");
  std::thread([] {
    Enter(nullptr, "elsewhere");
    flopsprof_pop();
  }).join();
  flopsprof_pop();
  EXPECT_EQ(Taken(), "+0 +0 -0 -0 ");
}

TEST_F(HostClockTest, AStartedRangeMayEndOnAnotherThread) {
  const uint32_t scope = FindOrAddScope({});
  const uint64_t id = BeginStartedRange(scope, 0);
  const uint64_t told = EmitRangeStart(scope, id);
  EXPECT_NE(told, id);
  EXPECT_FALSE(EndStartedRange(told));
  bool ended = false;
  std::thread([&] { ended = EndTimedRange(told); }).join();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(EndTimedRange(told)) << "it has ended";
  EXPECT_FALSE(EndTimedRange(id)) << "it is none";
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 3u);
  const auto& enter = records[1].As<shm::ScopeEnter>();
  const auto& exit = records[2].As<shm::ScopeExit>();
  EXPECT_EQ(enter.range, id);
  EXPECT_EQ(exit.range, id);
  EXPECT_EQ(exit.scope, scope);
  EXPECT_EQ(exit.kind, static_cast<uint8_t>(shm::ScopeExitKind::kStarted));
  EXPECT_GE(exit.mono_ns, enter.mono_ns);
}

}  // namespace
}  // namespace flopsprof::injector
