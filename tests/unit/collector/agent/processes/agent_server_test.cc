// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/processes/agent_server.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/fake_process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace flopsprof::agent {
namespace {

using testing::FakeProcess;
using testing::ValidHello;

class AgentServerTest : public ::testing::Test {
 protected:
  AgentServerTest() {
    AgentServer::Options options;
    options.socket_path = folder_.File("agent/socket");
    options.node = "n1";
    options.segment = {.slot_count = 2, .ring_records = 64};
    options.max_processes = 2;
    options.on_process = [this](NewProcess process) { started_.push_back(std::move(process)); };
    options.on_end = [this](uint64_t id, ProcessEnd end) { ended_[id] = end; };
    absl::StatusOr<std::unique_ptr<AgentServer>> server = AgentServer::Create(options);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = std::move(*server);
  }
  bool PollUntil(const std::function<bool()>& condition) {
    return testing::WaitUntil([&] {
      server_->Poll(absl::ZeroDuration());
      return condition();
    });
  }
  std::string socket_path() const { return folder_.File("agent/socket"); }
  // The answer to what this process sends first.
  std::optional<shm::Welcome> AnswerTo(const void* data, size_t bytes) {
    FakeProcess process;
    EXPECT_TRUE(process.Connect(socket_path()));
    process.Send(data, bytes);
    const uint64_t before = server_->refused_count();
    EXPECT_TRUE(PollUntil([&] { return server_->refused_count() > before; }));
    return process.ReceiveWelcome();
  }

