// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Rows in blocks, whose numbers and sums are in memory until they are stored.

#include <absl/strings/str_cat.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "live/block_samples.h"
#include "run_log_fixture.h"
#include "tests/support/wait_until.h"

namespace flopsprof::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RunNumbersTest : public RunLogTest {
 protected:
  // A run whose live rows are stored only when they must be.
  std::unique_ptr<RunFolder> MakeLazy() {
    RunFolder::Options options;
    options.path = path_;
    options.least_save_pause = absl::InfiniteDuration();
    return *RunFolder::Create(options, "run-1", v1::RunInfo());
  }

  std::unique_ptr<RunFolder> MakeLazyAgain() {
    RunFolder::Options options;
    options.least_save_pause = absl::InfiniteDuration();
    return *RunFolder::Open(path_, options);
  }

  static v1::UploadRequest Request(uint64_t sequence, v1::ProcessProfile part) {
    v1::UploadRequest request;
    request.set_run_id("run-1");
    request.set_agent_id("agent");
    request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
    request.set_sequence(sequence);
    part.mutable_key()->set_node("node-a");
    *request.add_processes() = std::move(part);
    return request;
  }

  // Scopes 1 to 3 have the numbers 0 to 2; each gets 10.
  static v1::UploadRequest Defining() {
    v1::ProcessProfile part = DefineTimes(0, 3);
    part.mutable_blocks(0)->set_runs(Runs({0, 3}));
    AddColumn(kActivities, {10, 10, 10}, part.mutable_blocks(0));
    return Request(1, part);
  }
  // The number gets `activities`.
  static v1::UploadRequest Adding(uint64_t sequence, uint32_t number, uint64_t activities) {
    v1::ProcessProfile part;
    part.set_numbering(1);
    v1::RowBlock& block = *part.add_blocks();
    block.set_table(kTimes);
    block.set_runs(Runs({number, 1}));
    AddColumn(kActivities, {activities}, &block);
    return Request(sequence, part);
  }

