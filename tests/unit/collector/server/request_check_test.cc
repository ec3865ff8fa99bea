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

TEST(CheckRequestTest, RefusesBlocksWithColumnsOfUnequalLengths) {
  v1::UploadRequest request = SampleRequest(1, 5);
  v1::ProcessProfile& process = *request.mutable_processes(0);
  process.clear_times();
  process.set_numbering(1);
  process.mutable_defined()->add_times()->set_scope(3);
  v1::RowBlock& block = *process.add_blocks();
  block.set_table(v1::ProcessProfile::kTimesFieldNumber);
  block.set_runs(std::string("\0\2", 2));
  v1::MeasureColumn& column = *block.add_columns();
  column.set_field(v1::TimeRow::kActivitiesFieldNumber);
  column.set_values(std::string(2, '\0'));
  EXPECT_TRUE(Accepted(request)) << "its bytes may be 0";
  column.set_values(std::string(3, '\0'));
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, CutsNamesOfDefinitions) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_defined()->add_kernels()->set_name(std::string(5000, 'x'));
  BoundRequest(&request);
  EXPECT_LE(request.processes(0).defined().kernels(0).name().size(), 4096u);
}

TEST(CheckRequestTest, RefusesSequenceZero) { EXPECT_FALSE(Accepted(SampleRequest(0, 5))); }

TEST(CheckRequestTest, RefusesAProcessWithoutAKey) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->clear_key();
  EXPECT_FALSE(Accepted(request));
}

// The store takes a process once in a request: two parts are two requests.
TEST(CheckRequestTest, RefusesAProcessTwice) {
  v1::UploadRequest request = SampleRequest(1, 5);
  *request.add_processes() = request.processes(0);
  const absl::Status status = CheckRequest(request, RequestLimits());
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(), "ProcessProfile.key comes twice in one request");
  for (const auto set : {+[](v1::ProcessKey* key) { key->set_node("node-b"); },
                         +[](v1::ProcessKey* key) { key->set_pid(43); },
                         +[](v1::ProcessKey* key) { key->set_start_ticks(98); },
                         +[](v1::ProcessKey* key) { key->set_image(1); }}) {
    v1::UploadRequest other = request;
    set(other.mutable_processes(1)->mutable_key());
    EXPECT_TRUE(Accepted(other));
  }
}

TEST(CheckRequestTest, AcceptsTheLongestTextOfAnAgentAndNoLongerOne) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_scopes(0)->set_name(std::string(65536, 'x'));
  EXPECT_TRUE(Accepted(request));
  request.mutable_processes(0)->mutable_scopes(0)->set_name(std::string(65537, 'x'));
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, RefusesNumbersThatNoMachineCountsTo) {
  constexpr uint64_t kLargest = uint64_t{1} << 62;
  const auto accepted_with = [](auto set) {
    v1::UploadRequest request = SampleRequest(1, 5);
    set(request.mutable_processes(0));
    return Accepted(request);
  };
  using Process = v1::ProcessProfile;
  for (const uint64_t more : {0, 1}) {
    const uint64_t number = kLargest + more;
    const bool fits = more == 0;
    EXPECT_EQ(accepted_with([&](Process* p) { p->mutable_calls(0)->set_calls(number); }), fits);
    EXPECT_EQ(accepted_with([&](Process* p) { p->mutable_kernels(0)->set_min_ns(number); }), fits);
    EXPECT_EQ(accepted_with([&](Process* p) { p->mutable_steps(0)->set_gpu_time_ns(1, number); }),
              fits);
    EXPECT_EQ(accepted_with([&](Process* p) { p->mutable_info()->set_hook_calls(number); }), fits);
    EXPECT_EQ(accepted_with([&](Process* p) { (*p->mutable_loss())["ring_full"] = number; }), fits);
    EXPECT_EQ(accepted_with([&](Process* p) {
                p->mutable_calls(0)->mutable_flops()->set_high((uint64_t{1} << 58) + more);
              }),
              fits);
  }
}

