// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What is left of a run whose log or profile.db is damaged, gone, or somebody else's.

#include <sys/stat.h>

#include <filesystem>

#include "run_log_fixture.h"

namespace flopsprof::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(RunLogTest, DamageIsCountedAndNamedAndTheRestIsKept) {
  LeaveATail(3, 8);
  std::string bytes = ReadFile(Segment(1));
  bytes[bytes.size() * 6 / 8] ^= 1;  // in the sixth or seventh of eight alike
  WriteFile(Segment(1), bytes);
  const model::RunProfile read = Read();
  ASSERT_THAT(read.agents, SizeIs(1));
  EXPECT_EQ(read.agents[0].missing, 1u);
  EXPECT_EQ(read.agents[0].newest_sequence, 8u);
  EXPECT_EQ(read.lost_uploads, 1u);
  ASSERT_THAT(read.log_damage, SizeIs(1));
  EXPECT_THAT(read.log_damage[0], HasSubstr("log/00000001.flog"));
  EXPECT_EQ(read.processes[0].info().activities(), 8u);
  // Once more after it was merged, and once.
  ASSERT_TRUE((*RunFolder::Open(path_))->Finish().ok());
  EXPECT_EQ(Read().lost_uploads, 1u);
  EXPECT_EQ(Read().log_damage, read.log_damage);
  EXPECT_EQ(Read().agents[0].missing, 1u);
}

TEST_F(RunLogTest, AnUploadThatIsNoneDoesNotStopTheOthers) {
  const auto run = Make();
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  ASSERT_TRUE(run->Finish().ok());
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  const auto id = static_cast<uint64_t>(*database->QueryInt("SELECT log_id FROM log_position"));
  std::string bytes = EncodeSegmentHeader({id, 2});
  AppendFrame(id, 2, 1, Compress("\xff no upload"), &bytes);
  AppendFrame(id, 3, 1, Compress(SampleRequest(2, 2).SerializeAsString()), &bytes);
  WriteFile(Segment(7), bytes);
  ASSERT_THAT(Read().refused_uploads, SizeIs(1));
  EXPECT_THAT(Read().refused_uploads[0], HasSubstr("no upload of flopsprof"));
  EXPECT_THAT(Read().log_damage, IsEmpty());
  EXPECT_EQ(Read().processes[0].info().activities(), 2u);
}

// As the blocks of an older version are: their bytes mean something else.
TEST_F(RunLogTest, AnUploadOfAnOlderFormatIsRefusedAndNotGuessed) {
  const auto run = Make();
  v1::UploadRequest request = SampleRequest(1, 1);
  request.set_format(static_cast<v1::UploadFormat>(3));
  ASSERT_TRUE(run->Apply(request).ok());
  ASSERT_TRUE(run->Apply(SampleRequest(2, 2)).ok());
  ASSERT_TRUE(run->Merge().ok());
  ASSERT_THAT(Read().refused_uploads, SizeIs(1));
  EXPECT_THAT(Read().refused_uploads[0], HasSubstr("is of format 3, not 4"));
  EXPECT_EQ(Read().processes[0].info().activities(), 2u);
}

TEST_F(RunLogTest, AnUploadThatAConstraintForbidsDoesNotStopTheOthers) {
  const auto run = Make();
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  ASSERT_TRUE(run->Merge().ok());
  Change(
      "CREATE TRIGGER no BEFORE UPDATE ON process_infos WHEN new.activities = 2 "
      "BEGIN SELECT raise(ABORT, 'two is forbidden'); END");
  ASSERT_TRUE(run->Apply(SampleRequest(2, 2)).ok());
  ASSERT_TRUE(run->Apply(SampleRequest(3, 3)).ok());
  ASSERT_TRUE(run->Merge().ok());
  const model::RunProfile read = Read();
  ASSERT_THAT(read.refused_uploads, SizeIs(1));
  EXPECT_THAT(read.refused_uploads[0], HasSubstr("update 2 of the log"));
  EXPECT_THAT(read.refused_uploads[0], HasSubstr("two is forbidden"));
  EXPECT_EQ(read.agents[0].newest_sequence - read.agents[0].missing, 2u);
  EXPECT_EQ(read.processes[0].info().activities(), 3u);
}