  // In a process that is killed once all but live rows are in profile.db.
  void KillAfter(const std::vector<v1::UploadRequest>& requests) {
    const pid_t child = fork();
    if (child == 0) {
      const auto run = MakeLazy();
      for (const v1::UploadRequest& request : requests) {
        if (!run->Apply(request).ok()) _exit(1);
      }
      flopsprof::testing::WaitUntil([&] { return Position("merged") == requests.size(); });
      raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(Position("merged"), requests.size());
    ASSERT_EQ(Position("saved"), 0u);
  }
  uint64_t Position(const std::string& column) {
    auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
    return static_cast<uint64_t>(*database->QueryInt("SELECT " + column + " FROM log_position"));
  }

  // By scope.
  std::map<uint32_t, uint64_t> Activities() {
    std::map<uint32_t, uint64_t> activities;
    const model::RunProfile run = Read();
    for (const v1::TimeRow& row : run.processes.at(0).times()) {
      activities[row.scope()] = row.activities();
    }
    return activities;
  }
  using Sums = std::map<uint32_t, uint64_t>;
};

TEST_F(RunNumbersTest, SumsInMemoryAreThereAfterAKill) {
  KillAfter({SampleRequest(1, 1), SampleRequest(2, 2), SampleRequest(2, 2), SampleRequest(3, 3)});
  ExpectAll(Read(), 3);
  {
    const auto run = RunFolder::Open(path_);
    ASSERT_TRUE((*run)->Apply(SampleRequest(4, 4)).ok());
    ExpectAll(Read(), 4);
    ASSERT_TRUE((*run)->Finish().ok());
  }
  ExpectAll(Read(), 4);
  EXPECT_EQ(Position("saved"), 5u);
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM log_left_out"), 0);
}

TEST_F(RunNumbersTest, NumbersAreKnownAfterAKill) {
  KillAfter({Defining(), Adding(2, 1, 5)});
  EXPECT_EQ(Activities(), (Sums{{1, 10}, {2, 15}, {3, 10}}));
  for (uint64_t sequence = 3; sequence < 6; ++sequence) {
    const auto run = RunFolder::Open(path_);
    ASSERT_TRUE((*run)->Apply(Adding(sequence, 2, 100)).ok());
    ASSERT_TRUE((*run)->Merge().ok());
    EXPECT_EQ((*run)->LacksNumbering("agent"), 0u);
  }
  EXPECT_EQ(Activities(), (Sums{{1, 10}, {2, 15}, {3, 310}}));
  EXPECT_EQ(Read().processes[0].loss_size(), 0);
}

// What was refused once is left out when the log is read again.
TEST_F(RunNumbersTest, ARefusedRecordIsRefusedOnce) {
  constexpr uint64_t kLargest = uint64_t{1} << 62;
  KillAfter({Defining(), Adding(2, 0, kLargest), Adding(3, 0, kLargest), Adding(3, 1, 7)});
  for (int i = 0; i < 2; ++i) {
    const model::RunProfile read = Read();
    ASSERT_THAT(read.refused_uploads, SizeIs(1));
    EXPECT_THAT(read.refused_uploads[0], HasSubstr("would overflow"));
    EXPECT_EQ(Activities(), (Sums{{1, kLargest + 10}, {2, 17}, {3, 10}}));
    ASSERT_TRUE((*RunFolder::Open(path_))->Finish().ok());
  }
}

// The run's folder was lost, or a part of its log.
TEST_F(RunNumbersTest, RowsOfUnknownNumbersAreCountedAndTheAgentIsAsked) {
  const auto run = MakeLazy();
  ASSERT_TRUE(run->Apply(Adding(2, 1, 5)).ok());
  ASSERT_TRUE(run->Apply(Adding(3, 2, 5)).ok());
  EXPECT_EQ(Read().processes[0].loss().at("rows_undefined"), 2u);
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_EQ(run->LacksNumbering("agent"), 1u);
  EXPECT_EQ(run->LacksNumbering("another"), 0u);
  v1::UploadRequest anew = Defining();
  anew.set_sequence(4);
  anew.mutable_processes(0)->set_numbering(2);
  ASSERT_TRUE(run->Apply(anew).ok());
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_EQ(run->LacksNumbering("agent"), 1u);  // which the agent does not use any more
  ASSERT_TRUE(run->Finish().ok());
  EXPECT_EQ(Activities(), (Sums{{1, 10}, {2, 10}, {3, 10}}));
  EXPECT_EQ(Read().processes[0].loss().at("rows_undefined"), 2u);
}

// An agent looks once a period: what one of its processes lacks is said until then, whatever the
// others have.
TEST_F(RunNumbersTest, WhatAProcessLacksIsSaidWhateverAnotherHas) {
  const auto run = MakeLazy();
  ASSERT_TRUE(run->Apply(Adding(1, 1, 5)).ok());
  ASSERT_TRUE(run->Merge().ok());
  v1::UploadRequest other = Defining();
  other.set_sequence(2);
  other.mutable_processes(0)->mutable_key()->set_node("node-b");
  ASSERT_TRUE(run->Apply(other).ok());
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_EQ(run->LacksNumbering("agent"), 1u);
}

// A reader opens database and log one after the other, while the collector goes on with both.
TEST_F(RunNumbersTest, AReaderOfARunThatIsWrittenNamesNoLoss) {
  const auto run = Make();
  ASSERT_TRUE(run->Apply(Defining()).ok());
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> applied{1};
  std::thread writer([&] {
    for (uint64_t sequence = 2; !stop; ++sequence) {
      EXPECT_TRUE(run->Apply(Adding(sequence, 0, 1)).ok());
      applied = sequence;
    }
  });
  for (int i = 0; i < 100; ++i) {
    const uint64_t least = applied;
    const model::RunProfile read = Read();
    EXPECT_THAT(read.log_damage, IsEmpty());
    EXPECT_THAT(read.problems, IsEmpty());
    ASSERT_THAT(read.processes, SizeIs(1));
    for (const v1::TimeRow& row : read.processes[0].times()) {
      if (row.scope() != 1) continue;
      EXPECT_GE(row.activities(), 10 + least - 1);
    }
  }
  stop = true;
  writer.join();
}

// Live rows that were not stored are lost with the log: somebody must say so.
TEST_F(RunNumbersTest, LiveRowsThatAreLostWithTheLogAreNamed) {
  KillAfter({Defining(), Adding(2, 1, 5)});
  const std::string copy = folder_ / "copy.db";
  Change("VACUUM INTO '" + copy + "'");
  EXPECT_THAT(ReadRun(copy)->problems, ElementsAre(HasSubstr("2 updates")));
  std::filesystem::resize_file(Segment(1), std::filesystem::file_size(Segment(1)) - 1);
  EXPECT_THAT(Read().log_damage, SizeIs(1));
  EXPECT_EQ(Read().lost_uploads, 1u);
  EXPECT_EQ(Activities(), (Sums{{1, 10}, {2, 10}, {3, 10}}));
  std::filesystem::remove(Segment(1));
  EXPECT_THAT(Read().problems, ElementsAre(HasSubstr("2 updates")));
  ASSERT_TRUE((*RunFolder::Open(path_))->Finish().ok());
  EXPECT_THAT(Read().problems, IsEmpty());
  EXPECT_EQ(Read().lost_uploads, 2u);
}

// What is stored of a process does not fit together: the others go on, and what comes of it is
// counted.
TEST_F(RunNumbersTest, ADamagedProcessIsSetAsideAndTheOthersGoOn) {
  const auto of_b = [](v1::UploadRequest request) {
    request.mutable_processes(0)->mutable_key()->set_node("node-b");
    return request;
  };
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(Defining()).ok());
    v1::UploadRequest defining = of_b(Defining());
    defining.set_sequence(2);
    ASSERT_TRUE(run->Apply(defining).ok());
    ASSERT_TRUE(run->Merge().ok());
  }
  Change("DELETE FROM times WHERE process_id=1 AND place=1");
  for (uint64_t round = 0; round < 2; ++round) {
    const auto run = *RunFolder::Open(path_);
    ASSERT_TRUE(run->Apply(Adding(3 + 2 * round, 0, 5)).ok());
    ASSERT_TRUE(run->Apply(of_b(Adding(4 + 2 * round, 2, 7))).ok());
    const absl::Status merged = run->Merge();
    ASSERT_TRUE(merged.ok()) << merged;
    EXPECT_EQ(run->LacksNumbering("agent"), 0u);
    const model::RunProfile read = Read();
    ASSERT_THAT(read.processes, SizeIs(2));
    EXPECT_THAT(read.log_damage, ElementsAre(AllOf(HasSubstr("process 0 of node-a"),
                                                   HasSubstr("rows of times are missing"))));
    EXPECT_EQ(read.processes[0].loss().at("rows_set_aside"), round + 1);
    EXPECT_EQ(read.processes[1].loss_size(), 0);
    EXPECT_EQ(read.processes[1].times(2).activities(), 10 + 7 * (round + 1));
  }
}

