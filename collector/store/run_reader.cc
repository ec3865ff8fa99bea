// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_reader.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collector/base/status.h"
#include "collector/base/thread.h"
#include "collector/model/thin_profile.h"
#include "collector/store/sqlite.h"
#include "collector/store/stored_rows.h"
#include "collector/store/stored_sums.h"

namespace flopsprof::store {
namespace {

constexpr size_t kMostThreads = 8;
constexpr size_t kLeastOfThread = 16;  // processes

// Processes, in the order of their ids.
struct Processes {
  std::vector<v1::ProcessProfile> profiles;
  std::vector<int64_t> ids;
  std::set<std::string> damaged_tables;

  void Append(Processes more) {
    damaged_tables.merge(more.damaged_tables);
    profiles.insert(profiles.end(), std::make_move_iterator(more.profiles.begin()),
                    std::make_move_iterator(more.profiles.end()));
    ids.insert(ids.end(), more.ids.begin(), more.ids.end());
  }
};

absl::StatusOr<Processes> ReadProcesses(Database* db, RunParts parts, ProcessIds ids) {
  const absl::StatusOr<std::unique_ptr<ProcessReader>> reader =
      ProcessReader::Create(db, parts, ids);
  if (!reader.ok()) return reader.status();
  Processes processes;
  while (true) {
    v1::ProcessProfile process;
    const absl::StatusOr<bool> more = (*reader)->Next(&process);
    if (!more.ok()) return more.status();
    if (!*more) {
      for (std::string& table : (*reader)->DamagedTables()) {
        processes.damaged_tables.insert(std::move(table));
      }
      return processes;
    }
    FinishProcess((*reader)->longest_text_bytes(), &process);
    if (parts == RunParts::kThin) model::MakeThin(&process);
    processes.ids.push_back((*reader)->id());
    processes.profiles.push_back(std::move(process));
  }
}

// One part of the processes, read through a connection of its own: in a thread of its own, or by
// who takes it where the machine allows none.
class PartReader {
 public:
  PartReader(std::string file, RunParts parts, ProcessIds ids)
      : file_(std::move(file)), parts_(parts), ids_(ids) {
    thread_ = base::StartThread([this] { Read(); });
  }
  ~PartReader() {
    if (thread_.joinable()) thread_.join();
  }

  absl::StatusOr<Processes> Take() {
    if (thread_.joinable()) {
      thread_.join();
    } else {
      Read();
    }
    return std::move(processes_);
  }

 private:
  void Read() {
    absl::StatusOr<Database> db = Database::Open(file_, SQLITE_OPEN_READONLY);
    processes_ = db.ok() ? ReadProcesses(&*db, parts_, ids_) : db.status();
  }

  const std::string file_;
  const RunParts parts_;
  const ProcessIds ids_;
  absl::StatusOr<Processes> processes_ = absl::UnknownError("not read");
  std::thread thread_;  // last: it uses the others
};

// What is known of the run beside its processes.
class FactReader {
 public:
  FactReader(Database* db, std::set<std::string>* damaged_tables)
      : db_(*db), damaged_tables_(damaged_tables) {}

