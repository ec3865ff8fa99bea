// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/upload/profile_split.h"
#include "tests/unit/collector/agent/processes/process_recorder_fixture.h"

namespace flopsprof::agent {
namespace {

// What is sent and taken, as an agent sends it.
class ProcessRecorderEpochsTest : public ProcessRecorderTest {
 protected:
  explicit ProcessRecorderEpochsTest(std::optional<StepWindow> window = std::nullopt)
      : ProcessRecorderTest(window) {
    v1::EpochRow epoch;
    epoch.set_epoch(9);
    epoch.set_session(1);
    recorder_->SetSession(epoch);
  }
  void WriteCall(const shm::GemmCall& call) {
    main_->Write(call);
    injector_->slot(main_->slot()).calls.fetch_add(1);
  }
  // The epoch, and what the rows have, after all that is sent now.
  v1::EpochRow Upload() {
    now_ns_ += 1'000'000'000;
    while (recorder_->Drain(now_ns_)) {
    }
    v1::ProcessProfile profile;
    for (int i = 0; i < 100 && recorder_->Emit(3, &profile); i++) {
      for (const v1::ProcessProfile& part : SplitProfile(std::move(profile), 1 << 20)) {
        sum_.Add(part);
      }
      profile.Clear();
    }
    return sum_.Whole().epochs(0);
  }
  uint64_t CallsInRows() const {
    uint64_t calls = 0;
    const v1::ProcessProfile whole = sum_.Whole();
    for (const v1::CallRow& row : whole.calls()) calls += row.calls();
    return calls;
  }
  uint64_t ActivitiesInRows() const {
    uint64_t activities = 0;
    const v1::ProcessProfile whole = sum_.Whole();
    for (const v1::TimeRow& row : whole.times()) activities += row.activities();
    return activities;
  }
  void Finish(bool heard_out) {
    ProcessEnd end;
    end.heard_out = heard_out;
    recorder_->Finish(end, now_ns_);
  }

