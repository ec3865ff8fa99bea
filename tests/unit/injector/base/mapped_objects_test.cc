// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/mapped_objects.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

namespace flopsprof::injector {
namespace {

ElfW(Phdr) Segment(uint32_t type, uintptr_t begin, uintptr_t bytes, uint32_t flags = PF_R) {
  ElfW(Phdr) segment = {};
  segment.p_type = type;
  segment.p_flags = flags;
  segment.p_vaddr = begin;
  segment.p_memsz = bytes;
  return segment;
}

TEST(MappedObjectTest, IsDescribedByItsSegments) {
  const ElfW(Phdr) segments[] = {
      Segment(PT_LOAD, 0x1000, 0x800, PF_R | PF_X), Segment(PT_LOAD, 0x4000, 0x1800, PF_R | PF_W),
      Segment(PT_DYNAMIC, 0x4100, 0x100), Segment(PT_GNU_RELRO, 0x4000, 0x1000),
      Segment(PT_NOTE, 0x9000, 0x100)};
  const MappedObject object = DescribeMappedObject("lib.so", 0x100000, segments, 5);
  EXPECT_STREQ(object.path, "lib.so");
  EXPECT_EQ(object.all, (AddressRange{0x101000, 0x105800}));
  EXPECT_EQ(object.writable, (AddressRange{0x104000, 0x105800}));
  EXPECT_EQ(object.protected_pages, (AddressRange{0x104000, 0x105000}));
  EXPECT_EQ(object.dynamic, reinterpret_cast<const ElfW(Dyn)*>(0x104100));
}

TEST(MappedObjectTest, WithoutAWritableSegmentHoldsNoWritableAddress) {
  const ElfW(Phdr) segments[] = {Segment(PT_LOAD, 0, 0x800, PF_R | PF_X)};
  const MappedObject object = DescribeMappedObject(nullptr, 0x1000, segments, 1);
  EXPECT_STREQ(object.path, "");
  EXPECT_EQ(object.all, (AddressRange{0x1000, 0x1800}));
  EXPECT_FALSE(object.writable.Contains(uintptr_t{0}));
  EXPECT_EQ(object.dynamic, nullptr);
}

TEST(MappedObjectsTest, FindsTheObjectThatHoldsAnAddress) {
  const void* address = dlsym(RTLD_DEFAULT, "malloc_usable_size");
  Dl_info expected;
  ASSERT_NE(dladdr(address, &expected), 0);
  MappedObject found;
  ASSERT_TRUE(FindMappedObject(address, &found));
  EXPECT_STREQ(found.path, expected.dli_fname);
  EXPECT_EQ(found.base, reinterpret_cast<uintptr_t>(expected.dli_fbase));
  int on_the_stack = 0;
  EXPECT_FALSE(FindMappedObject(&on_the_stack, &found));
}

TEST(MappedObjectsTest, VisitsThemInTurnUntilOneIsTheRightOne) {
  int visited = 0;
  EXPECT_TRUE(AnyMappedObject([&visited](const MappedObject&) { return ++visited == 2; }));
  EXPECT_EQ(visited, 2);
  EXPECT_FALSE(AnyMappedObject([](const MappedObject&) { return false; }));
}

TEST(MappedObjectsTest, CountsEachThatIsMapped) {
  const uint64_t before = CountObjectsEverMapped();
  void* const handle = dlopen("libutil.so.1", RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  EXPECT_GT(CountObjectsEverMapped(), before);
  dlclose(handle);
}

}  // namespace
}  // namespace flopsprof::injector
