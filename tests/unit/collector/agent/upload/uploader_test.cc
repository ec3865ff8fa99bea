// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/upload/uploader.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/fake_collector.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace flopsprof::agent {
namespace {

using testing::FakeCollector;
using testing::WaitUntil;

class UploaderTest : public ::testing::Test {
 protected:
  std::string address() const { return "unix:" + folder_.File("collector"); }
  Uploader::Options Options() const {
    Uploader::Options options;
    options.target = address();
    options.run_id = "run-1";
    options.agent_id = "agent-1";
    options.run.set_job("train");
    options.max_unacknowledged = 4;
    options.min_backoff = absl::Milliseconds(10);
    options.max_backoff = absl::Milliseconds(50);
    return options;
  }
  static std::vector<v1::ProcessProfile> Profile(int pid) {
    std::vector<v1::ProcessProfile> profiles(1);
    profiles[0].mutable_key()->set_pid(pid);
    return profiles;
  }
  static std::set<uint64_t> Sequences(const FakeCollector& collector) {
    std::set<uint64_t> sequences;
    for (const v1::UploadRequest& request : collector.requests()) {
      sequences.insert(request.sequence());
    }
    return sequences;
  }

  testing::TempFolder folder_;
};

TEST_F(UploaderTest, SendsInOrderWithIdentity) {
  FakeCollector collector(address());
  Uploader uploader(Options());
  for (int pid : {11, 12, 13}) uploader.Post(Profile(pid));
  v1::RunInfo end;
  end.set_job_exit_known(true);
  end.set_job_exit_code(3);
  ASSERT_TRUE(uploader.Finish(end, /*complete=*/true, absl::Seconds(5)).ok());
  const std::vector<v1::UploadRequest> requests = collector.requests();
  ASSERT_EQ(requests.size(), 4u);
  for (size_t i = 0; i < 4; i++) EXPECT_EQ(requests[i].sequence(), i + 1);
  EXPECT_EQ(requests[0].run_id(), "run-1");
  EXPECT_EQ(requests[0].agent_id(), "agent-1");
  EXPECT_EQ(requests[0].run().job(), "train");
  EXPECT_FALSE(requests[1].has_run());
  EXPECT_EQ(requests[2].processes(0).key().pid(), 13);
  EXPECT_FALSE(requests[2].last());
  EXPECT_TRUE(requests[3].last());
  EXPECT_EQ(requests[3].run().job_exit_code(), 3);
  EXPECT_EQ(requests[0].previous_mark(), 0u);
  for (size_t i = 0; i < 4; i++) EXPECT_NE(requests[i].mark(), 0u);
  for (size_t i = 1; i < 4; i++) EXPECT_EQ(requests[i].previous_mark(), requests[i - 1].mark());
}

TEST_F(UploaderTest, ACollectorOfAnotherFormatIsRefusedWithWhatToDo) {
  FakeCollector collector(address());
  collector.SetFormat(v1::UPLOAD_FORMAT_UNSPECIFIED);  // of before there was a number
  Uploader::Options options = Options();
  options.run.set_version("1.2.3");
  Uploader uploader(options);
  uploader.Post(Profile(11));
  const absl::Status status = uploader.Finish(v1::RunInfo(), /*complete=*/true, absl::Seconds(5));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("is of an older flopsprof (uploads of format 0) than this agent "
                                  "(1.2.3, format 4): use the same version of flopsprof"),
            absl::string_view::npos)
      << status;
  EXPECT_EQ(collector.requests()[0].format(), v1::UPLOAD_FORMAT_INCREMENTS);
}

TEST_F(UploaderTest, SaysWhatIsAcknowledged) {
  FakeCollector collector(address());
  collector.StopAcknowledging(true);
  Uploader uploader(Options());
  uploader.Post(Profile(11));
  EXPECT_EQ(uploader.posted_sequence(), 1u);
  EXPECT_TRUE(uploader.IsDone(0));
  EXPECT_FALSE(uploader.IsDone(1));
  collector.StopAcknowledging(false);
  uploader.Post(Profile(12));
  EXPECT_TRUE(WaitUntil([&] { return uploader.IsDone(2); }));
}

