// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/slot_values.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>

#include "injector/loader/doors.h"

namespace flopsprof::injector {
namespace {

char entry;  // of the hook
const Hook kQsort = {"qsort", &entry, 0};

// The object whose slot it is lies nowhere; the functions are libc's.
class SlotValueTest : public ::testing::Test {
 protected:
  SlotValueTest() { mapped_->Take(); }

  SlotValue Choose(const Hook& hook, void* held) const {
    return ChooseSlotValue(object_, hook, held, *mapped_);
  }
  static void* InLibc(const char* name) {
    void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return dlsym(libc, name);
  }

  MappedObject object_;
  std::unique_ptr<ObjectSnapshots> mapped_ = std::make_unique<ObjectSnapshots>();
};

TEST_F(SlotValueTest, OfTheFunctionItselfIsADoorToIt) {
  const SlotValue choice = Choose(kQsort, InLibc("qsort"));
  EXPECT_EQ(BehindDoor(choice.value), InLibc("qsort"));
  EXPECT_FALSE(choice.is_unseen);
}

TEST_F(SlotValueTest, OfAPlainHookIsItsEntry) {
  EXPECT_EQ(Choose({"qsort", &entry, 1}, InLibc("qsort")).value, &entry);
}

TEST_F(SlotValueTest, OfAnotherToolsFunctionStays) {
  EXPECT_EQ(Choose(kQsort, InLibc("bsearch")).value, nullptr);
}

TEST_F(SlotValueTest, OfCodeInNoObjectStays) {
  int somewhere = 0;
  EXPECT_EQ(Choose(kQsort, &somewhere).value, nullptr);
}

TEST_F(SlotValueTest, ThatIsEmptyOrOursStays) {
  EXPECT_EQ(Choose(kQsort, nullptr).value, nullptr);
  EXPECT_EQ(Choose(kQsort, &entry).value, nullptr);
}

TEST_F(SlotValueTest, ThatIsNotBoundYetIsTheHooksEntry) {
  object_.all = {0x1000, 0x2000};
  EXPECT_EQ(Choose(kQsort, reinterpret_cast<void*>(0x1800)).value, &entry);
}

}  // namespace
}  // namespace flopsprof::injector
