// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/operation_scope.h"

#include <gtest/gtest.h>

#include "injector/hooks/call_scope.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using shm::OperationId;
using shm::RecordType;

class OperationScopeTest : public ::testing::Test {
 protected:
  OperationScopeTest() { segment_.Use(); }
  ThreadState* thread_ = CurrentThread();
  test::TestSegment segment_;
};

TEST_F(OperationScopeTest, OwnsTheLaunchesInsideAndWritesItsSizes) {
  OperationScope operation(OperationId::kGroupedMm);
  ASSERT_TRUE(operation.counted());
  operation.call()->sizes[0] = 96;
  const uint32_t inside = thread_->current_call;
  EXPECT_NE(inside, shm::kNoCall);
  operation.End();
  EXPECT_EQ(thread_->current_call, shm::kNoCall);
  const auto records = segment_.Drain();
  ASSERT_EQ(records.size(), 1u);
  const auto call = records[0].As<shm::OperationCall>();
  EXPECT_EQ(records[0].type(), RecordType::kOperation);
  EXPECT_EQ(call.call, inside);
  EXPECT_EQ(call.operation, static_cast<uint16_t>(OperationId::kGroupedMm));
  EXPECT_EQ(call.sizes[0], 96u);
}

TEST_F(OperationScopeTest, ALibraryCallInsideCountsInItsPlace) {
  OperationScope operation(OperationId::kGroupedMm);
  const uint32_t outer = thread_->current_call;
  {
    CallScope library(shm::ApiId::cublasGemmEx);
    EXPECT_TRUE(library.counted());
    EXPECT_EQ(thread_->current_call, library.id());
    EXPECT_NE(library.id(), outer);
    library.NoteSuccess();
  }
  EXPECT_EQ(thread_->current_call, outer);  // what the operation launches itself
  operation.End();
  const auto records = segment_.Drain();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].type(), RecordType::kCallEnd);
  EXPECT_EQ(records[0].As<shm::CallEnd>().call, outer);
  EXPECT_EQ(records[0].As<shm::CallEnd>().status, 0);
}

TEST_F(OperationScopeTest, WhatDoesNoWorkInsideLeavesItsOwn) {
  OperationScope operation(OperationId::kGroupedMm);
  { CallScope refused(shm::ApiId::cublasGemmEx); }
  {
    CallScope collective(shm::ApiId::ncclAllReduce);
    collective.NoteSuccess();
  }
  operation.End();
  const auto records = segment_.Drain();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].type(), RecordType::kOperation);
}

TEST_F(OperationScopeTest, ACaptureThatOnlyCuptiHasSeenIsNoExecution) {
  OperationScope operation(OperationId::kGroupedMm);
  thread_->current_call_captured = true;  // as the callback of a node that was made
  operation.End();
  const auto records = segment_.Drain();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].As<shm::OperationCall>().header.flags, shm::kFlagCaptured);
  EXPECT_EQ(segment_.loss(shm::LossCounter::kCapturedCall), 1u);
}

TEST_F(OperationScopeTest, ALibraryCallBeforeItChangesNothing) {
  { CallScope library(shm::ApiId::cublasGemmEx); }
  OperationScope operation(OperationId::kGroupedMm);
  operation.End();
  const auto records = segment_.Drain();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].type(), RecordType::kOperation);
}

TEST_F(OperationScopeTest, AnOperationInsideAnotherOnlyPassesThrough) {
  OperationScope outer(OperationId::kFlashAttention);
  OperationScope inner(OperationId::kFlashAttention);
  EXPECT_FALSE(inner.counted());
  inner.End();
  EXPECT_NE(thread_->current_call, shm::kNoCall);
  outer.End();
  EXPECT_EQ(segment_.Drain().size(), 1u);
}

TEST_F(OperationScopeTest, AnOperationInsideALibraryCallOnlyPassesThrough) {
  CallScope library(shm::ApiId::cublasGemmEx);
  OperationScope operation(OperationId::kGroupedMm);
  EXPECT_FALSE(operation.counted());
  operation.End();
  EXPECT_EQ(thread_->current_call, library.id());
  EXPECT_TRUE(segment_.Drain().empty());
}

