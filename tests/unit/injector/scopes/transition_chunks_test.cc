// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/transition_chunks.h"

#include <gtest/gtest.h>

#include <memory>

namespace flopsprof::injector {
namespace {

class TransitionChunkTest : public ::testing::Test {
 protected:
  NodeLookup Find(uint32_t ticket, uint64_t sequence) {
    return chunk_->Find(ticket, sequence, &scope_);
  }

  std::unique_ptr<TransitionChunk> chunk_{new TransitionChunk()};
  uint32_t scope_ = 0;
};

TEST_F(TransitionChunkTest, FindsTheLastTransitionAtOrBelow) {
  ASSERT_TRUE(chunk_->TryTake(5));
  chunk_->Open(5, 10, 1);
  chunk_->Add(20, 2);
  EXPECT_EQ(Find(5, 19), NodeLookup::kFound);
  EXPECT_EQ(scope_, 1u);
  EXPECT_EQ(Find(5, 20), NodeLookup::kFound);
  EXPECT_EQ(scope_, 2u);
  EXPECT_EQ(Find(5, 9), NodeLookup::kPruned);
}

TEST_F(TransitionChunkTest, ChunkThatItsLogStillAddsToIsNotTaken) {
  ASSERT_TRUE(chunk_->TryTake(5));
  EXPECT_FALSE(chunk_->TryTake(6));
  chunk_->Open(5, 10, 1);
  EXPECT_FALSE(chunk_->TryTake(6));
  chunk_->Close();
  EXPECT_TRUE(chunk_->TryTake(6));
}

TEST_F(TransitionChunkTest, OfAnotherLifeNothingIsFound) {
  ASSERT_TRUE(chunk_->TryTake(5));
  EXPECT_EQ(Find(5, 10), NodeLookup::kPruned);  // nothing is in it yet
  chunk_->Open(5, 10, 1);
  chunk_->Close();
  EXPECT_EQ(Find(5, 10), NodeLookup::kFound);
  ASSERT_TRUE(chunk_->TryTake(6));
  chunk_->Open(6, 10, 2);
  EXPECT_EQ(Find(5, 10), NodeLookup::kPruned);
  EXPECT_EQ(Find(6, 10), NodeLookup::kFound);
}

TEST_F(TransitionChunkTest, AnEarlierTicketDoesNotTakeALaterLife) {
  ASSERT_TRUE(chunk_->TryTake(6));
  chunk_->Open(6, 10, 2);
  chunk_->Close();
  EXPECT_FALSE(chunk_->TryTake(5));
}

TEST(ChunkPoolTest, GivesTheChunkThatWasTakenLongestAgo) {
  const auto pool = std::make_unique<ChunkPool>();
  uint64_t ticket = 0;
  EXPECT_EQ(pool->Take(&ticket), nullptr);  // nothing is reserved
  ASSERT_TRUE(pool->Reserve());
  pool->SetLimitForTesting(2);
  TransitionChunk* const first = pool->Take(&ticket);
  first->Open(ticket, 1, 1);
  first->Close();
  TransitionChunk* const second = pool->Take(&ticket);
  second->Open(ticket, 2, 1);
  EXPECT_NE(first, second);
  EXPECT_EQ(pool->Take(&ticket), first);
  first->Open(ticket, 3, 1);
  EXPECT_EQ(pool->Take(&ticket), nullptr);  // both logs still add to them
}

}  // namespace
}  // namespace flopsprof::injector
