// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/agent.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>

#include "collector/base/clock.h"
#include "tests/support/fake_collector.h"
#include "tests/support/fake_process.h"
#include "tests/support/no_room_for_threads.h"
#include "tests/support/profile_sum.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace flopsprof::agent {
namespace {

using testing::FakeCollector;
using testing::FakeProcess;
using testing::WaitUntil;

// A process with `calls` products of one shape, one kernel of 10 ns each.
void WriteWork(FakeProcess* process, uint32_t calls) {
  testing::FakeInjector::Ring ring = process->injector->Claim();
  ring.WriteString(1, "gemm_kernel");
  ring.Write(testing::Step(0, shm::StepEvent::kBegin, 1000));
  for (uint32_t i = 1; i <= calls; i++) {
    ring.Write(testing::Launch(i, 5, i));
    ring.Write(testing::Gemm(i, 5, 120, 8, 400));
    ring.Write(testing::Kernel(i, 1, i * 100, i * 100 + 10));
  }
  process->injector->header().launches.store(calls);
}

class AgentTest : public ::testing::Test {
 protected:
  std::string socket_path() const { return folder_.File("agent"); }
  std::string address() const { return "unix:" + folder_.File("collector"); }

  std::unique_ptr<Agent> MakeAgent(absl::Duration keep_ended = absl::Seconds(30)) {
    Agent::Options options;
    options.socket_path = socket_path();
    options.run_id = "run-1";
    options.run.set_node("n1");
    options.collector_target = address();
    options.segment = {.slot_count = 2, .ring_records = 65536};
    options.upload_period = absl::Milliseconds(20);
    options.keep_ended = keep_ended;
    absl::StatusOr<std::unique_ptr<Agent>> agent = Agent::Create(std::move(options));
    EXPECT_TRUE(agent.ok()) << agent.status();
    return std::move(*agent);
  }
  // All that the collector has, each request once, by pid.
  std::map<int, v1::ProcessProfile> Newest(const FakeCollector& collector) {
    std::map<int, testing::ProfileSum> sums;
    uint64_t taken = 0;
    for (const v1::UploadRequest& request : collector.requests()) {
      if (request.sequence() <= taken) continue;
      taken = request.sequence();
      for (const v1::ProcessProfile& part : request.processes()) sums[part.key().pid()].Add(part);
    }
    std::map<int, v1::ProcessProfile> processes;
    for (const auto& [pid, sum] : sums) processes[pid] = sum.Whole();
    return processes;
  }
  // A child that is a profiled process, does its work and then `last`.
  pid_t StartChild(uint32_t calls, void (*last)()) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    FakeProcess process;
    const bool ready = process.Connect(socket_path()) && process.SayHello(testing::ValidHello()) &&
                       process.ReceiveWelcome().has_value();
    if (!ready) ::_exit(99);
    WriteWork(&process, calls);
    last();
    ::_exit(98);
  }

  testing::TempFolder folder_;
};

TEST_F(AgentTest, WithoutRoomForItsThreadsItIsAnErrorThatSaysSo) {
  FakeCollector collector(address());
  MakeAgent();  // gRPC has its own threads from here on
  Agent::Options options;
  options.socket_path = socket_path();
  options.collector_target = address();
  const testing::NoRoomForThreads no_room;
  const absl::StatusOr<std::unique_ptr<Agent>> agent = Agent::Create(std::move(options));
  EXPECT_EQ(agent.status().code(), absl::StatusCode::kResourceExhausted) << agent.status();
  EXPECT_NE(agent.status().message().find("ulimit -u"), absl::string_view::npos);
}

TEST_F(AgentTest, WhatAProcessWritesReachesTheCollector) {
  FakeCollector collector(address());
  std::unique_ptr<Agent> agent = MakeAgent();
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(testing::ValidHello(1));
  ASSERT_TRUE(process.ReceiveWelcome().has_value());
  WriteWork(&process, 100);
  ASSERT_TRUE(WaitUntil([&] {
    const auto newest = Newest(collector);
    return newest.size() == 1 && newest.begin()->second.calls_size() == 1 &&
           newest.begin()->second.calls(0).gpu_time_ns() == 1000;
  }));
  process.Disconnect();
  ASSERT_TRUE(agent->Finish(5, absl::Seconds(5)).ok());
  const v1::ProcessProfile profile = Newest(collector).begin()->second;
  EXPECT_EQ(profile.calls(0).flops().low(), 76'800'000u);
  EXPECT_EQ(profile.info().rank(), 1);
  EXPECT_TRUE(profile.info().used_gpu());
  EXPECT_TRUE(collector.requests().back().last());
  EXPECT_EQ(collector.requests().back().run().job_exit_code(), 5);
  EXPECT_EQ(agent->progress().processes, 1u);
  EXPECT_EQ(agent->progress().ranks, (std::set<int32_t>{1}));
  EXPECT_EQ(agent->progress().flop_count, 76'800'000.0);
}

