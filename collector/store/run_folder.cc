// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_folder.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "collector/base/clock.h"
#include "collector/base/log.h"
#include "collector/base/status.h"
#include "collector/base/unique_fd.h"
#include "collector/store/folder_format.h"
#include "collector/store/folder_name.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

// Adds what still works and what to do, so that the caller only prints.
absl::Status Explain(const absl::Status& status, std::string_view advice) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(std::string(status.message()), "; ", std::string(advice)));
}

constexpr std::string_view kCreateAdvice =
    "the job runs without a profile; choose a folder that can be written with -o DIR";
constexpr std::string_view kApplyAdvice =
    "what was stored before can be read, agents keep what is not stored and send it again; free "
    "space in the folder's file system";

// Of the time live rows are stored at most a twentieth, so that what is stored is as old as that
// makes it; readers have the rest from the log.
constexpr int kShareOfSaving = 20;

constexpr int kMostSetAside = 100;  // without a pause
constexpr int kMostDamagedMerges = 3;
constexpr absl::Duration kRetryAfter = absl::Milliseconds(100);
// For who holds profile.db: in a transaction of the merger's, in others.
constexpr int kMergeBusyMs = 250;
constexpr int kBusyMs = 5000;
constexpr absl::Duration kLongestRest = absl::Milliseconds(kBusyMs);

// Mostly of columns, which zstd would make little smaller for what it costs.
bool IsCompact(const v1::UploadRequest& request, size_t bytes) {
  size_t of_columns = 0;
  for (const v1::ProcessProfile& part : request.processes()) {
    for (const v1::RowBlock& block : part.blocks()) {
      for (const v1::MeasureColumn& column : block.columns()) of_columns += column.values().size();
    }
  }
  return of_columns > bytes / 2;
}

absl::Duration Since(uint64_t mono_ns) {
  return absl::Nanoseconds(base::Clock::Real().MonoNs() - mono_ns);
}

}  // namespace

RunFolder::RunFolder(std::string path, std::string run_id, Database database,
                     const Options& options)
    : path_(std::move(path)),
      run_id_(std::move(run_id)),
      options_(options),
      database_(std::make_unique<Database>(std::move(database))),
      writer_(std::make_unique<ProfileWriter>(database_.get(), options.limits)),
      backlog_(options.most_bytes_ahead) {}

RunFolder::~RunFolder() {
  merge_thread_.reset();
  bool rest_stays = false;
  {
    base::MutexLock lock(&mutex_);
    rest_stays = rest_stays_;
  }
  // What cannot be merged stays in the log.
  if (!rest_stays) MergeFor(kFinishPatience, Wanted::kAll).IgnoreError();
  base::MutexLock lock(&mutex_);
  merge_.reset();
  writer_.reset();
}

absl::StatusOr<Database> RunFolder::OpenDatabase(const std::string& path) {
  const std::string file = path + "/profile.db";
  {
    // SQLite would make it readable for others; its side files take the mode over.
    const base::UniqueFd fd(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd.valid()) return base::ErrnoStatus(absl::StrCat("cannot write ", file));
    if (fchmod(fd.get(), 0600) != 0) return base::ErrnoStatus(absl::StrCat("cannot write ", file));
  }
  absl::StatusOr<Database> database = Database::Open(file, SQLITE_OPEN_READWRITE);
  if (!database.ok()) return database.status();
  // A write-ahead log: readers never wait for the writer, and a killed writer leaves a file that
  // any reader completes. FULL: a commit is on the disk when it returns, as tables must be before
  // anything is acknowledged.
  for (const char* sql :
       {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=1000"}) {
    if (const absl::Status status = database->Execute(sql); !status.ok()) return status;
  }
  const absl::StatusOr<int64_t> version = database->QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version != 0) {
    FLOPSPROF_RETURN_IF_ERROR(CheckFormat(file, *version));
    return database;
  }
  FLOPSPROF_RETURN_IF_ERROR(
      database->Execute(absl::StrCat("BEGIN IMMEDIATE;", SchemaSql(), "COMMIT")));
  return database;
}

