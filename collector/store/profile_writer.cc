// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile_writer.h"

#include <google/protobuf/message.h>

#include <algorithm>

#include "collector/store/row_codec.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;

std::string StepPhasesSql() {
  return MergeSql("step_phases", {{"step", Rule::kKey},
                                  {"phase", Rule::kKey},
                                  {"flops", Rule::kSum, "", /*is_count=*/true},
                                  {"gpu_time_ns", Rule::kSum}});
}

}  // namespace

absl::StatusOr<Statement*> ProfileWriter::Prepared(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return &found->second;
  absl::StatusOr<Statement> statement = db_.Prepare(sql);
  if (!statement.ok()) return statement.status();
  return &statements_.emplace(sql, *std::move(statement)).first->second;
}

absl::StatusOr<ProfileWriter::ProcessRow> ProfileWriter::FindProcess(const v1::ProcessKey& key) {
  absl::StatusOr<Statement*> select =
      Prepared("SELECT id FROM processes WHERE node=? AND pid=? AND start_ticks=? AND image=?");
  absl::StatusOr<Statement*> insert =
      Prepared("INSERT INTO processes(node, pid, start_ticks, image) VALUES(?,?,?,?)");
  for (const auto* statement : {&select, &insert}) {
    if (!statement->ok()) return statement->status();
    (**statement)->BindText(1, key.node());
    (**statement)->BindInt(2, key.pid());
    (**statement)->BindInt(3, static_cast<int64_t>(key.start_ticks()));
    (**statement)->BindInt(4, static_cast<int64_t>(key.image()));
  }
  const absl::StatusOr<bool> row = (*select)->Step();
  const int64_t id = row.ok() && *row ? (*select)->Int(0) : 0;
  const absl::Status done = (*select)->Run();
  if (!row.ok()) return row.status();
  if (!done.ok()) return done;
  if (*row) return ProcessRow{id, false};
  if (const absl::Status made = (*insert)->Run(); !made.ok()) return made;
  return ProcessRow{sqlite3_last_insert_rowid(db_.handle()), true};
}

absl::Status ProfileWriter::WriteOthers(int64_t process_id, const v1::ProcessProfile& process) {
  if (const absl::Status status = HistoryRollup::Check(process); !status.ok()) return status;
  if (process.has_info()) {
    if (const absl::Status status = WriteInfo(process_id, process.info()); !status.ok()) {
      return status;
    }
  }
  for (const RowTable& table : RowTables()) {
    if (table.is_live) continue;
    const absl::Status status = WriteRows(process_id, table, process);
    if (!status.ok()) return status;
  }
  if (const absl::Status status = history_.After(process_id, process); !status.ok()) return status;
  if (const absl::Status status = WriteStepPhases(process_id, process); !status.ok()) return status;
  return WriteMaps(process_id, process);
}

absl::Status ProfileWriter::WriteInfo(int64_t process_id, const v1::ProcessInfo& info) {
  static const auto* const kFields = new std::vector<const FieldDescriptor*>(InfoTable().fields());
  absl::StatusOr<Statement*> statement = Prepared(InfoTable().merge_sql);
  if (!statement.ok()) return statement.status();
  (*statement)->BindInt(1, process_id);
  BindFields(info, *kFields, 2, *statement);
  return (*statement)->Run();
}

