// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/patched_slots.h"

#include <gtest/gtest.h>

#include <memory>

namespace flopsprof::injector {
namespace {

int first, second, third;

class PatchedSlotsTest : public ::testing::Test {
 protected:
  PatchedSlotsTest() {
    object_.all.begin = reinterpret_cast<uintptr_t>(table_);
    object_.all.end = object_.all.begin + sizeof(table_);
    object_.writable = object_.all;
  }

  PatchedSlots::Result Patch(int i, void* after) {
    SlotWriter writer(object_);
    return slots_->Patch(&table_[i], table_[i], after, &writer);
  }

  void* table_[4] = {&first, &first, &first, &first};
  MappedObject object_;
  std::unique_ptr<PatchedSlots> slots_{new PatchedSlots()};
};

TEST_F(PatchedSlotsTest, GivesASlotItsOldValueAgain) {
  ASSERT_EQ(Patch(1, &second), PatchedSlots::Result::kWritten);
  EXPECT_EQ(table_[1], &second);
  EXPECT_EQ(slots_->Restore(object_), 0u);
  EXPECT_EQ(table_[1], &first);
  EXPECT_EQ(table_[0], &first);
}

TEST_F(PatchedSlotsTest, LeavesAValueThatAnotherWroteOverOurs) {
  Patch(1, &second);
  table_[1] = &third;
  EXPECT_EQ(slots_->Restore(object_), 0u);
  EXPECT_EQ(table_[1], &third);
}

TEST_F(PatchedSlotsTest, DoesNotWriteIntoCode) {
  object_.writable = {};
  EXPECT_EQ(Patch(1, &second), PatchedSlots::Result::kNotWritable);
  EXPECT_EQ(table_[1], &first);
}

TEST_F(PatchedSlotsTest, CountsWhatCannotBeTakenBack) {
  Patch(1, &second);
  object_.writable = {};
  EXPECT_EQ(slots_->Restore(object_), 1u);
}

TEST_F(PatchedSlotsTest, ForgetsASlotThatTheLoaderBoundAnew) {
  Patch(1, &second);
  Patch(2, &second);
  EXPECT_TRUE(slots_->ForgetOverwritten(object_.all, /*was_there=*/true));
  table_[1] = &first;
  EXPECT_FALSE(slots_->ForgetOverwritten(object_.all, /*was_there=*/true));
  EXPECT_TRUE(slots_->ForgetOverwritten(object_.all, /*was_there=*/true));
  slots_->Restore(object_);
  EXPECT_EQ(table_[2], &first);
}

// It may lie where nothing is mapped now: its slots are not read.
TEST_F(PatchedSlotsTest, ForgetsAllSlotsOfAnObjectThatWasNotThere) {
  Patch(1, &second);
  EXPECT_FALSE(slots_->ForgetOverwritten(object_.all, /*was_there=*/false));
  slots_->Restore(object_);
  EXPECT_EQ(table_[1], &second);
}

TEST_F(PatchedSlotsTest, KeepsThoseOfOtherObjects) {
  Patch(1, &second);
  EXPECT_TRUE(slots_->ForgetOverwritten({8, 16}, /*was_there=*/false));
  slots_->Restore(object_);
  EXPECT_EQ(table_[1], &first);
}

TEST_F(PatchedSlotsTest, HasAnEnd) {
  PatchedSlots::Result result = PatchedSlots::Result::kWritten;
  int written = 0;
  while (written < 100000 && (result = Patch(1, &second)) == PatchedSlots::Result::kWritten) {
    ++written;
  }
  EXPECT_EQ(result, PatchedSlots::Result::kFull);
  EXPECT_EQ(written, 32768);
}

}  // namespace
}  // namespace flopsprof::injector
