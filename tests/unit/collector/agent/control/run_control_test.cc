// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/run_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using ::testing::HasSubstr;
using Request = v1::ControlRequest;

// A process of a run, whose injector does at once what the header asks for.
class FakeProcess {
 public:
  explicit FakeProcess(bool paused) {
    Segment segment = *Segment::Create({.slot_count = 4, .ring_records = 256});
    injector_ = std::make_unique<testing::FakeInjector>(segment.fd(), segment.bytes());
    header().step = shm::kNoStep;
    if (paused) header().recording = static_cast<uint32_t>(shm::Recording::kPaused);
    v1::ProcessKey key;
    key.set_pid(1);
    recorder_ =
        std::make_unique<ProcessRecorder>(std::move(segment), key, v1::ProcessInfo(), std::nullopt);
  }
  void BeginStep(uint32_t step) {
    const shm::StepsWanted wanted = this->wanted();
    header().step = step;
    const bool record = step >= wanted.first && step < wanted.end;
    const auto now = record ? shm::Recording::kWork : shm::Recording::kPaused;
    if (record && !recording()) header().windows++;
    header().recording = static_cast<uint32_t>(now);
  }
  void AnswerTimes() { header().times_answer = header().times_wanted.load(); }

  shm::SegmentHeader& header() { return injector_->header(); }
  shm::StepsWanted wanted() { return shm::UnpackSteps(header().steps_wanted); }
  bool recording() { return header().recording == static_cast<uint32_t>(shm::Recording::kWork); }
  ProcessRecorder* recorder() { return recorder_.get(); }

 private:
  std::unique_ptr<testing::FakeInjector> injector_;
  std::unique_ptr<ProcessRecorder> recorder_;
};

class RunControlTest : public ::testing::Test {
 protected:
  v1::ControlReply Ask(Request::Verb verb, uint32_t steps = 0, const std::string& name = "") {
    Request request;
    request.set_verb(verb);
    request.set_steps(steps);
    request.set_name(name);
    return control_.Handle(request, now_ns_);
  }
  void Adopt() {
    control_.Adopt(a_.recorder());
    control_.Adopt(b_.recorder());
  }
  void Follow(uint64_t pass_ns = 1'000'000) {
    now_ns_ += pass_ns;
    control_.Follow(now_ns_, /*emptied=*/true);
  }
  void StartAt(uint32_t step_of_a, uint32_t step_of_b, uint32_t steps) {
    a_.BeginStep(step_of_a);
    b_.BeginStep(step_of_b);
    EXPECT_EQ(Ask(Request::VERB_START, steps).error(), "");
    a_.AnswerTimes();
    b_.AnswerTimes();
    Follow();
  }

  RunControl control_{{.paused = true}};
  FakeProcess a_{true}, b_{true};
  uint64_t now_ns_ = 5'000'000'000;
};

TEST_F(RunControlTest, AllProcessesRecordTheSameStepsThatNoneHasBegun) {
  Adopt();
  StartAt(7, 9, 3);
  for (FakeProcess* process : {&a_, &b_}) {
    EXPECT_EQ(process->wanted().first, 11u);
    EXPECT_EQ(process->wanted().end, 14u);
    EXPECT_FALSE(process->recording());
  }
  EXPECT_EQ(Ask(Request::VERB_STATUS).state(), v1::RECORDING_STATE_WAITING);
}

TEST_F(RunControlTest, WhatIsSaidOfAProcessStaysWhenItsRecorderGoes) {
  Adopt();
  a_.BeginStep(7);
  a_.recorder()->Finish(ProcessEnd(), now_ns_);
  const v1::ControlReply before = Ask(Request::VERB_STATUS);
  control_.Retire(a_.recorder());
  a_.header().step = 99;  // nobody looks there any more
  const v1::ControlReply after = Ask(Request::VERB_STATUS);
  EXPECT_EQ(after.process_count(), 2u);
  ASSERT_EQ(after.processes_size(), 2);
  EXPECT_EQ(after.processes(0).SerializeAsString(), before.processes(0).SerializeAsString());
  EXPECT_EQ(after.processes(0).step(), 7u);
  Follow();
  EXPECT_EQ(Ask(Request::VERB_START).error(), "");
}

TEST_F(RunControlTest, OfProcessesThatAreGoneTheNewestAreDescribedAndAllAreCounted) {
  std::vector<std::unique_ptr<FakeProcess>> gone;
  for (int i = 0; i < 1003; i++) {
    gone.push_back(std::make_unique<FakeProcess>(true));
    control_.Adopt(gone.back()->recorder());
    gone.back()->recorder()->Finish(ProcessEnd(), now_ns_);
    control_.Retire(gone.back()->recorder());
    gone.pop_back();
  }
  EXPECT_EQ(Ask(Request::VERB_STATUS).process_count(), 1003u);
  EXPECT_EQ(Ask(Request::VERB_STATUS).processes_size(), 1000);
  EXPECT_NE(Ask(Request::VERB_START).error(), "");  // all have ended
}