// Bytes that mean no numbers: the rows are whole, and the agent says anew what its numbers mean.
TEST_F(RunNumbersTest, NumbersThatAreDamagedAreDefinedAnew) {
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(Defining()).ok());
    ASSERT_TRUE(run->Merge().ok());
  }
  Change("UPDATE numberings SET rows=x'ff'");
  const auto run = *RunFolder::Open(path_);
  ASSERT_TRUE(run->Apply(Adding(2, 0, 5)).ok());
  const absl::Status merged = run->Merge();
  ASSERT_TRUE(merged.ok()) << merged;
  EXPECT_EQ(run->LacksNumbering("agent"), 1u);
  v1::UploadRequest anew = Defining();
  anew.set_sequence(3);
  anew.mutable_processes(0)->set_numbering(2);
  ASSERT_TRUE(run->Apply(anew).ok());
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_EQ(Activities(), (Sums{{1, 20}, {2, 20}, {3, 20}}));
  EXPECT_EQ(Read().processes[0].loss().at("rows_undefined"), 1u);
  EXPECT_THAT(Read().log_damage, ElementsAre(HasSubstr("process 0 of node-a")));
}

// The first page of a table is overwritten: what would go into it is counted, the rest is stored.
TEST_F(RunNumbersTest, ADamagedTableStopsNoOther) {
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(Defining()).ok());
    ASSERT_TRUE(run->Finish().ok());
  }
  Overwrite("times");
  const auto run = *RunFolder::Open(path_);
  ASSERT_TRUE(run->Apply(Adding(2, 0, 5)).ok());
  v1::UploadRequest fresh = Defining();  // of a process that nothing is stored of
  fresh.set_sequence(3);
  fresh.mutable_processes(0)->mutable_key()->set_node("node-b");
  ASSERT_TRUE(run->Apply(fresh).ok());
  v1::UploadRequest other = SampleRequest(4, 7);
  other.mutable_processes(0)->clear_times();
  ASSERT_TRUE(run->Apply(other).ok());
  const absl::Status merged = run->Merge();
  ASSERT_TRUE(merged.ok()) << merged;
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM log_damage"), 2);
  EXPECT_EQ(*database->QueryInt("SELECT sum(calls) FROM calls"), 7);
  EXPECT_EQ(*database->QueryInt("SELECT count FROM losses WHERE name='rows_set_aside' AND "
                                "process_id=1"),
            1);
  EXPECT_EQ(*database->QueryInt("SELECT count FROM losses WHERE name='rows_set_aside' AND "
                                "process_id=2"),
            3);
}

