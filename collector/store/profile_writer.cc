// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile_writer.h"

#include <google/protobuf/message.h>

#include <algorithm>

#include "collector/store/row_codec.h"

namespace flopsprof::store {
namespace {

constexpr int64_t kMostRefused = 1000;  // agents of which nothing was taken

using google::protobuf::FieldDescriptor;

std::string StepPhasesSql() {
  return MergeSql("step_phases", {{"step", Rule::kKey},
                                  {"phase", Rule::kKey},
                                  {"flops", Rule::kSum, "", /*is_count=*/true},
                                  {"gpu_time_ns", Rule::kSum}});
}

// Of a mark. The first one is never forgotten: who begins anew is told from who sends all again.
int64_t SlotOf(int64_t sequence, int64_t kept) { return sequence == 1 ? -1 : sequence % kept; }

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
  const int64_t made_id = sqlite3_last_insert_rowid(db_.handle());
  if (made_id <= limits_.most_processes) return ProcessRow{made_id, true};
  absl::StatusOr<Statement*> forget = Prepared("DELETE FROM processes WHERE id=?");
  if (!forget.ok()) return forget.status();
  (*forget)->BindInt(1, made_id);
  if (const absl::Status gone = (*forget)->Run(); !gone.ok()) return gone;
  return ProcessRow();
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

absl::StatusOr<std::vector<ProfileWriter::Agent>> ProfileWriter::FindAgents(
    const v1::UploadRequest& request) {
  absl::StatusOr<Statement*> rows = Prepared(
      "SELECT id, copy, sequence, peer, "
      "(SELECT mark FROM taken_marks WHERE agent=agents.id AND slot=?3 AND sequence=?2), "
      "(SELECT mark FROM taken_marks WHERE agent=agents.id AND slot=?4 AND sequence=?2-1), "
      "EXISTS(SELECT 1 FROM taken_marks WHERE agent=agents.id AND slot=?3 AND sequence>?2) "
      "FROM agents WHERE agent_id=?1 ORDER BY copy");
  if (!rows.ok()) return rows.status();
  const auto sequence = static_cast<int64_t>(request.sequence());
  (*rows)->BindText(1, request.agent_id());
  (*rows)->BindInt(2, sequence);
  (*rows)->BindInt(3, SlotOf(sequence, kKeptMarks));
  (*rows)->BindInt(4, SlotOf(sequence - 1, kKeptMarks));
  std::vector<Agent> agents;
  absl::StatusOr<bool> row = (*rows)->Step();
  for (; row.ok() && *row; row = (*rows)->Step()) {
    Agent& agent = agents.emplace_back();
    agent.id = (*rows)->Int(0);
    agent.copy = (*rows)->Int(1);
    agent.sequence = (*rows)->Int(2);
    agent.peer = (*rows)->Text(3);
    if (!(*rows)->IsNull(4)) agent.mark = (*rows)->Int(4);
    // Where a newer mark is in the place of this one, nobody can tell what follows the one before.
    const bool is_forgotten = (*rows)->Int(6) != 0;
    if (!is_forgotten && !(*rows)->IsNull(5)) agent.mark_before = (*rows)->Int(5);
  }
  (*rows)->Reset();
  if (!row.ok()) return row.status();
  return agents;
}

std::optional<ProfileWriter::Agent> ProfileWriter::GoesOnWith(const v1::UploadRequest& request,
                                                              const std::vector<Agent>& agents) {
  if (agents.empty()) return Agent();
  const auto sequence = static_cast<int64_t>(request.sequence());
  const auto previous = static_cast<int64_t>(request.previous_mark());
  const auto follows = [&](const Agent& agent) { return agent.mark_before == previous; };
  const Agent* after_a_gap = nullptr;
  bool is_copy = false;    // it differs from what was taken
  bool is_branch = false;  // what it goes on from was taken, and something else behind that
  Agent copy;
  for (const Agent& agent : agents) {
    if (agent.sequence == sequence - 1 && (sequence == 1 || follows(agent))) return agent;
    is_branch = is_branch || follows(agent);
    is_copy = is_copy || agent.mark.has_value() || agent.sequence < sequence;
    if (agent.sequence < sequence) copy.sequence = std::max(copy.sequence, agent.sequence);
    const bool may_be = agent.sequence < sequence - 1 && agent.peer == request.peer();
    if (may_be && (after_a_gap == nullptr || agent.sequence > after_a_gap->sequence)) {
      after_a_gap = &agent;
    }
  }
  if (!is_branch && after_a_gap != nullptr) return *after_a_gap;
  if ((!is_branch && !is_copy) || agents.size() >= kMostCopies) return std::nullopt;
  copy.copy = agents.back().copy + 1;
  // What both had before is the first one's.
  if (is_branch || copy.sequence == 0) copy.sequence = sequence - 1;
  return copy;
}

absl::Status ProfileWriter::WriteAgent(const v1::UploadRequest& request, const Agent& agent,
                                       int64_t utc_ns) {
  const auto sequence = static_cast<int64_t>(request.sequence());
  absl::StatusOr<Statement*> row = Prepared(
      agent.id == 0
          ? "INSERT INTO agents VALUES(NULL,?1,?2,?3,?4,?4-1-?5,?6,?7,'',0,?8,'')"
          : "UPDATE agents SET node=iif(?3='', node, ?3), sequence=?4, missing=missing+?4-1-?5, "
            "finished=max(finished, ?6), newest_utc_ns=max(newest_utc_ns, ?7), "
            "peer=iif(peer='', ?8, peer), other_peer=iif(?8 IN ('', peer), other_peer, ?8) "
            "WHERE agent_id=?1 AND copy=?2");
  if (!row.ok()) return row.status();
  (*row)->BindText(1, request.agent_id());
  (*row)->BindInt(2, agent.copy);
  (*row)->BindText(3, request.run().node());
  (*row)->BindInt(4, sequence);
  (*row)->BindInt(5, agent.sequence);
  (*row)->BindInt(6, request.last() ? 1 : 0);
  (*row)->BindInt(7, utc_ns);
  (*row)->BindText(8, request.peer());
  if (const absl::Status status = (*row)->Run(); !status.ok()) return status;
  const int64_t id = agent.id == 0 ? sqlite3_last_insert_rowid(db_.handle()) : agent.id;
  absl::StatusOr<Statement*> mark = Prepared("INSERT OR REPLACE INTO taken_marks VALUES(?,?,?,?)");
  if (!mark.ok()) return mark.status();
  (*mark)->BindInt(1, id);
  (*mark)->BindInt(2, SlotOf(sequence, kKeptMarks));
  (*mark)->BindInt(3, sequence);
  (*mark)->BindInt(4, static_cast<int64_t>(request.mark()));
  return (*mark)->Run();
}

absl::StatusOr<ProfileWriter::Taken> ProfileWriter::NoteUpload(const v1::UploadRequest& request,
                                                               int64_t utc_ns) {
  const absl::StatusOr<std::vector<Agent>> agents = FindAgents(request);
  if (!agents.ok()) return agents.status();
  const auto mark = static_cast<int64_t>(request.mark());
  for (const Agent& agent : *agents) {
    if (agent.mark == mark) return Taken{false, agent.copy};
  }
  if (agents->empty()) {
    const absl::StatusOr<int64_t> count = db_.QueryInt("SELECT coalesce(max(id), 0) FROM agents");
    if (!count.ok()) return count.status();
    absl::StatusOr<int64_t> taken = *count;
    // Those that were refused take no place.
    if (*count >= limits_.most_agents) {
      taken = db_.QueryInt("SELECT count(*) FROM agents WHERE sequence > 0");
    }
    if (!taken.ok()) return taken.status();
    if (*taken >= limits_.most_agents) {
      const absl::Status noted = NoteOverLimit("agents", limits_.most_agents);
      if (!noted.ok()) return noted;
      return Taken();
    }
  }
  const std::optional<Agent> agent = GoesOnWith(request, *agents);
  if (agent.has_value()) {
    if (absl::Status status = WriteAgent(request, *agent, utc_ns); !status.ok()) return status;
    return Taken{true, agent->copy};
  }
  absl::StatusOr<Statement*> left_out =
      Prepared("UPDATE agents SET left_out=left_out+1 WHERE id=?");
  if (!left_out.ok()) return left_out.status();
  (*left_out)->BindInt(1, agents->front().id);
  if (const absl::Status status = (*left_out)->Run(); !status.ok()) return status;
  return Taken();
}

absl::Status ProfileWriter::NoteRefusal(const std::string& agent_id, const std::string& node,
                                        const std::string& why, int64_t utc_ns) {
  absl::StatusOr<Statement*> agent = Prepared(
      "INSERT INTO agents SELECT NULL,?1,1,?2,0,0,0,?3,?4,0,'','' "
      "WHERE EXISTS(SELECT 1 FROM agents WHERE agent_id=?1) OR ?5 > "
      "(SELECT count(*) FROM (SELECT 1 FROM agents WHERE sequence=0 LIMIT ?5)) "
      "ON CONFLICT DO UPDATE SET refused=?4");
  if (!agent.ok()) return agent.status();
  (*agent)->BindText(1, agent_id);
  (*agent)->BindText(2, node);
  (*agent)->BindInt(3, utc_ns);
  (*agent)->BindText(4, why);
  (*agent)->BindInt(5, kMostRefused);
  if (const absl::Status status = (*agent)->Run(); !status.ok()) return status;
  if (sqlite3_changes(db_.handle()) > 0) return absl::OkStatus();
  return NoteOverLimit("refused agents", kMostRefused);
}

absl::Status ProfileWriter::NoteOverLimit(std::string_view what, int64_t most) {
  absl::StatusOr<Statement*> row = Prepared(
      "INSERT INTO over_limits VALUES(?1,?2,1) ON CONFLICT DO UPDATE SET uploads=uploads+1");
  if (!row.ok()) return row.status();
  (*row)->BindText(1, what);
  (*row)->BindInt(2, most);
  return (*row)->Run();
}

absl::Status ProfileWriter::NoteProblem(const std::string& text) {
  absl::StatusOr<Statement*> statement =
      Prepared("INSERT INTO problems(text) VALUES(?) ON CONFLICT DO NOTHING");
  if (!statement.ok()) return statement.status();
  (*statement)->BindText(1, text);
  return (*statement)->Run();
}

}  // namespace flopsprof::store