TEST_F(RunControlTest, NothingIsPlannedBeforeEachProcessHasItsTimes) {
  Adopt();
  a_.BeginStep(1);
  Ask(Request::VERB_START, 3);
  a_.AnswerTimes();
  Follow();
  EXPECT_EQ(shm::PackSteps(a_.wanted()), shm::kNoSteps);
  EXPECT_EQ(Ask(Request::VERB_STATUS).state(), v1::RECORDING_STATE_STARTING);
  Follow(11'000'000'000);  // the other one does not answer: without it
  EXPECT_EQ(a_.wanted().first, 3u);
}

TEST_F(RunControlTest, CuptiIsGivenBackWhenTheStepsAreOver) {
  Adopt();
  StartAt(0, 0, 2);
  for (uint32_t step = 1; step <= 4; step++) {
    a_.BeginStep(step);
    b_.BeginStep(step);
    Follow();
  }
  EXPECT_EQ(a_.header().windows, 1u);
  EXPECT_NE(a_.header().times_wanted, 0u);  // its last kernels may be running
  Follow();
  Follow(400'000'000);
  Follow();
  EXPECT_EQ(a_.header().times_wanted, 0u);
  EXPECT_EQ(Ask(Request::VERB_STATUS).state(), v1::RECORDING_STATE_PAUSED);
  StartAt(5, 6, 1);  // again
  EXPECT_GE(a_.wanted().first, 8u);
}

// torchrun itself has a session, too.
TEST_F(RunControlTest, AProcessThatNeverBeginsAStepHoldsNobodyUp) {
  Adopt();
  a_.BeginStep(0);
  Ask(Request::VERB_START, 1);
  a_.AnswerTimes();
  b_.AnswerTimes();
  Follow();
  for (uint32_t step = 1; step <= 3; step++) a_.BeginStep(step);
  for (int i = 0; i < 4; i++) Follow(400'000'000);
  EXPECT_EQ(a_.header().times_wanted, 0u);
  EXPECT_EQ(b_.header().times_wanted, 0u);
  EXPECT_EQ(Ask(Request::VERB_STATUS).state(), v1::RECORDING_STATE_PAUSED);
}

TEST_F(RunControlTest, AProcessGivesCuptiBackBeforeTheOthersAreThrough) {
  Adopt();
  StartAt(0, 0, 1);
  for (uint32_t step = 1; step <= 3; step++) a_.BeginStep(step);
  for (int i = 0; i < 3; i++) Follow(400'000'000);
  EXPECT_EQ(a_.header().times_wanted, 0u);
  EXPECT_NE(b_.header().times_wanted, 0u);
  EXPECT_EQ(Ask(Request::VERB_STATUS).state(), v1::RECORDING_STATE_WAITING);
}

TEST_F(RunControlTest, StopEndsWithTheNewestStepOfAll) {
  Adopt();
  StartAt(0, 0, 0);
  a_.BeginStep(4);
  b_.BeginStep(5);
  EXPECT_EQ(Ask(Request::VERB_STOP).error(), "");
  EXPECT_EQ(a_.wanted().end, 6u);
  EXPECT_EQ(b_.wanted().end, 6u);
}

TEST_F(RunControlTest, AProcessWithoutStepsRecordsAtOnceUntilStop) {
  Adopt();
  Ask(Request::VERB_START);
  a_.AnswerTimes();
  b_.AnswerTimes();
  Follow();
  EXPECT_EQ(a_.wanted().first, 0u);
  EXPECT_EQ(a_.wanted().end, shm::kNoEnd);
}

TEST_F(RunControlTest, WhatCannotBeIsSaid) {
  Adopt();
  EXPECT_THAT(Ask(Request::VERB_STOP).error(), HasSubstr("nothing is being recorded"));
  EXPECT_THAT(Ask(Request::VERB_MARK).error(), HasSubstr("needs a name"));
  StartAt(1, 1, 0);
  EXPECT_THAT(Ask(Request::VERB_START).error(), HasSubstr("started already"));
  RunControl fixed({.paused = false, .fixed_steps = true});
  Request request;
  request.set_verb(Request::VERB_START);
  EXPECT_THAT(fixed.Handle(request, now_ns_).error(), HasSubstr("--steps"));
  RunControl governed({.governed = true});
  const v1::ControlReply refused = governed.Handle(request, now_ns_);
  EXPECT_THAT(refused.error(), HasSubstr("--max-overhead"));
  EXPECT_THAT(refused.next(), HasSubstr("--paused"));
}

TEST_F(RunControlTest, OfAGovernedRunWindowsOpenAndCloseWithoutAUser) {
  Adopt();
  EXPECT_EQ(control_.window(), Governor::Window::kClosed);
  control_.OpenWindow(now_ns_);
  EXPECT_EQ(control_.window(), Governor::Window::kWaiting);
  a_.AnswerTimes();
  b_.AnswerTimes();
  Follow();
  EXPECT_EQ(control_.window(), Governor::Window::kWaiting);  // for its first step
  a_.BeginStep(0);
  EXPECT_EQ(control_.window(), Governor::Window::kOpen);
  control_.CloseWindow(/*now=*/false);
  EXPECT_EQ(control_.window(), Governor::Window::kClosing);
}

TEST_F(RunControlTest, TheWindowThatARunBeginsWithIsCounted) {
  FakeProcess recorded{false};
  recorded.header().recording = static_cast<uint32_t>(shm::Recording::kWork);
  RunControl control{{.governed = true}};
  control.Adopt(recorded.recorder());
  Request request;
  request.set_verb(Request::VERB_STATUS);
  EXPECT_EQ(control.Handle(request, now_ns_).processes(0).windows(), 1u);
  recorded.header().windows = 1;
  EXPECT_EQ(control.Handle(request, now_ns_).processes(0).windows(), 2u);
  Adopt();
  EXPECT_EQ(Ask(Request::VERB_STATUS).processes(0).windows(), 0u);  // of a run that was paused
}

}  // namespace
}  // namespace flopsprof::agent
