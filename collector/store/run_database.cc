// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_database.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "collector/base/status.h"
#include "collector/store/folder_format.h"
#include "collector/store/log_merge.h"
#include "collector/store/manifest.h"
#include "collector/store/profile_writer.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

constexpr char kCountDamage[] = "SELECT count(*) FROM log_damage";

// SQLite notices missing pages, but not that the last one is cut. A file with a write-ahead log
// may be growing just now.
absl::Status CheckWholePages(const std::string& file, Database* database) {
  struct stat info;
  if (stat((file + "-wal").c_str(), &info) == 0 || stat(file.c_str(), &info) != 0) {
    return absl::OkStatus();
  }
  const absl::StatusOr<int64_t> page_bytes = database->QueryInt("PRAGMA page_size");
  if (!page_bytes.ok()) return page_bytes.status();
  if (*page_bytes <= 0 || info.st_size % *page_bytes == 0) return absl::OkStatus();
  return absl::DataLossError("its end is missing");
}

// Who opens a pipe waits for its other end.
bool IsPlainFile(const std::string& file) {
  struct stat info;
  return stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

constexpr int kMostTries = 5;

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

}  // namespace

absl::Status NameFile(const std::string& file, const absl::Status& status) {
  if (absl::IsDataLoss(status)) {
    return absl::DataLossError(absl::StrCat(file, " is damaged: ", std::string(status.message()),
                                            "; try: sqlite3 ", file, " .recover"));
  }
  return absl::Status(status.code(),
                      absl::StrCat("cannot read ", file, ": ", std::string(status.message())));
}

// A private copy of a database that cannot be opened where it lies: a read-only folder with a
// write-ahead log that only a writer could fold in, or with the journal of a writer that was
// killed, whose half-made changes must be taken back first.
class RunDatabase::PrivateCopy {
 public:
  ~PrivateCopy() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }

  absl::StatusOr<std::string> Make(const std::string& file) {
    std::string name = (std::filesystem::temp_directory_path() / "flopsprof-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return base::ErrnoStatus("cannot make a temporary folder");
    folder_ = name;
    const std::string copy = folder_ + "/profile.db";
    for (const char* suffix : {"", "-wal", "-journal"}) {
      std::error_code error;
      if (!std::filesystem::exists(file + suffix, error)) continue;
      std::filesystem::copy_file(file + suffix, copy + suffix, error);
      if (error) {
        return absl::PermissionDeniedError(
            absl::StrCat("cannot read ", file, suffix, ": ", error.message()));
      }
      std::filesystem::permissions(
          copy + suffix, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
          error);
    }
    return copy;
  }

 private:
  std::string folder_;
};

RunDatabase::RunDatabase() : copy_(std::make_unique<PrivateCopy>()) {}

RunDatabase::~RunDatabase() = default;

absl::StatusOr<std::unique_ptr<RunDatabase>> RunDatabase::Open(const std::string& path) {
  absl::StatusOr<std::unique_ptr<RunDatabase>> run = TryOpen(path);
  // A collector has merged and deleted what was about to be read.
  for (int i = 0; i < kMostTries && absl::IsAborted(run.status()); ++i) run = TryOpen(path);
  return run;
}

absl::StatusOr<std::unique_ptr<RunDatabase>> RunDatabase::TryOpen(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(absl::StrCat("no such run: ", path));
  }
  std::unique_ptr<RunDatabase> run(new RunDatabase);
  const bool is_folder = S_ISDIR(info.st_mode);
  run->file_ = is_folder ? path + "/profile.db" : path;
  const std::filesystem::path file(run->file_);
  if (file.filename() == "profile.db") {
    run->log_folder_ = (file.has_parent_path() ? file.parent_path() : ".") / "log";
  }
  LogSegments log;
  if (Exists(run->file_)) {
    if (!IsPlainFile(run->file_)) {
      return absl::FailedPreconditionError(
          absl::StrCat(run->file_, " is no plain file, so it is not a profile of flopsprof"));
    }
    if (absl::Status status = run->OpenFile(); !status.ok()) return NameFile(run->file_, status);
    // After the state of the database that is read: the log has all that the state was made from,
    // but for what was stored and deleted since. Then there is a newer state.
    log = run->OpenLog();
    const absl::StatusOr<bool> has_none = run->HasNoTables();
    if (!has_none.ok()) return NameFile(run->file_, has_none.status());
    // Its write-ahead log was lost with all that was in it: the log has what is left.
    if (*has_none && !log.empty()) {
      run->database_.reset();
    } else {
      FLOPSPROF_RETURN_IF_ERROR(run->CheckFile());
    }
  } else {
    log = run->OpenLog();
    if (log.empty()) {
      return absl::NotFoundError(
          absl::StrCat(path, " is not a run folder of flopsprof: it has no profile.db"));
    }
  }
  if (!log.empty()) FLOPSPROF_RETURN_IF_ERROR(run->MergeLog(std::move(log)));
  const absl::StatusOr<Manifest> manifest =
      ReadManifest(file.has_parent_path() ? file.parent_path().string() : ".");
  run->finished_ = manifest.ok() && manifest->finished;
  FLOPSPROF_RETURN_IF_ERROR(run->CheckThatTheLogIsThere());
  // Nobody goes on with a finished run. Of others this state is read, as the log was opened for it.
  if (run->finished_ && run->is_file_) {
    if (absl::Status ended = run->database_->Execute("COMMIT"); !ended.ok()) return ended;
  }
  return run;
}

