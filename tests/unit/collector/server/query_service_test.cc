// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/query_service.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "collector/model/run_sums.h"
#include "collector/server/collector.h"
#include "collector/store/run_reader.h"
#include "sample_request.h"
#include "temporary_folder.h"
#include "tests/support/wait_until.h"

namespace flopsprof::server {
namespace {

using ::testing::HasSubstr;

class QueryServiceTest : public ::testing::Test {
 protected:
  explicit QueryServiceTest(const LiveReports::Options& reports = {}) {
    Collector::Options options;
    options.reports = reports;
    options.listen = {"unix:" + (folder_ / "socket")};
    options.output = folder_ / "run";
    options.run_id = "run-1";
    options.run.set_job("train");
    options.queries.part_bytes = 1000;
    options.reports.most_waiting = 3;
    options.reports.merge_patience = absl::Seconds(60);
    options.reports.rest_per_work = 0;
    collector_ = *Collector::Create(options);
    stub_ = v1::Query::NewStub(
        grpc::CreateChannel(options.listen[0], grpc::InsecureChannelCredentials()));
    Send(1);
  }

  void Send(uint64_t sequence) {
    ASSERT_TRUE(collector_->run("run-1")->Apply(store::SampleRequest(sequence, sequence)).ok());
  }

  // Nothing is merged, so no report is made.
  void HoldDatabase(uint64_t sequence) {
    ASSERT_TRUE(collector_->run("run-1")->Merge().ok());
    holder_ = std::make_unique<store::Database>(
        *store::Database::Open(folder_ / "run/profile.db", SQLITE_OPEN_READWRITE));
    ASSERT_TRUE(holder_->Execute("BEGIN IMMEDIATE").ok());
    Send(sequence);
  }

