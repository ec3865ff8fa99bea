// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live_rows.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "collector/store/log/log_writer.h"
#include "collector/store/log_merge.h"
#include "collector/store/schema.h"
#include "live/block_samples.h"
#include "sample_request.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

class LiveRowsTest : public ::testing::Test {
 protected:
  LiveRowsTest() {
    EXPECT_TRUE(database_.Execute(SchemaSql()).ok());
    EXPECT_TRUE(database_.Execute("INSERT INTO processes VALUES(1,'n',1,1,1),(2,'n',2,1,1)").ok());
  }

  void Add(int64_t id, const v1::ProcessProfile& part) {
    PreparedPart more;
    LiveProcess* process = *live_.Get(id);
    ASSERT_TRUE(process->Prepare(part, "agent", live_.keys(), &more).ok());
    process->Apply(more, &live_.keys()->table);
    process->applied = ++record_;
    live_.NoteChanged(id);
  }
  // Stores everything; lets go of what is more than `most_bytes`.
  void SaveAll(size_t most_bytes) {
    live_.BeginPass(record_, 0);
    while (!*live_.SaveSome(absl::ZeroDuration())) {
    }
    EXPECT_TRUE(live_.Committed(most_bytes).has_value());
  }
  int64_t Query(const std::string& sql) { return *database_.QueryInt(sql); }

  Database database_ = *Database::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  LiveRows live_{&database_};
  uint64_t record_ = 0;
};

// A process that was let go of goes on where it was: its rows, and what its numbers mean.
TEST_F(LiveRowsTest, WhatWasLetGoOfComesBack) {
  for (int round = 0; round < 3; ++round) {
    Add(1, SampleRequest(1, 7).processes(0));
    if (round == 0) Add(2, DefineTimes(0, 3));
    v1::ProcessProfile part;
    part.set_numbering(1);
    v1::RowBlock& block = *part.add_blocks();
    block.set_table(kTimes);
    block.set_runs(Runs({1, 2}));
    AddColumn(kActivities, {5, 6}, &block);
    Add(2, part);
    const size_t before = live_.bytes();
    SaveAll(0);
    EXPECT_LT(live_.bytes(), before / 4);
  }
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls"), 21);
  EXPECT_EQ(Query("SELECT sum(flops_high) FROM calls"), 55);  // 3 * 2^64, above 3 * 18 * 10^18
  EXPECT_EQ(Query("SELECT count(*) FROM calls"), 1);
  EXPECT_EQ(Query("SELECT activities FROM times WHERE process_id=2 AND scope=2"), 15);
  EXPECT_EQ(Query("SELECT activities FROM times WHERE process_id=2 AND scope=3"), 18);
  EXPECT_EQ(Query("SELECT activities FROM times WHERE process_id=2 AND scope=1"), 0);
  EXPECT_EQ(Query("SELECT count(*) FROM losses"), 0);
}