absl::Status RunDatabase::OpenFile() {
  absl::StatusOr<Database> database = Database::Open(file_, SQLITE_OPEN_READONLY);
  absl::Status status = database.status();
  // One state from here on: SQLite takes it at the first read of a transaction.
  if (status.ok()) status = database->Execute("BEGIN");
  if (status.ok()) status = database->QueryInt("SELECT count(*) FROM sqlite_schema").status();
  is_file_ = status.ok();
  if (absl::IsPermissionDenied(status)) {
    const absl::StatusOr<std::string> copied = copy_->Make(file_);
    if (!copied.ok()) return copied.status();
    database = Database::Open(*copied, SQLITE_OPEN_READWRITE);
    status = database.status();
  }
  if (status.ok()) database_ = std::make_unique<Database>(*std::move(database));
  return status;
}

absl::StatusOr<bool> RunDatabase::HasNoTables() {
  const absl::StatusOr<int64_t> tables = database_->QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!tables.ok()) return tables.status();
  return *tables == 0;
}

absl::Status RunDatabase::CheckFile() {
  const absl::StatusOr<int64_t> version = database_->QueryInt("PRAGMA user_version");
  if (!version.ok()) return NameFile(file_, version.status());
  if (*version < 1) {
    return absl::FailedPreconditionError(
        absl::StrCat(file_, " is not a profile of flopsprof, or its collector was killed at once"));
  }
  FLOPSPROF_RETURN_IF_ERROR(CheckFormat(file_, *version));
  if (const absl::Status whole = CheckWholePages(file_, database_.get()); !whole.ok()) {
    return NameFile(file_, whole);
  }
  return absl::OkStatus();
}

LogSegments RunDatabase::OpenLog() {
  if (log_folder_.empty()) return LogSegments();
  absl::StatusOr<LogSegments> log = LogSegments::Open(log_folder_);
  if (log.ok()) return *std::move(log);
  problems_.push_back(absl::StrCat("updates that are only in its log are missing: ",
                                   std::string(log.status().message())));
  return LogSegments();
}

absl::Status RunDatabase::MergeLog(LogSegments log) {
  if (database_ == nullptr) {
    FLOPSPROF_RETURN_IF_ERROR(MakeEmpty());
    return CopyAndMerge(std::move(log));
  }
  const absl::StatusOr<MergedTo> merged = ReadMergedTo(database_.get());
  if (!merged.ok()) return NameFile(file_, merged.status());
  LogReader reader(log.Copy(), merged->saved, merged->log_id);
  reader.Expect(merged->sequence);
  LogRecord record;
  const absl::StatusOr<bool> more = reader.Next(&record);
  if (absl::IsFailedPrecondition(more.status())) return more.status();
  if (more.ok() && !*more && reader.TakeDamage().empty()) {
    NoteStrays(reader);
    return absl::OkStatus();
  }
  return CopyAndMerge(std::move(log));
}

void RunDatabase::NoteStrays(const LogReader& reader) {
  for (const std::string& stray : reader.strays()) problems_.push_back(stray);
}