TEST_F(OperationScopeTest, AnExceptionEndsTheInnermostOperation) {
  OperationScope outer(OperationId::kFlashAttention);
  const uint32_t number = thread_->current_call;
  OperationScope inner(OperationId::kFlashAttention);
  AbandonOperation();  // leaves the inner hook
  EXPECT_EQ(thread_->current_call, number);
  AbandonOperation();  // and the outer one
  EXPECT_EQ(thread_->current_call, shm::kNoCall);
  const auto records = segment_.Drain();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].type(), RecordType::kCallEnd);
  EXPECT_EQ(records[0].As<shm::CallEnd>().call, number);
  EXPECT_EQ(records[0].As<shm::CallEnd>().status, -1);
  AbandonOperation();  // none is open: nothing happens
  EXPECT_EQ(thread_->operation_depth, 0);
}

TEST_F(OperationScopeTest, ACapturedOperationMarksItsLaunchesAndIsCounted) {
  OperationScope operation(OperationId::kGroupedMm);
  operation.SetCaptured(Capture{});  // of no known number
  EXPECT_TRUE(thread_->current_call_captured);
  { CallScope library(shm::ApiId::cublasGemmEx); }
  EXPECT_TRUE(thread_->current_call_captured);
  thread_->library_in_operation = false;
  operation.End();
  EXPECT_FALSE(thread_->current_call_captured);
  EXPECT_EQ(segment_.loss(shm::LossCounter::kCapturedCall), 1u);
  const auto records = segment_.Drain();
  EXPECT_EQ(records[0].type(), RecordType::kGraphCall);
  EXPECT_NE(records[1].As<shm::OperationCall>().header.flags & shm::kFlagCaptured, 0);
}

TEST_F(OperationScopeTest, AnOperationOfTheProgramSendsItsNamesAndItsCount) {
  NamedOperation operation = {
      BeginOperation(thread_), "a::b", 4, "in0=[2]", 7, "", 0, true, 12, 3, 15};
  ASSERT_NE(operation.call, shm::kNoCall);
  EndNamedOperation(operation);
  EXPECT_EQ(thread_->operation_depth, 0);
  const auto records = segment_.Drain();
  ASSERT_EQ(records.size(), 3u);  // two texts first
  ASSERT_EQ(records[2].type(), RecordType::kNamedWork);
  const auto work = records[2].As<shm::NamedWork>();
  EXPECT_EQ(work.call, operation.call);
  EXPECT_EQ(work.flops, 12u);
  EXPECT_EQ(work.recompute_flops, 3u);
  EXPECT_EQ(work.known, 1);
  EXPECT_EQ(work.type, 15);
  EXPECT_NE(work.name, work.shape);
  EXPECT_EQ(work.reason, shm::kNoString);
}

TEST_F(OperationScopeTest, AnOperationOfTheProgramInsideAnotherIsNotCounted) {
  OperationScope outer(OperationId::kGroupedMm);
  NamedOperation inner = {BeginOperation(thread_), "a::b", 4, "", 0, "", 0, true, 12, 0, 15};
  EXPECT_EQ(inner.call, shm::kNoCall);
  EndNamedOperation(inner);
  outer.End();
  EXPECT_EQ(segment_.Drain().size(), 1u);
}

TEST_F(OperationScopeTest, AnOperationOfTheProgramInAnUnseenCaptureIsMarkedAndCounted) {
  NamedOperation operation = {BeginNamedOperation(), "a::b", 4, "", 0, "", 0, true, 12, 0, 15};
  thread_->current_call_captured = true;  // as CUPTI tells that a node was made
  EndNamedOperation(operation);
  EXPECT_FALSE(thread_->current_call_captured);
  EXPECT_EQ(segment_.loss(shm::LossCounter::kCapturedCall), 1u);
  const auto works = test::Only<shm::NamedWork>(segment_.Drain(), RecordType::kNamedWork);
  ASSERT_EQ(works.size(), 1u);
  EXPECT_EQ(works[0].header.flags, shm::kFlagCaptured);
}

TEST(OperationScopeWithoutSegmentTest, NothingIsCounted) {
  OperationScope operation(OperationId::kGroupedMm);
  EXPECT_FALSE(operation.counted());
  operation.End();
}

}  // namespace
}  // namespace flopsprof::injector
