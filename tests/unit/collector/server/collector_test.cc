// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/collector.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "collector/store/run_reader.h"
#include "collector/store/sqlite.h"
#include "sample_request.h"
#include "temporary_folder.h"

namespace flopsprof::server {
namespace {

using store::SampleRequest;
using store::TemporaryFolder;

// One agent's stream, as the tests need it: send, wait for the answer.
class Agent {
 public:
  explicit Agent(const std::string& address)
      : stub_(
            v1::Ingest::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()))) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    stream_ = stub_->Upload(&context_);
  }

  // The reply, or an empty one when the stream has ended.
  v1::UploadReply Send(const v1::UploadRequest& request) {
    v1::UploadReply reply;
    stream_->Write(request);
    stream_->Read(&reply);
    return reply;
  }

  grpc::Status Finish() {
    stream_->WritesDone();
    return stream_->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::Ingest::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::UploadRequest, v1::UploadReply>> stream_;
};

Collector::Options OneRun(const TemporaryFolder& folder) {
  Collector::Options options;
  options.listen = {"unix:" + (folder / "socket")};
  options.output = folder / "run";
  options.run_id = "run-1";
  return options;
}

std::unique_ptr<Collector> Start(const Collector::Options& options) {
  auto collector = Collector::Create(options);
  EXPECT_TRUE(collector.ok()) << collector.status();
  return collector.ok() ? *std::move(collector) : nullptr;
}

Collector::Options ManyRuns(const TemporaryFolder& folder) {
  Collector::Options options = OneRun(folder);
  options.run_id.clear();
  options.output = folder / "root";
  return options;
}

// A collector that takes SampleRequest(1, 5) and ends. Returns the run's folder.
std::string LeaveARun(const Collector::Options& options, const TemporaryFolder& folder) {
  const auto collector = Start(options);
  Agent agent("unix:" + (folder / "socket"));
  agent.Send(SampleRequest(1, 5));
  agent.Finish();
  return collector->run_folder("run-1");
}

// A sum: what is taken twice, or not at all, shows.
uint64_t StoredCalls(const std::string& folder) {
  const auto run = store::ReadRun(folder);
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() && !run->processes.empty() ? run->processes[0].calls(0).calls() : 0;
}

TEST(CollectorTest, AcknowledgesWhatIsDurable) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  Agent agent("unix:" + (folder / "socket"));
  EXPECT_EQ(agent.Send(SampleRequest(1, 5)).acknowledged(), 1u);
  EXPECT_EQ(StoredCalls(folder / "run"), 5u);
  EXPECT_EQ(agent.Send(SampleRequest(2, 9)).acknowledged(), 2u);
  EXPECT_EQ(StoredCalls(folder / "run"), 5u + 9u);
  EXPECT_TRUE(agent.Finish().ok());
}

TEST(CollectorTest, ARepeatedRequestIsAcknowledgedAndChangesNothing) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  Agent agent("unix:" + (folder / "socket"));
  agent.Send(SampleRequest(1, 5));
  EXPECT_EQ(agent.Send(SampleRequest(1, 5)).acknowledged(), 1u);
  EXPECT_EQ(StoredCalls(folder / "run"), 5u);
}