// Whoever can send chooses the names of losses. What the store counts itself is the store's.
TEST_F(RunNumbersTest, ALossOfThatNameSetsNoProcessAside) {
  for (uint64_t round = 0; round < 2; ++round) {
    const auto run = round == 0 ? Make() : *RunFolder::Open(path_);
    v1::UploadRequest request = round == 0 ? Defining() : Adding(2, 0, 5);
    v1::ProcessProfile& process = *request.mutable_processes(0);
    for (const char* name : {"rows_set_aside", "rows_undefined"}) {
      (*process.mutable_loss())[name] = 3;
      (*process.mutable_agent_loss())[name] = 4;
    }
    (*process.mutable_loss())["ring_full"] = 1;
    ASSERT_TRUE(run->Apply(request).ok());
    ASSERT_TRUE(run->Merge().ok());
  }
  EXPECT_EQ(Activities(), (Sums{{1, 15}, {2, 10}, {3, 10}}));
  EXPECT_EQ(Read().processes[0].loss_size(), 1);
}

// Two processes of a request have a key, of which the second is found damaged.
TEST_F(RunNumbersTest, AKeyStaysThatAProcessOfTheSameRequestGivesBack) {
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(Defining()).ok());
    ASSERT_TRUE(run->Merge().ok());
  }
  Change("DELETE FROM times WHERE process_id=1 AND place=1");
  const auto run = *RunFolder::Open(path_);
  const auto of_b = [](v1::ProcessProfile* process, uint32_t scope) {
    process->mutable_key()->set_node("node-b");
    v1::TimeRow& row = *process->add_times();
    row.set_scope(scope);
    row.set_activities(scope);
  };
  v1::UploadRequest both;
  both.set_run_id("run-1");
  both.set_agent_id("agent");
  both.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  both.set_sequence(2);
  of_b(both.add_processes(), 1);
  *both.add_processes() = Adding(2, 0, 5).processes(0);
  ASSERT_TRUE(run->Apply(both).ok());
  both.clear_processes();
  both.set_sequence(3);
  of_b(both.add_processes(), 2);
  ASSERT_TRUE(run->Apply(both).ok());
  const absl::Status merged = run->Merge();
  ASSERT_TRUE(merged.ok()) << merged;
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  for (const char* scope : {"1", "2"}) {
    EXPECT_EQ(database
                  ->QueryInt(absl::StrCat(
                      "SELECT activities FROM times WHERE process_id=2 AND scope=", scope))
                  .value_or(-1),
              *scope - '0');
  }
}