  testing::ProfileSum sum_;
};

TEST_F(ProcessRecorderEpochsTest, ACallIsTakenWhenItIsInARow) {
  WriteCall(Gemm(1, 5, 120, 8, 400));
  WriteCall(Gemm(2, 5, 120, 8, 400));
  v1::EpochRow epoch = Upload();
  EXPECT_EQ(epoch.calls_made(), 2u);
  EXPECT_EQ(epoch.calls_taken(), 2u);
  WriteCall(Gemm(3, 5, 120, 8, 400));
  epoch = Upload();
  EXPECT_EQ(epoch.calls_taken(), 3u);
  EXPECT_EQ(CallsInRows(), 3u);
}

TEST_F(ProcessRecorderEpochsTest, AFailedCallIsTakenThoughNoRowHasIt) {
  main_->Write(testing::Failed(1));
  EXPECT_EQ(Upload().calls_taken(), 1u);
  EXPECT_EQ(CallsInRows(), 0u);
}

TEST_F(ProcessRecorderEpochsTest, ACallThatWaitsForItsPlanIsNotTakenYet) {
  main_->Write(Cudnn(1, 5, /*plan=*/3));
  EXPECT_EQ(Upload().calls_taken(), 0u);
  Finish(/*heard_out=*/true);
  const v1::EpochRow epoch = Upload();
  EXPECT_EQ(epoch.calls_taken(), 1u);
  EXPECT_EQ(CallsInRows(), 1u);
  EXPECT_TRUE(epoch.final());
}

TEST_F(ProcessRecorderEpochsTest, APartedCallIsOne) {
  main_->Write(WithMore(Gemm(1, 5, 1, 2, 3)));
  WriteCall(Gemm(1, 5, 4, 5, 6));
  const v1::EpochRow epoch = Upload();
  EXPECT_EQ(epoch.calls_made(), 1u);
  EXPECT_EQ(epoch.calls_taken(), 1u);
}

TEST_F(ProcessRecorderEpochsTest, CallsOfAReplayAreTakenOnceAsRecorded) {
  constexpr uint64_t kGraph = 0x100, kExec = 0xe00;
  shm::GraphEvent captured = testing::GraphChange(1, shm::GraphEventKind::kCaptureEnd, kGraph);
  captured.capture = 71;
  captured.graph_id = 7;
  main_->Write(testing::CallInCapture(1, 5, 71));
  shm::GemmCall gemm = Gemm(1, 5, 120, 8, 400);
  gemm.header.flags = shm::kFlagCaptured;
  WriteCall(gemm);
  main_->Write(captured);
  main_->Write(testing::GraphChange(2, shm::GraphEventKind::kInstantiate, kGraph, kExec));
  for (uint32_t i = 0; i < 3; i++) main_->Write(testing::Replay(4 + i, kExec, 2));
  Upload();
  const v1::EpochRow epoch = Upload();
  EXPECT_EQ(CallsInRows(), 1u + 3u);
  EXPECT_EQ(epoch.calls_taken(), 1u);
}

TEST_F(ProcessRecorderEpochsTest, AnActivityIsTakenWhenItIsInARow) {
  main_->Write(Launch(1, 5, shm::kNoCall));
  cupti_->Write(Copy(1, 100, 107));
  cupti_->Write(Copy(2, 200, 207));  // its launch has not come
  injector_->header().activities.store(2);
  injector_->header().launches.store(1);
  v1::EpochRow epoch = Upload();
  EXPECT_EQ(epoch.activities_made(), 2u);
  EXPECT_EQ(epoch.activities_taken(), 1u);
  EXPECT_EQ(ActivitiesInRows(), 1u);
  EXPECT_EQ(epoch.launches_taken(), 1u);
  Finish(/*heard_out=*/true);
  EXPECT_EQ(Upload().activities_taken(), 2u);
  EXPECT_EQ(ActivitiesInRows(), 2u);
}

TEST_F(ProcessRecorderEpochsTest, AProcessThatLivesOnGoesOnRecording) {
  Finish(/*heard_out=*/false);
  EXPECT_FALSE(Upload().final());
  EXPECT_NE(injector_->header().recording.load(), 0u);
}

TEST_F(ProcessRecorderEpochsTest, CallsThatWereNotWrittenAreMade) {
  injector_->header().calls_before.store(50);
  injector_->header().calls_dropped.store(2);
  injector_->header().calls_away.store(3);
  WriteCall(Gemm(1, 5, 120, 8, 400));
  const v1::EpochRow epoch = Upload();
  EXPECT_EQ(epoch.calls_made(), 56u);
  EXPECT_EQ(epoch.calls_unwritten(), 5u);
  EXPECT_EQ(epoch.calls_before(), 50u);
}

class WindowEpochsTest : public ProcessRecorderEpochsTest {
 protected:
  WindowEpochsTest() : ProcessRecorderEpochsTest(StepWindow{1, 2}) {}
};

TEST_F(WindowEpochsTest, ACallThatIsHeldBackIsNotTakenUntilItsStepIsDecided) {
  main_->Write(testing::Step(0, shm::StepEvent::kBegin, 10));
  WriteCall(Gemm(1, 5, 120, 8, 400));
  main_->Write(testing::Step(1, shm::StepEvent::kBegin, 20));
  WriteCall(Gemm(2, 5, 120, 8, 400, shm::Phase::kForward, 1));
  const uint64_t taken = Upload().calls_taken();
  const uint64_t held = recorder_->aggregator().pending_call_count();
  EXPECT_GT(held, 0u);
  EXPECT_EQ(taken + held, 2u);
  Finish(/*heard_out=*/true);
  EXPECT_EQ(Upload().calls_taken(), 2u);
  EXPECT_EQ(CallsInRows(), 1u);
}

}  // namespace
}  // namespace flopsprof::agent
