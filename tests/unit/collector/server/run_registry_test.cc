// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/run_registry.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "collector/store/manifest.h"
#include "collector/store/sqlite.h"
#include "temporary_folder.h"
#include "tests/support/wait_until.h"

namespace flopsprof::server {
namespace {

using store::TemporaryFolder;

// Small: the registry asks for no more.
v1::UploadRequest Request(const std::string& run_id, const std::string& agent, uint64_t sequence,
                          bool last) {
  v1::UploadRequest request;
  request.set_run_id(run_id);
  request.set_agent_id(agent);
  request.set_sequence(sequence);
  request.set_last(last);
  request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  return request;
}

// As IngestService does.
void Store(RunRegistry* runs, const v1::UploadRequest& request) {
  const auto run = runs->Find(request.run_id(), request.run());
  ASSERT_TRUE(run.ok()) << run.status();
  const absl::Status stored = (*run)->Apply(request);
  ASSERT_TRUE(stored.ok()) << stored;
  runs->NoteStored(request.run_id(), request.last());
}

RunRegistry::Options AtOnce() {
  RunRegistry::Options options;
  options.close_after_end = absl::ZeroDuration();
  return options;
}

size_t CountEntries(const std::string& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

bool IsFinished(const std::string& folder) {
  const auto manifest = store::ReadManifest(folder);
  return manifest.ok() && manifest->finished;
}

TEST(RunRegistryTest, ARunIsClosedWhenAllOfItsAgentsHaveEndedAndOpensAgain) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry runs(folder / "root", AtOnce());
  Store(&runs, Request("run-1", "a", 1, false));
  Store(&runs, Request("run-1", "b", 1, true));
  runs.CloseEnded();
  EXPECT_EQ(runs.All().size(), 1u) << "agent a has not ended";
  Store(&runs, Request("run-1", "a", 2, true));
  const std::string path = runs.FolderOf("run-1");
  EXPECT_FALSE(IsFinished(path));
  runs.CloseEnded();
  EXPECT_EQ(runs.All().size(), 0u);
  EXPECT_TRUE(IsFinished(path));
  EXPECT_FALSE(std::filesystem::exists(path + "/profile.db-wal"));

  Store(&runs, Request("run-1", "c", 1, false));
  EXPECT_EQ(runs.All().size(), 1u);
  EXPECT_EQ(runs.FolderOf("run-1"), path);
  EXPECT_FALSE(IsFinished(path));
  runs.CloseEnded();
  EXPECT_EQ(runs.All().size(), 1u);
}

TEST(RunRegistryTest, AnAgentThatWasRefusedIsNotWaitedFor) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry runs(folder / "root", AtOnce());
  Store(&runs, Request("run-1", "a", 1, false));
  Store(&runs, Request("run-1", "b", 1, true));
  ASSERT_TRUE(runs.FindKnown("run-1")->NoteRefusal("a", "node", "why").ok());
  runs.CloseEnded();
  EXPECT_EQ(runs.All().size(), 0u);
}

TEST(RunRegistryTest, AnAgentThatNeverEndsIsWaitedForNoLongerThanTheSilenceThatIsAllowed) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry::Options options = AtOnce();
  options.close_after_silence = absl::Milliseconds(50);
  RunRegistry runs(folder / "root", options);
  Store(&runs, Request("run-1", "a", 1, false));
  absl::SleepFor(absl::Milliseconds(60));
  runs.CloseEnded();
  EXPECT_EQ(runs.All().size(), 0u);
  EXPECT_TRUE(IsFinished(runs.FolderOf("run-1")));
}

TEST(RunRegistryTest, ARunThatSomebodyHasIsNotClosed) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry runs(folder / "root", AtOnce());
  Store(&runs, Request("run-1", "a", 1, true));
  std::shared_ptr<store::RunFolder> held = runs.FindKnown("run-1");
  runs.CloseEnded();
  EXPECT_EQ(runs.All().size(), 1u);
  held.reset();
  runs.CloseEnded();
  EXPECT_EQ(runs.All().size(), 0u);
}

TEST(RunRegistryTest, RunsThatHaveEndedKeepNoFileAndNoThread) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry::Options options = AtOnce();
  options.max_runs = 4;  // open ones
  RunRegistry runs(folder / "root", options);
  const auto one_run = [&runs](int number) {
    Store(&runs, Request(absl::StrCat("run-", number), "a", 1, true));
    runs.CloseEnded();
  };
  std::thread([] {}).join();  // a sanitizer's own thread begins with the first
  const size_t threads = CountEntries("/proc/self/task");
  one_run(0);
  const size_t files = CountEntries("/proc/self/fd");
  for (int number = 1; number < 40; number++) one_run(number);
  EXPECT_EQ(CountEntries("/proc/self/fd"), files);
  // A thread that was joined may be listed a moment longer.
  EXPECT_TRUE(testing::WaitUntil([&] { return CountEntries("/proc/self/task") <= threads; }));
  EXPECT_EQ(CountEntries(folder / "root"), 40u);
}