TEST_F(UploaderTest, TakesNoMoreThanItsBoundWhileNothingIsAcknowledged) {
  Uploader uploader(Options());  // nobody listens
  int posted = 0;
  while (uploader.CanAccept() && posted < 100) uploader.Post(Profile(posted++));
  EXPECT_EQ(posted, 4);
}

TEST_F(UploaderTest, WaitsForACollectorThatComesLater) {
  Uploader uploader(Options());
  uploader.Post(Profile(1));
  ASSERT_TRUE(WaitUntil([&] { return uploader.stats().connections > 1; }));
  FakeCollector collector(address());
  EXPECT_TRUE(uploader.Finish({}, /*complete=*/true, absl::Seconds(8)).ok());
  EXPECT_EQ(Sequences(collector), (std::set<uint64_t>{1, 2}));
}

TEST_F(UploaderTest, SendsAgainWhatWasNotAcknowledged) {
  FakeCollector collector(address());
  collector.StopAcknowledging(true);
  Uploader uploader(Options());
  uploader.Post(Profile(1));
  uploader.Post(Profile(2));
  ASSERT_TRUE(WaitUntil([&] { return collector.requests().size() == 2; }));
  collector.Stop();
  collector.StopAcknowledging(false);
  collector.Start();
  EXPECT_TRUE(uploader.Finish({}, /*complete=*/true, absl::Seconds(8)).ok());
  const std::vector<v1::UploadRequest> requests = collector.requests();
  ASSERT_EQ(requests.size(), 5u);
  EXPECT_EQ(requests[2].sequence(), 1u);
  EXPECT_EQ(requests[2].run().job(), "train");  // first of its stream
  EXPECT_EQ(requests[2].mark(), requests[0].mark());
  EXPECT_EQ(requests[3].mark(), requests[1].mark());
  EXPECT_EQ(requests[3].sequence(), 2u);
  EXPECT_EQ(requests[4].sequence(), 3u);
}

TEST_F(UploaderTest, DoesNotSendAgainWhatWasAcknowledged) {
  FakeCollector collector(address());
  Uploader uploader(Options());
  uploader.Post(Profile(1));
  ASSERT_TRUE(WaitUntil([&] { return uploader.stats().acknowledged == 1; }));
  collector.Stop();
  collector.Start();
  uploader.Post(Profile(2));
  EXPECT_TRUE(uploader.Finish({}, /*complete=*/true, absl::Seconds(8)).ok());
  EXPECT_EQ(collector.requests().size(), 3u);
}

TEST_F(UploaderTest, DoesNotSayThatItHasSentAllWhenItHasNot) {
  FakeCollector collector(address());
  Uploader uploader(Options());
  uploader.Post(Profile(1));
  EXPECT_TRUE(uploader.Finish({}, /*complete=*/false, absl::Seconds(8)).ok());
  ASSERT_EQ(collector.requests().size(), 2u);
  EXPECT_TRUE(collector.requests().back().has_run());
  EXPECT_FALSE(collector.requests().back().last());
}

TEST_F(UploaderTest, StopsWhenTheCollectorRefuses) {
  FakeCollector collector(address());
  collector.Refuse("other version");
  Uploader uploader(Options());
  uploader.Post(Profile(1));
  const absl::Status status = uploader.Finish({}, /*complete=*/true, absl::Seconds(8));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(std::string(status.message()).find("other version"), std::string::npos);
  EXPECT_EQ(collector.stream_count(), 1);
}

TEST_F(UploaderTest, NothingWaitsForACollectorThatRefuses) {
  FakeCollector collector(address());
  collector.Refuse("other version");
  Uploader uploader(Options());
  while (uploader.CanAccept()) uploader.Post(Profile(1));
  EXPECT_TRUE(testing::WaitUntil([&] { return uploader.CanAccept(); }));
}

TEST_F(UploaderTest, SaysWhatIsMissingWhenTheTimeIsOver) {
  Uploader uploader(Options());
  uploader.Post(Profile(1));
  const absl::Status status = uploader.Finish({}, /*complete=*/true, absl::Milliseconds(50));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_NE(std::string(status.message()).find("2 updates"), std::string::npos);
}

}  // namespace
}  // namespace flopsprof::agent
