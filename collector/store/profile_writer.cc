// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile_writer.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/message.h>

#include <algorithm>

#include "collector/store/row_codec.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;

std::string Quote(const std::string& column) { return absl::StrCat("\"", column, "\""); }

// INSERT that replaces a stored row of the same key unless the stored one is newer.
std::string UpsertSql(const std::string& table, const std::vector<std::string>& columns,
                      const std::vector<std::string>& key, const std::vector<std::string>& newer) {
  std::vector<std::string> names = {"process_id"};
  std::vector<std::string> marks = {"?"};
  std::vector<std::string> updates;
  for (const std::string& column : columns) {
    names.push_back(Quote(column));
    marks.push_back("?");
    if (std::find(key.begin(), key.end(), column) == key.end()) {
      updates.push_back(absl::StrCat(Quote(column), "=excluded.", Quote(column)));
    }
  }
  std::vector<std::string> conflict = {"process_id"};
  for (const std::string& column : key) conflict.push_back(Quote(column));
  std::string sql =
      absl::StrCat("INSERT INTO ", table, "(", absl::StrJoin(names, ","), ") VALUES(",
                   absl::StrJoin(marks, ","), ") ON CONFLICT(", absl::StrJoin(conflict, ","),
                   ") DO UPDATE SET ", absl::StrJoin(updates, ","));
  if (newer.empty()) return sql;
  std::vector<std::string> arriving;
  std::vector<std::string> stored;
  for (const std::string& column : newer) {
    arriving.push_back(absl::StrCat("excluded.", Quote(column)));
    stored.push_back(absl::StrCat(table, ".", Quote(column)));
  }
  absl::StrAppend(&sql, " WHERE (", absl::StrJoin(arriving, ","), ") >= (",
                  absl::StrJoin(stored, ","), ")");
  return sql;
}

}  // namespace

absl::StatusOr<Statement*> ProfileWriter::Prepared(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return &found->second;
  absl::StatusOr<Statement> statement = db_.Prepare(sql);
  if (!statement.ok()) return statement.status();
  return &statements_.emplace(sql, *std::move(statement)).first->second;
}

absl::StatusOr<int64_t> ProfileWriter::ProcessId(const v1::ProcessKey& key) {
  absl::StatusOr<Statement*> insert = Prepared(
      "INSERT INTO processes(node, pid, start_ticks) VALUES(?,?,?) ON CONFLICT DO NOTHING");
  if (!insert.ok()) return insert.status();
  absl::StatusOr<Statement*> select =
      Prepared("SELECT id FROM processes WHERE node=? AND pid=? AND start_ticks=?");
  if (!select.ok()) return select.status();
  for (Statement* statement : {*insert, *select}) {
    statement->BindText(1, key.node());
    statement->BindInt(2, key.pid());
    statement->BindInt(3, static_cast<int64_t>(key.start_ticks()));
  }
  if (const absl::Status status = (*insert)->Run(); !status.ok()) return status;
  const absl::StatusOr<bool> row = (*select)->Step();
  const int64_t id = row.ok() && *row ? (*select)->Int(0) : 0;
  const absl::Status done = (*select)->Run();
  if (!row.ok()) return row.status();
  if (!done.ok()) return done;
  return id;
}

absl::Status ProfileWriter::WriteProcess(const v1::ProcessProfile& process) {
  const absl::StatusOr<int64_t> id = ProcessId(process.key());
  if (!id.ok()) return id.status();
  if (process.has_info()) {
    if (const absl::Status status = WriteInfo(*id, process.info()); !status.ok()) return status;
  }
  for (const RowTable& table : RowTables()) {
    if (const absl::Status status = WriteRows(*id, table, process); !status.ok()) return status;
  }
  if (const absl::Status status = WriteStepPhases(*id, process); !status.ok()) return status;
  return WriteMaps(*id, process);
}

