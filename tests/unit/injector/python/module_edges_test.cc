// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_edges.h"

#include <gtest/gtest.h>

namespace flopsprof::injector {
namespace {

// Addresses, which the table never follows.
PyObject g_first, g_second;

TEST(ModuleEdgesTest, AreOfAParentAndAChild) {
  ModuleEdges edges;
  EXPECT_EQ(edges.Find(1, &g_first), 0u);
  const uint32_t index = edges.FindOrAdd(1, &g_first);
  ASSERT_NE(index, 0u);
  EXPECT_EQ(edges.Find(1, &g_first), index);
  EXPECT_EQ(edges.Find(2, &g_first), 0u);
  EXPECT_NE(edges.FindOrAdd(1, &g_second), index);
  EXPECT_EQ(edges.FindOrAdd(1, &g_first), index);
  EXPECT_EQ(edges.count(), 2u);
}

TEST(ModuleEdgesTest, RememberWhichCallCameNext) {
  ModuleEdges edges;
  const uint32_t first = edges.FindOrAdd(1, &g_first);
  const uint32_t second = edges.FindOrAdd(1, &g_second);
  EXPECT_EQ(edges.at(first).follower, second);
  // Another order than the last time is found too, and remembered.
  edges.FindOrAdd(1, &g_first);
  EXPECT_EQ(edges.FindOrAdd(1, &g_first), first);
  EXPECT_EQ(edges.at(first).follower, first);
}

TEST(ModuleEdgesTest, OfASharedModuleAreAllResolvedAgainButReplicas) {
  ModuleEdges edges;
  const uint32_t named = edges.FindOrAdd(1, &g_first);
  const uint32_t replica = edges.FindOrAdd(2, &g_first);
  const uint32_t other = edges.FindOrAdd(1, &g_second);
  edges.at(named).kind = edges.at(other).kind = EdgeKind::kNamed;
  edges.at(replica).kind = EdgeKind::kAlias;
  edges.LetResolveAgain(&g_first);
  EXPECT_EQ(edges.at(named).kind, EdgeKind::kNew);
  EXPECT_EQ(edges.at(replica).kind, EdgeKind::kAlias);
  EXPECT_EQ(edges.at(other).kind, EdgeKind::kNamed);
}

}  // namespace
}  // namespace flopsprof::injector
