// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/launch_callbacks.h"

#include <gtest/gtest.h>

#include "injector/transport/callback_guard.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

constexpr uint32_t kLaunchOfNvcc13 = 505;  // __cudaLaunchKernel_v13000
constexpr uint32_t kCuLaunchKernel = 307;
constexpr uint32_t kCudaGraphLaunch = 311;

CuptiCallbackData At(int site, uint32_t correlation, const void* parameters = nullptr) {
  CuptiCallbackData data{};
  data.callback_site = site;
  data.correlation_id = correlation;
  data.function_params = parameters;
  return data;
}

void Call(int domain, uint32_t cbid, const CuptiCallbackData& data) {
  OnCuptiCallback(nullptr, domain, cbid, &data);
}

std::vector<shm::LaunchRecord> Launches(const std::vector<test::RawRecord>& records) {
  return test::Only<shm::LaunchRecord>(records, shm::RecordType::kLaunch);
}

TEST(LaunchCallbacksTest, OneRecordAtEntryNoneAtExit) {
  TestSegment segment;
  segment.Use();
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 100));
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(1, 100));
  const auto launches = Launches(segment.Drain());
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].correlation, 100u);
  EXPECT_EQ(launches[0].cbid, 505u);
  EXPECT_EQ(launches[0].domain, 2u);
  EXPECT_EQ(launches[0].call, shm::kNoCall);
  EXPECT_EQ(segment.header()->launches.load(), 1u);
}

TEST(LaunchCallbacksTest, TheDriverCallInsideOfARuntimeCallIsTheSameLaunch) {
  TestSegment segment;
  segment.Use();
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 200));
  Call(kCuptiDriverApi, kCuLaunchKernel, At(0, 200));
  Call(kCuptiDriverApi, kCuLaunchKernel, At(1, 200));
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(1, 200));
  EXPECT_EQ(Launches(segment.Drain()).size(), 1u);
}

TEST(LaunchCallbacksTest, ADriverOnlyLaunchIsSeen) {
  TestSegment segment;
  segment.Use();
  Call(kCuptiDriverApi, kCuLaunchKernel, At(0, 300));
  const auto launches = Launches(segment.Drain());
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].domain, 1u);
}

TEST(LaunchCallbacksTest, ALaunchHasTheHostsClockWhereItIsAskedFor) {
  TestSegment segment;
  segment.Use();
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 310));
  segment.header()->recording.store(static_cast<uint32_t>(shm::Recording::kTimedWork));
  const uint64_t before_ns = MonoNs();
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 311));
  const uint64_t after_ns = MonoNs();
  segment.header()->recording.store(static_cast<uint32_t>(shm::Recording::kPaused));
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 312));
  const auto launches = Launches(segment.Drain());
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].mono_ns, 0u);
  EXPECT_EQ(launches[1].correlation, 311u);
  EXPECT_GE(launches[1].mono_ns, before_ns);
  EXPECT_LE(launches[1].mono_ns, after_ns);
}

TEST(LaunchCallbacksTest, WithTheHostsClockALaunchWithoutRoomIsCounted) {
  TestSegment segment;
  segment.Use();
  segment.header()->recording.store(static_cast<uint32_t>(shm::Recording::kTimedWork));
  const uint64_t room = segment.header()->ring_records;
  for (uint32_t i = 0; i < room + 3; ++i) {
    Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 1000 + i));
    Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(1, 1000 + i));
  }
  EXPECT_EQ(Launches(segment.Drain()).size(), room);
  EXPECT_EQ(segment.header()->launches.load(), room + 3);
  EXPECT_EQ(segment.loss(shm::LossCounter::kLaunchNotSeen), 3u);
  EXPECT_EQ(segment.loss(shm::LossCounter::kRingFull), 3u);
}

TEST(LaunchCallbacksTest, ALaunchInsideOfACallBelongsToIt) {
  TestSegment segment;
  segment.Use();
  CurrentThread()->current_call = 17;
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 400));
  CurrentThread()->current_call = shm::kNoCall;
  EXPECT_EQ(Launches(segment.Drain())[0].call, 17u);
}

TEST(LaunchCallbacksTest, AReplayNamesItsGraph) {
  TestSegment segment;
  segment.Use();
  int executable = 0;
  const void* parameters[2] = {&executable, nullptr};
  Call(kCuptiRuntimeApi, kCudaGraphLaunch, At(0, 500, parameters));
  const auto replays = test::Only<shm::GraphLaunch>(segment.Drain(), shm::RecordType::kGraphLaunch);
  ASSERT_EQ(replays.size(), 1u);
  EXPECT_EQ(replays[0].correlation, 500u);
  EXPECT_EQ(replays[0].executable, reinterpret_cast<uintptr_t>(&executable));
}

TEST(LaunchCallbacksTest, AReplayThroughAHookIsToldByTheHookWhenItHasSucceeded) {
  TestSegment segment;
  segment.Use();
  int executable = 0;
  const void* parameters[2] = {&executable, nullptr};
  CurrentThread()->launching_graph = &executable;
  CurrentThread()->graph_correlation = 0;  // as the hook leaves it
  Call(kCuptiRuntimeApi, kCudaGraphLaunch, At(0, 510, parameters));
  CurrentThread()->launching_graph = nullptr;
  const auto records = segment.Drain();
  EXPECT_EQ(Launches(records).size(), 1u);
  EXPECT_TRUE(test::Only<shm::GraphLaunch>(records, shm::RecordType::kGraphLaunch).empty());
  EXPECT_EQ(CurrentThread()->graph_correlation, 510u);
}

TEST(LaunchCallbacksTest, OurOwnCallsAreNotTheProgramsWork) {
  TestSegment segment;
  segment.Use();
  CallbackGuard guard;
  Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 600));
  EXPECT_TRUE(segment.Drain().empty());
}

TEST(LaunchCallbacksTest, ALaunchThatDoesNotFitIsCounted) {
  TestSegment segment(1, 4);
  segment.Use();
  for (uint32_t i = 0; i < 6; ++i) Call(kCuptiRuntimeApi, kLaunchOfNvcc13, At(0, 700 + i));
  EXPECT_EQ(segment.header()->launches.load(), 6u);
  EXPECT_EQ(segment.loss(shm::LossCounter::kLaunchNotSeen), 2u);
  EXPECT_EQ(segment.loss(shm::LossCounter::kRingFull), 2u);
}

}  // namespace
}  // namespace flopsprof::injector
