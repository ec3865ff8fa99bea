// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_reader.h"
#include "collector/model/step_labels.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/message.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "collector/base/status.h"
#include "collector/model/profile_bounds.h"
#include "collector/store/manifest.h"
#include "collector/store/row_codec.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;

std::string Quote(const std::string& column) { return absl::StrCat("\"", column, "\""); }

// A private copy of a database that cannot be opened where it lies: a read-only folder with a
// write-ahead log that only a writer could fold in.
class PrivateCopy {
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
    for (const char* suffix : {"", "-wal"}) {
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

absl::StatusOr<Database> OpenForReading(const std::string& file, PrivateCopy* copy) {
  absl::StatusOr<Database> database = Database::Open(file, SQLITE_OPEN_READONLY);
  if (database.ok()) {
    const absl::StatusOr<int64_t> probe = database->QueryInt("SELECT count(*) FROM sqlite_schema");
    if (probe.ok()) return database;
    if (!absl::IsPermissionDenied(probe.status())) return probe.status();
  } else if (!absl::IsPermissionDenied(database.status())) {
    return database.status();
  }
  const absl::StatusOr<std::string> copied = copy->Make(file);
  if (!copied.ok()) return copied.status();
  return Database::Open(*copied, SQLITE_OPEN_READWRITE);
}

class Reader {
 public:
  explicit Reader(Database* db) : db_(*db) {}

  absl::StatusOr<model::RunProfile> Read() {
    // One read transaction: the state between two commits.
    if (const absl::Status status = db_.Execute("BEGIN"); !status.ok()) return status;
    model::RunProfile profile;
    if (const absl::Status status = ReadRunInfo(&profile); !status.ok()) return status;
    if (const absl::Status status = ReadAgents(&profile); !status.ok()) return status;
    absl::StatusOr<Statement> rows =
        db_.Prepare("SELECT id, node, pid, start_ticks FROM processes ORDER BY id");
    if (!rows.ok()) return rows.status();
    while (true) {
      const absl::StatusOr<bool> row = rows->Step();
      if (!row.ok()) return row.status();
      if (!*row) break;
      v1::ProcessProfile process;
      process.mutable_key()->set_node(rows->Text(1));
      process.mutable_key()->set_pid(static_cast<int32_t>(rows->Int(2)));
      process.mutable_key()->set_start_ticks(static_cast<uint64_t>(rows->Int(3)));
      if (const absl::Status status = ReadProcess(rows->Int(0), &process); !status.ok()) {
        return status;
      }
      model::BoundProfile(&process);
      model::JoinSteps(&process);
      profile.processes.push_back(std::move(process));
    }
    return profile;
  }

 private:
  template <typename OnRow>
  absl::Status ForEach(const std::string& sql, int64_t process_id, OnRow on_row) {
    absl::StatusOr<Statement> statement = db_.Prepare(sql);
    if (!statement.ok()) return statement.status();
    statement->BindInt(1, process_id);
    while (true) {
      const absl::StatusOr<bool> row = statement->Step();
      if (!row.ok()) return row.status();
      if (!*row) return absl::OkStatus();
      on_row(*statement);
    }
  }

  absl::Status ReadRunInfo(model::RunProfile* profile) {
    return ForEach(
        "SELECT run_id, job, command, start_utc_ns, node, version, first_step, end_step, "
        "job_exit_known, job_exit_code FROM run WHERE ?1 IS NOT NULL",
        0, [profile](const Statement& row) {
          profile->run_id = row.Text(0);
          v1::RunInfo& run = profile->run;
          run.set_job(row.Text(1));
          run.set_command(row.Text(2));
          run.set_start_utc_ns(row.Int(3));
          run.set_node(row.Text(4));
          run.set_version(row.Text(5));
          if (!row.IsNull(6)) run.set_first_step(static_cast<uint32_t>(row.Int(6)));
          if (!row.IsNull(7)) run.set_end_step(static_cast<uint32_t>(row.Int(7)));
          run.set_job_exit_known(row.Int(8) != 0);
          run.set_job_exit_code(static_cast<int32_t>(row.Int(9)));
        });
  }

  absl::StatusOr<bool> HasTable(const std::string& name) {
    const absl::StatusOr<int64_t> count = db_.QueryInt(absl::StrCat(
        "SELECT count(*) FROM sqlite_master WHERE type='table' AND name='", name, "'"));
    if (!count.ok()) return count.status();
    return *count > 0;
  }

  absl::Status ReadAgents(model::RunProfile* profile) {
    const absl::StatusOr<bool> has_news = HasTable("agent_news");
    if (!has_news.ok()) return has_news.status();
    const std::string more =
        *has_news ? "coalesce(n.newest_utc_ns, 0), coalesce(n.refused, '') FROM agents a LEFT JOIN "
                    "agent_news n ON n.agent = a.id"
                  : "0, '' FROM agents a";
    const absl::Status status = ForEach(
        absl::StrCat("SELECT a.node, a.finished, a.sequence, (SELECT count(*) FROM uploads u WHERE "
                     "u.agent = a.id), ",
                     more, " WHERE ?1 IS NOT NULL ORDER BY a.id"),
        0, [profile](const Statement& row) {
          model::AgentState& agent = profile->agents.emplace_back();
          agent.node = row.Text(0);
          agent.finished = row.Int(1) != 0;
          agent.newest_sequence = static_cast<uint64_t>(row.Int(2));
          agent.uploads = static_cast<uint64_t>(row.Int(3));
          agent.newest_utc_ns = row.Int(4);
          agent.refused = row.Text(5);
        });
    if (!status.ok() || !*has_news) return status;
    return ForEach("SELECT text FROM problems WHERE ?1 IS NOT NULL ORDER BY number", 0,
                   [profile](const Statement& row) { profile->problems.push_back(row.Text(0)); });
  }

  absl::Status ReadProcess(int64_t id, v1::ProcessProfile* process) {
    const auto info_fields = StoredFields(*v1::ProcessInfo::descriptor());
    absl::Status status = ForEach(
        SelectSql("process_infos", info_fields), id,
        [&](const Statement& row) { ReadFields(row, info_fields, 0, process->mutable_info()); });
    if (!status.ok()) return status;
    for (const RowTable& table : RowTables()) {
      const absl::StatusOr<bool> exists = HasTable(table.name);
      if (!exists.ok()) return exists.status();
      if (!*exists) continue;  // a run made before this table was added
      const auto fields = StoredFields(*table.row_type());
      status = ForEach(SelectSql(table.name, fields), id, [&](const Statement& row) {
        ReadFields(row, fields, 0, process->GetReflection()->AddMessage(process, table.rows));
      });
      if (!status.ok()) return status;
    }
    status = ReadStepPhases(id, process);
    if (!status.ok()) return status;
    status = ForEach(
        "SELECT id, text FROM strings WHERE process_id=?", id, [process](const Statement& row) {
          (*process->mutable_strings())[static_cast<uint32_t>(row.Int(0))] = row.Text(1);
        });
    if (!status.ok()) return status;
    status = ForEach("SELECT name, count FROM losses WHERE process_id=?", id,
                     [process](const Statement& row) {
                       (*process->mutable_loss())[row.Text(0)] = static_cast<uint64_t>(row.Int(1));
                     });
    if (!status.ok()) return status;
    return ForEach("SELECT name, text FROM notes WHERE process_id=?", id,
                   [process](const Statement& row) {
                     (*process->mutable_notes())[row.Text(0)] = row.Text(1);
                   });
  }

  absl::Status ReadStepPhases(int64_t id, v1::ProcessProfile* process) {
    std::map<uint32_t, v1::StepRow*> steps;
    for (v1::StepRow& row : *process->mutable_steps()) steps[row.step()] = &row;
    return ForEach(
        "SELECT step, flops_high, flops_low, gpu_time_ns FROM step_phases WHERE process_id=? "
        "ORDER BY step, phase",
        id, [&steps](const Statement& row) {
          const auto found = steps.find(static_cast<uint32_t>(row.Int(0)));
          if (found == steps.end()) return;
          *found->second->add_flops() = FromDecimal({row.Int(1), row.Int(2)});
          found->second->add_gpu_time_ns(static_cast<uint64_t>(row.Int(3)));
        });
  }

  static std::string SelectSql(const std::string& table,
                               const std::vector<const FieldDescriptor*>& fields) {
    std::vector<std::string> columns = ColumnsOf(fields);
    for (std::string& column : columns) column = Quote(column);
    return absl::StrCat("SELECT ", absl::StrJoin(columns, ","), " FROM ", table,
                        " WHERE process_id=?");
  }

  Database& db_;
};

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

absl::Status Name(const std::string& file, const absl::Status& status) {
  if (absl::IsDataLoss(status)) {
    return absl::DataLossError(absl::StrCat(file, " is damaged: ", std::string(status.message()),
                                            "; try: sqlite3 ", file, " .recover"));
  }
  return absl::Status(status.code(),
                      absl::StrCat("cannot read ", file, ": ", std::string(status.message())));
}

}  // namespace

absl::StatusOr<std::string> DatabaseFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(absl::StrCat("no such run: ", path));
  }
  if (!S_ISDIR(info.st_mode)) return path;
  const std::string file = path + "/profile.db";
  if (stat(file.c_str(), &info) != 0) {
    return absl::NotFoundError(
        absl::StrCat(path, " is not a run folder of flopsprof: it has no profile.db"));
  }
  return file;
}