// Each process has keys of its own. Two more go on for ever: one of them is always ahead of the
// database.
TEST_F(LiveRowsTest, KeysOfProcessesThatAreGoneAreForgotten) {
  constexpr size_t kMost = 64 << 10;
  size_t most = 0;
  for (int64_t id = 3; id < 10'003; ++id) {
    v1::ProcessProfile part;
    v1::KernelRow& kernel = *part.add_kernels();
    kernel.set_name(absl::StrCat(std::string(200, 'k'), id));
    kernel.set_count(1);
    Add(id, part);
    live_.BeginPass(record_, 0);
    Add(1 + id % 2, SampleRequest(1, 7).processes(0));
    while (!*live_.SaveSome(absl::InfiniteDuration())) {
    }
    EXPECT_TRUE(live_.Committed(kMost).has_value());
    most = std::max(most, live_.bytes());
  }
  EXPECT_LT(most, kMost + (4 << 10));
  EXPECT_EQ(Query("SELECT count(DISTINCT name) FROM kernels"), 10'001);
}

// Keys of what is refused, and of rows that others have too.
TEST_F(LiveRowsTest, KeysAreKeptAsLongAsARowHasThem) {
  const v1::ProcessProfile part = SampleRequest(1, 7).processes(0);
  Add(1, part);
  Add(2, part);
  SaveAll(SIZE_MAX);
  const size_t before = live_.keys()->table.bytes();
  v1::ProcessProfile refused;
  for (int i = 0; i < 100; ++i) {
    v1::TimeRow& time = *refused.add_times();
    time.set_scope(1000 + i);
    time.set_activities(uint64_t{1} << (i < 99 ? 1 : 63));
  }
  PreparedPart more;
  EXPECT_FALSE((*live_.Get(1))->Prepare(refused, "agent", live_.keys(), &more).ok());
  EXPECT_GT(live_.keys()->table.bytes(), before);
  Add(2, part);  // the newer one
  const size_t both = live_.bytes();
  live_.Committed(SIZE_MAX);
  EXPECT_LT(live_.bytes(), both);
  SaveAll(live_.bytes() - 1);  // the first is let go of
  Add(2, part);
  Add(1, part);
  SaveAll(SIZE_MAX);
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls WHERE process_id=1"), 14);
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls WHERE process_id=2"), 21);
}

// A reader in another thread has them as they were: also of a process that something comes of, and
// of one that is let go of, with its keys.
TEST_F(LiveRowsTest, WhatIsFrozenStaysAsItIs) {
  const size_t calls = FindBlockTable(v1::ProcessProfile::kCallsFieldNumber);
  Add(1, SampleRequest(1, 7).processes(0));
  Add(2, SampleRequest(1, 5).processes(0));
  LiveRows::Frozen frozen = live_.Freeze();
  const LiveProcess& first = *frozen.processes.at(1);
  const LiveProcess& second = *frozen.processes.at(2);
  const std::string key = *frozen.keys.at(static_cast<size_t>(second.table(calls).key(0)));
  Add(1, SampleRequest(2, 7).processes(0));
  EXPECT_EQ((*live_.Get(1))->table(calls).value(0, 0), 14u);
  EXPECT_EQ(first.table(calls).value(0, 0), 7u);
  SaveAll(0);  // lets go of both
  live_.Committed(0);
  Add(3, DefineTimes(0, 3));  // its keys take no place of others
  EXPECT_EQ(second.table(calls).value(0, 0), 5u);
  EXPECT_EQ(*frozen.keys.at(static_cast<size_t>(second.table(calls).key(0))), key);
  const size_t before = live_.keys()->table.bytes();
  live_.Thaw(std::move(frozen));
  live_.Committed(0);
  EXPECT_LT(live_.keys()->table.bytes(), before);
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls"), 19);
}

TEST_F(LiveRowsTest, AProcessThatIsNotStoredIsKept) {
  Add(1, SampleRequest(1, 7).processes(0));
  live_.Committed(0);
  SaveAll(SIZE_MAX);
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls"), 7);
  EXPECT_EQ(Query("SELECT saved FROM log_position"), 1);
}

// What a transaction has not stored is stored by the next one.
TEST_F(LiveRowsTest, AfterARollbackAllIsStoredAgain) {
  Add(1, SampleRequest(1, 7).processes(0));
  SaveAll(SIZE_MAX);
  Add(1, SampleRequest(2, 7).processes(0));
  ASSERT_TRUE(database_.Execute("BEGIN").ok());
  live_.BeginPass(record_, 0);
  EXPECT_TRUE(*live_.SaveSome(absl::InfiniteDuration()));
  ASSERT_TRUE(database_.Execute("ROLLBACK").ok());
  live_.RolledBack();
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls"), 7);
  SaveAll(SIZE_MAX);
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls"), 14);
}

// However often it fails: a disk may be full for days.
TEST_F(LiveRowsTest, AProcessIsGoneWithTheTransactionThatHadMadeIt) {
  size_t first = 0;
  for (int i = 0; i < 1000; ++i) {
    live_.NoteBorn(1);
    Add(1, SampleRequest(1, 7).processes(0));
    live_.RolledBack();
    if (i == 0) first = live_.bytes();
  }
  EXPECT_EQ(live_.bytes(), first);
  Add(1, SampleRequest(1, 3).processes(0));
  SaveAll(SIZE_MAX);
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls"), 3);
}

// New processes come for ever: the one that is set aside, and they, are stored nevertheless.
TEST_F(LiveRowsTest, AfterDamageProcessesThatAreMadeDelayNoPass) {
  TemporaryFolder folder;
  LogWriter::Options options;
  options.folder = folder / "log";
  const auto log = *LogWriter::Open(options);
  for (int i = 1; i <= 40; ++i) {
    v1::UploadRequest request = SampleRequest(static_cast<uint64_t>(i), 1);
    request.mutable_processes(0)->mutable_key()->set_pid(i);
    if (i > 1) request.mutable_processes(0)->clear_times();
    ASSERT_TRUE(log->Append(request.SerializeAsString(), 1).ok());
  }
  ASSERT_TRUE(database_
                  .Execute("CREATE TRIGGER damage BEFORE INSERT ON times BEGIN SELECT "
                           "RAISE(ABORT, 'no'); END")
                  .ok());
  ProfileWriter writer(&database_);
  LogMerge merge("run-1", &database_, &writer, MergedTo());
  std::optional<LogReader> reader;
  int set_aside = 0;
  for (int i = 0; i < 20; ++i) {
    if (!reader) reader.emplace(*LogSegments::Open(options.folder), merge.read(), 0);
    const auto more = merge.Some(&*reader, absl::ZeroDuration(), absl::InfiniteDuration());
    if (more.ok()) continue;
    ASSERT_TRUE(absl::IsCancelled(more.status())) << more.status();
    reader.reset();
    ++set_aside;
  }
  EXPECT_EQ(set_aside, 2);  // with what it was made in, and apart
  EXPECT_LT(merge.read(), 40u);
  EXPECT_GT(merge.saved(), 5u);
}

// Memory is ahead of a database whose transaction has failed: the record comes again.
TEST_F(LiveRowsTest, WhatComesAgainAfterAFailedCommitIsAddedOnce) {
  TemporaryFolder folder;
  LogWriter::Options options;
  options.folder = folder / "log";
  const auto log = *LogWriter::Open(options);
  ProfileWriter writer(&database_);
  LogMerge merge("run-1", &database_, &writer, MergedTo());
  const auto take = [&](uint64_t sequence) {
    LogReader reader(*LogSegments::Open(options.folder), merge.read(), 0);
    EXPECT_EQ(merge.read(), sequence - 1);
    return merge.Some(&reader, absl::InfiniteDuration(), std::nullopt).ok();
  };
  for (uint64_t sequence = 1; sequence <= 3; ++sequence) {
    ASSERT_TRUE(log->Append(SampleRequest(sequence, sequence).SerializeAsString(), 1).ok());
    sqlite3_commit_hook(
        database_.handle(), [](void*) { return 1; }, nullptr);
    EXPECT_FALSE(take(sequence));
    sqlite3_commit_hook(database_.handle(), nullptr, nullptr);
    EXPECT_TRUE(take(sequence));
  }
  LogReader rest(*LogSegments::Open(options.folder), merge.read(), 0);
  ASSERT_TRUE(merge.Some(&rest, absl::InfiniteDuration(), absl::InfiniteDuration()).ok());
  EXPECT_EQ(Query("SELECT sum(calls) FROM calls"), 6);
  EXPECT_EQ(Query("SELECT sum(calls) FROM scope_calls"), 6);
  EXPECT_EQ(Query("SELECT sum(replays) FROM graphs"), 6);
}

}  // namespace
}  // namespace flopsprof::store