// A collector is behind: who reads meets the damage itself, and merges what of the log it can.
TEST_F(RunNumbersTest, AReaderOfADamagedPageHasTheRestOfTheLog) {
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(Defining()).ok());
    ASSERT_TRUE(run->Finish().ok());
  }
  Overwrite("numberings");
  const auto run = *RunFolder::Open(path_);
  HoldDatabase();
  ASSERT_TRUE(run->Apply(Adding(2, 0, 5)).ok());
  ASSERT_TRUE(run->Apply(SampleRequest(3, 7)).ok());
  for (const bool is_held : {true, false}) {
    if (!is_held) {
      holder_.reset();
      const absl::Status merged = run->Merge();
      ASSERT_TRUE(merged.ok()) << merged;
    }
    const model::RunProfile read = Read();
    EXPECT_THAT(read.problems, IsEmpty());
    EXPECT_THAT(read.log_damage, ElementsAre(HasSubstr("process 0 of node-a")));
    ASSERT_THAT(read.processes, SizeIs(2));
    EXPECT_EQ(read.processes[0].loss().at("rows_set_aside"), 1u);
    EXPECT_EQ(read.processes[0].times(0).activities(), 10u);
    EXPECT_EQ(read.processes[1].calls_size(), 1);
  }
}

// More than are set aside without a pause.
TEST_F(RunNumbersTest, ManyDamagedProcessesAreAllSetAside) {
  const auto run = Make();
  Change("CREATE TRIGGER damage BEFORE INSERT ON times BEGIN SELECT RAISE(ABORT, 'no'); END");
  for (uint64_t sequence = 1; sequence <= 250; ++sequence) {
    v1::UploadRequest request = SampleRequest(sequence, 7);
    v1::ProcessProfile& process = *request.mutable_processes(0);
    process.mutable_key()->set_pid(static_cast<int64_t>(sequence));
    if (sequence % 5 == 0) process.clear_times();
    ASSERT_TRUE(run->Apply(request).ok());
  }
  const absl::Status merged = run->Merge();
  ASSERT_TRUE(merged.ok()) << merged;
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM calls"), 50);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM log_damage"), 200);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM losses WHERE name='rows_set_aside'"), 200);
  EXPECT_EQ(*database->QueryInt("SELECT count(DISTINCT count) FROM losses WHERE "
                                "name='rows_set_aside'"),
            1);
}

// A transaction that fails leaves memory ahead of profile.db.
TEST_F(RunNumbersTest, WhatCannotBeStoredIsAddedOnce) {
  const auto run = MakeLazy();
  ASSERT_TRUE(run->Apply(Defining()).ok());
  ASSERT_TRUE(run->Merge().ok());
  HoldDatabase();
  ASSERT_TRUE(run->Apply(Adding(2, 0, 5)).ok());
  ASSERT_FALSE(run->Merge().ok());
  holder_.reset();
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_EQ(Activities(), (Sums{{1, 15}, {2, 10}, {3, 10}}));
}

// Also those that all processes share.
TEST_F(RunNumbersTest, AReportHasTheOtherTablesAndNamesTheDamagedOnes) {
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
    ASSERT_TRUE(run->Finish().ok());
  }
  for (const char* table : {"scopes", "times", "losses", "agents"}) Overwrite(table);
  const model::RunProfile run = Read();
  ASSERT_THAT(run.processes, SizeIs(1));
  EXPECT_EQ(run.processes[0].calls(0).calls(), 5u);
  EXPECT_THAT(run.processes[0].scopes(), IsEmpty());
  EXPECT_THAT(run.problems, ElementsAre(HasSubstr("the table agents of"), HasSubstr("losses"),
                                        HasSubstr("scopes"), HasSubstr("times")));
  EXPECT_FALSE(run.state.has_value());
}

