// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/request_check.h"

#include <gtest/gtest.h>

#include "sample_request.h"

namespace flopsprof::server {
namespace {

using store::SampleRequest;

bool Accepted(const v1::UploadRequest& request) {
  return CheckRequest(request, RequestLimits()).ok();
}

TEST(CheckRequestTest, AcceptsWhatAgentsSend) { EXPECT_TRUE(Accepted(SampleRequest(1, 5))); }

TEST(CheckRequestTest, RefusesIdsThatAreEmptyLongOrHaveControlCharacters) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.set_run_id("");
  EXPECT_FALSE(Accepted(request));
  request.set_run_id(std::string(257, 'x'));
  EXPECT_FALSE(Accepted(request));
  request.set_run_id("a\nb");
  EXPECT_FALSE(Accepted(request));
  request.set_run_id(std::string("a\0b", 3));
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, RefusesSequenceZero) { EXPECT_FALSE(Accepted(SampleRequest(0, 5))); }

TEST(CheckRequestTest, RefusesAProcessWithoutAKey) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->clear_key();
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, AcceptsTheLongestTextOfAnAgentAndNoLongerOne) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_scopes(0)->set_name(std::string(65536, 'x'));
  EXPECT_TRUE(Accepted(request));
  request.mutable_processes(0)->mutable_scopes(0)->set_name(std::string(65537, 'x'));
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, RefusesZeroBytesInTexts) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_calls(0)->set_shape(std::string("m=1\0", 4));
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, RefusesTooManyProcesses) {
  v1::UploadRequest request = SampleRequest(1, 5);
  RequestLimits limits;
  limits.max_processes = 1;
  *request.add_processes() = request.processes(0);
  EXPECT_FALSE(CheckRequest(request, limits).ok());
}

}  // namespace
}  // namespace flopsprof::server
