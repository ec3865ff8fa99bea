// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/store/lacked_numberings.h"
#include "collector/store/log/log_writer.h"
#include "collector/store/log_merge.h"
#include "collector/store/manifest.h"
#include "collector/store/merge_backlog.h"
#include "collector/store/merge_thread.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::store {

// One run on disk: run.json, log/, profile.db and the texts made from it. Any thread. What comes is
// appended to the log; a thread of its own merges that into profile.db. Everything that Apply
// acknowledged is readable (run_reader.h) after kill -9 of anything and after a power failure. One
// object per folder.
class RunFolder {
 public:
  struct Options {
    // The folder: exactly this when nothing is there, else with -2, -3 ... behind.
    // Empty: flopsprof-<job>-<UTC time> in `parent`.
    std::string path;
    std::string parent = ".";
    // Apply waits while the log is so far ahead of profile.db, in bytes of requests as they come,
    // and fails after that long.
    uint64_t most_bytes_ahead = 32 << 20;
    absl::Duration patience = absl::Seconds(2);
    // When the merger ends a transaction: others wait so long for profile.db.
    absl::Duration longest_transaction = absl::Milliseconds(500);
    // Between two times at which live rows (live_rows.h) are stored; else as long as the cost of
    // the last one asks for.
    absl::Duration least_save_pause = absl::ZeroDuration();
    LogFiles* log_files = LogFiles::Real();
    RunLimits limits;
  };

  // Makes the folder. A failure says what could not be made and what to do.
  static absl::StatusOr<std::unique_ptr<RunFolder>> Create(const Options& options,
                                                           const std::string& run_id,
                                                           const v1::RunInfo& run);
  // Goes on with a folder that an earlier collector left.
  static absl::StatusOr<std::unique_ptr<RunFolder>> Open(const std::string& path,
                                                         LogFiles* log_files = LogFiles::Real());
  static absl::StatusOr<std::unique_ptr<RunFolder>> Open(const std::string& path,
                                                         const Options& options);

  // Without Finish: what was applied stays, the run is not marked as finished.
  ~RunFolder();

  const std::string& path() const { return path_; }
  const std::string& run_id() const { return run_id_; }

  // Stores a request; durable when it returns OK, and soon in profile.db. A request that was stored
  // before changes nothing. On failure the same request may be sent again. Unavailable: profile.db
  // does not keep up. Calls of several threads share their syncs.
  absl::Status Apply(const v1::UploadRequest& request);
  // The numbering (ProcessProfile.numbering) of this agent that came with numbers that are not
  // defined here; 0: none. Soon after the request that shows it was applied.
  uint32_t LacksNumbering(const std::string& agent_id);

  // Returns when what was applied before is in profile.db, or why it is not.
  absl::Status Merge();

  // Every agent that has ever sent something has sent its last request, or was refused. False: none
  // has sent anything.
  absl::StatusOr<bool> AllAgentsHaveEnded();

  // How far the run has come: what is acknowledged, and what was noted beside it.
  struct Position {
    uint64_t record = 0;   // of the log
    uint64_t changes = 0;  // of other tables: NoteRefusal, NoteProblem
    friend bool operator==(const Position&, const Position&) = default;
  };
  Position position();
  bool is_finished() const { return is_finished_; }

  // The run at one position, for a reader in another thread while more comes: live rows, and
  // profile.db for all others, in a transaction.
  struct Frozen {
    Position at;
    LiveRows::Frozen rows;
    std::unique_ptr<Database> database;
    std::vector<std::string> problems;  // as RunDatabase has them
    absl::Duration stopped;             // how long nothing was merged for it
  };
  // Once what is acknowledged now is merged. Unavailable: it is not within `patience`, or
  // profile.db cannot be read. FailedPrecondition: the run is finished, its folder has all.
  absl::StatusOr<Frozen> Freeze(absl::Duration patience);
  // Before the folder is gone.
  void Thaw(Frozen frozen);

  // Stores rows that were worked out from this run, beside those that came: of call_gradients.
  absl::Status WriteDerived(const std::vector<v1::ProcessProfile>& processes);

