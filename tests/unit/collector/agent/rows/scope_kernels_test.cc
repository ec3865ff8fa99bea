// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/scope_kernels.h"

#include <gtest/gtest.h>

#include "proto/flopsprof/text_id.h"
#include "proto/shm/api_ids.h"
#include "tests/support/profile_sum.h"

namespace flopsprof::agent {
namespace {

class ScopeKernelsTest : public ::testing::Test {
 protected:
  // A kernel of 10 ns in scope 4, phase forward.
  void Add(uint64_t kernel, uint32_t step, uint32_t row = kNoRow) {
    const WorkContext context = {4, step, shm::Phase::kForward};
    const uint32_t key = step & shm::kStepKeyMask;
    rows_.Add(rows_.FindOrAdd({context, row, kernel, v1::TIME_CATEGORY_EXACT}, 1), 1, 10,
              {key, key});
  }

  uint32_t Product() {
    shm::GemmCall call = {};
    call.header.type = static_cast<uint16_t>(shm::RecordType::kGemmCall);
    call.api = static_cast<uint16_t>(shm::ApiId::cublasSgemm_v2);
    call.m = call.n = call.k = call.batch = 2;
    return calls_.AddGemm(call).row;
  }

  // Kernels 7 and 8 have one name.
  v1::ProcessProfile Emitted() {
    v1::ProcessProfile profile;
    rows_.Emit(
        100,
        [this](uint64_t* kernel, std::string* name, v1::ScopeKernelRow* row) {
          if (*kernel == 9 && !named_) return false;
          if (*kernel == 8) *kernel = 7;
          *name = *kernel == 7 ? "seven" : "nine";
          row->set_kind("kernel");
          return true;
        },
        &profile);
    return profile;
  }

  CallRows calls_;
  ScopeKernels rows_{&calls_};
  bool named_ = true;
};

TEST_F(ScopeKernelsTest, SumsKernelsOfOnePlaceAndKeepsTheirSteps) {
  Add(7, 3);
  Add(7, 1);
  Add(7, 2);
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.scope_kernels_size(), 1);
  const v1::ScopeKernelRow& row = profile.scope_kernels(0);
  EXPECT_EQ(row.scope(), 4u);
  EXPECT_EQ(row.phase(), v1::PHASE_FORWARD);
  EXPECT_EQ(row.count(), 3u);
  EXPECT_EQ(row.gpu_time_ns(), 30u);
  EXPECT_EQ(row.first_step(), 1u);
  EXPECT_EQ(row.last_step(), 3u);
  EXPECT_EQ(row.api(), 0u);
  EXPECT_EQ(profile.strings().at(row.name()), "seven");
  EXPECT_EQ(Emitted().scope_kernels_size(), 0);
}

TEST_F(ScopeKernelsTest, StepsOfOtherThreadsKeepTheirLoop) {
  const uint32_t second = 1u << shm::kStepLoopShift;
  Add(7, second | 3);
  Add(7, second | 5);
  const v1::ProcessProfile profile = Emitted();
  EXPECT_EQ(profile.scope_kernels(0).first_step(), second | 3);
  EXPECT_EQ(profile.scope_kernels(0).last_step(), second | 5);
}

TEST_F(ScopeKernelsTest, AnotherAgentGivesATextTheSameId) {
  Add(7, 0, Product());
  const v1::ProcessProfile profile = Emitted();
  ScopeKernels others(&calls_);
  others.Add(others.FindOrAdd({{4, 0, shm::Phase::kForward}, kNoRow, 9, {}}, 1), 1, 10, {});
  others.Add(others.FindOrAdd({{4, 0, shm::Phase::kForward}, Product(), 7, {}}, 1), 1, 10, {});
  v1::ProcessProfile other;
  others.Emit(
      100,
      [](uint64_t* kernel, std::string* name, v1::ScopeKernelRow*) {
        *name = *kernel == 7 ? "seven" : "nine";
        return true;
      },
      &other);
  EXPECT_EQ(profile.scope_kernels(0).api(), other.scope_kernels(1).api());
  EXPECT_EQ(profile.scope_kernels(0).name(), other.scope_kernels(1).name());
  for (const auto& [id, text] : other.strings()) EXPECT_EQ(id, TextId(text));
}

TEST_F(ScopeKernelsTest, WorkBeforeTheFirstStepIsARowOfItsOwn) {
  Add(7, shm::kNoStep);
  Add(7, 0);
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.scope_kernels_size(), 2);
  EXPECT_FALSE(profile.scope_kernels(0).in_step());
  EXPECT_TRUE(profile.scope_kernels(1).in_step());
}

TEST_F(ScopeKernelsTest, NamesTheCall) {
  Add(7, 0, Product());
  Add(7, 0);
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.scope_kernels_size(), 2);
  EXPECT_EQ(profile.strings().at(profile.scope_kernels(0).api()), "cublasSgemm_v2");
  EXPECT_EQ(profile.scope_kernels(1).api(), 0u);
}

TEST_F(ScopeKernelsTest, RowsOfOneNameBecomeOne) {
  Add(7, 0);
  Add(8, 1);
  testing::ProfileSum sum;
  sum.Add(Emitted());
  sum.Add(Emitted());
  const v1::ProcessProfile whole = sum.Whole();
  ASSERT_EQ(whole.scope_kernels_size(), 1);
  EXPECT_EQ(whole.scope_kernels(0).count(), 2u);
  EXPECT_EQ(whole.scope_kernels(0).last_step(), 1u);
}

TEST_F(ScopeKernelsTest, WaitsForNames) {
  named_ = false;
  Add(9, 0);
  EXPECT_EQ(Emitted().scope_kernels_size(), 0);
  named_ = true;
  EXPECT_EQ(Emitted().scope_kernels_size(), 1);
}

}  // namespace
}  // namespace flopsprof::agent