absl::StatusOr<std::unique_ptr<RunFolder>> RunFolder::Create(const Options& options,
                                                             const std::string& run_id,
                                                             const v1::RunInfo& run) {
  const std::string wanted =
      !options.path.empty()
          ? options.path
          : absl::StrCat(options.parent, "/", AutoFolderName(run.job(), run.start_utc_ns()));
  absl::StatusOr<std::string> path = MakeFreshFolder(wanted);
  if (!path.ok()) return Explain(path.status(), kCreateAdvice);
  absl::StatusOr<Database> database = OpenDatabase(*path);
  if (!database.ok()) return Explain(database.status(), kCreateAdvice);
  std::unique_ptr<RunFolder> folder(new RunFolder(*path, run_id, *std::move(database), options));
  {
    base::MutexLock lock(&folder->mutex_);
    folder->manifest_ = {run_id,        run.job(), run.command(), run.start_utc_ns(),
                         run.version(), false,     kSchemaVersion};
    absl::Status status = folder->writer_->WriteRun(run_id, run);
    if (status.ok()) status = WriteManifest(*path, folder->manifest_);
    if (!status.ok()) return Explain(status, kCreateAdvice);
  }
  if (const absl::Status status = folder->OpenLog(); !status.ok()) {
    return Explain(status, kCreateAdvice);
  }
  return folder;
}

absl::StatusOr<std::unique_ptr<RunFolder>> RunFolder::Open(const std::string& path,
                                                           LogFiles* log_files) {
  Options options;
  options.log_files = log_files;
  return Open(path, options);
}

absl::StatusOr<std::unique_ptr<RunFolder>> RunFolder::Open(const std::string& path,
                                                           const Options& options) {
  absl::StatusOr<Manifest> manifest = ReadManifest(path);
  if (!manifest.ok()) return manifest.status();
  // Before anything is opened for writing.
  FLOPSPROF_RETURN_IF_ERROR(CheckFormat(path, manifest->format));
  FLOPSPROF_RETURN_IF_ERROR(CheckFormatOfFile(path + "/profile.db"));
  absl::StatusOr<Database> database = OpenDatabase(path);
  if (!database.ok()) return database.status();
  std::unique_ptr<RunFolder> folder(
      new RunFolder(path, manifest->run_id, *std::move(database), options));
  {
    base::MutexLock lock(&folder->mutex_);
    const absl::StatusOr<int64_t> runs = folder->database_->QueryInt("SELECT count(*) FROM run");
    if (!runs.ok()) return runs.status();
    if (*runs == 0) {
      FLOPSPROF_RETURN_IF_ERROR(folder->writer_->WriteRun(manifest->run_id, RunInfoOf(*manifest)));
    }
    folder->is_finished_ = manifest->finished;
    folder->manifest_ = *std::move(manifest);
  }
  FLOPSPROF_RETURN_IF_ERROR(folder->OpenLog());
  return folder;
}

absl::Status RunFolder::OpenLog() {
  LogWriter::Options options;
  options.folder = path_ + "/log";
  options.files = options_.log_files;
  {
    base::MutexLock lock(&mutex_);
    const absl::StatusOr<MergedTo> merged = ReadMergedTo(database_.get());
    if (!merged.ok()) return merged.status();
    options.log_id = merged->log_id;
    // Of a profile.db that was lost: what is left of its log is merged into this new one.
    const std::optional<uint64_t> left =
        merged->sequence == 0 ? FindLogId(options.folder) : std::nullopt;
    if (left.has_value() && *left != options.log_id) {
      options.log_id = *left;
      FLOPSPROF_RETURN_IF_ERROR(database_->Execute(
          absl::StrCat("UPDATE log_position SET log_id=", static_cast<int64_t>(*left))));
    }
    options.after_sequence = merged->sequence;
    merge_ = std::make_unique<LogMerge>(run_id_, database_.get(), writer_.get(), *merged);
    // From here on the log is what is durable; SQLite may lose its last commits with the power, and
    // takes them from the log again.
    FLOPSPROF_RETURN_IF_ERROR(database_->Execute("PRAGMA synchronous=NORMAL"));
  }
  absl::StatusOr<std::unique_ptr<LogWriter>> log = LogWriter::Open(options);
  if (!log.ok()) return log.status();
  log_ = *std::move(log);
  backlog_.MergedThrough(options.after_sequence);
  backlog_.Add(log_->end().sequence, log_->bytes_found());
  merge_thread_ = std::make_unique<MergeThread>([this]() -> absl::StatusOr<absl::Duration> {
    if (merge_holds_ > 0) return absl::InfiniteDuration();
    return MergeSome(Wanted::kInItsTime);
  });
  if (merge_thread_->is_running()) return absl::OkStatus();
  return absl::ResourceExhaustedError("the machine allows no further thread");
}