  // What the report is to say of this run: why nothing more is taken of an agent; what could not
  // be done, as a sentence.
  absl::Status NoteRefusal(const std::string& agent_id, const std::string& node,
                           const std::string& why);
  absl::Status NoteProblem(const std::string& text);

  // Replaces a text file of the folder (summary.json, report.txt) as a whole.
  absl::Status WriteText(const std::string& name, std::string_view content);

  // Merges the rest of the log, makes profile.db one plain file and marks the run as finished.
  // Apply may still follow. What is not merged after `patience` (profile.db is held, or slow), or
  // cannot be (its disk is full), stays in the log, where readers find it, and the reason is
  // returned.
  absl::Status Finish(absl::Duration patience = kFinishPatience);
  static constexpr absl::Duration kFinishPatience = absl::Seconds(5);

 private:
  // While one is there the merge thread rests. Between two of its transactions the lock would
  // hardly ever be free for who waits.
  class MergeHold {
   public:
    explicit MergeHold(RunFolder* run) : run_(*run) { ++run_.merge_holds_; }
    ~MergeHold() {
      if (--run_.merge_holds_ == 0) run_.merge_thread_->Wake();
    }

   private:
    RunFolder& run_;
  };

  RunFolder(std::string path, std::string run_id, Database database, const Options& options);
  static absl::StatusOr<Database> OpenDatabase(const std::string& path);
  absl::Status OpenLog();
  // What is wanted of the log in profile.db.
  enum class Wanted { kInItsTime, kAllButLiveRows, kAll };
  // One transaction of what the log has, and the pause before the next. What Finish has left is
  // taken only where it is wanted.
  absl::StatusOr<absl::Duration> MergeSome(Wanted wanted);
  absl::StatusOr<absl::Duration> MergeSomeLocked(Wanted wanted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // After an error of the merger's: DataLoss, again and again, is of a page that no process' rows
  // are in, as those of tables of all. Nothing is merged from then on: what comes stays in the log,
  // which has no bound then, and a report says what is missing.
  absl::Status GiveUpOnDamage(const absl::Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // How long live rows need not be stored yet.
  absl::Duration UntilSave(Wanted wanted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteMerged() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Until `patience` is over: Unavailable.
  absl::Status MergeFor(absl::Duration patience, Wanted wanted);
  absl::Status OpenReader() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status FreezeLocked(Frozen* frozen) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Deletes what of the log is in profile.db, once that is durable.
  void TrimLog() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when what was merged is on the disk.
  absl::Status SyncMerged() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A transaction that is on the disk when it returns.
  absl::Status Durably(const std::function<absl::Status()>& write)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Commits when `status` is good.
  absl::Status EndTransaction(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status MarkAsRunning();

  const std::string path_;
  const std::string run_id_;
  const Options options_;
  base::Mutex mutex_;
  // On the heap: ProfileWriter keeps its address.
  std::unique_ptr<Database> database_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<ProfileWriter> writer_ ABSL_GUARDED_BY(mutex_);
  Manifest manifest_ ABSL_GUARDED_BY(mutex_);
  // The database has no write-ahead log at the moment.
  bool is_plain_file_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<LogReader> reader_
      ABSL_GUARDED_BY(mutex_);  // none before the first, or after a failure
  std::unique_ptr<LogMerge> merge_ ABSL_GUARDED_BY(mutex_);  // before OpenLog: none
  uint64_t saved_mono_ns_ ABSL_GUARDED_BY(mutex_) = 0;       // when live rows were stored
  uint64_t trimmed_segment_ ABSL_GUARDED_BY(mutex_) = 0;     // those before it are deleted
  int damaged_merges_ ABSL_GUARDED_BY(mutex_) = 0;           // one after the other
  absl::Status damage_ ABSL_GUARDED_BY(mutex_);              // profile.db is given up
  // What Finish has left in the log is not touched until something is applied.
  bool rest_stays_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<bool> is_finished_{false};  // as run.json says
  std::atomic<int> merge_holds_{0};       // MergeHold
  std::atomic<uint64_t> changes_{0};      // Position
  MergeBacklog backlog_;
  LackedNumberings lacks_;

  std::unique_ptr<LogWriter> log_;             // takes calls of any thread
  std::unique_ptr<MergeThread> merge_thread_;  // last: it uses the others
};

}  // namespace flopsprof::store