TEST(CheckRequestTest, AddressesIdsAndLowPartsOfCountsMayBeAnyNumber) {
  constexpr uint64_t kAny = ~uint64_t{0};
  v1::UploadRequest request = SampleRequest(1, 5);
  v1::ProcessProfile& process = *request.mutable_processes(0);
  process.mutable_key()->set_start_ticks(kAny);
  process.mutable_scopes(0)->set_object(kAny);
  process.mutable_modules(0)->set_object(kAny);
  process.mutable_collectives(0)->set_group(kAny);
  process.mutable_scope_kernels(0)->set_api(kAny);
  process.mutable_calls(0)->mutable_flops()->set_low(kAny);
  EXPECT_TRUE(Accepted(request));
}

TEST(CheckRequestTest, RefusesZeroBytesInTexts) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_calls(0)->set_shape(std::string("m=1\0", 4));
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, RefusesAnAgentOfAnotherFormatAndSaysWhatToDo) {
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_run()->set_version("1.2.3");
  request.clear_format();
  const absl::Status status = CheckRequest(request, RequestLimits());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "this agent is of an older flopsprof (1.2.3, uploads of format 0) than this collector "
            "(format 4): use the same version of flopsprof on all nodes");
  for (const int format : {2, 3, 5}) {
    request.set_format(static_cast<v1::UploadFormat>(format));
    EXPECT_FALSE(Accepted(request)) << format;
  }
}

TEST(CheckRequestTest, RefusesATextUnderAnotherTextsId) {
  v1::UploadRequest request = SampleRequest(1, 5);
  (*request.mutable_processes(0)->mutable_strings())[TextId("a")] = "b";
  EXPECT_FALSE(Accepted(request));
}

TEST(CheckRequestTest, RefusesTooManyProcesses) {
  v1::UploadRequest request = SampleRequest(1, 5);
  RequestLimits limits;
  limits.max_processes = 1;
  *request.add_processes() = request.processes(0);
  EXPECT_FALSE(CheckRequest(request, limits).ok());
}

TEST(BoundTimesTest, WhatIsMoreThanAnHourAheadIsUnknownAndCounted) {
  constexpr int64_t kNow = 1'700'000'000'000'000'000;
  constexpr int64_t kHour = 3'600'000'000'000;
  v1::UploadRequest request;
  request.mutable_run()->set_start_utc_ns(kNow + kHour + 1);
  v1::ProcessProfile& good = *request.add_processes();
  good.mutable_info()->set_start_utc_ns(kNow - 1000 * kHour);
  good.add_process_lives()->set_until_utc_ns(kNow + kHour);
  v1::ProcessProfile& bad = *request.add_processes();
  bad.mutable_info()->set_start_utc_ns(-1);
  bad.add_process_lives()->set_until_utc_ns(INT64_MAX);
  v1::HistoryRow& ahead = *bad.add_history();
  ahead.set_begin_utc_ns(kNow + 2 * kHour);
  ahead.set_width_ns(3'600'000'000'000);
  ahead.set_calls(7);
  bad.add_device_history()->set_begin_utc_ns(-10'000'000'000);
  BoundTimes(kNow, &request);
  EXPECT_EQ(request.run().start_utc_ns(), 0);
  EXPECT_EQ(request.processes(0).info().start_utc_ns(), kNow - 1000 * kHour);
  EXPECT_EQ(request.processes(0).process_lives(0).until_utc_ns(), kNow + kHour);
  EXPECT_TRUE(request.processes(0).agent_loss().empty());
  EXPECT_EQ(request.processes(1).info().start_utc_ns(), 0);
  EXPECT_EQ(request.processes(1).process_lives(0).until_utc_ns(), 0);
  // What was done is kept: in the span of now.
  const v1::HistoryRow& history = request.processes(1).history(0);
  EXPECT_EQ(history.begin_utc_ns(), kNow);
  EXPECT_EQ(history.width_ns(), 10'000'000'000u);
  EXPECT_EQ(history.calls(), 7u);
  EXPECT_EQ(request.processes(1).device_history(0).begin_utc_ns(), kNow);
  EXPECT_EQ(request.processes(1).agent_loss().at("times_refused"), 4u);
}

}  // namespace
}  // namespace flopsprof::server
