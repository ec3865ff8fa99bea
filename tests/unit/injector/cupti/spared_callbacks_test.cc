// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/spared_callbacks.h"

#include <gtest/gtest.h>

#include <set>

#include "injector/cupti/launch_callbacks.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

constexpr uint32_t kSparedLaunch = 505;
constexpr uint32_t kLaunchExC = 430;
constexpr uint32_t kSparedDriverLaunch = 307;
constexpr uint32_t kCuMemcpyHtoDAsync = 277;

std::set<uint32_t> off;  // runtime ids
CuptiResult disable_result = kCuptiSuccess;

CuptiResult EnableCallback(uint32_t enable, CuptiSubscriber, int domain, uint32_t cbid) {
  EXPECT_EQ(domain, kCuptiRuntimeApi);
  if (enable == 0 && disable_result != kCuptiSuccess) return disable_result;
  if (enable == 0) {
    off.insert(cbid);
  } else {
    off.erase(cbid);
  }
  return kCuptiSuccess;
}

// How CUPTI tells of a launch by the runtime.
struct Telling {
  uint32_t inner_calls = 1;
  uint32_t inner_id_differs_by = 0;
  int status = 0;
};

class SparedCallbacksTest : public ::testing::Test {
 protected:
  SparedCallbacksTest() {
    off.clear();
    disable_result = kCuptiSuccess;
    api_.EnableCallback = EnableCallback;
    segment_.Use();
    ResetSparingForTesting();
  }
  ~SparedCallbacksTest() override { ResetSparingForTesting(); }

  void Call(int domain, uint32_t cbid, int site, uint32_t correlation, int* status) {
    CuptiCallbackData data{};
    data.callback_site = site;
    data.correlation_id = correlation;
    data.function_return_value = site == kCuptiApiEnter ? nullptr : status;
    OnCuptiCallback(nullptr, domain, cbid, &data);
  }

  void Launch(uint32_t cbid, Telling telling = {}) {
    const uint32_t id = next_id_;
    next_id_ += 10;
    const bool told = off.count(cbid) == 0;
    if (told) Call(kCuptiRuntimeApi, cbid, 0, id, nullptr);
    for (uint32_t i = 0; i < telling.inner_calls; ++i) {
      const uint32_t inner = id + telling.inner_id_differs_by;
      Call(kCuptiDriverApi, kSparedDriverLaunch, 0, inner, nullptr);
      Call(kCuptiDriverApi, kSparedDriverLaunch, 1, inner, &telling.status);
    }
    if (told) Call(kCuptiRuntimeApi, cbid, 1, id, &telling.status);
    last_id_ = id;
  }

  void LaunchMany(uint32_t cbid, uint32_t count = kEnoughCalls) {
    for (uint32_t i = 0; i < count; ++i) Launch(cbid);
  }

  // Of the helper thread.
  void Tick() { FollowSparing(api_, nullptr); }

  // The records of the newest launches come, with ids that differ so much from the driver's.
  void GiveRecords(uint32_t count, uint32_t differ = 0) {
    for (uint32_t i = 0; i < count; ++i) NoteKernelRecord(last_id_ - 10 * i + differ);
  }

  CuptiApi api_{};
  TestSegment segment_{4, 1 << 13};
  uint32_t next_id_ = 0x7ffff000;  // some above 2^31
  uint32_t last_id_ = 0;
};

TEST_F(SparedCallbacksTest, WhatAgreesGoesAfterATrial) {
  LaunchMany(kSparedLaunch);
  LaunchMany(kLaunchExC, kEnoughCalls - 1);
  Tick();
  EXPECT_EQ(off, std::set<uint32_t>{505});
  LaunchMany(kSparedLaunch, kSamples);
  Tick();
  EXPECT_TRUE(off.empty());
  Tick();
  EXPECT_TRUE(off.empty()) << "records have not come";
  GiveRecords(kSamples);
  Tick();
  Tick();
  EXPECT_EQ(off, std::set<uint32_t>{505});
  Launch(kLaunchExC);
  Tick();
  EXPECT_EQ(off, (std::set<uint32_t>{430, 505})) << "without another trial";
}

TEST_F(SparedCallbacksTest, OneCallThatDisagreesKeepsItsId) {
  const Telling ways[] = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0}};
  for (const Telling& way : ways) {
    ResetSparingForTesting();
    LaunchMany(kSparedLaunch);
    Launch(kSparedLaunch, way);
    LaunchMany(kLaunchExC);
    Tick();
    EXPECT_EQ(off, std::set<uint32_t>{430});
    Tick();
  }
}

TEST_F(SparedCallbacksTest, ItIsKeptInTheNextWindowToo) {
  Launch(kSparedLaunch, {0, 0, 0});
  Tick();
  BeginSparing(true);
  LaunchMany(kSparedLaunch);
  Tick();
  EXPECT_TRUE(off.empty());
}

TEST_F(SparedCallbacksTest, ALaunchThatIsRefusedShowsNothing) {
  for (uint32_t i = 0; i < kEnoughCalls; ++i) Launch(kSparedLaunch, {0, 0, 700});
  Tick();
  EXPECT_TRUE(off.empty());
  LaunchMany(kSparedLaunch);
  Tick();
  EXPECT_EQ(off, std::set<uint32_t>{505});
}

