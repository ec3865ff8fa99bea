// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_overrides.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "injector/hooks/cudnn/cudnn_plan_description.h"

namespace flopsprof::injector {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

class CudnnOverridesTest : public ::testing::Test {
 protected:
  void Set(const void* pack, const std::vector<int64_t>& uids, const Shapes& shapes) {
    table_->NoteIds(pack, uids.data(), static_cast<int64_t>(uids.size()));
    table_->NoteShapes(pack, &shapes, /*trusted=*/false);
  }
  // The text that goes to the reader; "unreadable"; "" for none.
  std::string Text(const void* pack) {
    const CudnnOverrides* const found = table_->Find(pack);
    if (found == nullptr) return "";
    if (!found->readable) return "unreadable";
    char room[8192];
    return std::string(room, WriteOverrides(*found, room, sizeof room));
  }

  const std::unique_ptr<CudnnOverrideTable> table_ = std::make_unique<CudnnOverrideTable>();
  int packs_[100] = {};
};

TEST_F(CudnnOverridesTest, NoneIsNone) { EXPECT_EQ(Text(&packs_[0]), ""); }

TEST_F(CudnnOverridesTest, AreKeptForTheirPack) {
  Set(&packs_[0], {1, 7}, {{2, 3}, {4}});
  Set(&packs_[1], {1}, {{5, 6}});
  EXPECT_EQ(Text(&packs_[0]), R"(,"overrides":[{"uid":1,"dim":[2,3]},{"uid":7,"dim":[4]}])");
  EXPECT_EQ(Text(&packs_[1]), R"(,"overrides":[{"uid":1,"dim":[5,6]}])");
  EXPECT_EQ(Text(&packs_[2]), "");
}

TEST_F(CudnnOverridesTest, LargeAndNegativeNumbersAreWrittenInFull) {
  Set(&packs_[0], {INT64_MIN}, {{INT64_MAX, 0}});
  EXPECT_EQ(Text(&packs_[0]),
            R"(,"overrides":[{"uid":-9223372036854775808,"dim":[9223372036854775807,0]}])");
}

TEST_F(CudnnOverridesTest, AnAddressThatIsUsedAgainIsAnotherPack) {
  Set(&packs_[0], {1}, {{2}});
  table_->Remove(&packs_[0]);
  EXPECT_EQ(Text(&packs_[0]), "");
  Set(&packs_[0], {3}, {{4}});
  EXPECT_EQ(Text(&packs_[0]), R"(,"overrides":[{"uid":3,"dim":[4]}])");
}

TEST_F(CudnnOverridesTest, WhatIsNotWholeIsUnreadable) {
  Set(&packs_[0], {1, 2}, {{2}});  // a shape too few
  EXPECT_EQ(Text(&packs_[0]), "unreadable");
  Set(&packs_[1], {1}, {{1, 2, 3, 4, 5, 6, 7, 8, 9}});  // a rank that cuDNN does not have
  EXPECT_EQ(Text(&packs_[1]), "unreadable");
  Set(&packs_[2], {1}, {{}});
  EXPECT_EQ(Text(&packs_[2]), "unreadable");
  Set(&packs_[3], std::vector<int64_t>(33, 1), Shapes(33, {1}));
  EXPECT_EQ(Text(&packs_[3]), "unreadable");
  const std::vector<int64_t> uids = {1};
  table_->NoteIds(&packs_[4], uids.data(), 1);  // no shapes at all
  EXPECT_EQ(Text(&packs_[4]), "unreadable");
  const Shapes shapes = {{1}};
  table_->NoteShapes(&packs_[5], &shapes, false);  // nor ids
  table_->NoteIds(&packs_[6], nullptr, 1);
  EXPECT_EQ(Text(&packs_[6]), "");
}

TEST_F(CudnnOverridesTest, IdsMayComeAfterShapes) {
  const std::vector<int64_t> uids = {4, 9};
  const Shapes shapes = {{2}, {3}};
  table_->NoteShapes(&packs_[0], &shapes, false);
  EXPECT_EQ(Text(&packs_[0]), "unreadable");
  table_->NoteIds(&packs_[0], uids.data(), 1);  // one id for two shapes
  EXPECT_EQ(Text(&packs_[0]), "unreadable");
  table_->NoteIds(&packs_[0], uids.data(), 2);
  EXPECT_EQ(Text(&packs_[0]), R"(,"overrides":[{"uid":4,"dim":[2]},{"uid":9,"dim":[3]}])");
}

TEST_F(CudnnOverridesTest, WhatIsNoVectorIsUnreadable) {
  const uint64_t nonsense[3] = {8, 4, 2};
  const std::vector<int64_t> uids = {1};
  table_->NoteIds(&packs_[0], uids.data(), 1);
  table_->NoteShapes(&packs_[0], nonsense, false);
  EXPECT_EQ(Text(&packs_[0]), "unreadable");
  table_->NoteShapes(&packs_[1], nullptr, false);
  EXPECT_EQ(Text(&packs_[1]), "");
}

TEST_F(CudnnOverridesTest, AnotherLayoutIsUnreadableAndReadNowhere) {
  const std::vector<int64_t> uids = {1};
  // A vector of one vector, which says that its numbers are where nothing is mapped.
  const uintptr_t nowhere[3] = {4096, 4096 + 2 * sizeof(int64_t), 8192};
  const auto inside = reinterpret_cast<uintptr_t>(nowhere);
  const uintptr_t shapes[3] = {inside, inside + sizeof nowhere, inside + sizeof nowhere};
  table_->NoteIds(&packs_[0], uids.data(), 1);
  table_->NoteShapes(&packs_[0], shapes, /*trusted=*/false);
  EXPECT_EQ(Text(&packs_[0]), "unreadable");
  table_->NoteIds(&packs_[1], uids.data(), 1);
  table_->NoteShapes(&packs_[1], nowhere, /*trusted=*/false);  // nor is the outer one
  EXPECT_EQ(Text(&packs_[1]), "unreadable");
  Set(&packs_[0], {1}, {{2}});  // sizes that can be read take their place
  EXPECT_EQ(Text(&packs_[0]), R"(,"overrides":[{"uid":1,"dim":[2]}])");
}

TEST_F(CudnnOverridesTest, MorePacksThanEverAreEachKept) {
  std::vector<int> packs(4 * 3000);
  for (int i = 0; i < 3000; ++i) Set(&packs[4 * i], {1}, {{i + 1}});
  EXPECT_EQ(Text(&packs[4 * 2999]), R"(,"overrides":[{"uid":1,"dim":[3000]}])");
  EXPECT_EQ(Text(&packs[4 * 64]), R"(,"overrides":[{"uid":1,"dim":[65]}])");
  EXPECT_EQ(Text(&packs_[99]), "");
}

TEST(WriteOverridesTest, NotEnoughRoomIsNothing) {
  CudnnOverrides overrides{};
  overrides.tensors = 1;
  overrides.ranks[0] = 1;
  char room[10];
  EXPECT_EQ(WriteOverrides(overrides, room, sizeof room), 0u);
}

}  // namespace
}  // namespace flopsprof::injector