// None of the pages of its processes, but one of a table of all.
TEST_F(RunNumbersTest, AProfileDbThatTakesNothingIsGivenUpAndHoldsNobodyBack) {
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
    ASSERT_TRUE(run->Finish().ok());
  }
  Overwrite("live_processes");
  RunFolder::Options options;
  options.most_bytes_ahead = 1;
  const auto run = *RunFolder::Open(path_, options);
  for (uint64_t n = 2; n <= 6; ++n) ASSERT_TRUE(run->Apply(SampleRequest(n, 7)).ok()) << n;
  EXPECT_TRUE(absl::IsDataLoss(run->Merge()));
  EXPECT_TRUE(run->Finish().ok());
  const model::RunProfile read = Read();
  ASSERT_THAT(read.processes, SizeIs(1));
  EXPECT_EQ(read.processes[0].calls(0).calls(), 5u);
  EXPECT_THAT(read.problems, ElementsAre(HasSubstr("only in its log are missing")));
}

// What agents with one id send, as their copies and recordings do.
class CopiedAgentTest : public RunNumbersTest {
 protected:
  static v1::UploadRequest Marked(v1::UploadRequest request, uint64_t mark, uint64_t previous) {
    request.set_mark(mark);
    request.set_previous_mark(previous);
    return request;
  }
  static v1::UploadRequest Plain(uint64_t sequence, uint64_t mark, uint64_t previous) {
    v1::UploadRequest request = Marked(SampleRequest(sequence, mark), mark, previous);
    request.set_peer("uid:1000");
    return request;
  }
  // Takes it: "new", "known" or "left out", and of which copy.
  std::string Take(const v1::UploadRequest& request) {
    const int64_t before = Query("SELECT coalesce(sum(left_out), 0) FROM agents");
    const auto taken = *writer_.NoteUpload(request, 1);
    const bool left_out = Query("SELECT sum(left_out) FROM agents") > before;
    return absl::StrCat(taken.is_new ? "new " : left_out ? "left out " : "known ", taken.copy);
  }
  int64_t Query(const std::string& sql) { return *memory_.QueryInt(sql); }

  Database memory_ = *Database::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const absl::Status made_ = memory_.Execute(SchemaSql());
  ProfileWriter writer_{&memory_};
};

// The second agent has been copied from the first behind its first request.
TEST_F(CopiedAgentTest, BothAreTakenAndEachOnce) {
  EXPECT_EQ(Take(Plain(1, 11, 0)), "new 1");
  EXPECT_EQ(Take(Plain(2, 12, 11)), "new 1");
  EXPECT_EQ(Take(Plain(2, 22, 11)), "new 2");
  EXPECT_EQ(Take(Plain(3, 23, 22)), "new 2");
  EXPECT_EQ(Take(Plain(3, 13, 12)), "new 1");
  for (const auto& [sequence, mark] : {std::pair{1, 11}, {2, 12}, {3, 13}}) {
    EXPECT_EQ(Take(Plain(static_cast<uint64_t>(sequence), static_cast<uint64_t>(mark), 0)),
              "known 1");
  }
  EXPECT_EQ(Take(Plain(3, 23, 22)), "known 2");
  EXPECT_EQ(Query("SELECT sum(missing) FROM agents"), 0);
}

TEST_F(CopiedAgentTest, AnotherBeginningIsAnotherAgent) {
  EXPECT_EQ(Take(Plain(1, 11, 0)), "new 1");
  EXPECT_EQ(Take(Plain(1, 21, 0)), "new 2");
  EXPECT_EQ(Take(Plain(2, 22, 21)), "new 2");
  EXPECT_EQ(Take(Plain(2, 12, 11)), "new 1");
}