TEST(CollectorTest, SeveralAgentsSendToOneRun) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&folder, i] {
      Agent agent("unix:" + (folder / "socket"));
      for (uint64_t sequence = 1; sequence <= 5; ++sequence) {
        v1::UploadRequest request = SampleRequest(sequence, sequence);
        request.set_agent_id("node-" + std::to_string(i));
        request.mutable_processes(0)->mutable_key()->set_node("node-" + std::to_string(i));
        EXPECT_EQ(agent.Send(request).acknowledged(), sequence);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto run = store::ReadRun(folder / "run");
  ASSERT_TRUE(run.ok());
  ASSERT_EQ(run->processes.size(), 8u);
  for (const v1::ProcessProfile& process : run->processes) {
    EXPECT_EQ(process.calls(0).calls(), 1u + 2 + 3 + 4 + 5);
  }
}

TEST(CollectorTest, CutsLongNames) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  Agent agent("unix:" + (folder / "socket"));
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_scopes(0)->set_name(std::string(65536, 'x'));
  request.mutable_processes(0)->mutable_kernels(0)->set_name(std::string(65536, 'k'));
  EXPECT_EQ(agent.Send(request).acknowledged(), 1u);
  // As stored, not as a reader bounds it.
  ASSERT_TRUE(collector->run("run-1")->Merge().ok());
  auto database = store::Database::Open(folder / "run/profile.db", SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*database->QueryInt("SELECT max(length(CAST(name AS BLOB))) FROM scopes"), 4096);
  EXPECT_EQ(*database->QueryInt("SELECT max(length(CAST(name AS BLOB))) FROM kernels"), 4096);
  EXPECT_EQ(store::ReadRun(folder / "run")->processes[0].loss().at("names_cut"), 2u);
}

TEST(CollectorTest, ARefusalIsKeptWithTheRun) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  Agent agent("unix:" + (folder / "socket"));
  EXPECT_EQ(agent.Send(SampleRequest(1, 5)).acknowledged(), 1u);
  v1::UploadRequest bad = SampleRequest(2, 9);
  bad.mutable_processes(0)->clear_key();
  EXPECT_FALSE(agent.Send(bad).refused().empty());
  const auto run = store::ReadRun(folder / "run");
  ASSERT_TRUE(run.ok());
  ASSERT_EQ(run->agents.size(), 1u);
  EXPECT_EQ(run->agents[0].refused, "ProcessProfile.key is missing");
}

TEST(CollectorTest, ListensOnAFreePort) {
  TemporaryFolder folder;
  Collector::Options options = OneRun(folder);
  options.listen = {"127.0.0.1:0"};
  const auto collector = Start(options);
  ASSERT_EQ(collector->ports().size(), 1u);
  Agent agent("127.0.0.1:" + std::to_string(collector->ports()[0]));
  EXPECT_EQ(agent.Send(SampleRequest(1, 5)).acknowledged(), 1u);
}

TEST(CollectorTest, KeepsAFolderPerRun) {
  TemporaryFolder folder;
  const Collector::Options options = ManyRuns(folder);
  const auto collector = Start(options);
  Agent agent("unix:" + (folder / "socket"));
  for (const char* run_id : {"../../evil", "/abs", "run-2"}) {
    v1::UploadRequest request = SampleRequest(1, 5);
    request.set_run_id(run_id);
    request.mutable_run()->set_job(run_id);
    EXPECT_EQ(agent.Send(request).acknowledged(), 1u) << run_id;
    const std::string path = collector->run_folder(run_id);
    EXPECT_EQ(std::filesystem::canonical(path).parent_path(),
              std::filesystem::canonical(folder / "root"));
    EXPECT_EQ(StoredCalls(path), 5u);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "root"), {}), 3);
}

TEST(CollectorTest, GoesOnWithTheFoldersOfAnEarlierCollector) {
  TemporaryFolder folder;
  const Collector::Options options = ManyRuns(folder);
  const std::string path = LeaveARun(options, folder);
  const auto collector = Start(options);
  Agent agent("unix:" + (folder / "socket"));
  EXPECT_EQ(agent.Send(SampleRequest(2, 9)).acknowledged(), 2u);
  EXPECT_EQ(collector->run_folder("run-1"), path);
  EXPECT_EQ(StoredCalls(path), 5u + 9u);
}

