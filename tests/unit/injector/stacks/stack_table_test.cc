// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/stack_table.h"

#include <gtest/gtest.h>
#include <string.h>

#include <set>
#include <string>
#include <vector>

#include "injector/cupti/launch_callbacks.h"
#include "injector/stacks/stack_sampler.h"
#include "proto/shm/handshake.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

FoundStack StackOf(uintptr_t a, uintptr_t b) {
  FoundStack stack;
  stack.native_count = 2;
  stack.native[0] = a;
  stack.native[1] = b;
  return stack;
}

using Origin = shm::FrameOrigin;

// Of the frames that define the stack.
std::vector<Origin> FramesOf(const FoundStack& stack, TestSegment* segment) {
  std::vector<Origin> origins;
  InternStack(stack);
  const auto records = segment->Drain();
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].type() != shm::RecordType::kBlobBegin) continue;
    const auto kind = records[i].As<shm::BlobBegin>().kind;
    if (kind != static_cast<uint16_t>(shm::BlobKind::kStack)) continue;
    const std::string bytes = test::BlobText(records, i);
    for (size_t at = 0; at < bytes.size(); at += sizeof(shm::StackFrame)) {
      shm::StackFrame frame;
      memcpy(&frame, bytes.data() + at, sizeof frame);
      origins.push_back(static_cast<Origin>(frame.origin));
    }
  }
  return origins;
}

TEST(StackTableTest, GivesOneIdToEqualStacksAndSendsThemOnce) {
  TestSegment segment;
  segment.Use();
  ForgetStacks();
  const uint32_t id = InternStack(StackOf(10, 20));
  EXPECT_NE(id, shm::kNoStack);
  EXPECT_FALSE(segment.Drain().empty());
  EXPECT_EQ(InternStack(StackOf(10, 20)), id);
  EXPECT_TRUE(segment.Drain().empty());
  EXPECT_NE(InternStack(StackOf(20, 10)), id);
  FoundStack cut = StackOf(10, 20);
  cut.cut = true;
  EXPECT_NE(InternStack(cut), id);
}

TEST(StackTableTest, ShowsWhereNativeFramesAreMissingAbovePythons) {
  TestSegment segment;
  segment.Use();
  ForgetStacks();
  FoundStack stack = StackOf(10, 20);
  EXPECT_EQ(FramesOf(stack, &segment), (std::vector<Origin>{Origin::kNative, Origin::kNative}));
  stack.cut = true;
  EXPECT_EQ(FramesOf(stack, &segment),
            (std::vector<Origin>{Origin::kNative, Origin::kNative, Origin::kCut}));
  stack.native_cut = true;
  EXPECT_EQ(FramesOf(stack, &segment),
            (std::vector<Origin>{Origin::kNative, Origin::kNative, Origin::kCut, Origin::kCut}));
  ForgetStacks();
}

TEST(StackTableTest, CountsStacksBeyondItsRoom) {
  TestSegment segment(1, 64);
  segment.Use();
  ForgetStacks();
  std::set<uint32_t> ids;
  for (uint32_t i = 0; i < kMaxStacks; ++i) {
    ids.insert(InternStack(StackOf(1000 + i, 1)));
    segment.Drain();
  }
  EXPECT_EQ(ids.size(), kMaxStacks);
  EXPECT_EQ(segment.loss(shm::LossCounter::kStackTableFull), 0u);
  EXPECT_EQ(InternStack(StackOf(1, 1)), shm::kNoStack);
  EXPECT_EQ(segment.loss(shm::LossCounter::kStackTableFull), 1u);
  // Those that it has stay known.
  EXPECT_EQ(ids.count(InternStack(StackOf(1000, 1))), 1u);
  ForgetStacks();
}

TEST(StackTableTest, AFullRingLosesAStackAndItIsSentLater) {
  TestSegment segment(1, 4);
  segment.Use();
  ForgetStacks();
  shm::StepRecord filler{};
  for (int i = 0; i < 4; ++i) EmitRecord(&filler);
  EXPECT_EQ(InternStack(StackOf(10, 20)), shm::kNoStack);
  EXPECT_GT(segment.loss(shm::LossCounter::kRingFull), 0u);
  segment.Drain();
  EXPECT_NE(InternStack(StackOf(10, 20)), shm::kNoStack);
  ForgetStacks();
}

std::vector<shm::LaunchRecord> LaunchTwice(void (*callback)(void*, int, uint32_t, const void*),
                                           TestSegment* segment) {
  static uint32_t correlation = 1000;
  for (int i = 0; i < 2; ++i) {
    CuptiCallbackData data{};
    data.correlation_id = ++correlation;
    callback(nullptr, kCuptiRuntimeApi, 505, &data);
  }
  return test::Only<shm::LaunchRecord>(segment->Drain(), shm::RecordType::kLaunch);
}

// Python's frames as somebody else reads them: one, whose code is at 0x77.
uintptr_t described = 0;
constexpr PythonReader kOneFrame = {
    []() -> const char* { return nullptr; },
    []() -> uintptr_t { return 0; },
    [](PythonFrame* frames, uint32_t, bool* cut) -> uint32_t {
      frames[0] = {0x77, 1};
      *cut = false;
      return 1;
    },
    [](uintptr_t code, PythonCode* description) {
      described = code;
      *description = PythonCode{};
    },
};

// One test, in this order: sampling is turned on once in a process.
TEST(StackSamplerTest, LaunchesHaveStacksOnlyWhenAsked) {
  TestSegment segment;
  segment.Use();
  ForgetStacks();
  EXPECT_FALSE(StacksAreWanted());
  for (const auto& launch : LaunchTwice(OnCuptiCallback, &segment)) {
    EXPECT_EQ(launch.stack, shm::kNoStack);
  }
  StartStacks(1);
  EXPECT_TRUE(StacksAreWanted());
  auto launches = LaunchTwice(OnCuptiCallbackWithStacks, &segment);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_NE(launches[0].stack, shm::kNoStack);
  EXPECT_EQ(launches[0].stack_launches, 1u);
  EXPECT_EQ(launches[1].stack, shm::kNoStack);  // its second has not passed
  StartStacks(shm::kEveryStack);
  launches = LaunchTwice(OnCuptiCallbackWithStacks, &segment);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].stack_launches, 2u);  // the one that was not sampled, and itself
  EXPECT_EQ(launches[1].stack_launches, 1u);
  EXPECT_EQ(launches[0].stack, launches[1].stack);
  // From now on Python's frames are read, too: these launches have another stack.
  const uint32_t native = launches[0].stack;
  LetStacksReadPython(kOneFrame);
  launches = LaunchTwice(OnCuptiCallbackWithStacks, &segment);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_NE(launches[0].stack, native);
  EXPECT_EQ(described, 0x77u);
  ForgetStacks();
}

}  // namespace
}  // namespace flopsprof::injector
