// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A reader beside the writer gets records from memory, and the same as from the files.
#include "collector/store/log/log_window.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <optional>
#include <random>

#include "tests/support/sanitizers.h"

#include "faulty_files.h"
#include "log_samples.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

using ::testing::IsEmpty;

class LogWindowTest : public ::testing::Test {
 protected:
  // Reads on to the writer's end; all of it is there, each record once.
  void ReadOn(LogWriter* writer, bool by_window) {
    if (!reader_.has_value()) reader_.emplace(*LogSegments::Open(log_), 0, kLogId);
    LogWindow* window = by_window ? writer->window() : nullptr;
    ASSERT_TRUE(reader_->Extend(writer->end(), window).ok());
    LogRecord record;
    while (true) {
      const auto more = reader_->Next(&record);
      ASSERT_TRUE(more.ok()) << more.status();
      if (!*more) break;
      ASSERT_EQ(record.sequence, ++last_);
      ASSERT_EQ(record.payload, PayloadOf(last_));
      ASSERT_EQ(record.utc_ns, static_cast<int64_t>(last_) * 1000);
    }
    ASSERT_EQ(last_, writer->end().sequence);
    ASSERT_EQ(reader_->last_sequence(), last_);
    ASSERT_EQ(reader_->segment(), writer->end().segment);
    ASSERT_THAT(reader_->TakeDamage(), IsEmpty());
  }

  TemporaryFolder folder_;
  const std::string log_ = folder_ / "log";
  std::optional<LogReader> reader_;
  uint64_t last_ = 0;
};

TEST_F(LogWindowTest, ReadsWhatItHasWithoutTheFile) {
  const auto writer = OpenLog(log_);
  AppendTo(writer.get(), 1);
  ReadOn(writer.get(), true);
  AppendTo(writer.get(), 9);
  // What is in the file now is of no use to a reader.
  std::fstream(SegmentPath(log_, 1), std::ios::in | std::ios::out) << std::string(400, 'x');
  ReadOn(writer.get(), true);
  EXPECT_EQ(writer->window()->bytes(), 0u) << "what is taken is gone";
}

// A record a file, or many; the window used or not; records cut away again, whose numbers come
// twice; another reader in its place.
TEST_F(LogWindowTest, GivesWhatTheFilesHave) {
  std::mt19937_64 random(20261201);
  for (const uint64_t segment_bytes : {1, 300, 2000}) {
    std::filesystem::remove_all(log_);
    reader_.reset();
    last_ = 0;
    FaultyFiles disk;
    const auto writer = OpenLog(log_, &disk, segment_bytes);
    for (int round = 0; round < test::CasesOf(300); ++round) {
      AppendTo(writer.get(), writer->end().sequence + random() % 5);
      if (random() % 4 == 0) {
        disk.fail_sync = true;
        ASSERT_FALSE(writer->Append("never acknowledged", 1).ok());
        disk.fail_sync = false;
      }
      if (random() % 3 != 0) ReadOn(writer.get(), random() % 4 != 0);
      if (HasFatalFailure()) FAIL() << "round " << round;
      if (random() % 20 == 0) {
        reader_.reset();
        last_ = 0;
      }
    }
  }
}

TEST_F(LogWindowTest, HasABound) {
  LogWindow window(1000);
  for (uint64_t n = 1; n <= 100; ++n) window.Add({n, 0, 1, 0, 0, std::string(200, 'x')});
  EXPECT_LE(window.bytes(), 1000u);
  EXPECT_GT(window.bytes(), 400u);
  LogWindow::Record record;
  EXPECT_FALSE(window.Take(50, &record)) << "the newest are in the file alone";
  EXPECT_EQ(window.bytes(), 0u);
  window.Add({101, 0, 1, 0, 0, "y"});
  EXPECT_TRUE(window.Take(101, &record));
  EXPECT_EQ(record.payload, "y");
}

}  // namespace
}  // namespace flopsprof::store
