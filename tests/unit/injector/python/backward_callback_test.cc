// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/backward_callback.h"

#include <gtest/gtest.h>

#include "injector/scopes/torch_functions.h"

namespace flopsprof::injector {
namespace {

// A later PyTorch might keep a function more at the front, which it calls for each node.
struct OtherCallback {
  void (*also)();
  RecordFunctionCallback rest;
};

int calls = 0;
uint64_t AddOther(RecordFunctionCallback callback) {
  ++calls;
  const auto& other = reinterpret_cast<const OtherCallback&>(callback);
  EXPECT_EQ(other.also, nullptr) << "it would be called";
  return 1;
}
uint64_t NoSequence() { return 0; }

class BackwardCallbackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    calls = 0;
    g_torch.add_global_callback = AddOther;
    g_torch.next_sequence = NoSequence;
  }
  void TearDown() override { g_torch = {}; }
};

TEST_F(BackwardCallbackTest, AVersionOfUnknownLayoutIsGivenNoCallback) {
  for (const char* version : {"2.15.0", "2.3.1", "3.4.0", "2.", "2.9", "2.140.0", "?", ""}) {
    EXPECT_FALSE(BeginFieldSearch(version)) << version;
  }
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace flopsprof::injector