  testing::TempFolder folder_;
  std::vector<NewProcess> started_;
  std::map<uint64_t, ProcessEnd> ended_;
  std::unique_ptr<AgentServer> server_;
};

TEST_F(AgentServerTest, GivesAProcessItsSegment) {
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(ValidHello(1));
  ASSERT_TRUE(PollUntil([&] { return !started_.empty(); }));
  const std::optional<shm::Welcome> welcome = process.ReceiveWelcome();
  ASSERT_TRUE(welcome.has_value());
  EXPECT_EQ(welcome->accepted, 1u);
  EXPECT_EQ(welcome->segment_bytes, shm::SegmentBytes(2, 64));
  EXPECT_EQ(process.injector->header().magic, shm::kSegmentMagic);
  EXPECT_EQ(started_[0].key.node(), "n1");
  EXPECT_EQ(started_[0].key.pid(), ::getpid());
  EXPECT_GT(started_[0].key.start_ticks(), 0u);
  EXPECT_EQ(started_[0].info.rank(), 1);
  EXPECT_EQ(started_[0].info.world_size(), 2);
}

TEST_F(AgentServerTest, BothSidesSeeTheSameMemory) {
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(ValidHello());
  ASSERT_TRUE(PollUntil([&] { return !started_.empty(); }));
  ASSERT_TRUE(process.ReceiveWelcome().has_value());
  process.injector->header().launches.store(77);
  EXPECT_EQ(started_[0].segment.header().launches.load(), 77u);
}

TEST_F(AgentServerTest, TheFolderAndTheSocketAreTheUsersAlone) {
  struct stat info;
  ASSERT_EQ(::stat(folder_.File("agent").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(socket_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(AgentServerTest, RefusesAFolderThatOthersMayEnter) {
  ::chmod(folder_.path().c_str(), 0755);
  AgentServer::Options options;
  options.socket_path = folder_.File("socket");
  EXPECT_EQ(AgentServer::Create(options).status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(AgentServerTest, RefusesWordsThatAreNoHello) {
  const std::optional<shm::Welcome> welcome = AnswerTo("hi", 2);
  ASSERT_TRUE(welcome.has_value());
  EXPECT_EQ(welcome->accepted, 0u);
  EXPECT_STREQ(welcome->reason, "not a hello");
}

TEST_F(AgentServerTest, RefusesALongerHello) {
  char bytes[sizeof(shm::Hello) + 8] = {};
  const shm::Hello hello = ValidHello();
  std::memcpy(bytes, &hello, sizeof hello);
  EXPECT_EQ(AnswerTo(bytes, sizeof bytes)->accepted, 0u);
}

TEST_F(AgentServerTest, RefusesAnotherVersionAndSaysWhich) {
  shm::Hello hello = ValidHello();
  hello.version = 1;
  EXPECT_STREQ(AnswerTo(&hello, sizeof hello)->reason, "version 1, the agent has 3");
}

TEST_F(AgentServerTest, RefusesMoreProcessesThanItMayHave) {
  FakeProcess first, second;
  for (FakeProcess* process : {&first, &second}) {
    ASSERT_TRUE(process->Connect(socket_path()));
    process->SayHello(ValidHello());
  }
  ASSERT_TRUE(PollUntil([&] { return started_.size() == 2; }));
  const shm::Hello hello = ValidHello();
  EXPECT_STREQ(AnswerTo(&hello, sizeof hello)->reason, "too many processes");
}

TEST_F(AgentServerTest, OneImageHasOneKeyAndAnEpochForEachSession) {
  FakeProcess first, second;
  shm::Hello hello = ValidHello();
  hello.image = 5;
  for (FakeProcess* process : {&first, &second}) {
    hello.session++;
    ASSERT_TRUE(process->Connect(socket_path()));
    process->SayHello(hello);
  }
  ASSERT_TRUE(PollUntil([&] { return started_.size() == 2; }));
  EXPECT_EQ(started_[0].key.SerializeAsString(), started_[1].key.SerializeAsString());
  EXPECT_NE(started_[0].epoch.epoch(), started_[1].epoch.epoch());
  EXPECT_EQ(first.ReceiveWelcome()->epoch, started_[0].epoch.epoch());
  EXPECT_EQ(started_[1].epoch.session(), 2u);
}

TEST_F(AgentServerTest, AnEpochHasTheFactsOfItsHello) {
  FakeProcess process;
  shm::Hello hello = ValidHello(3);
  hello.world_size = 8;
  hello.restart = 2;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(hello);
  ASSERT_TRUE(PollUntil([&] { return !started_.empty(); }));
  const v1::EpochRow& epoch = started_[0].epoch;
  EXPECT_EQ(epoch.rank(), 3);
  EXPECT_EQ(epoch.world_size(), 8);
  EXPECT_EQ(epoch.restart(), 2);
  EXPECT_EQ(epoch.session(), 1u);  // one that says none is the first
  EXPECT_NE(epoch.boot(), 0u);
  EXPECT_NE(epoch.begin_mono_ns(), 0u);
}

TEST_F(AgentServerTest, AnotherImageOfAProcessHasAnotherKey) {
  FakeProcess first, second;
  shm::Hello hello = ValidHello();
  for (FakeProcess* process : {&first, &second}) {
    hello.image++;
    ASSERT_TRUE(process->Connect(socket_path()));
    process->SayHello(hello);
  }
  ASSERT_TRUE(PollUntil([&] { return started_.size() == 2; }));
  EXPECT_NE(started_[0].key.image(), started_[1].key.image());
  EXPECT_EQ(started_[0].key.start_ticks(), started_[1].key.start_ticks());
}

TEST(EpochNumbersTest, AgentsCountFromDifferentPlaces) {
  EpochNumbers one, other;
  std::set<uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) {
    numbers.insert(one.Next());
    numbers.insert(other.Next());
  }
  EXPECT_EQ(numbers.size(), 2000u);
  EXPECT_EQ(numbers.count(0), 0u);
}

TEST(EpochNumbersTest, AgentsAgreeAboutImages) {
  EXPECT_EQ(EpochNumbers().ImageOf(7), EpochNumbers().ImageOf(7));
  EXPECT_NE(EpochNumbers().ImageOf(7), EpochNumbers().ImageOf(8));
  EXPECT_EQ(EpochNumbers().ImageOf(0), 0u);
}

TEST_F(AgentServerTest, AProcessThatGoesWithoutHelloIsForgotten) {
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.Disconnect();
  server_->Poll(absl::ZeroDuration());
  server_->Poll(absl::ZeroDuration());
  EXPECT_TRUE(started_.empty());
  EXPECT_TRUE(ended_.empty());
}

TEST_F(AgentServerTest, ASocketThatClosesWhileItsProcessLivesIsLost) {
  FakeProcess process;
  ASSERT_TRUE(process.Connect(socket_path()));
  process.SayHello(ValidHello());
  ASSERT_TRUE(PollUntil([&] { return !started_.empty(); }));
  process.Disconnect();
  ASSERT_TRUE(PollUntil([&] { return !ended_.empty(); }));
  EXPECT_EQ(ended_.begin()->second.state, v1::PROCESS_STATE_LOST);
  EXPECT_EQ(server_->running_count(), 0u);
}

// A child that connects, gets its segment and then does `last`.
pid_t StartProfiledChild(const std::string& socket_path, void (*last)()) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  FakeProcess process;
  const bool ready = process.Connect(socket_path) && process.SayHello(ValidHello()) &&
                     process.ReceiveWelcome().has_value();
  if (!ready) ::_exit(99);
  last();
  ::_exit(98);
}

TEST_F(AgentServerTest, TellsTheExitCodeOfAProcess) {
  const pid_t child = StartProfiledChild(socket_path(), [] { ::_exit(7); });
  ASSERT_TRUE(PollUntil([&] { return !ended_.empty(); }));
  EXPECT_EQ(started_[0].key.pid(), child);
  EXPECT_EQ(ended_[started_[0].id].state, v1::PROCESS_STATE_EXITED);
  EXPECT_EQ(ended_[started_[0].id].exit_code, 7);
  ::waitpid(child, nullptr, 0);
}

TEST_F(AgentServerTest, TellsTheSignalThatKilledAProcess) {
  const pid_t child = StartProfiledChild(socket_path(), [] { ::raise(SIGKILL); });
  ASSERT_TRUE(PollUntil([&] { return !ended_.empty(); }));
  EXPECT_EQ(ended_[started_[0].id].state, v1::PROCESS_STATE_SIGNALLED);
  EXPECT_EQ(ended_[started_[0].id].exit_signal, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(AgentServerTest, AChildThatKeepsTheSocketOpenDoesNotHideTheEnd) {
  const pid_t child = StartProfiledChild(socket_path(), [] {
    if (::fork() == 0) {
      ::alarm(5);
      ::pause();
    }
    ::_exit(7);
  });
  ASSERT_TRUE(PollUntil([&] { return !ended_.empty(); }));
  EXPECT_EQ(ended_[started_[0].id].exit_code, 7);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace flopsprof::agent