absl::StatusOr<model::RunProfile> ReadRun(const std::string& path) {
  const absl::StatusOr<std::string> file = DatabaseFile(path);
  if (!file.ok()) return file.status();
  PrivateCopy copy;
  absl::StatusOr<Database> database = OpenForReading(*file, &copy);
  if (!database.ok()) return Name(*file, database.status());
  const absl::StatusOr<int64_t> version = database->QueryInt("PRAGMA user_version");
  if (!version.ok()) return Name(*file, version.status());
  if (*version > kSchemaVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(*file, " was made by a newer flopsprof (format ", *version,
                     ", this one reads up to ", kSchemaVersion, "): update flopsprof"));
  }
  if (*version < 1) {
    return absl::FailedPreconditionError(
        absl::StrCat(*file, " is not a profile of flopsprof, or its collector was killed at once"));
  }
  if (const absl::Status whole = CheckWholePages(*file, &*database); !whole.ok()) {
    return Name(*file, whole);
  }
  absl::StatusOr<model::RunProfile> profile = Reader(&*database).Read();
  if (!profile.ok()) return Name(*file, profile.status());
  const absl::StatusOr<Manifest> manifest =
      ReadManifest(std::filesystem::path(*file).parent_path().string());
  profile->finished = manifest.ok() && manifest->finished;
  return profile;
}

}  // namespace flopsprof::store