// For a log without its profile.db.
absl::Status RunDatabase::MakeEmpty() {
  is_file_ = false;
  absl::StatusOr<Database> database =
      Database::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!database.ok()) return database.status();
  const absl::StatusOr<Manifest> manifest =
      ReadManifest(std::filesystem::path(file_).parent_path().string());
  if (!manifest.ok()) return manifest.status();
  FLOPSPROF_RETURN_IF_ERROR(CheckFormat(file_, manifest->format));
  FLOPSPROF_RETURN_IF_ERROR(
      database->Execute(absl::StrCat(SchemaSql(), "UPDATE log_position SET log_id=0;")));
  database_ = std::make_unique<Database>(*std::move(database));
  return ProfileWriter(database_.get()).WriteRun(manifest->run_id, RunInfoOf(*manifest));
}

absl::Status RunDatabase::CopyAndMerge(LogSegments log) {
  is_file_ = false;
  absl::StatusOr<Database> memory = database_->CopyToMemory();
  if (!memory.ok()) return NameFile(file_, memory.status());
  database_ = std::make_unique<Database>(*std::move(memory));
  const absl::StatusOr<MergedTo> merged = ReadMergedTo(database_.get());
  if (!merged.ok()) return NameFile(file_, merged.status());
  std::string run_id;
  if (absl::StatusOr<Statement> row = database_->Prepare("SELECT run_id FROM run"); row.ok()) {
    if (const absl::StatusOr<bool> found = row->Step(); found.ok() && *found) run_id = row->Text(0);
  }
  std::optional<uint64_t> log_id;
  if (merged->log_id != 0) log_id = merged->log_id;
  ProfileWriter writer(database_.get());
  LogMerge merge(run_id, database_.get(), &writer, *merged);
  const absl::StatusOr<int64_t> damaged = database_->QueryInt(kCountDamage);
  std::optional<LogReader> reader;
  absl::StatusOr<bool> more = true;
  while (more.ok() && (*more || merge.saved() < merge.read())) {
    if (!reader.has_value()) {
      reader.emplace(log.Copy(), merge.read(), log_id);
      reader->Expect(merged->sequence);
    }
    more = merge.Some(&*reader, absl::InfiniteDuration(), absl::InfiniteDuration());
    if (!absl::IsCancelled(more.status())) continue;
    // A process was set aside, which is so from now on.
    reader.reset();
    more = true;
  }
  if (absl::IsFailedPrecondition(more.status()) || absl::IsAborted(more.status())) {
    return more.status();
  }
  const absl::StatusOr<int64_t> found = database_->QueryInt(kCountDamage);
  const bool found_damage = !damaged.ok() || !found.ok() || *found > *damaged;
  if (found_damage && HasMovedOn(merged->saved)) {
    return absl::AbortedError("the collector has stored and deleted what was about to be read");
  }
  NoteStrays(*reader);
  if (!more.ok()) {
    problems_.push_back(absl::StrCat("updates that are only in its log are missing: ",
                                     std::string(more.status().message())));
  }
  return absl::OkStatus();
}

bool RunDatabase::HasMovedOn(uint64_t saved) {
  absl::StatusOr<Database> now = Database::Open(file_, SQLITE_OPEN_READONLY);
  if (!now.ok()) return false;
  const absl::StatusOr<MergedTo> merged = ReadMergedTo(&*now);
  return merged.ok() && merged->saved > saved;
}

// A run that is not finished, and of which something was merged, has a log.
absl::Status RunDatabase::CheckThatTheLogIsThere() {
  if (!problems_.empty()) return absl::OkStatus();
  const absl::StatusOr<MergedTo> merged = ReadMergedTo(database_.get());
  if (!merged.ok() || merged->sequence == 0) return absl::OkStatus();
  if (merged->saved < merged->sequence) {
    if (HasMovedOn(merged->saved)) return absl::AbortedError("its log was stored and deleted");
    problems_.push_back(absl::StrCat("calls, times and kernels of ",
                                     merged->sequence - merged->saved, " updates are missing in ",
                                     file_, ": they were in its log/ alone, which is not there"));
    return absl::OkStatus();
  }
  if (finished_ || log_folder_.empty()) return absl::OkStatus();
  const absl::StatusOr<std::vector<uint64_t>> files = ListSegments(log_folder_);
  if (files.ok() && !files->empty()) return absl::OkStatus();
  problems_.push_back(absl::StrCat("its log is gone: updates after the ", merged->sequence,
                                   ". are missing if there were any; ", log_folder_, " belongs to ",
                                   file_, " until the run is finished"));
  return absl::OkStatus();
}

}  // namespace flopsprof::store