TEST(RunRegistryTest, TellsOfRunsThatAreNotFinishedAndOfWhatComes) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  std::string open_path;
  {
    RunRegistry runs(folder / "root", AtOnce());
    Store(&runs, Request("ended", "a", 1, true));
    Store(&runs, Request("killed", "a", 1, false));
    runs.CloseEnded();
    open_path = runs.FolderOf("killed");
    std::ofstream(runs.FolderOf("ended") + "/summary.json") << "{}";
    EXPECT_EQ(runs.TakeChanged().size(), 2u);
    EXPECT_TRUE(runs.TakeChanged().empty());
  }
  RunRegistry runs(folder / "root", AtOnce());
  EXPECT_EQ(runs.TakeChanged(), std::set<std::string>{open_path});
  Store(&runs, Request("ended", "b", 1, true));
  EXPECT_EQ(runs.TakeChanged(), std::set<std::string>{runs.FolderOf("ended")});
  runs.CloseEnded();
  EXPECT_EQ(runs.TakeChanged(), std::set<std::string>{runs.FolderOf("ended")}) << "it was closed";
  std::filesystem::remove(runs.FolderOf("ended") + "/summary.json");
  RunRegistry later(folder / "root", AtOnce());
  EXPECT_EQ(later.TakeChanged(), (std::set<std::string>{open_path, later.FolderOf("ended")}))
      << "there are no texts of it";
}

TEST(RunRegistryTest, ARunWhoseFolderWasMovedAwayBeginsAnew) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry runs(folder / "root", AtOnce());
  Store(&runs, Request("run-1", "a", 1, true));
  runs.CloseEnded();
  ASSERT_EQ(runs.All().size(), 0u);
  std::filesystem::rename(runs.FolderOf("run-1"), folder / "moved");
  EXPECT_EQ(runs.FindKnown("run-1"), nullptr) << "a refusal makes no folder";
  Store(&runs, Request("run-1", "a", 2, true));
  EXPECT_TRUE(std::filesystem::exists(runs.FolderOf("run-1")));
  EXPECT_TRUE(std::filesystem::exists(folder / "moved" + "/profile.db"));
}

// Somebody who holds profile.db makes the closing take its time.
TEST(RunRegistryTest, WhoComesWhileARunIsBeingClosedWaitsNoLongerThanItsPatience) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry::Options options = AtOnce();
  options.patience = absl::Milliseconds(20);
  RunRegistry runs(folder / "root", options);
  Store(&runs, Request("run-1", "a", 1, true));
  ASSERT_TRUE(runs.FindKnown("run-1")->Merge().ok());
  auto holder =
      store::Database::Open(runs.FolderOf("run-1") + "/profile.db", SQLITE_OPEN_READWRITE);
  ASSERT_TRUE(holder.ok());
  ASSERT_TRUE(holder->Execute("BEGIN IMMEDIATE").ok());
  Store(&runs, Request("run-1", "a", 2, true));  // the log takes it
  std::atomic<bool> done{false};
  // Not once: a run that Find has just given out is not closed.
  std::thread closer([&runs, &done] {
    while (!done) runs.CloseEnded();
  });
  absl::Status found;
  while (!absl::IsUnavailable(found)) {
    found = runs.Find("run-1", v1::RunInfo()).status();
    std::this_thread::yield();
  }
  done = true;
  ASSERT_TRUE(holder->Execute("ROLLBACK").ok());
  closer.join();
  EXPECT_TRUE(runs.Find("run-1", v1::RunInfo()).ok());
}

TEST(RunRegistryTest, WhatComesWhileARunIsBeingClosedIsStored) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "root");
  RunRegistry runs(folder / "root", AtOnce());
  constexpr uint64_t kRequests = 60;
  constexpr int kAgents = 3;
  std::atomic<int> running{kAgents};
  std::atomic<int> waiting{0};
  std::atomic<bool> was_closed{false};
  std::vector<std::thread> agents;
  Store(&runs, Request("run-1", "first", 1, true));
  for (int agent = 0; agent < kAgents; agent++) {
    agents.emplace_back([&runs, &running, &waiting, &was_closed, agent] {
      // Each says with every request that it was the last one: the run may always be closed.
      for (uint64_t sequence = 1; sequence <= kRequests; sequence++) {
        Store(&runs, Request("run-1", absl::StrCat("agent-", agent), sequence, true));
        if (sequence != kRequests / 2) continue;
        // Once, the run is closed for certain between two requests.
        waiting++;
        while (!was_closed) std::this_thread::yield();
      }
      running--;
    });
  }
  while (running > 0) {
    const bool all_wait = waiting == kAgents;
    runs.CloseEnded();
    if (all_wait && runs.All().empty()) was_closed = true;
  }
  for (std::thread& agent : agents) agent.join();
  runs.CloseEnded();
  ASSERT_EQ(runs.All().size(), 0u);
  auto database =
      store::Database::Open(runs.FolderOf("run-1") + "/profile.db", SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok()) << database.status();
  // Numbers that were left out are missing.
  const auto sum = database->QueryInt("SELECT sum(sequence - missing) FROM agents");
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(*sum, static_cast<int64_t>(kAgents * kRequests + 1));
}

}  // namespace
}  // namespace flopsprof::server
