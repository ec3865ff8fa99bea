// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/call_as.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include "injector/base/mapped_objects.h"

namespace flopsprof::injector {
namespace {

struct Seen {
  const void *a, *b, *c;
  const void* caller;
};
Seen seen;

void* Record(const void* a, const void* b, const void* c) {
  seen = {a, b, c, __builtin_return_address(0)};
  return &seen;
}

void* AddressInLibstdcxx() {
  void* const handle = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return handle == nullptr ? nullptr : static_cast<link_map*>(handle)->l_ld;
}

TEST(CallAsTest, TheFunctionSeesTheOtherObjectAsItsCaller) {
  const void* const caller = AddressInLibstdcxx();
  const void* const ret = FindReturnFor(caller);
  ASSERT_NE(ret, nullptr);
  int a = 0;
  int b = 0;
  int c = 0;
  EXPECT_EQ(CallAs(ret, reinterpret_cast<void*>(&Record), &a, &b, &c), &seen);
  EXPECT_EQ(seen.a, &a);
  EXPECT_EQ(seen.b, &b);
  EXPECT_EQ(seen.c, &c);
  MappedObject expected;
  ASSERT_TRUE(FindMappedObject(caller, &expected));
  EXPECT_TRUE(expected.all.Contains(seen.caller));
}

TEST(CallAsTest, NobodyStandsInForCodeInNoObject) {
  int on_the_stack = 0;
  EXPECT_EQ(FindReturnFor(&on_the_stack), nullptr);
}

}  // namespace
}  // namespace flopsprof::injector
