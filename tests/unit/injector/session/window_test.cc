// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/window.h"

#include <gtest/gtest.h>

#include "injector/cupti/cupti_session.h"
#include "injector/transport/record_sink.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

class WindowTest : public ::testing::Test {
 protected:
  WindowTest() {
    header().controlled = 1;
    header().recording = static_cast<uint32_t>(shm::Recording::kPaused);
    header().step = shm::kNoStep;
    Want({2, 6});
    segment_.Use();
  }
  ~WindowTest() override { ForgetActivities(); }

  shm::SegmentHeader& header() { return *segment_.header(); }
  void Want(shm::StepsWanted steps) { header().steps_wanted = shm::PackSteps(steps); }
  // Is the step, which begins, recorded?
  bool Begin(uint32_t step) {
    BeforeStepBegins(step, step);
    AfterStepBegan(step, step);
    return header().recording == static_cast<uint32_t>(shm::Recording::kWork);
  }
  std::vector<uint32_t> Recorded(std::initializer_list<uint32_t> steps) {
    std::vector<uint32_t> recorded;
    for (const uint32_t step : steps) {
      if (Begin(step)) recorded.push_back(step);
    }
    return recorded;
  }
  size_t NoteCount() {
    return test::Only<shm::NoteRecord>(segment_.Drain(), shm::RecordType::kNote).size();
  }

  test::TestSegment segment_;
};

TEST_F(WindowTest, RecordsTheStepsThatAreWanted) {
  EXPECT_EQ(Recorded({0, 1, 2, 3, 4, 5, 6, 7}), (std::vector<uint32_t>{2, 3, 4, 5}));
  EXPECT_EQ(header().windows, 1u);
  EXPECT_EQ(NoteCount(), 0u);
}

TEST_F(WindowTest, WhereTheHostsClockIsAskedForTheWindowHasIt) {
  header().host_clock = 1;
  Begin(2);
  EXPECT_EQ(header().recording, static_cast<uint32_t>(shm::Recording::kTimedWork));
  EXPECT_TRUE(IsRecording());
  Begin(6);
  EXPECT_EQ(header().recording, static_cast<uint32_t>(shm::Recording::kPaused));
}

TEST_F(WindowTest, AWindowThatWasJumpedOverHasAsManyLaterStepsAndANote) {
  EXPECT_EQ(Recorded({0, 8, 9, 10, 11, 12, 13}), (std::vector<uint32_t>{8, 9, 10, 11}));
  EXPECT_EQ(header().windows, 1u);
  EXPECT_EQ(NoteCount(), 1u);
}

TEST_F(WindowTest, AWindowThatIsHalfJumpedOverEndsWhereItIsWanted) {
  EXPECT_EQ(Recorded({0, 4, 5, 6}), (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(NoteCount(), 0u);
}

TEST_F(WindowTest, AWindowThatWasMissedIsNotOpened) {
  Begin(0);
  header().step = 7;  // before these steps were wanted
  EXPECT_FALSE(Begin(8));
}

TEST_F(WindowTest, ALateWindowEndsWhenItIsStopped) {
  EXPECT_EQ(Recorded({0, 8, 9}), (std::vector<uint32_t>{8, 9}));
  Want({2, 10});  // ctl stop: to the end of the newest step
  EXPECT_FALSE(Begin(10));
}

TEST_F(WindowTest, AWindowThatIsOpenedInTimeEndsInTimeAfterALateOne) {
  EXPECT_EQ(Recorded({0, 8, 12}), (std::vector<uint32_t>{8}));
  EXPECT_EQ(Recorded({1, 2, 5, 6}), (std::vector<uint32_t>{2, 5}));  // it is renumbered
}

}  // namespace
}  // namespace flopsprof::injector