absl::Status ProfileWriter::WriteInfo(int64_t process_id, const v1::ProcessInfo& info) {
  static const auto* const kFields =
      new std::vector<const FieldDescriptor*>(StoredFields(*v1::ProcessInfo::descriptor()));
  static const auto* const kSql = new std::string(
      UpsertSql("process_infos", ColumnsOf(*kFields), {},
                {"state", "exit_code_known", "activities", "hook_calls", "own_cpu_ns"}));
  absl::StatusOr<Statement*> statement = Prepared(*kSql);
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
  const std::vector<const FieldDescriptor*> fields = StoredFields(*table.row_type());
  absl::StatusOr<Statement*> statement =
      Prepared(UpsertSql(table.name, ColumnsOf(fields), table.key, table.newer));
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
  // Counts of a step only grow; each column keeps its own larger value.
  absl::StatusOr<Statement*> statement = Prepared(
      "INSERT INTO step_phases VALUES(?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
      "flops_high=excluded.flops_high, flops_low=excluded.flops_low, "
      "gpu_time_ns=max(gpu_time_ns, excluded.gpu_time_ns) "
      "WHERE (excluded.flops_high, excluded.flops_low) >= (flops_high, flops_low)");
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
    (*strings)->BindInt(2, id);
    (*strings)->BindText(3, text);
    if (const absl::Status status = (*strings)->Run(); !status.ok()) return status;
  }
  absl::StatusOr<Statement*> losses = Prepared(
      "INSERT INTO losses VALUES(?,?,?) ON CONFLICT DO UPDATE SET "
      "count=max(count, excluded.count)");
  if (!losses.ok()) return losses.status();
  for (const auto& [name, count] : process.loss()) {
    (*losses)->BindInt(1, process_id);
    (*losses)->BindText(2, name);
    (*losses)->BindInt(3, static_cast<int64_t>(count));
    if (const absl::Status status = (*losses)->Run(); !status.ok()) return status;
  }
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
  absl::StatusOr<Statement*> agent = Prepared(
      "INSERT INTO agents(agent_id, node, sequence, finished) VALUES(?1,?2,?3,?4) "
      "ON CONFLICT DO UPDATE SET node=iif(?2='', node, ?2), sequence=max(sequence, ?3), "
      "finished=max(finished, ?4)");
  if (!agent.ok()) return agent.status();
  (*agent)->BindText(1, request.agent_id());
  (*agent)->BindText(2, request.run().node());
  (*agent)->BindInt(3, static_cast<int64_t>(request.sequence()));
  (*agent)->BindInt(4, request.last() ? 1 : 0);
  if (const absl::Status status = (*agent)->Run(); !status.ok()) return status;
  absl::StatusOr<Statement*> news = Prepared(
      "INSERT INTO agent_news SELECT id, ?2, '' FROM agents WHERE agent_id=?1 "
      "ON CONFLICT DO UPDATE SET newest_utc_ns=max(newest_utc_ns, ?2)");
  if (!news.ok()) return news.status();
  (*news)->BindText(1, request.agent_id());
  (*news)->BindInt(2, utc_ns);
  if (const absl::Status status = (*news)->Run(); !status.ok()) return status;
  absl::StatusOr<Statement*> upload = Prepared(
      "INSERT INTO uploads SELECT id, ?2 FROM agents WHERE agent_id=?1 ON CONFLICT DO NOTHING");
  if (!upload.ok()) return upload.status();
  (*upload)->BindText(1, request.agent_id());
  (*upload)->BindInt(2, static_cast<int64_t>(request.sequence()));
  if (const absl::Status status = (*upload)->Run(); !status.ok()) return status;
  const absl::StatusOr<int64_t> changes = db_.QueryInt("SELECT changes()");
  if (!changes.ok()) return changes.status();
  return *changes > 0;
}

absl::Status ProfileWriter::NoteRefusal(const std::string& agent_id, const std::string& node,
                                        const std::string& why, int64_t utc_ns) {
  absl::StatusOr<Statement*> agent = Prepared(
      "INSERT INTO agents(agent_id, node, sequence, finished) VALUES(?1,?2,0,0) "
      "ON CONFLICT DO NOTHING");
  if (!agent.ok()) return agent.status();
  (*agent)->BindText(1, agent_id);
  (*agent)->BindText(2, node);
  if (const absl::Status status = (*agent)->Run(); !status.ok()) return status;
  absl::StatusOr<Statement*> news = Prepared(
      "INSERT INTO agent_news SELECT id, ?2, ?3 FROM agents WHERE agent_id=?1 "
      "ON CONFLICT DO UPDATE SET refused=?3");
  if (!news.ok()) return news.status();
  (*news)->BindText(1, agent_id);
  (*news)->BindInt(2, utc_ns);
  (*news)->BindText(3, why);
  return (*news)->Run();
}

absl::Status ProfileWriter::NoteProblem(const std::string& text) {
  absl::StatusOr<Statement*> statement =
      Prepared("INSERT INTO problems(text) VALUES(?) ON CONFLICT DO NOTHING");
  if (!statement.ok()) return statement.status();
  (*statement)->BindText(1, text);
  return (*statement)->Run();
}

}  // namespace flopsprof::store
