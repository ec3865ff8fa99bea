// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/stored_sums.h"

#include <absl/strings/escaping.h>
#include <gtest/gtest.h>

#include "collector/model/summary_json.h"
#include "collector/store/run_folder.h"
#include "collector/store/run_reader.h"
#include "sample_request.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

class StoredSumsTest : public ::testing::Test {
 protected:
  StoredSumsTest() {
    RunFolder::Options options;
    options.path = folder_ / "run";
    auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
    EXPECT_TRUE(run.ok()) << run.status();
    EXPECT_TRUE((*run)->Apply(SampleRequest(1, 5)).ok());
    EXPECT_TRUE((*run)->Finish().ok());
    run_ = *std::move(run);
  }

  model::RunProfile Read() const {
    const auto read = ReadRun(run_->path());
    EXPECT_TRUE(read.ok()) << read.status();
    return *read;
  }

  std::optional<model::RunSums> Find() const {
    const auto run = RunDatabase::Open(run_->path());
    EXPECT_TRUE(run.ok()) << run.status();
    return FindSums(run->get());
  }

  void Keep() const {
    const model::RunProfile profile = Read();
    ASSERT_TRUE(profile.state.has_value());
    const absl::Status kept = KeepSumsOf(run_->path(), model::SumRun(profile), *profile.state);
    ASSERT_TRUE(kept.ok()) << kept;
  }