absl::Status RunFolder::Apply(const v1::UploadRequest& request) {
  std::string bytes;
  absl::Status status;
  if (!request.SerializeToString(&bytes)) status = absl::InvalidArgumentError("too large");
  if (status.ok() && !backlog_.WaitForRoom(options_.patience)) {
    {
      base::MutexLock lock(&mutex_);
      rest_stays_ = false;
    }
    merge_thread_->Wake();
    return absl::UnavailableError(absl::StrCat(
        path_, "/profile.db does not keep up: ", backlog_.bytes() >> 20,
        " MiB of updates wait to be merged into it; agents keep what is not stored "
        "and send it again; is it held by another program, or its disk slow or full?"));
  }
  absl::StatusOr<uint64_t> sequence = 0;
  if (status.ok()) {
    const size_t size = bytes.size();
    sequence = log_->Append(std::move(bytes), base::Clock::Real().UtcNs(),
                            IsCompact(request, size) ? Packing::kNone : Packing::kZstd);
    status = sequence.status();
    if (status.ok()) backlog_.Add(*sequence, size);
  }
  if (status.ok() && is_finished_.load(std::memory_order_relaxed)) status = MarkAsRunning();
  if (status.ok()) {
    merge_thread_->Wake();
    return status;
  }
  return Explain(absl::Status(status.code(), absl::StrCat("cannot store in ", path_, ": ",
                                                          std::string(status.message()))),
                 kApplyAdvice);
}

absl::Status RunFolder::MarkAsRunning() {
  base::MutexLock lock(&mutex_);
  if (!is_finished_) return absl::OkStatus();
  rest_stays_ = false;
  manifest_.finished = false;
  FLOPSPROF_RETURN_IF_ERROR(WriteManifest(path_, manifest_));
  is_finished_ = false;
  return absl::OkStatus();
}

uint32_t RunFolder::LacksNumbering(const std::string& agent_id) { return lacks_.Of(agent_id); }

absl::Status RunFolder::OpenReader() {
  const absl::StatusOr<MergedTo> merged = ReadMergedTo(database_.get());
  if (!merged.ok()) return merged.status();
  absl::StatusOr<LogSegments> segments = LogSegments::Open(path_ + "/log");
  if (!segments.ok()) return segments.status();
  reader_.emplace(*std::move(segments), merge_->read(), merged->log_id);
  return absl::OkStatus();
}

absl::StatusOr<absl::Duration> RunFolder::MergeSome(Wanted wanted) {
  base::MutexLock lock(&mutex_);
  if (wanted == Wanted::kInItsTime && (rest_stays_ || !damage_.ok())) {
    return absl::InfiniteDuration();
  }
  if (!damage_.ok()) return damage_;
  // Who holds profile.db is waited for without the lock, by trying again.
  sqlite3_busy_timeout(database_->handle(), kMergeBusyMs);
  absl::StatusOr<absl::Duration> next = MergeSomeLocked(wanted);
  // Each time a process was set aside, which is so from now on.
  for (int i = 0; i < kMostSetAside && absl::IsCancelled(next.status()); ++i) {
    next = MergeSomeLocked(wanted);
  }
  sqlite3_busy_timeout(database_->handle(), kBusyMs);
  if (const absl::Status status = GiveUpOnDamage(next.status()); !status.ok()) return status;
  return next;
}

absl::Status RunFolder::GiveUpOnDamage(const absl::Status& status) {
  damaged_merges_ = absl::IsDataLoss(status) ? damaged_merges_ + 1 : 0;
  if (damaged_merges_ < kMostDamagedMerges) return absl::OkStatus();
  damage_ = absl::DataLossError(absl::StrCat(
      path_, "/profile.db is damaged and takes nothing more (", std::string(status.message()),
      "): what comes stays in its log, and is in no report; move the folder away, and the run "
      "begins "
      "anew"));
  base::Log().warn("{}", std::string(damage_.message()));
  backlog_.MergedThrough(UINT64_MAX);  // nobody waits for it
  return damage_;
}

