// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/base/unique_fd.h"
#include "collector/store/log/log_window.h"
#include "collector/store/log/segment_walker.h"

namespace flopsprof::store {

// Where a log ends that is being written: all before it is durable.
struct LogEnd {
  uint64_t segment = 0;   // its number; 0: there is none
  uint64_t offset = 0;    // of its end in that segment
  uint64_t sequence = 0;  // of the newest record; 0: there was none
};

struct LogRecord {
  uint64_t sequence = 0;
  int64_t utc_ns = 0;  // when it came
  std::string payload;
};

// Records that were in a log and cannot be read any more.
struct LogDamage {
  std::string file;  // "" = of no file that is there
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::string why;
  // By the numbers on both sides. At the end of a log, where no record follows, 0: how many there
  // were is not known.
  uint64_t lost_records = 0;
  uint64_t after_record = 0;  // number of the record before it
};

// "log/00000003.flog, 91 bytes from byte 5004: the checksum ...": in words.
std::string ToText(const LogDamage& damage);

// The files of a log. Those that are open are read also when they are deleted later: the oldest, as
// many as a process may well have open. The others are opened when they are read; Aborted: one was
// deleted by then, so all is to be begun anew.
class LogSegments {
 public:
  // No such folder: no segments. Files with other names, and what is no file, are left alone.
  static absl::StatusOr<LogSegments> Open(const std::string& folder);

  struct Segment {
    uint64_t number = 0;
    std::string path;
    base::UniqueFd fd;  // not valid: not open
    uint64_t bytes = 0;
  };
  // Opens it if it is not.
  static absl::Status OpenAgain(Segment* segment);
  // What is in them is on the disk.
  absl::Status SyncAll();
  void CloseAll();
  std::vector<Segment>& all() { return all_; }
  const std::vector<Segment>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  // The same files, opened once more.
  LogSegments Copy() const;
  // Opens what has come since, and ends where `end` says: what was opened behind it is let go.
  absl::Status Extend(const LogEnd& end);

 private:
  // Adds it if it is there and a file.
  absl::Status Add(uint64_t number);

  std::string folder_;
  std::vector<Segment> all_;  // by number
};

// "<folder>/00000003.flog".
std::string SegmentPath(const std::string& folder, uint64_t number);
// Of the first segment that has one.
std::optional<uint64_t> FindLogId(const std::string& folder);
absl::StatusOr<SegmentHeader> ReadSegmentHeader(const std::string& path);
// Numbers of the segments there, in order. NotFound: no such folder.
absl::StatusOr<std::vector<uint64_t>> ListSegments(const std::string& folder);

// Reads the records of a log behind a number, in order, each once. What is damaged is named and
// stepped over, and so is another tool's file. One thread. FailedPrecondition: a newer version's
// log or another run's, and what to do.
class LogReader {
 public:
  // Without an id: of whatever log it is.
  LogReader(LogSegments segments, uint64_t after_sequence, std::optional<uint64_t> log_id)
      : segments_(std::move(segments)),
        after_(after_sequence),
        last_(after_sequence),
        log_id_(log_id) {}

  // Records up to this number were in the log: those that are not are missing.
  void Expect(uint64_t sequence) { end_sequence_ = sequence; }
  // Lets a reader of a log that is being written go on to there. `window`, which outlives it: of
  // its writer. What that has is not read from the file.
  absl::Status Extend(const LogEnd& end, LogWindow* window = nullptr);

  // False: no further one.
  absl::StatusOr<bool> Next(LogRecord* record);
  // After the last record: needs no files and little memory until it is extended.
  void Rest();

  // The newest that was read or found missing.
  uint64_t last_sequence() const { return last_; }
  std::optional<uint64_t> log_id() const { return log_id_; }
  // What was found since the last call.
  std::vector<LogDamage> TakeDamage() { return std::exchange(damage_, {}); }
  // Files that are none of a log's, as sentences.
  const std::vector<std::string>& strays() const { return strays_; }
  // Bytes behind the last record that a writer has not finished.
  uint64_t torn_bytes() const { return torn_bytes_; }

  // Number of the segment that is read; all before it were read to their ends. 0: none.
  uint64_t segment() const;

 private:
  // False: all of what is there was walked.
  absl::StatusOr<bool> LoadMore();
  // The next record, where all before it was read and the window has it.
  bool TakeFromWindow(LogRecord* record);
  // False: it is no segment.
  absl::StatusOr<bool> ReadHeader(const LogSegments::Segment& segment);
  bool IsBehind(size_t segment);
  absl::StatusOr<bool> Accept(const Frame& frame, LogRecord* record);
  void KeepBad(const BadBytes& bad);
  void EndOfLog();

  LogSegments segments_;
  const uint64_t after_;
  uint64_t last_;
  uint64_t newest_seen_ = 0;
  std::optional<uint64_t> log_id_;
  std::optional<uint64_t> end_sequence_;  // known to have been there
  LogWindow* window_ = nullptr;

  size_t current_ = 0;   // segment
  uint64_t offset_ = 0;  // of the end of what is loaded
  uint64_t buffer_offset_ = 0;
  std::string buffer_;
  std::optional<SegmentWalker> walker_;
  std::optional<LogDamage> bad_;  // since the last record
  bool bad_is_torn_ = false;
  uint64_t torn_bytes_ = 0;
  std::vector<LogDamage> damage_;
  std::vector<std::string> strays_;
};

}  // namespace flopsprof::store