// Who knows the id alone puts itself between nobody's requests.
TEST_F(CopiedAgentTest, ANumberFarAheadStopsNotTheAgentThatHasTheId) {
  EXPECT_EQ(Take(Plain(1, 11, 0)), "new 1");
  EXPECT_EQ(Take(Plain(1000, 99, 98)), "new 1");
  EXPECT_EQ(Take(Plain(2, 12, 11)), "new 2");
  EXPECT_EQ(Take(Plain(3, 13, 12)), "new 2");
  EXPECT_EQ(Query("SELECT missing FROM agents WHERE copy=1"), 998);
  v1::UploadRequest other = Plain(2000, 199, 198);
  other.set_peer("uid:1001");
  EXPECT_EQ(Take(other), "new 3");
}

// 256 marks are kept, and the first one.
TEST_F(CopiedAgentTest, WhatWasTakenLongAgoIsLeftOutAndCounted) {
  for (uint64_t n = 1; n <= 300; ++n) Take(Plain(n, 1000 + n, n == 1 ? 0 : 999 + n));
  EXPECT_EQ(Take(Plain(1, 1001, 0)), "known 1");
  EXPECT_EQ(Take(Plain(2, 1002, 1001)), "left out 1");
  EXPECT_EQ(Take(Plain(45, 1045, 1044)), "known 1");
  EXPECT_EQ(Query("SELECT sequence FROM agents"), 300);
}

TEST_F(CopiedAgentTest, ManyCopiesAreBounded) {
  for (uint64_t n = 1; n <= 64; ++n) EXPECT_EQ(Take(Plain(1, n, 0)), absl::StrCat("new ", n));
  EXPECT_EQ(Take(Plain(1, 99, 0)), "left out 1");
}

TEST_F(CopiedAgentTest, RequestsWithoutMarksAreTakenByTheirNumbers) {
  EXPECT_EQ(Take(Plain(1, 0, 0)), "new 1");
  EXPECT_EQ(Take(Plain(2, 0, 0)), "new 1");
  EXPECT_EQ(Take(Plain(1, 0, 0)), "known 1");
  EXPECT_EQ(Take(Plain(4, 0, 0)), "new 1");
  EXPECT_EQ(Query("SELECT missing FROM agents"), 1);
}

// By hand: what the copy says of number 1 before it has defined it is not guessed. The first two
// were stored by a collector that was killed.
TEST_F(CopiedAgentTest, NumbersOfACopyAreItsOwn) {
  KillAfter({Marked(Defining(), 11, 0), Marked(Adding(2, 0, 5), 12, 11),
             Marked(Adding(2, 1, 7), 22, 11)});
  const auto run = MakeLazyAgain();
  ASSERT_TRUE(run->Apply(Marked(Adding(3, 1, 7), 23, 22)).ok());
  ASSERT_TRUE(run->Apply(Marked(Adding(3, 0, 5), 13, 12)).ok());
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_EQ(run->LacksNumbering("agent"), 1u);
  v1::UploadRequest anew = Defining();
  anew.mutable_processes(0)->set_numbering(2);
  anew.set_sequence(4);
  ASSERT_TRUE(run->Apply(Marked(anew, 24, 23)).ok());
  EXPECT_EQ(Activities(), (Sums{{1, 10 + 5 + 5 + 10}, {2, 10 + 10}, {3, 10 + 10}}));
  const model::RunProfile read = Read();
  ASSERT_THAT(read.agents, SizeIs(2));
  EXPECT_EQ(read.agents[1].copy, 2);
  EXPECT_EQ(read.agents[1].id, "agent");
  EXPECT_EQ(read.agents[0].missing + read.agents[1].missing, 0u);
  EXPECT_EQ(read.processes[0].loss().at("rows_undefined"), 2u);
}

}  // namespace
}  // namespace flopsprof::store
