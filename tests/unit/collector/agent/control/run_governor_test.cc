// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/run_governor.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>

#include "tests/support/fake_injector.h"
#include "tests/support/profile_sum.h"

namespace flopsprof::agent {
namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;
constexpr shm::StepsWanted kAll{0, shm::kNoEnd};

// A process that is recorded from its beginning, and does what its header asks for.
class RunGovernorTest : public ::testing::Test {
 protected:
  RunGovernorTest() {
    Segment segment = *Segment::Create({.slot_count = 4, .ring_records = 256});
    injector_ = std::make_unique<testing::FakeInjector>(segment.fd(), segment.bytes());
    header().recording = static_cast<uint32_t>(shm::Recording::kWork);
    header().steps_wanted = shm::PackSteps(kAll);
    header().times_wanted = 1;
    header().step = shm::kNoStep;
    v1::ProcessKey key;
    key.set_pid(1);
    recorder_ =
        std::make_unique<ProcessRecorder>(std::move(segment), key, v1::ProcessInfo(), std::nullopt);
    control_.Adopt(recorder_.get());
    governor_.Adopt(recorder_.get(), now_ns_);
  }
  // Of a program without steps: windows begin and end at once.
  void Run(int seconds, uint64_t launches_a_second) {
    for (int i = 0; i < seconds; ++i) {
      now_ns_ += kNsPerSecond;
      const shm::StepsWanted wanted = shm::UnpackSteps(header().steps_wanted);
      const bool records = wanted.first != wanted.end;
      header().recording =
          static_cast<uint32_t>(records ? shm::Recording::kWork : shm::Recording::kPaused);
      header().times_answer = header().times_wanted.load();
      if (records) header().launches += launches_a_second;
      governor_.Follow(now_ns_);
      control_.Follow(now_ns_, /*emptied=*/true);
    }
  }
  v1::CostRow Cost() {
    v1::ProcessProfile profile;
    recorder_->Emit(1000, &profile);
    sent_.Add(profile);
    const v1::ProcessProfile whole = sent_.Whole();
    return whole.costs_size() == 1 ? whole.costs(0) : v1::CostRow();
  }
  shm::SegmentHeader& header() { return injector_->header(); }
  bool recording() { return header().recording == static_cast<uint32_t>(shm::Recording::kWork); }

