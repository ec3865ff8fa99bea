// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_plan_json.h"

#include <gtest/gtest.h>

#include <string>

namespace flopsprof::injector {
namespace {

std::string Cut(const std::string& json) {
  const TextSpan span = FindOperationGraph(json.data(), json.size());
  return span.begin == nullptr ? "none" : std::string(span.begin, span.bytes);
}

TEST(CudnnPlanJsonTest, CutsTheObjectOut) {
  EXPECT_EQ(Cut(R"({"engine":1,"operationGraph":{"nodes":[{"a":{}}]},"payload":"QUJD"})"),
            R"({"nodes":[{"a":{}}]})");
}

TEST(CudnnPlanJsonTest, SpaceIsAllowed) { EXPECT_EQ(Cut("{ \"operationGraph\" :\n { } }"), "{ }"); }

TEST(CudnnPlanJsonTest, BracesInTextsDoNotCount) {
  EXPECT_EQ(Cut(R"({"x":"}\"operationGraph\":{","operationGraph":{"n":"{[\"\\"}})"),
            R"({"n":"{[\"\\"})");
}

TEST(CudnnPlanJsonTest, ATextThatIsTheNameIsNoMember) {
  EXPECT_EQ(Cut(R"({"key":"operationGraph","operationGraph":{"a":1}})"), R"({"a":1})");
}

TEST(CudnnPlanJsonTest, ACutOffGraphIsNone) {
  EXPECT_EQ(Cut(R"({"operationGraph":{"nodes":[{"a":1})"), "none");
  EXPECT_EQ(Cut(R"({"operationGraph":{"text)"), "none");
  EXPECT_EQ(Cut(R"({"operationGraph":)"), "none");
  EXPECT_EQ(Cut(R"({"operationGraph)"), "none");
}

TEST(CudnnPlanJsonTest, AGraphThatIsNoObjectIsNone) {
  EXPECT_EQ(Cut(R"({"operationGraph":null})"), "none");
}

TEST(CudnnPlanJsonTest, WhatFollowsMayBeCutOff) {
  EXPECT_EQ(Cut(R"({"operationGraph":{},"payload":"QUJ)"), "{}");
}

TEST(CudnnPlanJsonTest, NothingIsNone) {
  EXPECT_EQ(Cut(""), "none");
  EXPECT_EQ(Cut("\\"), "none");
  EXPECT_EQ(Cut("\"\\"), "none");
}

}  // namespace
}  // namespace flopsprof::injector