TEST_F(AgentTest, NothingIsLostOfAProcessThatIsKilled) {
  FakeCollector collector(address());
  std::unique_ptr<Agent> agent = MakeAgent();
  const pid_t child = StartChild(10'000, [] { ::raise(SIGKILL); });
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(agent->Finish(std::nullopt, absl::Seconds(5)).ok());
  const v1::ProcessProfile profile = Newest(collector)[child];
  ASSERT_EQ(profile.calls_size(), 1);
  EXPECT_EQ(profile.calls(0).calls(), 10'000u);
  EXPECT_EQ(profile.calls(0).gpu_time_ns(), 100'000u);
  EXPECT_NE(profile.info().state(), v1::PROCESS_STATE_RUNNING);
}

TEST_F(AgentTest, AChildsExitCodeIsInItsProfile) {
  FakeCollector collector(address());
  std::unique_ptr<Agent> agent = MakeAgent();
  const pid_t child = StartChild(10, [] { ::_exit(7); });
  ASSERT_TRUE(WaitUntil([&] {
    const auto newest = Newest(collector);
    return newest.count(child) == 1 && newest.at(child).info().state() == v1::PROCESS_STATE_EXITED;
  }));
  EXPECT_EQ(Newest(collector)[child].info().exit_code(), 7);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(agent->Finish(7, absl::Seconds(5)).ok());
}

TEST_F(AgentTest, EveryProcessCanStillBeReadAfterALongAbsenceOfTheCollector) {
  std::unique_ptr<Agent> agent = MakeAgent();
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(testing::ValidHello());
  ASSERT_TRUE(process.ReceiveWelcome().has_value());
  WriteWork(&process, 5000);
  ASSERT_TRUE(WaitUntil([&] { return agent->progress().records > 15'000; }));
  FakeCollector collector(address());
  process.Disconnect();
  ASSERT_TRUE(agent->Finish(0, absl::Seconds(8)).ok());
  EXPECT_EQ(Newest(collector).begin()->second.calls(0).calls(), 5000u);
}

TEST_F(AgentTest, AProcessThatHasEndedIsForgottenOnceAllOfItIsAcknowledged) {
  FakeCollector collector(address());
  collector.StopAcknowledging(true);
  std::unique_ptr<Agent> agent = MakeAgent(/*keep_ended=*/absl::ZeroDuration());
  const pid_t child = StartChild(100, [] { ::_exit(0); });
  // Its status is there for the agent until somebody has waited for it.
  ASSERT_TRUE(WaitUntil([&] {
    const auto newest = Newest(collector);
    return newest.count(child) == 1 && newest.at(child).info().state() == v1::PROCESS_STATE_EXITED;
  }));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(agent->kept_processes(), 1u);
  collector.StopAcknowledging(false);
  collector.Stop();  // what was not acknowledged comes again
  collector.Start();
  ASSERT_TRUE(WaitUntil([&] { return agent->kept_processes() == 0; }));
  ASSERT_TRUE(agent->Finish(0, absl::Seconds(5)).ok());
  EXPECT_EQ(agent->progress().processes, 1u);
  EXPECT_EQ(agent->progress().running, 0u);
  EXPECT_EQ(agent->progress().flop_count, 76'800'000.0);
  EXPECT_GT(agent->progress().records, 300u);
  EXPECT_EQ(Newest(collector)[child].calls(0).calls(), 100u);
}

// Fifty requests of one process wait for the collector, and one of another.
TEST_F(AgentTest, AProcessWithManyRowsDoesNotKeepTheOthersWaiting) {
  constexpr uint32_t kRows = 100'000;
  std::unique_ptr<Agent> agent = MakeAgent();
  FakeProcess large;
  FakeProcess small;
  for (FakeProcess* process : {&large, &small}) {
    ASSERT_TRUE(process->Connect(socket_path()));
    process->SayHello(testing::ValidHello());
    ASSERT_TRUE(process->ReceiveWelcome().has_value());
    const uint32_t rows = process == &large ? kRows : 1;
    const uint64_t before = agent->progress().records;
    testing::FakeInjector::Ring ring = process->injector->Claim();
    for (uint32_t i = 1; i <= rows; i++) {
      while (!ring.Write(testing::Gemm(i, 0, i, 8, 400))) ::usleep(100);
    }
    ASSERT_TRUE(WaitUntil([&] { return agent->progress().records >= before + rows; }));
  }
  FakeCollector collector(address());
  collector.TakeOverEach(absl::Milliseconds(50));
  const auto is_of_small = [](const v1::UploadRequest& request) {
    return request.processes_size() == 1 && request.processes(0).calls_size() == 1;
  };
  ASSERT_TRUE(WaitUntil([&] {
    const auto requests = collector.requests();
    return std::any_of(requests.begin(), requests.end(), is_of_small);
  }));
  const auto requests = collector.requests();
  const auto first = std::find_if(requests.begin(), requests.end(), is_of_small);
  // Two times what may be on the way at once.
  EXPECT_LE(first - requests.begin(), 32);
  large.Disconnect();
  small.Disconnect();
  ASSERT_TRUE(agent->Finish(0, absl::Seconds(8)).ok());
}

// A collector that has lost its folder, or a part of its log.
TEST_F(AgentTest, DefinesItsRowsAnewWhereTheCollectorLacksThem) {
  FakeCollector collector(address());
  std::unique_ptr<Agent> agent = MakeAgent();
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(testing::ValidHello());
  ASSERT_TRUE(process.ReceiveWelcome().has_value());
  testing::FakeInjector::Ring ring = process.injector->Claim();
  const auto call_until = [&](uint64_t calls) {
    ring.Write(testing::Gemm(static_cast<uint32_t>(calls), 5, 120, 8, 400));
    return WaitUntil([&] {
      const auto newest = Newest(collector);
      return newest.size() == 1 && newest.begin()->second.calls_size() == 1 &&
             newest.begin()->second.calls(0).calls() == calls;
    });
  };
  const auto definitions = [&](uint32_t numbering) {
    int count = 0;
    for (const auto& [of, calls] : collector.defined_calls()) count += of == numbering ? calls : 0;
    return count;
  };
  ASSERT_TRUE(call_until(1));
  ASSERT_TRUE(call_until(2));
  EXPECT_EQ(definitions(1), 1);
  collector.Lack(1);
  ASSERT_TRUE(call_until(3));  // what is on the way may still be of the numbering before
  ASSERT_TRUE(call_until(4));
  ASSERT_TRUE(call_until(5));
  EXPECT_EQ(definitions(1), 1);
  EXPECT_EQ(definitions(2), 1);
  process.Disconnect();
  ASSERT_TRUE(agent->Finish(0, absl::Seconds(5)).ok());
}

// A collector that takes nothing more: who reads the run must not think that it has everything.
TEST_F(AgentTest, AnAgentThatCouldNotSendAllDoesNotSayThatItHas) {
  constexpr uint32_t kRows = 100'000;
  FakeCollector collector(address());
  collector.StopAcknowledging(true);
  std::unique_ptr<Agent> agent = MakeAgent();
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(testing::ValidHello());
  ASSERT_TRUE(process.ReceiveWelcome().has_value());
  testing::FakeInjector::Ring ring = process.injector->Claim();
  for (uint32_t i = 1; i <= kRows; i++) {
    while (!ring.Write(testing::Gemm(i, 0, i, 8, 400))) ::usleep(100);
  }
  ASSERT_TRUE(WaitUntil([&] { return agent->progress().records >= kRows; }));
  process.Disconnect();
  EXPECT_FALSE(agent->Finish(0, absl::Milliseconds(500)).ok());
  for (const v1::UploadRequest& request : collector.requests()) EXPECT_FALSE(request.last());
}

TEST_F(AgentTest, ACommandThatIsNoTextDoesNotStopTheUpload) {
  FakeCollector collector(address());
  Agent::Options options;
  options.socket_path = socket_path();
  options.run_id = "run-1";
  options.run.set_command("python caf\xe9.py " + std::string(100'000, 'x'));
  options.collector_target = address();
  std::unique_ptr<Agent> agent = *Agent::Create(std::move(options));
  ASSERT_TRUE(agent->Finish(0, absl::Seconds(5)).ok());
  EXPECT_EQ(collector.requests().back().run().command().substr(0, 16), "python caf\xef\xbf\xbd.py");
  EXPECT_LE(collector.requests().back().run().command().size(), 65'536u);
}

TEST_F(AgentTest, ARequestIsSmallEnoughForACollector) {
  FakeCollector collector(address());
  std::unique_ptr<Agent> agent = MakeAgent();
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(testing::ValidHello());
  ASSERT_TRUE(process.ReceiveWelcome().has_value());
  {
    testing::FakeInjector::Ring ring = process.injector->Claim();
    for (uint32_t i = 1; i <= 50; i++) {
      ring.WriteString(i, std::to_string(i) + std::string(60'000, 'k'));
      ring.Write(testing::Launch(i, 5, shm::kNoCall));
      ring.Write(testing::Kernel(i, i, i * 100, i * 100 + 10));
    }
  }
  process.Disconnect();
  ASSERT_TRUE(agent->Finish(0, absl::Seconds(8)).ok());
  int kernel_count = 0;
  for (const v1::UploadRequest& request : collector.requests()) {
    EXPECT_LT(request.ByteSizeLong(), size_t{2} << 20);
    for (const v1::ProcessProfile& part : request.processes()) {
      EXPECT_TRUE(part.has_key());
      kernel_count += part.kernels_size();
    }
  }
  EXPECT_EQ(kernel_count, 50);
}

TEST_F(AgentTest, WithoutACollectorFinishSaysSoAndEnds) {
  std::unique_ptr<Agent> agent = MakeAgent();
  EXPECT_FALSE(agent->Finish(0, absl::Milliseconds(200)).ok());
}

TEST_F(AgentTest, IsGoneWhenDestroyedWithoutFinish) {
  { std::unique_ptr<Agent> agent = MakeAgent(); }
  FakeProcess process;
  EXPECT_FALSE(process.Connect(socket_path()));
}

}  // namespace
}  // namespace flopsprof::agent