  uint64_t now_ns_ = 5 * kNsPerSecond;
  testing::ProfileSum sent_;
  std::unique_ptr<testing::FakeInjector> injector_;
  std::unique_ptr<ProcessRecorder> recorder_;
  RunControl control_{{.governed = true}};
  // A launch costs 6720 x 0.5 ns = 3.36 us.
  RunGovernor governor_{0.01, OverheadCosts(0.5), &control_};
};

TEST_F(RunGovernorTest, FewLaunchesAreRecordedAll) {
  Run(300, 2000);  // 0.7 %
  EXPECT_TRUE(recording());
  const v1::CostRow cost = Cost();
  EXPECT_EQ(cost.budget_ppm(), 10'000u);
  EXPECT_EQ(cost.wall_ns(), 300 * kNsPerSecond);
  EXPECT_EQ(cost.cost_ns(), 300 * 2000 * 3360u);
  EXPECT_EQ(cost.recorded_ns(), 300 * kNsPerSecond);
  EXPECT_EQ(cost.sampled_ns(), 0u);
  EXPECT_EQ(cost.instruction_ps(), 500u);
}

TEST_F(RunGovernorTest, ManyAreRecordedNowAndThen) {
  Run(1200, 30'000);  // 10 %
  const v1::CostRow cost = Cost();
  EXPECT_GT(cost.switches(), 10u);
  EXPECT_LT(cost.cost_ns(), 0.012 * 1200 * kNsPerSecond);
  EXPECT_GT(cost.recorded_ns(), 40 * kNsPerSecond);
  EXPECT_GT(cost.sampled_ns(), 1100 * kNsPerSecond);
}

TEST_F(RunGovernorTest, BetweenWindowsCuptiIsGivenBack) {
  Run(15, 30'000);
  EXPECT_FALSE(recording());
  EXPECT_EQ(header().times_wanted, 0u);
}

TEST_F(RunGovernorTest, AProcessThatDoesNothingHasNoAccount) {
  Run(5, 0);
  EXPECT_EQ(Cost().wall_ns(), 0u);
}

TEST_F(RunGovernorTest, TheLastMomentsOfAProcessAreJudged) {
  Run(2, 100);
  header().launches += 100;
  recorder_->Finish(ProcessEnd(), now_ns_);
  governor_.Follow(now_ns_ + kNsPerSecond / 2, /*final=*/true);
  EXPECT_EQ(Cost().cost_ns(), 300 * 3360u);
}

TEST_F(RunGovernorTest, LevelsAreTimedFromTheFirstCostToTheLastProcess) {
  Run(4, 0);  // imports
  Run(3, 100);
  EXPECT_EQ(Cost().full_ns(), 3 * kNsPerSecond);
  recorder_->Finish(ProcessEnd(), now_ns_ + kNsPerSecond);
  Run(10, 0);
  const v1::CostRow cost = Cost();
  EXPECT_EQ(cost.wall_ns(), 8 * kNsPerSecond);
  EXPECT_EQ(cost.full_ns(), 4 * kNsPerSecond);
  EXPECT_EQ(cost.switches(), 0u);
  EXPECT_EQ(governor_.governor().level_ns(CoverageLevel::kFull), 4 * kNsPerSecond);
}

TEST_F(RunGovernorTest, ModulesThatAreFollowedBetweenWindowsAreTheFloor) {
  // 40,000 of 850 x 0.5 ns are 1.7 %, more than the budget.
  const auto run = [this](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      if (recording()) header().module_calls += 40'000;
      Run(1, 0);
    }
  };
  run(300);
  EXPECT_EQ(governor_.governor().level(), CoverageLevel::kPaused);
  EXPECT_GT(Cost().paused_ns(), 100 * kNsPerSecond);
  header().resting = 1;  // 60 x 0.5 ns: 0.1 %
  run(300);
  EXPECT_EQ(governor_.governor().level(), CoverageLevel::kSampled);
}

// Another process of the node, that does more or less than the first.
class TwoProcessesTest : public RunGovernorTest {
 protected:
  TwoProcessesTest() {
    Segment segment = *Segment::Create({.slot_count = 4, .ring_records = 256});
    other_injector_ = std::make_unique<testing::FakeInjector>(segment.fd(), segment.bytes());
    other().recording = static_cast<uint32_t>(shm::Recording::kWork);
    other().steps_wanted = shm::PackSteps(kAll);
    other().times_wanted = 1;
    other().step = shm::kNoStep;
    v1::ProcessKey key;
    key.set_pid(2);
    other_recorder_ =
        std::make_unique<ProcessRecorder>(std::move(segment), key, v1::ProcessInfo(), std::nullopt);
    control_.Adopt(other_recorder_.get());
    governor_.Adopt(other_recorder_.get(), now_ns_);
  }
  void RunBoth(int seconds, uint64_t launches_a_second, uint64_t launches_of_other) {
    for (int i = 0; i < seconds; ++i) {
      const shm::StepsWanted wanted = shm::UnpackSteps(other().steps_wanted);
      const bool records = wanted.first != wanted.end;
      other().recording =
          static_cast<uint32_t>(records ? shm::Recording::kWork : shm::Recording::kPaused);
      other().times_answer = other().times_wanted.load();
      if (records) other().launches += launches_of_other;
      Run(1, launches_a_second);
    }
  }
  shm::SegmentHeader& other() { return other_injector_->header(); }

  std::unique_ptr<testing::FakeInjector> other_injector_;
  std::unique_ptr<ProcessRecorder> other_recorder_;
};

TEST_F(TwoProcessesTest, TheDearestDecidesForBoth) {
  RunBoth(20, 100, 30'000);
  EXPECT_FALSE(recording());
  EXPECT_NE(other().recording, static_cast<uint32_t>(shm::Recording::kWork));
}

TEST_F(TwoProcessesTest, TheDearestDecidesWhicheverCameFirst) {
  RunBoth(20, 30'000, 100);
  EXPECT_FALSE(recording());
  EXPECT_NE(other().recording, static_cast<uint32_t>(shm::Recording::kWork));
}

TEST_F(TwoProcessesTest, CostsOfSeveralAreNotAddedUp) {
  RunBoth(300, 2000, 2000);  // 0.7 % each
  EXPECT_TRUE(recording());
  EXPECT_EQ(governor_.governor().switches(), 0u);
}

}  // namespace
}  // namespace flopsprof::agent
