// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/base/unique_fd.h"
#include "collector/store/log/log_file.h"
#include "collector/store/log/log_format.h"
#include "collector/store/log/log_reader.h"

namespace flopsprof::store {

// Appends to a log. Any thread. One thread at a time writes what has gathered, its own and the
// others', and syncs it once; they wait.
class LogWriter {
 public:
  struct Options {
    std::string folder;  // made when it is missing
    uint64_t log_id = 0;
    uint64_t after_sequence = 0;        // numbers up to this one were used in this log
    uint64_t segment_bytes = 16 << 20;  // a segment that has more is followed by another
    LogFiles* files = LogFiles::Real();
  };
  // Goes on behind what an earlier writer left. Unavailable: another writer is at it.
  // FailedPrecondition: what is there is not this log.
  static absl::StatusOr<std::unique_ptr<LogWriter>> Open(const Options& options);

  // Returns the record's number; it is on the disk. On failure it is cut away again, what came
  // before is as it was, and a later call may succeed. ResourceExhausted: the disk is full.
  absl::StatusOr<uint64_t> Append(std::string payload, int64_t utc_ns,
                                  Packing packing = Packing::kZstd);
  // The newest records, for the reader that merges them.
  LogWindow* window() { return &window_; }

  // What is durable.
  LogEnd end();
  // Records that wait for the sync after the one that is running.
  size_t waiting_count();
  // Of the records behind `after_sequence` that an earlier writer left, before compression.
  uint64_t bytes_found() const { return bytes_found_; }
  uint64_t sync_count() const { return sync_count_.load(std::memory_order_relaxed); }

  // Deletes the files in which no record is behind `sequence`. The newest stays, unless
  // `even_newest` says so and it has none either.
  void DropThrough(uint64_t sequence, bool even_newest);

 private:
  struct Waiting {
    std::string payload;  // as it came
    std::string packed;   // "": that is how it is written
    std::string_view written() const { return packed.empty() ? payload : packed; }
    int64_t utc_ns = 0;
    Packing packing = Packing::kNone;
    uint64_t segment = 0, begin = 0, end = 0;  // of its frame
    absl::Status status;
    uint64_t sequence = 0;
    bool done = false;
  };

  explicit LogWriter(const Options& options) : options_(options) {}
  absl::Status FindEnd();
  void Lead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WaitForLeader() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Write(const std::vector<Waiting*>& batch);
  absl::Status MakeReady();
  absl::Status BeginSegment();

  // What a merger that keeps up is behind; a burst is read from the file.
  static constexpr size_t kWindowBytes = 4 << 20;

  const Options options_;
  LogWindow window_{kWindowBytes};
  base::UniqueFd folder_lock_;
  uint64_t bytes_found_ = 0;
  std::atomic<uint64_t> sync_count_{0};

  base::Mutex mutex_;
  base::CondVar condition_;
  std::vector<Waiting*> pending_ ABSL_GUARDED_BY(mutex_);
  bool leading_ ABSL_GUARDED_BY(mutex_) = false;
  LogEnd end_ ABSL_GUARDED_BY(mutex_);

  // Of the thread that has set leading_.
  LogEnd written_;                 // what end_ will be
  uint64_t newest_segment_ = 0;    // number of the newest that ever was
  std::unique_ptr<LogFile> file_;  // null: a new one has to be begun
  bool must_cut_ = false;          // bytes of a failed write are behind written_.offset
  std::string buffer_;
};

}  // namespace flopsprof::store