absl::Duration RunFolder::UntilSave(Wanted wanted) {
  const bool needs_memory = merge_->bytes() > LogMerge::kMostBytes;
  if (merge_->is_saving() || wanted == Wanted::kAll || needs_memory) return absl::ZeroDuration();
  const absl::Duration pause =
      std::max(kShareOfSaving * merge_->save_cost(), options_.least_save_pause);
  return std::max(pause - Since(saved_mono_ns_), absl::ZeroDuration());
}

absl::StatusOr<absl::Duration> RunFolder::MergeSomeLocked(Wanted wanted) {
  const LogEnd end = log_->end();
  const bool behind = end.sequence > merge_->read();
  if (!behind && merge_->saved() >= merge_->read()) return absl::InfiniteDuration();
  const absl::Duration until_save = UntilSave(wanted);
  const bool saves = until_save == absl::ZeroDuration();
  if (!behind && !saves) return until_save;
  if (!reader_.has_value()) FLOPSPROF_RETURN_IF_ERROR(OpenReader());
  if (is_plain_file_) {
    FLOPSPROF_RETURN_IF_ERROR(database_->Execute("PRAGMA journal_mode=WAL"));
    is_plain_file_ = false;
  }
  absl::StatusOr<bool> more = false;
  if (const absl::Status extended = reader_->Extend(end, log_->window()); !extended.ok()) {
    more = extended;
  } else {
    more = merge_->Some(&*reader_, options_.longest_transaction,
                        saves ? std::make_optional(options_.longest_transaction) : std::nullopt);
  }
  if (!more.ok()) {
    reader_.reset();
    return more.status();
  }
  NoteMerged();
  if (saves && !merge_->is_saving()) saved_mono_ns_ = base::Clock::Real().MonoNs();
  TrimLog();
  if (*more || merge_->is_saving()) return absl::ZeroDuration();
  reader_->Rest();
  return merge_->saved() < merge_->read() ? UntilSave(wanted) : absl::InfiniteDuration();
}

void RunFolder::NoteMerged() {
  backlog_.MergedThrough(merge_->merged());
  // Of an agent that has begun another numbering the old one does no harm.
  lacks_.Note(merge_->TakeLacks());
}

void RunFolder::TrimLog() {
  const uint64_t segment = merge_->saved_segment();
  if (segment <= trimmed_segment_) return;
  if (!SyncMerged().ok()) return;  // at the next transaction
  log_->DropThrough(merge_->saved(), false);
  trimmed_segment_ = segment;
}

absl::Status RunFolder::SyncMerged() {
  return Durably([this] {
    // Two changes: SQLite writes, and syncs, nothing where a row is given what it has.
    return database_->Execute(absl::StrCat("UPDATE log_position SET merged=-1;",
                                           "UPDATE log_position SET merged=", merge_->merged()));
  });
}

absl::Status RunFolder::Merge() { return MergeFor(absl::InfiniteDuration(), Wanted::kAll); }

absl::Status RunFolder::MergeFor(absl::Duration patience, Wanted wanted) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  const uint64_t end = log_ == nullptr ? 0 : log_->end().sequence;
  const auto rest = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (merge_ == nullptr) return uint64_t{0};
    return end - std::min(end, wanted == Wanted::kAll ? merge_->saved() : merge_->merged());
  };
  while (true) {
    {
      base::MutexLock lock(&mutex_);
      if (rest() == 0) return absl::OkStatus();
    }
    const absl::StatusOr<absl::Duration> more = MergeSome(wanted);
    if (!more.ok() && !absl::IsCancelled(more.status())) return more.status();
    base::MutexLock lock(&mutex_);
    if (rest() > 0 && Since(begin_ns) >= patience) {
      return absl::UnavailableError(
          absl::StrCat(rest(), " updates are in ", path_,
                       "/log and not in profile.db yet: flopsprof reads both"));
    }
  }
}

absl::StatusOr<bool> RunFolder::AllAgentsHaveEnded() {
  const absl::Status merged = MergeFor(kFinishPatience, Wanted::kAllButLiveRows);
  if (absl::IsDataLoss(merged)) return false;  // nobody can tell
  FLOPSPROF_RETURN_IF_ERROR(merged);
  base::MutexLock lock(&mutex_);
  const absl::StatusOr<int64_t> agents = database_->QueryInt("SELECT count(*) FROM agents");
  if (!agents.ok()) return agents.status();
  const absl::StatusOr<int64_t> open =
      database_->QueryInt("SELECT count(*) FROM agents WHERE NOT finished AND refused = ''");
  if (!open.ok()) return open.status();
  return *agents > 0 && *open == 0;
}