  absl::Status ReadRunInfo(model::RunProfile* profile) {
    return ForEach(
        "run_id, job, command, start_utc_ns, node, version, first_step, end_step, "
        "job_exit_known, job_exit_code",
        "run", "", [profile](const Statement& row) {
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

  absl::Status ReadAgents(model::RunProfile* profile) {
    const absl::Status status = ForEach(
        "node, finished, sequence, missing, newest_utc_ns, refused, agent_id, copy, left_out, "
        "peer, other_peer",
        "agents", " ORDER BY id", [profile](const Statement& row) {
          model::AgentState& agent = profile->agents.emplace_back();
          agent.node = row.Text(0);
          agent.finished = row.Int(1) != 0;
          agent.newest_sequence = static_cast<uint64_t>(row.Int(2));
          agent.missing = static_cast<uint64_t>(row.Int(3));
          agent.newest_utc_ns = row.Int(4);
          agent.refused = row.Text(5);
          agent.id = row.Text(6);
          agent.copy = row.Int(7);
          agent.left_out = static_cast<uint64_t>(row.Int(8));
          agent.peer = row.Text(9);
          agent.other_peer = row.Text(10);
        });
    if (!status.ok()) return status;
    if (const absl::Status damage = ReadLogDamage(profile); !damage.ok()) return damage;
    return ForEach("text", "problems", " ORDER BY number",
                   [profile](const Statement& row) { profile->problems.push_back(row.Text(0)); });
  }

 private:
  // All rows of a table, or those before a page that cannot be read.
  template <typename OnRow>
  absl::Status ForEach(const std::string& columns, const std::string& table,
                       const std::string& order, OnRow on_row) {
    absl::StatusOr<Statement> statement =
        db_.Prepare(absl::StrCat("SELECT ", columns, " FROM ", table, order));
    if (!statement.ok()) return statement.status();
    while (true) {
      const absl::StatusOr<bool> row = statement->Step();
      if (absl::IsDataLoss(row.status())) {
        damaged_tables_->insert(table);
        return absl::OkStatus();
      }
      if (!row.ok()) return row.status();
      if (!*row) return absl::OkStatus();
      on_row(*statement);
    }
  }

  absl::Status ReadLogDamage(model::RunProfile* profile) {
    const absl::Status status = ForEach(
        "text", "log_refused", " ORDER BY number",
        [profile](const Statement& row) { profile->refused_uploads.push_back(row.Text(0)); });
    if (!status.ok()) return status;
    const absl::Status limits = ForEach(
        "name, most, uploads", "over_limits", " ORDER BY name", [profile](const Statement& row) {
          profile->over_limits.push_back(
              {row.Text(0), static_cast<uint64_t>(row.Int(1)), static_cast<uint64_t>(row.Int(2))});
        });
    if (!limits.ok()) return limits;
    return ForEach("text, lost", "log_damage", " ORDER BY number", [profile](const Statement& row) {
      profile->log_damage.push_back(row.Text(0));
      profile->lost_uploads += static_cast<uint64_t>(row.Int(1));
    });
  }

  Database& db_;
  std::set<std::string>* const damaged_tables_;
};

absl::Status ReadFactsOf(Database* database, model::RunProfile* profile,
                         std::set<std::string>* damaged_tables) {
  FactReader reader(database, damaged_tables);
  FLOPSPROF_RETURN_IF_ERROR(reader.ReadRunInfo(profile));
  return reader.ReadAgents(profile);
}

class Reader {
 public:
  // `file`: of the database; "" = other connections would not see what this one does.
  Reader(Database* db, const std::string& file, RunParts parts)
      : db_(*db), file_(file), parts_(parts) {}

  // In a transaction, which is begun if none is and which the caller ends: one state, that between
  // two commits.
  absl::StatusOr<model::RunProfile> Read() {
    if (!db_.in_transaction()) FLOPSPROF_RETURN_IF_ERROR(db_.Execute("BEGIN"));
    model::RunProfile profile;
    std::set<std::string> damaged_tables;
    FLOPSPROF_RETURN_IF_ERROR(ReadFactsOf(&db_, &profile, &damaged_tables));
    if (const absl::Status status = ReadState(&profile); !status.ok()) return status;
    const absl::StatusOr<std::vector<ProcessIds>> ids = DivideProcesses(profile.state.has_value());
    if (!ids.ok()) return ids.status();
    std::vector<std::unique_ptr<PartReader>> others;
    for (size_t i = 1; i < ids->size(); ++i) {
      others.push_back(std::make_unique<PartReader>(file_, parts_, (*ids)[i]));
    }
    absl::StatusOr<Processes> processes = ReadProcesses(&db_, parts_, ids->front());
    if (!processes.ok()) return processes.status();
    for (const std::unique_ptr<PartReader>& other : others) {
      absl::StatusOr<Processes> more = other->Take();
      if (!more.ok()) return more.status();
      processes->Append(*std::move(more));
    }
    damaged_tables.merge(processes->damaged_tables);
    NameDamagedTables(damaged_tables, &profile);
    // What is kept of the run's sums may be of before.
    if (!damaged_tables.empty()) profile.state.reset();
    profile.processes = std::move(processes->profiles);
    ids_ = std::move(processes->ids);
    profile.is_bounded = true;
    return profile;
  }

  // Of the processes that were read.
  std::vector<int64_t> TakeIds() { return std::move(ids_); }

 private:
  // As many parts of about equal size as there are threads to read them; they are all processes.
  // `stays_the_same`: other connections read the same.
  absl::StatusOr<std::vector<ProcessIds>> DivideProcesses(bool stays_the_same) {
    std::vector<ProcessIds> parts = {ProcessIds()};
    if (!stays_the_same) return parts;
    const absl::StatusOr<int64_t> count = db_.QueryInt("SELECT count(*) FROM processes");
    if (!count.ok()) return count.status();
    const auto processes = static_cast<size_t>(*count);
    const size_t threads = std::min(
        {kMostThreads, processes / kLeastOfThread, size_t{std::thread::hardware_concurrency()}});
    for (size_t i = 1; i < threads; ++i) {
      const absl::StatusOr<int64_t> first = db_.QueryInt(absl::StrCat(
          "SELECT id FROM processes ORDER BY id LIMIT 1 OFFSET ", i * processes / threads));
      if (!first.ok()) return first.status();
      parts.back().end = *first;
      parts.push_back({*first, ProcessIds().end});
    }
    return parts;
  }

  // Without a write-ahead log nobody can commit while this connection reads: others read the same
  // state.
  absl::Status ReadState(model::RunProfile* profile) {
    if (file_.empty()) return absl::OkStatus();
    const absl::StatusOr<std::optional<uint32_t>> state = StateOf(&db_);
    if (state.ok()) profile->state = *state;
    return state.status();
  }

  Database& db_;
  const std::string file_;
  const RunParts parts_;
  std::vector<int64_t> ids_;
};

absl::Status EndTransaction(RunDatabase* run) {
  Database* database = run->database();
  if (!database->in_transaction()) return absl::OkStatus();
  const absl::Status ended = database->Execute("COMMIT");
  // It says so of a damaged page that was met. Nothing was written, and what was read is good.
  return absl::IsDataLoss(ended) && !database->in_transaction() ? absl::OkStatus() : ended;
}

// What is known of the run beside its database.
void AddFacts(const RunDatabase& run, model::RunProfile* profile) {
  profile->finished = run.finished();
  if (!run.finished() || !run.problems().empty()) profile->state.reset();
  for (const std::string& problem : run.problems()) profile->problems.push_back(problem);
}

}  // namespace

void NameDamagedTables(const std::set<std::string>& tables, model::RunProfile* profile) {
  for (const std::string& table : tables) {
    profile->problems.push_back(
        absl::StrCat("the table ", table,
                     " of profile.db is damaged, and what of it cannot be read is missing; "
                     "try: sqlite3 profile.db .recover"));
  }
}

absl::Status ReadFacts(Database* database, model::RunProfile* profile) {
  std::set<std::string> damaged_tables;
  FLOPSPROF_RETURN_IF_ERROR(ReadFactsOf(database, profile, &damaged_tables));
  NameDamagedTables(damaged_tables, profile);
  return absl::OkStatus();
}

absl::StatusOr<model::RunProfile> ReadRun(const std::string& path, RunParts parts) {
  const absl::StatusOr<std::unique_ptr<RunDatabase>> run = RunDatabase::Open(path);
  if (!run.ok()) return run.status();
  return ReadRun(run->get(), parts);
}

absl::StatusOr<model::RunProfile> ReadRun(RunDatabase* run, RunParts parts) {
  absl::StatusOr<model::RunProfile> profile =
      Reader(run->database(), run->is_file() ? run->file() : "", parts).Read();
  const absl::Status ended = EndTransaction(run);  // who writes waits for it
  if (profile.ok() && !ended.ok()) return NameFile(run->file(), ended);
  if (!profile.ok()) return NameFile(run->file(), profile.status());
  AddFacts(*run, &*profile);
  return profile;
}

namespace {

absl::StatusOr<SummedRun> SumInTurn(RunDatabase* run, const model::SummaryOptions& options) {
  Reader reader(run->database(), run->is_file() ? run->file() : "", RunParts::kThin);
  absl::StatusOr<model::RunProfile> thin = reader.Read();
  SummedRun summed;
  absl::Status status = thin.status();
  if (status.ok()) {
    AddFacts(*run, &*thin);
    summed.profile = *std::move(thin);
    StoredRows rows(run->database(), summed.profile.processes, reader.TakeIds());
    summed.sums = model::SumRun(summed.profile, &rows, options);
    status = rows.End();
  }
  status.Update(EndTransaction(run));
  if (!status.ok()) return NameFile(run->file(), status);
  return summed;
}

}  // namespace

absl::StatusOr<SummedRun> SumRun(RunDatabase* run, const model::SummaryOptions& options,
                                 int64_t most_at_once) {
  const absl::StatusOr<int64_t> count = run->database()->QueryInt("SELECT count(*) FROM processes");
  if (!count.ok()) return NameFile(run->file(), count.status());
  if (*count > most_at_once) return SumInTurn(run, options);
  absl::StatusOr<model::RunProfile> profile = ReadRun(run, RunParts::kForSummary);
  if (!profile.ok()) return profile.status();
  SummedRun summed;
  summed.profile = *std::move(profile);
  summed.sums = model::SumRun(summed.profile, options);
  return summed;
}

}  // namespace flopsprof::store