TEST(CollectorTest, DoesNotGoOnWithAFolderOfAnotherFormatAndSaysSo) {
  TemporaryFolder folder;
  const Collector::Options options = ManyRuns(folder);
  const std::string path = LeaveARun(options, folder);
  {
    auto database = store::Database::Open(path + "/profile.db", SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(database->Execute("PRAGMA user_version=1").ok());
  }
  const auto collector = Start(options);
  Agent agent("unix:" + (folder / "socket"));
  EXPECT_NE(agent.Send(SampleRequest(2, 9)).refused().find("made by an older flopsprof (format 1"),
            std::string::npos);
}

TEST(CollectorTest, RefusesAnotherRunWhenItStoresOne) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  Agent agent("unix:" + (folder / "socket"));
  v1::UploadRequest request = SampleRequest(1, 5);
  request.set_run_id("run-2");
  EXPECT_NE(agent.Send(request).refused(), "");
  EXPECT_TRUE(agent.Finish().ok());
  EXPECT_EQ(collector->refused_requests(), 1u);
}

TEST(CollectorTest, AMessageBeyondTheLimitEndsTheStreamAndNothingElse) {
  TemporaryFolder folder;
  Collector::Options options = OneRun(folder);
  options.max_message_bytes = 100000;
  const auto collector = Start(options);
  v1::UploadRequest huge = SampleRequest(1, 5);
  huge.mutable_processes(0)->mutable_kernels(0)->set_name(std::string(200000, 'x'));
  Agent hostile("unix:" + (folder / "socket"));
  EXPECT_EQ(hostile.Send(huge).acknowledged(), 0u);
  EXPECT_EQ(hostile.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  Agent agent("unix:" + (folder / "socket"));
  EXPECT_EQ(agent.Send(SampleRequest(1, 5)).acknowledged(), 1u);
}

TEST(CollectorTest, WillNotListenOnTheNetworkUnlessTold) {
  TemporaryFolder folder;
  Collector::Options options = OneRun(folder);
  options.listen = {"0.0.0.0:0"};
  const auto refused = Collector::Create(options);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
  options.insecure = true;
  EXPECT_TRUE(Collector::Create(options).ok());
}

TEST(CollectorTest, SaysThatAPortIsInUse) {
  TemporaryFolder folder;
  Collector::Options options = OneRun(folder);
  options.listen = {"127.0.0.1:0"};
  const auto first = Start(options);
  options.listen = {"127.0.0.1:" + std::to_string(first->ports()[0])};
  const auto second = Collector::Create(options);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

TEST(CollectorTest, SaysThatTheOutputCannotBeWritten) {
  TemporaryFolder folder;
  Collector::Options options = OneRun(folder);
  options.output = "/proc/flopsprof";
  EXPECT_FALSE(Collector::Create(options).ok());
}

TEST(CollectorTest, ItsSocketIsPrivateAndGoneAfterStop) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  struct stat info = {};
  ASSERT_EQ(stat((folder / "socket").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  collector->Stop();
  EXPECT_FALSE(std::filesystem::exists(folder / "socket"));
  EXPECT_TRUE(store::ReadManifest(folder / "run")->finished);
  // The run can still be used for what is made from it.
  EXPECT_TRUE(collector->run("run-1")->WriteText("summary.json", "{}").ok());
}

TEST(CollectorTest, StopEndsStreamsThatDoNotHangUp) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  Agent agent("unix:" + (folder / "socket"));
  agent.Send(SampleRequest(1, 5));
  collector->Stop();
  EXPECT_FALSE(agent.Finish().ok());
  EXPECT_EQ(StoredCalls(folder / "run"), 5u);
}

std::string PeerOf(const std::string& folder, const std::string& column = "peer") {
  const auto run = store::ReadRun(folder);
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok() || run->agents.size() != 1) return "not one agent";
  return column == "peer" ? run->agents[0].peer : run->agents[0].other_peer;
}

// Whatever it says itself.
TEST(CollectorTest, KnowsTheUserBehindAUnixSocketAndTheAddressOfOthers) {
  TemporaryFolder folder;
  Collector::Options options = OneRun(folder);
  options.listen.push_back("127.0.0.1:0");
  const auto collector = Start(options);
  v1::UploadRequest request = SampleRequest(1, 5);
  request.set_peer("uid:4711");
  Agent agent("unix:" + (folder / "socket"));
  EXPECT_EQ(agent.Send(request).acknowledged(), 1u);
  EXPECT_EQ(PeerOf(folder / "run"), "uid:" + std::to_string(getuid()));
  EXPECT_EQ(PeerOf(folder / "run", "other"), "");
  Agent other("127.0.0.1:" + std::to_string(collector->ports()[0]));
  EXPECT_EQ(other.Send(SampleRequest(2, 5)).acknowledged(), 2u);
  EXPECT_EQ(PeerOf(folder / "run"), "uid:" + std::to_string(getuid()));
  EXPECT_EQ(PeerOf(folder / "run", "other"), "ipv4:127.0.0.1");
}

TEST(PeerNameTest, HasNoPort) {
  EXPECT_EQ(PeerName("ipv6:%5B::1%5D:44"), "ipv6:[::1]");
  EXPECT_EQ(PeerName("ipv4:10.0.0.1:44"), "ipv4:10.0.0.1");
  EXPECT_EQ(PeerName("fd:-1"), "");
  EXPECT_EQ(PeerName("fd:x"), "");
}

TEST(CollectorTest, TakesAMessageOfOneMiBAndNoLargerOne) {
  TemporaryFolder folder;
  const auto collector = Start(OneRun(folder));
  v1::UploadRequest request = SampleRequest(1, 5);
  for (int i = 0; i < 15; ++i) {
    request.mutable_processes(0)->add_kernels()->set_name(std::string(65536, 'a' + i));
  }
  Agent agent("unix:" + (folder / "socket"));
  EXPECT_EQ(agent.Send(request).acknowledged(), 1u);
  request.mutable_processes(0)->add_kernels()->set_name(std::string(65536, 'x'));
  request.set_sequence(2);
  EXPECT_EQ(agent.Send(request).acknowledged(), 0u);
  EXPECT_EQ(agent.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST(CollectorTest, AgentsAndProcessesBeyondItsLimitsAreLeftOutAndCounted) {
  TemporaryFolder folder;
  Collector::Options options = OneRun(folder);
  options.runs.limits = {.most_agents = 2, .most_processes = 3};
  const auto collector = Start(options);
  Agent agent("unix:" + (folder / "socket"));
  v1::UploadRequest request = SampleRequest(1, 5);
  for (int pid = 1; pid <= 4; ++pid) {
    request.set_sequence(static_cast<uint64_t>(pid));
    request.mutable_processes(0)->mutable_key()->set_pid(pid);
    EXPECT_EQ(agent.Send(request).acknowledged(), static_cast<uint64_t>(pid));
  }
  for (const char* id : {"b", "c", "d"}) {
    v1::UploadRequest other = SampleRequest(1, 5);
    other.mutable_processes(0)->mutable_key()->set_pid(1);
    other.set_agent_id(id);
    EXPECT_EQ(agent.Send(other).acknowledged(), 1u);
  }
  collector->Stop();
  const auto run = store::ReadRun(folder / "run");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->agents.size(), 2u);
  ASSERT_EQ(run->processes.size(), 3u);
  EXPECT_EQ(run->processes[0].calls(0).calls(), 5u + 5u);  // of the agents of both ids
  EXPECT_EQ(run->processes[2].calls(0).calls(), 5u);
  ASSERT_EQ(run->over_limits.size(), 2u);
  EXPECT_EQ(run->over_limits[0].what, "agents");
  EXPECT_EQ(run->over_limits[0].most, 2u);
  EXPECT_EQ(run->over_limits[0].uploads, 2u);
  EXPECT_EQ(run->over_limits[1].what, "processes");
  EXPECT_EQ(run->over_limits[1].uploads, 1u);
}

}  // namespace
}  // namespace flopsprof::server
