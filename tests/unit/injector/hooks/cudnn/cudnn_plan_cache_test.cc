// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_plan_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace flopsprof::injector {
namespace {

class CudnnPlanCacheTest : public ::testing::Test {
 protected:
  const std::unique_ptr<CudnnPlanCache> cache_ = std::make_unique<CudnnPlanCache>();
  char plans_[1 << 20];
};

TEST_F(CudnnPlanCacheTest, FindsWhatWasInserted) {
  cache_->Insert(&plans_[16], 5, 1);
  EXPECT_EQ(cache_->Find(&plans_[16], 1), 5u);
  EXPECT_EQ(cache_->Find(&plans_[32], 1), CudnnPlanCache::kNotCached);
}

TEST_F(CudnnPlanCacheTest, ADestroyedPlanIsForgotten) {
  cache_->Insert(&plans_[16], 5, 1);
  cache_->Remove(&plans_[16]);
  EXPECT_EQ(cache_->Find(&plans_[16], 1), CudnnPlanCache::kNotCached);
}

TEST_F(CudnnPlanCacheTest, AReaderOfANewSegmentKnowsNoPlan) {
  cache_->Insert(&plans_[16], 5, 1);
  EXPECT_EQ(cache_->Find(&plans_[16], 2), CudnnPlanCache::kNotCached);
  cache_->Insert(&plans_[16], 6, 2);
  EXPECT_EQ(cache_->Find(&plans_[16], 2), 6u);
}

TEST_F(CudnnPlanCacheTest, AddressesComeAndGoForEver) {
  for (uint32_t i = 1; i < 65536; ++i) {
    const void* plan = &plans_[i % 4096 * 16];
    cache_->Insert(plan, i, 1);
    ASSERT_EQ(cache_->Find(plan, 1), i);
    cache_->Remove(plan);
  }
}

TEST_F(CudnnPlanCacheTest, ManyPlansLiveSideBySide) {
  for (uint32_t i = 1; i <= 2000; ++i) cache_->Insert(&plans_[i * 64], i, 1);
  uint32_t found = 0;
  for (uint32_t i = 1; i <= 2000; ++i) found += cache_->Find(&plans_[i * 64], 1) == i;
  EXPECT_EQ(found, 2000u);
}

TEST_F(CudnnPlanCacheTest, MorePlansThanPyTorchKeepsAreAllFound) {
  for (uint32_t i = 1; i <= 40000; ++i) ASSERT_TRUE(cache_->Insert(&plans_[i * 16], i, 1));
  for (uint32_t i = 1; i <= 40000; ++i) ASSERT_EQ(cache_->Find(&plans_[i * 16], 1), i);
  for (uint32_t i = 1; i <= 40000; ++i) cache_->Remove(&plans_[i * 16]);
  for (uint32_t i = 1; i <= 40000; ++i) {
    ASSERT_EQ(cache_->Find(&plans_[i * 16], 1), CudnnPlanCache::kNotCached);
  }
}

}  // namespace
}  // namespace flopsprof::injector