absl::Status RunFolder::Durably(const std::function<absl::Status()>& write) {
  // Both are of this connection, and cannot be changed within a transaction.
  FLOPSPROF_RETURN_IF_ERROR(database_->Execute("PRAGMA synchronous=FULL"));
  absl::Status status = database_->Execute("BEGIN IMMEDIATE");
  if (status.ok()) status = EndTransaction(write());
  status.Update(database_->Execute("PRAGMA synchronous=NORMAL"));
  return status;
}

absl::Status RunFolder::WriteDerived(const std::vector<v1::ProcessProfile>& processes) {
  if (processes.empty()) return absl::OkStatus();
  base::MutexLock lock(&mutex_);
  return Durably([&] {
    for (const v1::ProcessProfile& process : processes) {
      const absl::StatusOr<ProfileWriter::ProcessRow> row = writer_->FindProcess(process.key());
      if (!row.ok()) return row.status();
      if (row->id == 0) continue;  // too many
      FLOPSPROF_RETURN_IF_ERROR(writer_->WriteOthers(row->id, process));
    }
    return absl::OkStatus();
  });
}

absl::Status RunFolder::NoteRefusal(const std::string& agent_id, const std::string& node,
                                    const std::string& why) {
  base::MutexLock lock(&mutex_);
  ++changes_;
  return Durably(
      [&] { return writer_->NoteRefusal(agent_id, node, why, base::Clock::Real().UtcNs()); });
}

absl::Status RunFolder::NoteProblem(const std::string& text) {
  base::MutexLock lock(&mutex_);
  ++changes_;
  return Durably([&] { return writer_->NoteProblem(text); });
}

absl::Status RunFolder::EndTransaction(absl::Status status) {
  if (status.ok()) status = database_->Execute("COMMIT");
  // SQLite may have rolled back by itself.
  if (!status.ok()) database_->Execute("ROLLBACK").IgnoreError();
  return status;
}

absl::Status RunFolder::WriteText(const std::string& name, std::string_view content) {
  return ReplaceFile(path_, name, content);
}

absl::Status RunFolder::Finish(absl::Duration patience) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  const MergeHold hold(this);
  absl::Status merged = MergeFor(patience, Wanted::kAll);
  // Somebody who holds profile.db goes on in the end; room on a full disk is not waited for.
  while (absl::IsUnavailable(merged) && Since(begin_ns) < patience) {
    absl::SleepFor(kRetryAfter);
    merged = MergeFor(patience - Since(begin_ns), Wanted::kAll);
  }
  base::MutexLock lock(&mutex_);
  rest_stays_ = !merged.ok();
  // It would never be merged; the report says so.
  if (!damage_.ok()) merged = absl::OkStatus();
  // Without its write-ahead log the file can be copied alone, and read where nothing can be
  // written. A reader that is in the middle of it prevents that; then it stays as it is.
  const absl::Duration rest = std::clamp(patience - Since(begin_ns), kRetryAfter, kLongestRest);
  sqlite3_busy_timeout(database_->handle(), static_cast<int>(absl::ToInt64Milliseconds(rest)));
  if (const absl::Status status = database_->Execute("PRAGMA journal_mode=DELETE"); status.ok()) {
    is_plain_file_ = true;
  } else {
    base::Log().debug("{} keeps its write-ahead log: {}", path_, std::string(status.message()));
  }
  manifest_.finished = true;
  if (const absl::Status written = WriteManifest(path_, manifest_); !written.ok()) {
    rest_stays_ = false;
    sqlite3_busy_timeout(database_->handle(), kBusyMs);
    return written;
  }
  is_finished_ = true;
  // After run.json: a run that is not finished has a log.
  if (is_plain_file_ || SyncMerged().ok()) log_->DropThrough(merge_->saved(), true);
  sqlite3_busy_timeout(database_->handle(), kBusyMs);
  reader_.reset();  // it has a deleted file open
  if (!merge_->is_saving()) merge_->LetGo();
  return merged;
}

}  // namespace flopsprof::store