TEST_F(RunLogTest, ASumBeyond64BitsIsRefusedAndNotRounded) {
  constexpr uint64_t kLargest = uint64_t{1} << 62;
  const auto run = Make();
  v1::UploadRequest request = SampleRequest(1, 1);
  request.mutable_processes(0)->mutable_scope_calls(0)->set_calls(kLargest);
  ASSERT_TRUE(run->Apply(request).ok());
  request.set_sequence(2);
  ASSERT_TRUE(run->Apply(request).ok());
  ASSERT_TRUE(run->Merge().ok());
  const model::RunProfile read = Read();
  EXPECT_THAT(read.refused_uploads, SizeIs(1));
  EXPECT_EQ(read.processes[0].scope_calls(0).calls(), kLargest);
}

// An error that is not the upload's own: it is tried again, and nothing is left out.
TEST_F(RunLogTest, AnErrorOfTheDatabaseRefusesNoUpload) {
  const auto run = Make();
  Change("ALTER TABLE windows RENAME TO gone");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  EXPECT_FALSE(run->Merge().ok());
  Change("ALTER TABLE gone RENAME TO windows");
  ASSERT_TRUE(run->Merge().ok());
  EXPECT_THAT(Read().refused_uploads, IsEmpty());
  ExpectAll(Read(), 1);
}

// Its rows are not ours to guess, and not ours to delete.
TEST_F(RunLogTest, TheLogOfAnotherVersionIsRefusedAndStays) {
  LeaveATail(1, 2);
  std::string bytes = ReadFile(Segment(1));
  for (const auto& [version, what] :
       {std::pair(std::string("\x03\0\0\0\x2a\x3a\x50\x3b", 8), "newer flopsprof"),
        std::pair(std::string("\x01\0\0\0\xa1\xf2\x59\x91", 8), "older flopsprof")}) {
    bytes.replace(8, 8, version);
    WriteFile(Segment(1), bytes);
    for (const absl::Status& status : {ReadRun(path_).status(), RunFolder::Open(path_).status()}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_THAT(std::string(status.message()), HasSubstr(what));
    }
    EXPECT_EQ(ReadFile(Segment(1)), bytes);
  }
}

// The job may write there too.
TEST_F(RunLogTest, AnotherToolsFilesAreLeftAloneAndNamed) {
  const std::vector<std::string> names = {Segment(1), Segment(3), path_ + "/log/00000004.log"};
  LeaveATail(1, 2);
  std::filesystem::rename(Segment(1), Segment(2));
  for (const std::string& name : names) WriteFile(name, "not a log, whoever wrote it");
  // What is before all that is needed is not looked into.
  const auto expect_all = [this](uint64_t count) {
    model::RunProfile read = Read();
    read.problems.clear();
    ExpectAll(read, count);
  };
  ASSERT_THAT(Read().problems, SizeIs(1));
  EXPECT_THAT(Read().problems[0], HasSubstr("log/00000003.flog is not a log of flopsprof"));
  expect_all(2);
  {
    const auto run = RunFolder::Open(path_);
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_TRUE((*run)->Apply(SampleRequest(3, 3)).ok());
    expect_all(3);
    ASSERT_TRUE((*run)->Finish().ok());
  }
  expect_all(3);
  EXPECT_THAT(*ListSegments(path_ + "/log"), ElementsAre(1, 3));
  for (const std::string& name : names) EXPECT_EQ(ReadFile(name), "not a log, whoever wrote it");
}

TEST_F(RunLogTest, WhatIsNoFileInTheLogIsLeftAlone) {
  LeaveATail(1, 2);
  std::filesystem::create_directory(Segment(2));
  ASSERT_EQ(mkfifo(Segment(3).c_str(), 0600), 0);
  ASSERT_EQ(symlink("/dev/zero", Segment(4).c_str()), 0);
  EXPECT_EQ(Stored(), 2u);
  const auto run = RunFolder::Open(path_);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_TRUE((*run)->Apply(SampleRequest(3, 3)).ok());
  EXPECT_EQ(Stored(), 3u);
  ASSERT_TRUE((*run)->Finish().ok());
  EXPECT_EQ(Stored(), 3u);
  EXPECT_THAT(*ListSegments(path_ + "/log"), ElementsAre(2, 3, 4));
}

// The job makes the very file that would be begun next.
TEST_F(RunLogTest, ANameThatIsTakenIsLeftOut) {
  const auto run = Make();
  WriteFile(Segment(1), "mine");
  WriteFile(Segment(2), "mine");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
  EXPECT_EQ(Stored(), 1u);
  ASSERT_TRUE(run->Finish().ok());
  EXPECT_EQ(ReadFile(Segment(1)) + ReadFile(Segment(2)), "minemine");
}

