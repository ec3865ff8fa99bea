// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/address_set.h"

#include <gtest/gtest.h>

#include <vector>

namespace flopsprof::injector {
namespace {

TEST(AddressSetTest, HoldsWhatWasAddedHoweverMany) {
  std::vector<char> places(5000);
  AddressSet set;
  EXPECT_FALSE(set.Contains(&places[0]));
  for (size_t i = 0; i < places.size(); i += 2) EXPECT_TRUE(set.Add(&places[i]));
  for (size_t i = 0; i < places.size(); ++i) EXPECT_EQ(set.Contains(&places[i]), i % 2 == 0) << i;
  set.Clear();
  EXPECT_FALSE(set.Contains(&places[0]));
}

TEST(AddressSetTest, SaysWhetherAnAddressIsNew) {
  int place = 0;
  AddressSet set;
  EXPECT_TRUE(set.Add(&place));
  EXPECT_FALSE(set.Add(&place));
  set.Clear();
  EXPECT_TRUE(set.Add(&place));
  set.Clear();
}

}  // namespace
}  // namespace flopsprof::injector