TEST_F(SparedCallbacksTest, RecordsWithOtherIdsKeepAll) {
  LaunchMany(kSparedLaunch);
  Tick();
  LaunchMany(kSparedLaunch, kSamples);
  Tick();
  GiveRecords(kSamples, 1);
  LaunchMany(kSparedLaunch);
  GiveRecords(kEnoughCalls, 1);
  for (int second = 0; second < 5; ++second) {
    Tick();
    EXPECT_TRUE(off.empty());
  }
  EXPECT_FALSE(runtime_launches_are_watched.load());
}

TEST_F(SparedCallbacksTest, AFewKernelsThatRunLongAreAnotherTrial) {
  LaunchMany(kSparedLaunch);
  Tick();
  LaunchMany(kSparedLaunch, kSamples);
  Tick();
  GiveRecords(kSamples - 1);
  for (int second = 0; second < 10; ++second) Tick();
  EXPECT_TRUE(off.empty());
  Tick();
  EXPECT_EQ(off, std::set<uint32_t>{505});
}

TEST_F(SparedCallbacksTest, ATrialWithFewLaunchesIsMadeAgain) {
  LaunchMany(kSparedLaunch);
  Tick();
  LaunchMany(kSparedLaunch, 3);
  Tick();
  EXPECT_TRUE(off.empty());
  GiveRecords(3);
  Tick();
  EXPECT_EQ(off, std::set<uint32_t>{505}) << "a trial";
  Tick();
  EXPECT_TRUE(off.empty());
}

TEST_F(SparedCallbacksTest, WhatCuptiRefusesToSwitchOffStays) {
  disable_result = 999;
  LaunchMany(kSparedLaunch);
  Tick();
  disable_result = kCuptiSuccess;
  for (int second = 0; second < 3; ++second) {
    Tick();
    EXPECT_TRUE(off.empty());
  }
}

TEST_F(SparedCallbacksTest, ALaunchThatIsNotToldBringsAllBack) {
  LaunchMany(kSparedLaunch);
  Tick();
  LaunchMany(kSparedLaunch, kSamples);
  Tick();
  GiveRecords(kSamples);
  Tick();
  Tick();
  ASSERT_EQ(off, std::set<uint32_t>{505});
  EXPECT_TRUE(SparesCallbacks());
  NoteLaunchWithoutCallback();
  Tick();
  EXPECT_TRUE(off.empty());
  EXPECT_FALSE(SparesCallbacks());
}

TEST_F(SparedCallbacksTest, ThereIsNothingToSpareWhereTheOuterCallIsNeeded) {
  BeginSparing(false);
  LaunchMany(kSparedLaunch);
  Tick();
  EXPECT_TRUE(off.empty());
}

TEST_F(SparedCallbacksTest, ACopyInsideUnderTheSameIdDisagreesWithNothing) {
  int status = 0;
  Call(kCuptiRuntimeApi, kSparedLaunch, 0, 1, nullptr);
  Call(kCuptiDriverApi, kCuMemcpyHtoDAsync, 0, 1, nullptr);
  Call(kCuptiDriverApi, kCuMemcpyHtoDAsync, 1, 1, &status);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 0, 1, nullptr);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 1, 1, &status);
  Call(kCuptiRuntimeApi, kSparedLaunch, 1, 1, &status);
  LaunchMany(kSparedLaunch);
  Tick();
  EXPECT_EQ(off, std::set<uint32_t>{505});
}

TEST_F(SparedCallbacksTest, ACallAmidWhichRecordingEndsShowsNothing) {
  const auto all = segment_.header()->recording.load();
  int status = 0;
  Call(kCuptiRuntimeApi, kSparedLaunch, 0, 1, nullptr);
  segment_.header()->recording.store(0);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 0, 1, nullptr);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 1, 1, &status);
  Call(kCuptiRuntimeApi, kSparedLaunch, 1, 1, &status);
  segment_.header()->recording.store(all);
  LaunchMany(kSparedLaunch);
  Tick();
  EXPECT_EQ(off, std::set<uint32_t>{505});
}

TEST_F(SparedCallbacksTest, ACallWhoseExitIsNotToldIsWatchedNoLonger) {
  LaunchMany(kSparedLaunch);
  int status = 0;
  Call(kCuptiRuntimeApi, kSparedLaunch, 0, 1, nullptr);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 0, 1, nullptr);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 1, 1, &status);
  EXPECT_NE(CurrentThread()->open_launch & kOpenWatched, 0);
  Tick();  // off
  Call(kCuptiDriverApi, kSparedDriverLaunch, 0, 2, nullptr);
  EXPECT_EQ(CurrentThread()->open_launch & kOpenWatched, 0);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 1, 2, &status);
}

TEST_F(SparedCallbacksTest, ACallAmidWhichItsCallbackGoesOrComesIsOneLaunch) {
  segment_.Drain();
  int status = 0;
  Call(kCuptiRuntimeApi, kSparedLaunch, 0, 1, nullptr);  // its exit is not told
  Call(kCuptiDriverApi, kSparedDriverLaunch, 0, 1, nullptr);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 1, 1, &status);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 0, 2, nullptr);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 1, 2, &status);
  Call(kCuptiRuntimeApi, kSparedLaunch, 1, 2, &status);  // its entry was not told
  Call(kCuptiRuntimeApi, kSparedLaunch, 0, 3, nullptr);
  Call(kCuptiDriverApi, kSparedDriverLaunch, 0, 3, nullptr);
  const auto launches = test::Only<shm::LaunchRecord>(segment_.Drain(), shm::RecordType::kLaunch);
  ASSERT_EQ(launches.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(launches[i].correlation, i + 1);
}

}  // namespace
}  // namespace flopsprof::injector