absl::Status ProfileWriter::WriteRows(int64_t process_id, const RowTable& table,
                                      const v1::ProcessProfile& process) {
  const google::protobuf::Reflection& reflection = *process.GetReflection();
  const int count = reflection.FieldSize(process, table.rows);
  if (count == 0) return absl::OkStatus();
  const std::vector<const FieldDescriptor*> fields = table.fields();
  absl::StatusOr<Statement*> statement = Prepared(table.merge_sql);
  if (!statement.ok()) return statement.status();
  for (int i = 0; i < count; ++i) {
    (*statement)->BindInt(1, process_id);
    BindFields(reflection.GetRepeatedMessage(process, table.rows, i), fields, 2, *statement);
    if (const absl::Status status = (*statement)->Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ProfileWriter::WriteStepPhases(int64_t process_id, const v1::ProcessProfile& process) {
  if (process.steps_size() == 0) return absl::OkStatus();
  static const auto* const kSql = new std::string(StepPhasesSql());
  absl::StatusOr<Statement*> statement = Prepared(*kSql);
  if (!statement.ok()) return statement.status();
  for (const v1::StepRow& row : process.steps()) {
    for (int phase = 0; phase < std::max(row.flops_size(), row.gpu_time_ns_size()); ++phase) {
      const DecimalCount flops =
          phase < row.flops_size() ? ToDecimal(row.flops(phase)) : DecimalCount();
      (*statement)->BindInt(1, process_id);
      (*statement)->BindInt(2, row.step());
      (*statement)->BindInt(3, phase);
      (*statement)->BindInt(4, flops.high);
      (*statement)->BindInt(5, flops.low);
      (*statement)
          ->BindInt(
              6, phase < row.gpu_time_ns_size() ? static_cast<int64_t>(row.gpu_time_ns(phase)) : 0);
      if (const absl::Status status = (*statement)->Run(); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status ProfileWriter::WriteMaps(int64_t process_id, const v1::ProcessProfile& process) {
  absl::StatusOr<Statement*> strings = Prepared("INSERT OR REPLACE INTO strings VALUES(?,?,?)");
  if (!strings.ok()) return strings.status();
  for (const auto& [id, text] : process.strings()) {
    (*strings)->BindInt(1, process_id);
    (*strings)->BindInt(2, static_cast<int64_t>(id));
    (*strings)->BindText(3, text);
    if (const absl::Status status = (*strings)->Run(); !status.ok()) return status;
  }
  if (const absl::Status status = WriteLosses(process_id, process); !status.ok()) return status;
  absl::StatusOr<Statement*> notes = Prepared("INSERT OR REPLACE INTO notes VALUES(?,?,?)");
  if (!notes.ok()) return notes.status();
  for (const auto& [name, text] : process.notes()) {
    (*notes)->BindInt(1, process_id);
    (*notes)->BindText(2, name);
    (*notes)->BindText(3, text);
    if (const absl::Status status = (*notes)->Run(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ProfileWriter::WriteLosses(int64_t process_id, const v1::ProcessProfile& process) {
  static const auto* const kSql = new std::string(
      MergeSql("losses",
               {{"name", Rule::kKey}, {"process_count", Rule::kMax}, {"agent_count", Rule::kSum}}));
  absl::StatusOr<Statement*> statement = Prepared(*kSql);
  if (!statement.ok()) return statement.status();
  const auto write = [&](const std::string& name, uint64_t of_process, uint64_t of_agent) {
    (*statement)->BindInt(1, process_id);
    (*statement)->BindText(2, name);
    (*statement)->BindInt(3, static_cast<int64_t>(of_process));
    (*statement)->BindInt(4, static_cast<int64_t>(of_agent));
    return (*statement)->Run();
  };
  // What the store counts itself nobody else says.
  const auto is_of_store = [](std::string_view name) {
    return name == "rows_undefined" || name == "rows_set_aside";
  };
  for (const auto& [name, count] : process.loss()) {
    if (is_of_store(name)) continue;
    if (const absl::Status status = write(name, count, 0); !status.ok()) return status;
  }
  for (const auto& [name, count] : process.agent_loss()) {
    if (is_of_store(name)) continue;
    if (const absl::Status status = write(name, 0, count); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ProfileWriter::WriteRun(const std::string& run_id, const v1::RunInfo& run) {
  const absl::StatusOr<int64_t> rows = db_.QueryInt("SELECT count(*) FROM run");
  if (!rows.ok()) return rows.status();
  absl::StatusOr<Statement*> statement = Prepared(
      *rows == 0
          ? "INSERT INTO run VALUES(?,?,?,?,?,?,?,?,?,?)"
          : "UPDATE run SET run_id=?1, job=iif(job='', ?2, job), "
            "command=iif(command='', ?3, command), "
            "start_utc_ns=iif(start_utc_ns=0 OR (?4 > 0 AND ?4 < start_utc_ns), ?4, start_utc_ns), "
            "node=iif(node='', ?5, node), version=iif(version='', ?6, version), "
            "first_step=coalesce(first_step, ?7), end_step=coalesce(end_step, ?8), "
            "job_exit_code=iif(job_exit_code=0, ?10, job_exit_code), "
            "job_exit_known=max(job_exit_known, ?9)");
  if (!statement.ok()) return statement.status();
  (*statement)->BindText(1, run_id);
  (*statement)->BindText(2, run.job());
  (*statement)->BindText(3, run.command());
  (*statement)->BindInt(4, run.start_utc_ns());
  (*statement)->BindText(5, run.node());
  (*statement)->BindText(6, run.version());
  if (run.has_first_step()) (*statement)->BindInt(7, run.first_step());
  if (run.has_end_step()) (*statement)->BindInt(8, run.end_step());
  (*statement)->BindInt(9, run.job_exit_known() ? 1 : 0);
  (*statement)->BindInt(10, run.job_exit_known() ? run.job_exit_code() : 0);
  return (*statement)->Run();
}

absl::StatusOr<bool> ProfileWriter::NoteUpload(const v1::UploadRequest& request, int64_t utc_ns) {
  // Nothing is changed by one that was taken: one with a number that is not above the newest.
  absl::StatusOr<Statement*> agent = Prepared(
      "INSERT INTO agents(agent_id, node, sequence, missing, finished, newest_utc_ns, refused) "
      "VALUES(?1,?2,?3,?3-1,?4,?5,'') ON CONFLICT(agent_id) DO UPDATE SET "
      "node=iif(?2='', node, ?2), sequence=?3, missing=missing+?3-sequence-1, "
      "finished=max(finished, ?4), newest_utc_ns=max(newest_utc_ns, ?5) WHERE sequence < ?3");
  if (!agent.ok()) return agent.status();
  (*agent)->BindText(1, request.agent_id());
  (*agent)->BindText(2, request.run().node());
  (*agent)->BindInt(3, static_cast<int64_t>(request.sequence()));
  (*agent)->BindInt(4, request.last() ? 1 : 0);
  (*agent)->BindInt(5, utc_ns);
  if (const absl::Status status = (*agent)->Run(); !status.ok()) return status;
  return sqlite3_changes(db_.handle()) > 0;
}

absl::Status ProfileWriter::NoteRefusal(const std::string& agent_id, const std::string& node,
                                        const std::string& why, int64_t utc_ns) {
  absl::StatusOr<Statement*> agent = Prepared(
      "INSERT INTO agents(agent_id, node, sequence, missing, finished, newest_utc_ns, refused) "
      "VALUES(?1,?2,0,0,0,?3,?4) ON CONFLICT(agent_id) DO UPDATE SET refused=?4");
  if (!agent.ok()) return agent.status();
  (*agent)->BindText(1, agent_id);
  (*agent)->BindText(2, node);
  (*agent)->BindInt(3, utc_ns);
  (*agent)->BindText(4, why);
  return (*agent)->Run();
}

absl::Status ProfileWriter::NoteProblem(const std::string& text) {
  absl::StatusOr<Statement*> statement =
      Prepared("INSERT INTO problems(text) VALUES(?) ON CONFLICT DO NOTHING");
  if (!statement.ok()) return statement.status();
  (*statement)->BindText(1, text);
  return (*statement)->Run();
}

}  // namespace flopsprof::store