TEST_F(RunLogTest, TheLogOfAnotherRunIsRefused) {
  LeaveATail(1, 2);
  const std::string other = ReadFile(Segment(1));
  std::filesystem::remove_all(path_);
  LeaveATail(1, 2);
  WriteFile(Segment(1), other);
  const auto read = ReadRun(path_);
  EXPECT_EQ(read.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("another run"));
}

TEST_F(RunLogTest, ALogThatIsGoneIsAProblem) {
  LeaveATail(3, 8);
  std::filesystem::remove_all(path_ + "/log");
  const model::RunProfile read = Read();
  EXPECT_EQ(read.agents[0].newest_sequence - read.agents[0].missing, 3u);
  ASSERT_THAT(read.problems, SizeIs(1));
  EXPECT_THAT(read.problems[0], HasSubstr("its log is gone: updates after the 3."));
}

TEST_F(RunLogTest, AFileInThePlaceOfTheLogIsAProblem) {
  LeaveATail(3, 8);
  std::filesystem::remove_all(path_ + "/log");
  WriteFile(path_ + "/log", "");
  ASSERT_THAT(Read().problems, SizeIs(1));
  EXPECT_THAT(Read().problems[0], HasSubstr("Not a directory"));
}

TEST_F(RunLogTest, ALogAloneIsReadToo) {
  LeaveATail(0, 5);
  for (const char* name : {"/profile.db", "/profile.db-wal", "/profile.db-shm"}) {
    std::filesystem::remove(path_ + name);
  }
  const model::RunProfile read = Read();
  ExpectAll(read, 5);
  EXPECT_EQ(read.run_id, "run-1");
}

// As a kill leaves it whose write-ahead log somebody did not copy: one page without a table.
TEST_F(RunLogTest, AProfileDbWithoutATableIsNoneBesideALog) {
  LeaveATail(0, 5);
  DeleteDatabase();
  Change("PRAGMA journal_mode=WAL");
  ASSERT_EQ(std::filesystem::file_size(path_ + "/profile.db"), 4096u);
  const model::RunProfile read = Read();
  ExpectAll(read, 5);
  EXPECT_EQ(read.run_id, "run-1");
}

TEST_F(RunLogTest, ACollectorWhoseProfileDbIsGoneMergesItsLogAgain) {
  LeaveATail(3, 5);
  DeleteDatabase();
  {
    const auto run = RunFolder::Open(path_);
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_TRUE((*run)->Merge().ok());
    ExpectAll(Read(), 5);
    ASSERT_TRUE((*run)->Apply(SampleRequest(6, 6)).ok());
    ASSERT_TRUE((*run)->Finish().ok());
  }
  ExpectAll(Read(), 6);
  EXPECT_EQ(Read().run_id, "run-1");
  EXPECT_THAT(*ListSegments(path_ + "/log"), IsEmpty());
}

// A collector of before had taken it; its live rows were not stored when that one ended.
TEST_F(RunLogTest, ABlockThatIsGoodNoMoreIsRefusedWhenItIsReadAgain) {
  {
    const auto run = Make();
    ASSERT_TRUE(run->Apply(SampleRequest(1, 1)).ok());
    ASSERT_TRUE(run->Finish().ok());
  }
  auto database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  const auto id = static_cast<uint64_t>(*database->QueryInt("SELECT log_id FROM log_position"));
  v1::UploadRequest bad = SampleRequest(2, 2);
  bad.mutable_processes(0)->add_blocks()->set_table(9999);
  std::string bytes = EncodeSegmentHeader({id, 2});
  AppendFrame(id, 2, 1, Compress(bad.SerializeAsString()), &bytes);
  AppendFrame(id, 3, 1, Compress(SampleRequest(3, 3).SerializeAsString()), &bytes);
  WriteFile(Segment(7), bytes);
  Change("UPDATE log_position SET merged=2, saved=1; UPDATE agents SET sequence=2");
  const auto run = RunFolder::Open(path_);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_TRUE((*run)->Finish().ok());
  EXPECT_EQ(Read().processes[0].calls(0).calls(), 1u + 3u);
  ASSERT_THAT(Read().refused_uploads, SizeIs(1));
  EXPECT_THAT(Read().refused_uploads[0], HasSubstr("update 2 of the log"));
}

}  // namespace
}  // namespace flopsprof::store
