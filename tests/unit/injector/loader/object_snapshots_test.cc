// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/object_snapshots.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>

namespace flopsprof::injector {
namespace {

const MappedObject* Find(const ObjectSnapshots& objects, const void* address) {
  return objects.ObjectAt(address);
}

TEST(ObjectSnapshotsTest, KnowWhichObjectsAreNew) {
  const auto objects = std::make_unique<ObjectSnapshots>();
  ASSERT_TRUE(objects->Take());
  const void* const in_libc = dlsym(RTLD_DEFAULT, "malloc_usable_size");
  ASSERT_NE(Find(*objects, in_libc), nullptr);
  EXPECT_FALSE(objects->WasThereBefore(*Find(*objects, in_libc)));

  void* const handle = dlopen("libBrokenLocale.so.1", RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  ASSERT_TRUE(objects->Take());
  const void* const in_new = static_cast<const link_map*>(handle)->l_ld;
  ASSERT_NE(Find(*objects, in_new), nullptr);
  EXPECT_FALSE(objects->WasThereBefore(*Find(*objects, in_new)));
  EXPECT_TRUE(objects->WasThereBefore(*Find(*objects, in_libc)));
  dlclose(handle);
}

TEST(ObjectSnapshotsTest, AnotherObjectInTheSamePlaceIsNew) {
  const auto objects = std::make_unique<ObjectSnapshots>();
  MappedObject object;
  object.base = 0x1000;
  object.all = {0x1000, 0x2000};
  object.dynamic = reinterpret_cast<const ElfW(Dyn)*>(0x1800);
  ASSERT_TRUE(objects->Add(object));
  ASSERT_TRUE(objects->Take());
  EXPECT_TRUE(objects->WasThereBefore(object));
  object.all.end = 0x3000;
  EXPECT_FALSE(objects->WasThereBefore(object));
}

TEST(ObjectSnapshotsTest, SayWhenThereIsNoRoom) {
  const auto objects = std::make_unique<ObjectSnapshots>();
  int added = 0;
  while (added < 100000 && objects->Add({})) ++added;
  EXPECT_EQ(added, 8192);
}

}  // namespace
}  // namespace flopsprof::injector
