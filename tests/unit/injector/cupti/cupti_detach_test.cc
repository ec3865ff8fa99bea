// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/cupti_detach.h"

#include <gtest/gtest.h>

#include "injector/graphs/capture_state.h"

namespace flopsprof::injector {
namespace {

int unsubscribed = 0;
int finalized = 0;

CuptiResult Unsubscribe(CuptiSubscriber) {
  EXPECT_EQ(finalized, 0) << "its handle is gone with CUPTI";
  ++unsubscribed;
  return kCuptiSuccess;
}

CuptiResult Finalize() {
  ++finalized;
  return kCuptiSuccess;
}

ActivityBuffers* given_back = nullptr;  // by a flush, with this:
const uint8_t* late_buffer = nullptr;

CuptiResult FlushAll(uint32_t flags) {
  EXPECT_EQ(flags, kCuptiFlushForced);
  if (given_back != nullptr) given_back->Return(late_buffer);
  given_back = nullptr;
  return kCuptiSuccess;
}

class CuptiDetachTest : public ::testing::Test {
 protected:
  CuptiDetachTest() {
    unsubscribed = finalized = 0;
    given_back = nullptr;
    api_.Unsubscribe = Unsubscribe;
    api_.Finalize = Finalize;
    api_.ActivityFlushAll = FlushAll;
    api_.version = 24;
    buffers_.Reserve();
    PrepareDetach();
    BeginDetach(&api_, nullptr, &buffers_);
  }
  ~CuptiDetachTest() override { ResetDetachForTesting(); }

  CuptiApi api_{};
  ActivityBuffers buffers_;
};

TEST_F(CuptiDetachTest, TheFirstExitOfACallTakesCuptiOut) {
  EXPECT_EQ(FollowDetach(), DetachResult::kPending);
  OnApiExit();
  OnApiExit();
  EXPECT_EQ(unsubscribed, 1);
  EXPECT_EQ(finalized, 1);
  EXPECT_EQ(FollowDetach(), DetachResult::kDone);
  EXPECT_EQ(FollowDetach(), DetachResult::kNone);
}

TEST_F(CuptiDetachTest, NotWhileABufferIsLent) {
  const uint8_t* buffer = buffers_.Lend();
  OnApiExit();
  EXPECT_EQ(finalized, 0);
  buffers_.Return(buffer);
  OnApiExit();
  EXPECT_EQ(finalized, 1);
}

// A thread asked for it while the others were given back.
TEST_F(CuptiDetachTest, ABufferThatIsStillLentIsAskedFor) {
  given_back = &buffers_;
  late_buffer = buffers_.Lend();
  OnApiExit();
  EXPECT_EQ(finalized, 0);
  EXPECT_STREQ(WhyDetachGaveUp(), "CUPTI kept a buffer for 5 s");
  EXPECT_EQ(FollowDetach(), DetachResult::kPending);
  OnApiExit();
  EXPECT_EQ(finalized, 1);
}

TEST_F(CuptiDetachTest, NotWhileTheDiscardBufferIsLent) {
  const uint8_t* lent[ActivityBuffers::kBufferCount + 1];
  for (const uint8_t*& buffer : lent) buffer = buffers_.Lend();
  for (uint32_t i = 0; i < ActivityBuffers::kBufferCount; ++i) buffers_.Return(lent[i]);
  OnApiExit();
  EXPECT_EQ(finalized, 0);
  buffers_.Return(lent[ActivityBuffers::kBufferCount]);
  OnApiExit();
  EXPECT_EQ(finalized, 1);
}

TEST_F(CuptiDetachTest, NotWhileAStreamIsCaptured) {
  OnCaptureBegan();
  OnApiExit();
  EXPECT_EQ(finalized, 0);
  OnCaptureEnded();
  OnApiExit();
  EXPECT_EQ(finalized, 1);
}

TEST_F(CuptiDetachTest, NotWhileAThreadIsInsideOfCupti) {
  {
    const CuptiCallScope another;
    OnApiExit();
    EXPECT_EQ(finalized, 0);
  }
  OnApiExit();
  EXPECT_EQ(finalized, 1);
}

TEST_F(CuptiDetachTest, WhoCancelsFindsItUnsubscribedAndInTheProcess) {
  EXPECT_TRUE(CancelDetach(0));
  OnApiExit();
  EXPECT_EQ(unsubscribed, 1);
  EXPECT_EQ(finalized, 0);
  EXPECT_TRUE(CancelDetach(0));  // nothing is left to do
  EXPECT_EQ(unsubscribed, 1);
}

// One that is being prepared takes its time: a flush.
TEST_F(CuptiDetachTest, WhoCancelsWhileItIsPreparedHasItUnsubscribedThen) {
  ResetDetachForTesting();
  PrepareDetach();
  EXPECT_FALSE(CancelDetach(0));
  BeginDetach(&api_, nullptr, &buffers_);
  EXPECT_EQ(unsubscribed, 1);
  OnApiExit();
  EXPECT_EQ(finalized, 0);
  EXPECT_EQ(FollowDetach(), DetachResult::kNone);
  EXPECT_TRUE(CancelDetach(0));
  EXPECT_EQ(unsubscribed, 1);
}

TEST_F(CuptiDetachTest, OneThatWaitsIsNotPreparedOnceMore) {
  PrepareDetach();
  EndPreparing();
  OnApiExit();
  EXPECT_EQ(finalized, 1);
}

TEST_F(CuptiDetachTest, AtTheEndOfTheProcessNothingIsCalled) {
  ForgetDetach();
  OnApiExit();
  BeginDetach(&api_, nullptr, &buffers_);
  EXPECT_EQ(FollowDetach(), DetachResult::kNone);
  EXPECT_EQ(unsubscribed, 0);
  EXPECT_EQ(finalized, 0);
}

TEST(CuptiDetachVersionTest, BeforeCuda126ItStays) {
  CuptiApi api{};
  api.version = 24;
  EXPECT_FALSE(CanDetach(api)) << "no cuptiFinalize";
  api.Finalize = Finalize;
  EXPECT_TRUE(CanDetach(api));
  api.version = 23;  // CUDA 12.5
  EXPECT_FALSE(CanDetach(api));
}

}  // namespace
}  // namespace flopsprof::injector