  // In one transaction, as anybody may.
  void Execute(const std::string& sql) const {
    auto db = Database::Open(run_->path() + "/profile.db", SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(db.ok());
    const absl::Status status = db->Execute("BEGIN; " + sql + "; COMMIT");
    ASSERT_TRUE(status.ok()) << status;
  }

  TemporaryFolder folder_;
  std::unique_ptr<RunFolder> run_;
};

TEST_F(StoredSumsTest, AreFoundAsTheyWereKept) {
  EXPECT_FALSE(Find().has_value());
  Keep();
  const std::optional<model::RunSums> sums = Find();
  ASSERT_TRUE(sums.has_value());
  EXPECT_EQ(model::ToBytes(*sums), model::ToBytes(model::SumRun(Read())));
}

TEST_F(StoredSumsTest, AreKeptBehindWhatTheLauncherWorksOut) {
  const model::RunProfile profile = Read();
  ASSERT_TRUE(profile.state.has_value());
  v1::ProcessProfile derived;
  *derived.mutable_key() = profile.processes.at(0).key();
  *derived.add_call_gradients() = SampleRequest(1, 5).processes(0).call_gradients(0);
  derived.mutable_call_gradients(0)->set_api("cublasDgemm_v2");
  ASSERT_TRUE(run_->WriteDerived({derived}).ok());  // one transaction
  ASSERT_TRUE(KeepSumsOf(run_->path(), model::SumRun(profile), *profile.state + 1).ok());
  EXPECT_TRUE(Find().has_value());
}

TEST_F(StoredSumsTest, AreNotReadOnceARowHasChanged) {
  Keep();
  Execute("UPDATE steps SET gpu_busy_ns = gpu_busy_ns + 1");
  EXPECT_FALSE(Find().has_value());
}

TEST_F(StoredSumsTest, AreNotReadWhileTheRunGoesOnNorOnceItHas) {
  Keep();
  ASSERT_TRUE(run_->Apply(SampleRequest(2, 7)).ok());
  EXPECT_FALSE(Find().has_value());
  ASSERT_TRUE(run_->Merge().ok());
  EXPECT_FALSE(Find().has_value());
  EXPECT_FALSE(Read().state.has_value());
  ASSERT_TRUE(run_->Finish().ok());
  EXPECT_FALSE(Find().has_value());
  Keep();
  EXPECT_TRUE(Find().has_value());
}

TEST_F(StoredSumsTest, AreReadFromAnyCopyOfTheFile) {
  Keep();
  const std::string copy = folder_ / "copy";
  std::filesystem::copy(run_->path(), copy, std::filesystem::copy_options::recursive);
  const auto run = RunDatabase::Open(copy);
  ASSERT_TRUE(run.ok());
  EXPECT_TRUE(FindSums(run->get()).has_value());
}

// SQLite counts the changes of such a file from 1 again, so that in time it has as many as the
// sums.
TEST_F(StoredSumsTest, AreNotReadFromAFileThatWasWrittenAnewHoweverOftenItChanges) {
  Keep();
  const std::string copy = folder_ / "copy";
  std::filesystem::copy(run_->path(), copy, std::filesystem::copy_options::recursive);
  const std::string file = copy + "/profile.db";
  std::filesystem::remove(file);
  {
    auto db = Database::Open(run_->path() + "/profile.db", SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(db.ok());
    const absl::Status written = db->Execute("VACUUM INTO '" + file + "'");
    ASSERT_TRUE(written.ok()) << written;
  }
  for (int change = 0; change < 200; ++change) {
    const auto run = RunDatabase::Open(copy);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_FALSE(FindSums(run->get()).has_value()) << change;
    auto db = Database::Open(file, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(db.ok());
    ASSERT_TRUE(db->Execute("UPDATE steps SET gpu_busy_ns = gpu_busy_ns + 1").ok());
  }
}

TEST_F(StoredSumsTest, ThoseOfOtherCodeAreNotRead) {
  Keep();
  Execute("UPDATE run_sums SET state = state + 1");  // as this transaction makes it
  EXPECT_TRUE(Find().has_value());
  Execute("UPDATE run_sums SET state = state + 1, made_by = made_by || 'x'");
  EXPECT_FALSE(Find().has_value());
}

TEST_F(StoredSumsTest, DamagedOnesAreNotRead) {
  Keep();
  Execute("UPDATE run_sums SET state = state + 1, bytes = substr(bytes, 2)");
  EXPECT_FALSE(Find().has_value());
  Execute("UPDATE run_sums SET state = state + 1, bytes = zeroblob(9)");
  EXPECT_FALSE(Find().has_value());
  // Of another run: they can be read, and are not those that were kept.
  const std::string bytes = absl::BytesToHexString(model::ToBytes(model::RunSums()));
  Execute("UPDATE run_sums SET state = state + 1, bytes = x'" + bytes + "'");
  EXPECT_FALSE(Find().has_value());
}

TEST_F(StoredSumsTest, SumsOfOtherRowsAreNotKept) {
  const model::RunProfile profile = Read();
  Execute("UPDATE steps SET gpu_busy_ns = gpu_busy_ns + 1");
  const absl::Status kept = KeepSumsOf(run_->path(), model::SumRun(profile), *profile.state);
  EXPECT_EQ(kept.code(), absl::StatusCode::kAborted) << kept;
  EXPECT_FALSE(Find().has_value());
}

TEST_F(StoredSumsTest, ARunThatIsAddedUpOneRankAfterTheOtherHasTheSame) {
  for (const bool finished : {true, false}) {
    for (uint64_t n = 2; !finished && n <= 40; ++n) {
      v1::UploadRequest request = SampleRequest(n, n);
      request.mutable_processes(0)->mutable_key()->set_pid(static_cast<int>(1000 - n));
      request.mutable_processes(0)->mutable_info()->set_rank(static_cast<int>(n));
      ASSERT_TRUE(run_->Apply(request).ok());
    }
    ASSERT_TRUE(run_->Merge().ok());
    const auto run = RunDatabase::Open(run_->path());
    ASSERT_TRUE(run.ok());
    const auto in_turn = SumRun(run->get(), {}, 0);
    ASSERT_TRUE(in_turn.ok()) << in_turn.status();
    EXPECT_EQ(in_turn->profile.state.has_value(), finished);
    EXPECT_EQ(in_turn->profile.processes.at(0).kernels_size(), 0);
    EXPECT_EQ(model::ToBytes(in_turn->sums), model::ToBytes(model::SumRun(Read())));
  }
}

TEST_F(StoredSumsTest, WhoReadsOlderOnesIsNotInTheWay) {
  const model::RunProfile profile = Read();
  const auto reader = RunDatabase::Open(run_->path());
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(ReadRun(reader->get(), RunParts::kForSummary).ok());
  EXPECT_TRUE(KeepSumsOf(run_->path(), model::SumRun(profile), *profile.state).ok());
}

}  // namespace
}  // namespace flopsprof::store
