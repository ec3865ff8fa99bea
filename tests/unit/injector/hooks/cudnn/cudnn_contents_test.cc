// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_contents.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace flopsprof::injector {
namespace {

ContentHash HashOf(const std::string& text) {
  ContentHash hash;
  hash.Add(text.data(), text.size());
  return hash;
}

TEST(ContentIdsTest, OneIdForOneText) {
  const auto ids = std::make_unique<ContentIds>();
  ids->Insert(HashOf("a product"), 1, 7);
  EXPECT_EQ(ids->Find(HashOf("a product"), 1), 7u);
  EXPECT_EQ(ids->Find(HashOf("a product "), 1), 0u);
  EXPECT_EQ(ids->Find(HashOf("b product"), 1), 0u);
}

TEST(ContentIdsTest, AReaderOfANewSegmentKnowsNone) {
  const auto ids = std::make_unique<ContentIds>();
  ids->Insert(HashOf("a product"), 1, 7);
  EXPECT_EQ(ids->Find(HashOf("a product"), 2), 0u);
  ids->Insert(HashOf("a product"), 2, 8);
  EXPECT_EQ(ids->Find(HashOf("a product"), 2), 8u);
}

TEST(ContentIdsTest, TheFirstIdOfATextStays) {
  const auto ids = std::make_unique<ContentIds>();
  ids->Insert(HashOf("a product"), 1, 7);
  ids->Insert(HashOf("a product"), 1, 8);
  EXPECT_EQ(ids->Find(HashOf("a product"), 1), 7u);
}

TEST(ContentIdsTest, ManyTextsHaveAnIdEach) {
  const auto ids = std::make_unique<ContentIds>();
  for (uint32_t i = 1; i <= 50000; ++i) ids->Insert(HashOf(std::to_string(i)), 1, i);
  for (uint32_t i = 1; i <= 50000; ++i) ASSERT_EQ(ids->Find(HashOf(std::to_string(i)), 1), i);
}

}  // namespace
}  // namespace flopsprof::injector