  struct Answer {
    grpc::Status status;
    v1::ReportHead head;
    std::string bytes;
    int parts = 0;
  };
  Answer Ask(const v1::ReportRequest& request, grpc::ClientContext* given = nullptr) {
    grpc::ClientContext own;
    grpc::ClientContext* const context = given == nullptr ? &own : given;
    const auto reader = stub_->GetReport(context, request);
    Answer answer;
    v1::ReportPart part;
    while (reader->Read(&part)) {
      if (part.has_head()) answer.head = part.head();
      answer.parts += part.part_case() == v1::ReportPart::kBytes ? 1 : 0;
      answer.bytes += part.bytes();
    }
    answer.status = reader->Finish();
    return answer;
  }
  static v1::ReportRequest Json() {
    v1::ReportRequest request;
    request.set_run_id("run-1");
    request.set_form(v1::REPORT_FORM_JSON);
    request.set_patience_ms(60'000);
    return request;
  }

  store::TemporaryFolder folder_;
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<v1::Query::Stub> stub_;
  std::unique_ptr<store::Database> holder_;
};

TEST_F(QueryServiceTest, GivesWhatTheFolderGivesInParts) {
  v1::ReportRequest request = Json();
  request.set_form(v1::REPORT_FORM_SUMS);
  request.set_made_by(std::string(model::SumsMadeBy()));
  const Answer answer = Ask(request);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.head.size(), answer.bytes.size());
  EXPECT_EQ(answer.parts, static_cast<int>((answer.bytes.size() + 999) / 1000));
  EXPECT_EQ(answer.head.record(), 1u);
  EXPECT_EQ(answer.head.state(), v1::RUN_STATE_RUNNING);
  const auto database = store::RunDatabase::Open(folder_ / "run");
  auto of_folder = store::SumRun(database->get());
  of_folder->sums.summary.files.erase("log");  // there is none
  EXPECT_EQ(answer.bytes, model::ToBytes(of_folder->sums));
}

TEST_F(QueryServiceTest, GivesMembersOfTheSummaryAlone) {
  v1::ReportRequest request = Json();
  const auto whole = nlohmann::json::parse(Ask(request).bytes);
  request.add_members("totals");
  request.add_members("steps");
  const auto members = nlohmann::json::parse(Ask(request).bytes);
  EXPECT_EQ(members.size(), 2u);
  EXPECT_EQ(members["totals"], whole["totals"]);
  EXPECT_EQ(members["steps"], whole["steps"]);
  request.add_members("nonsense");
  EXPECT_EQ(Ask(request).status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(QueryServiceTest, RefusesUnknownRunsAndSumsOfOtherCode) {
  v1::ReportRequest request = Json();
  request.set_run_id("another");
  const Answer unknown = Ask(request);
  EXPECT_EQ(unknown.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.status.error_message(), HasSubstr("no such run"));
  request = Json();
  request.set_form(v1::REPORT_FORM_SUMS);
  request.set_made_by("of another version");
  EXPECT_EQ(Ask(request).status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

// All users of a machine reach a port.
TEST_F(QueryServiceTest, WhoComesByAPortIsAnsweredOnlyWhereThatIsAllowed) {
  for (const bool allowed : {false, true}) {
    Collector::Options options;
    options.listen = {"127.0.0.1:0"};
    options.output = folder_ / (allowed ? "open" : "closed");
    options.run_id = "run-1";
    options.queries.over_tcp = allowed;
    const auto collector = *Collector::Create(options);
    ASSERT_TRUE(collector->run("run-1")->Apply(store::SampleRequest(1, 1)).ok());
    stub_ = v1::Query::NewStub(
        grpc::CreateChannel("127.0.0.1:" + std::to_string(collector->ports().at(0)),
                            grpc::InsecureChannelCredentials()));
    const Answer answer = Ask(Json());
    v1::ListRunsReply runs;
    grpc::ClientContext context;
    const grpc::Status listed = stub_->ListRuns(&context, {}, &runs);
    if (allowed) {
      EXPECT_TRUE(answer.status.ok()) << answer.status.error_message();
      EXPECT_TRUE(listed.ok()) << listed.error_message();
    } else {
      EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
      EXPECT_THAT(answer.status.error_message(), HasSubstr("--reports-over-tcp"));
      EXPECT_EQ(listed.error_code(), grpc::StatusCode::PERMISSION_DENIED);
      EXPECT_EQ(runs.runs_size(), 0);
    }
    collector->Stop();
  }
}

TEST_F(QueryServiceTest, ListsTheRuns) {
  ASSERT_TRUE(collector_->run("run-1")->Merge().ok());
  grpc::ClientContext context;
  v1::ListRunsReply reply;
  ASSERT_TRUE(stub_->ListRuns(&context, v1::ListRunsRequest(), &reply).ok());
  ASSERT_EQ(reply.runs_size(), 1);
  EXPECT_EQ(reply.runs(0).run_id(), "run-1");
  EXPECT_EQ(reply.runs(0).job(), "train");
  EXPECT_EQ(reply.runs(0).state(), v1::RUN_STATE_RUNNING);
  EXPECT_EQ(reply.runs(0).processes(), 1u);
  EXPECT_GT(reply.runs(0).newest_utc_ns(), 0);
}

// Three ask while nothing can be made; a fourth is one too many. One of them goes away.
TEST_F(QueryServiceTest, AllWhoAskGetOneReportAndTheyAreNotTooMany) {
  HoldDatabase(2);
  std::vector<Answer> answers(3);
  grpc::ClientContext contexts[3];
  std::vector<std::thread> threads;
  for (size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back([&, i] { answers[i] = Ask(Json(), &contexts[i]); });
  }
  ASSERT_TRUE(testing::WaitUntil([&] { return collector_->waiting_queries() == 3; }));
  EXPECT_EQ(Ask(Json()).status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  contexts[0].TryCancel();
  threads[0].join();
  EXPECT_EQ(answers[0].status.error_code(), grpc::StatusCode::CANCELLED);
  ASSERT_TRUE(holder_->Execute("ROLLBACK").ok());
  threads[1].join();
  threads[2].join();
  EXPECT_TRUE(answers[1].status.ok()) << answers[1].status.error_message();
  EXPECT_EQ(answers[1].bytes, answers[2].bytes);
  EXPECT_EQ(answers[1].head.record(), 2u);
  EXPECT_EQ(answers[1].head.made_in_ns(), answers[2].head.made_in_ns());   // the same one
  EXPECT_EQ(Ask(Json()).head.made_in_ns(), answers[1].head.made_in_ns());  // nothing has come
  Send(3);
  EXPECT_EQ(Ask(Json()).head.record(), 3u);
}

TEST_F(QueryServiceTest, WhoHasNoPatienceGetsAnEarlierReport) {
  ASSERT_EQ(Ask(Json()).head.record(), 1u);
  HoldDatabase(2);
  v1::ReportRequest request = Json();
  request.set_patience_ms(0);
  const Answer answer = Ask(request);
  EXPECT_EQ(answer.head.record(), 1u);
  EXPECT_EQ(answer.head.newest_record(), 2u);
  ASSERT_TRUE(holder_->Execute("ROLLBACK").ok());
  EXPECT_EQ(Ask(Json()).head.record(), 2u);
}

// As `flopsprof collector` makes its texts.
TEST_F(QueryServiceTest, WhatTextsAreMadeFromIsThereAtOnceForWhoAsks) {
  const auto always = [] { return true; };
  EXPECT_TRUE(absl::IsNotFound(collector_->MakeReport(folder_ / "other", always).status()));
  const auto made = collector_->MakeReport(folder_ / "run", always);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->at.record, 1u);
  HoldDatabase(2);
  v1::ReportRequest request = Json();
  request.set_patience_ms(0);
  const Answer answer = Ask(request);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.head.record(), 1u);
  EXPECT_EQ(answer.head.newest_record(), 2u);
  EXPECT_EQ(answer.bytes, (*made)->json);
}

TEST_F(QueryServiceTest, AReportForTextsIsGivenUpWhenItIsNotWanted) {
  HoldDatabase(2);
  int looks = 0;
  const auto made = collector_->MakeReport(folder_ / "run", [&looks] { return ++looks < 3; });
  EXPECT_TRUE(absl::IsCancelled(made.status())) << made.status();
  EXPECT_EQ(collector_->waiting_queries(), 0u);
}

// One that has cost much is kept until the next texts, however short `keep` is.
class CostlyReportTest : public QueryServiceTest {
 protected:
  CostlyReportTest() : QueryServiceTest({.keep = absl::ZeroDuration(), .keep_per_work = 1 << 30}) {}
};
TEST_F(CostlyReportTest, IsKeptForAMultipleOfWhatItTook) {
  ASSERT_TRUE(collector_->MakeReport(folder_ / "run", [] { return true; }).ok());
  EXPECT_EQ(Ask(Json()).head.record(), 1u);
  HoldDatabase(2);
  v1::ReportRequest request = Json();
  request.set_patience_ms(0);
  EXPECT_EQ(Ask(request).head.record(), 1u);
}

// Many runs have texts that nobody reads.
class CheapReportTest : public QueryServiceTest {
 protected:
  CheapReportTest() : QueryServiceTest({.keep = absl::Hours(1), .keep_per_work = 0}) {}
};
TEST_F(CheapReportTest, OfTextsIsNotKeptUntilSomebodyReadsOne) {
  ASSERT_TRUE(collector_->MakeReport(folder_ / "run", [] { return true; }).ok());
  HoldDatabase(2);
  v1::ReportRequest request = Json();
  request.set_patience_ms(0);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(500));
  EXPECT_EQ(Ask(request, &context).status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  holder_.reset();
  EXPECT_EQ(Ask(Json()).head.record(), 2u);
  HoldDatabase(3);
  EXPECT_EQ(Ask(request).head.record(), 2u);
}

TEST_F(QueryServiceTest, ACollectorThatEndsTellsWhoAsks) {
  HoldDatabase(2);
  Answer answer;
  grpc::ClientContext context;
  std::thread asking([&] { answer = Ask(Json(), &context); });
  ASSERT_TRUE(testing::WaitUntil([&] { return collector_->waiting_queries() == 1; }));
  std::thread stopping([&] { collector_->Stop(); });
  asking.join();
  EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(answer.status.error_message(), HasSubstr("ending"));
  ASSERT_TRUE(holder_->Execute("ROLLBACK").ok());
  stopping.join();
}

}  // namespace
}  // namespace flopsprof::server
