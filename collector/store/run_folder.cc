// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_folder.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/base/clock.h"
#include "collector/base/log.h"
#include "collector/base/status.h"
#include "collector/base/unique_fd.h"
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

}  // namespace

RunFolder::RunFolder(std::string path, std::string run_id, Database database)
    : path_(std::move(path)),
      run_id_(std::move(run_id)),
      database_(std::make_unique<Database>(std::move(database))),
      writer_(std::make_unique<ProfileWriter>(database_.get())) {}

RunFolder::~RunFolder() {
  base::MutexLock lock(&mutex_);
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
  // any reader completes. FULL: a commit is on the disk when it returns.
  for (const char* sql :
       {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=1000"}) {
    if (const absl::Status status = database->Execute(sql); !status.ok()) return status;
  }
  const absl::StatusOr<int64_t> version = database->QueryInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version > kSchemaVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(file, " was made by a newer flopsprof (format ", *version, ")"));
  }
  if (*version == 0) {
    const absl::Status status =
        database->Execute(absl::StrCat("BEGIN IMMEDIATE;", SchemaSql(), AddedSql(),
                                       "PRAGMA user_version=", kSchemaVersion, ";COMMIT"));
    if (!status.ok()) return status;
  }
  // Tables that came later, and views, which are those of this version in every file.
  const absl::Status added =
      database->Execute(absl::StrCat("BEGIN IMMEDIATE;", AddedSql(), ViewsSql(), "COMMIT"));
  if (!added.ok()) return added;
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
  std::unique_ptr<RunFolder> folder(new RunFolder(*path, run_id, *std::move(database)));
  base::MutexLock lock(&folder->mutex_);
  folder->manifest_ = {run_id, run.job(), run.command(), run.start_utc_ns(), run.version(), false};
  if (const absl::Status status = folder->writer_->WriteRun(run_id, run); !status.ok()) {
    return Explain(status, kCreateAdvice);
  }
  if (const absl::Status status = WriteManifest(*path, folder->manifest_); !status.ok()) {
    return Explain(status, kCreateAdvice);
  }
  return folder;
}

absl::StatusOr<std::unique_ptr<RunFolder>> RunFolder::Open(const std::string& path) {
  absl::StatusOr<Manifest> manifest = ReadManifest(path);
  if (!manifest.ok()) return manifest.status();
  absl::StatusOr<Database> database = OpenDatabase(path);
  if (!database.ok()) return database.status();
  std::unique_ptr<RunFolder> folder(new RunFolder(path, manifest->run_id, *std::move(database)));
  base::MutexLock lock(&folder->mutex_);
  folder->manifest_ = *std::move(manifest);
  return folder;
}

absl::Status RunFolder::Apply(const v1::UploadRequest& request) {
  base::MutexLock lock(&mutex_);
  absl::Status status;
  if (is_plain_file_) status = database_->Execute("PRAGMA journal_mode=WAL");
  if (status.ok()) {
    is_plain_file_ = false;
    status = database_->Execute("BEGIN IMMEDIATE");
  }
  if (status.ok()) status = EndTransaction(ApplyInTransaction(request));
  if (status.ok() && manifest_.finished) {  // by an earlier collector
    manifest_.finished = false;
    status = WriteManifest(path_, manifest_);
  }
  if (status.ok()) return status;
  return Explain(absl::Status(status.code(), absl::StrCat("cannot store in ", path_, ": ",
                                                          std::string(status.message()))),
                 kApplyAdvice);
}

absl::Status RunFolder::WriteDerived(const std::vector<v1::ProcessProfile>& processes) {
  if (processes.empty()) return absl::OkStatus();
  base::MutexLock lock(&mutex_);
  absl::Status status = database_->Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  for (const v1::ProcessProfile& process : processes) {
    if (status.ok()) status = writer_->WriteProcess(process);
  }
  return EndTransaction(status);
}

absl::Status RunFolder::NoteRefusal(const std::string& agent_id, const std::string& node,
                                    const std::string& why) {
  base::MutexLock lock(&mutex_);
  absl::Status status = database_->Execute("BEGIN IMMEDIATE");
  if (!status.ok()) return status;
  return EndTransaction(writer_->NoteRefusal(agent_id, node, why, base::Clock::Real().UtcNs()));
}

absl::Status RunFolder::NoteProblem(const std::string& text) {
  base::MutexLock lock(&mutex_);
  return writer_->NoteProblem(text);
}

absl::Status RunFolder::EndTransaction(absl::Status status) {
  if (status.ok()) status = database_->Execute("COMMIT");
  // SQLite may have rolled back by itself.
  if (!status.ok()) database_->Execute("ROLLBACK").IgnoreError();
  return status;
}

absl::Status RunFolder::ApplyInTransaction(const v1::UploadRequest& request) {
  const absl::StatusOr<bool> is_new = writer_->NoteUpload(request, base::Clock::Real().UtcNs());
  if (!is_new.ok()) return is_new.status();
  if (!*is_new) return absl::OkStatus();
  if (request.has_run()) {
    if (const absl::Status status = writer_->WriteRun(run_id_, request.run()); !status.ok()) {
      return status;
    }
  }
  for (const v1::ProcessProfile& process : request.processes()) {
    if (const absl::Status status = writer_->WriteProcess(process); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RunFolder::WriteText(const std::string& name, std::string_view content) {
  return ReplaceFile(path_, name, content);
}

absl::Status RunFolder::Finish() {
  base::MutexLock lock(&mutex_);
  // Without its write-ahead log the file can be copied alone, and read where nothing can be
  // written. A reader that is in the middle of it prevents that; then it stays as it is.
  if (const absl::Status status = database_->Execute("PRAGMA journal_mode=DELETE"); status.ok()) {
    is_plain_file_ = true;
  } else {
    base::Log().debug("{} keeps its write-ahead log: {}", path_, std::string(status.message()));
  }
  manifest_.finished = true;
  return WriteManifest(path_, manifest_);
}

}  // namespace flopsprof::store
