// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/activity_buffers.h"

#include <gtest/gtest.h>

#include <set>

namespace flopsprof::injector {
namespace {

TEST(ActivityBuffersTest, LendsEachBufferOnce) {
  static ActivityBuffers buffers;
  ASSERT_TRUE(buffers.Reserve());
  std::set<uint8_t*> lent;
  for (uint32_t i = 0; i < ActivityBuffers::kBufferCount; ++i) lent.insert(buffers.Lend());
  EXPECT_EQ(lent.size(), ActivityBuffers::kBufferCount);
  EXPECT_FALSE(ActivityBuffers::IsDiscard(*lent.begin()));
}

TEST(ActivityBuffersTest, BeyondThePoolThereIsTheDiscardBuffer) {
  static ActivityBuffers buffers;
  ASSERT_TRUE(buffers.Reserve());
  for (uint32_t i = 0; i < ActivityBuffers::kBufferCount; ++i) buffers.Lend();
  EXPECT_TRUE(ActivityBuffers::IsDiscard(buffers.Lend()));
}

TEST(ActivityBuffersTest, AReturnedBufferIsLentAgain) {
  static ActivityBuffers buffers;
  ASSERT_TRUE(buffers.Reserve());
  uint8_t* first = buffers.Lend();
  for (uint32_t i = 1; i < ActivityBuffers::kBufferCount; ++i) buffers.Lend();
  buffers.Return(first);
  EXPECT_EQ(buffers.Lend(), first);
}

TEST(ActivityBuffersTest, AForeignBufferIsNotTakenBack) {
  static ActivityBuffers buffers;
  ASSERT_TRUE(buffers.Reserve());
  for (uint32_t i = 0; i < ActivityBuffers::kBufferCount; ++i) buffers.Lend();
  uint8_t foreign = 0;
  buffers.Return(&foreign);
  EXPECT_TRUE(ActivityBuffers::IsDiscard(buffers.Lend()));
}

TEST(ActivityBuffersTest, AreAlignedForRecords) {
  static ActivityBuffers buffers;
  ASSERT_TRUE(buffers.Reserve());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffers.Lend()) % 8, 0u);
}

}  // namespace
}  // namespace flopsprof::injector
