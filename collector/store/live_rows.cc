// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live_rows.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "collector/base/clock.h"
#include "collector/base/status.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;

constexpr uint64_t kDecimalBase = 1'000'000'000'000'000'000;

bool IsCount(size_t at, size_t column) {
  return kBlockTables[at].columns[column].measure == Measure::kCountSum;
}

// Columns of a table's measures, in the order of kBlockTables.
std::vector<std::string> MeasureColumns(size_t at) {
  std::vector<const FieldDescriptor*> fields;
  const RowTable& table = *LiveTables()[at];
  for (size_t i = 0; i < kBlockTables[at].column_count(); ++i) {
    fields.push_back(
        table.row_type->FindFieldByNumber(static_cast<int>(kBlockTables[at].columns[i].field)));
  }
  std::vector<std::string> columns = ColumnsOf(fields);
  for (std::string& column : columns) column = QuotedColumn(column);
  return columns;
}

std::vector<const FieldDescriptor*> KeyFields(const RowTable& table) {
  std::vector<const FieldDescriptor*> fields;
  for (const ColumnRule& column : table.columns) {
    if (column.rule == Rule::kKey) fields.push_back(column.field);
  }
  return fields;
}

std::string UpdateSql(size_t at) {
  return absl::StrCat("UPDATE ", LiveTables()[at]->name, " SET ",
                      absl::StrJoin(MeasureColumns(at), "=?,"),
                      "=? WHERE process_id=? AND place=?");
}

std::string InsertSql(size_t at) {
  const RowTable& table = *LiveTables()[at];
  std::vector<std::string> columns = MeasureColumns(at);
  columns.insert(columns.end(), {"process_id", "place"});
  for (const std::string& key : ColumnsOf(KeyFields(table))) columns.push_back(QuotedColumn(key));
  const std::vector<std::string> marks(columns.size(), "?");
  return absl::StrCat("INSERT INTO ", table.name, "(", absl::StrJoin(columns, ","), ") VALUES(",
                      absl::StrJoin(marks, ","), ")");
}

std::string SelectSql(size_t at) {
  std::vector<std::string> columns = MeasureColumns(at);
  columns.insert(columns.begin(), "place");
  for (const std::string& key : ColumnsOf(KeyFields(*LiveTables()[at]))) {
    columns.push_back(QuotedColumn(key));
  }
  return absl::StrCat("SELECT ", absl::StrJoin(columns, ","), " FROM ", LiveTables()[at]->name,
                      " WHERE process_id=? ORDER BY place");
}

}  // namespace

LiveRows::LiveRows(Database* database) : db_(*database) {}

absl::Status LiveRows::PrepareTables() {
  if (!tables_.empty()) return absl::OkStatus();
  std::vector<Table> tables(kBlockTables.size());
  for (size_t at = 0; at < tables.size(); ++at) {
    Table& table = tables[at];
    table.keys = KeyFields(*LiveTables()[at]);
    table.reader.emplace(table.keys);
    absl::StatusOr<Statement> update = db_.Prepare(UpdateSql(at));
    absl::StatusOr<Statement> insert = db_.Prepare(InsertSql(at));
    absl::StatusOr<Statement> select = db_.Prepare(SelectSql(at));
    for (const auto* statement : {&update, &insert, &select}) {
      if (!statement->ok()) return statement->status();
    }
    table.update.emplace(*std::move(update));
    table.insert.emplace(*std::move(insert));
    table.select.emplace(*std::move(select));
  }
  tables_ = std::move(tables);
  return absl::OkStatus();
}

absl::StatusOr<LiveProcess*> LiveRows::Get(int64_t process_id) {
  FLOPSPROF_RETURN_IF_ERROR(PrepareTables());
  const auto found = processes_.find(process_id);
  if (found != processes_.end()) {
    LiveProcess* const own = OwnOf(&found->second);
    own->last_used = ++uses_;
    return own;
  }
  auto process = std::make_shared<LiveProcess>();
  absl::Status loaded = Load(process_id, process.get());
  // Of one that was made in this transaction nothing is stored: what is damaged is of all.
  const auto is_born = [&] {
    return std::find(born_.begin(), born_.end(), process_id) != born_.end();
  };
  if (absl::IsFailedPrecondition(loaded) || (absl::IsDataLoss(loaded) && !is_born()))
    loaded = HandleDamage(process_id, process.get(), loaded);
  if (!loaded.ok() && !process->is_set_aside()) {
    process->ReleaseKeys(&keys_.table);
    return loaded;
  }
  process->last_used = ++uses_;
  LiveProcess* const kept = process.get();
  processes_[process_id].process = std::move(process);
  CountBytes(process_id);
  if (!loaded.ok()) return loaded;
  return kept;
}

absl::Status LiveRows::Load(int64_t process_id, LiveProcess* process) {
  absl::StatusOr<Statement> known =
      db_.Prepare("SELECT saved, undefined_rows FROM live_processes WHERE process_id=?");
  if (!known.ok()) return known.status();
  known->BindInt(1, process_id);
  const absl::StatusOr<bool> row = known->Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::OkStatus();
  const auto saved = static_cast<uint64_t>(known->Int(0));
  process->SetUndefinedRows(static_cast<uint64_t>(known->Int(1)));
  process->applied = saved;
  absl::StatusOr<Statement> aside =
      db_.Prepare("SELECT process_count FROM losses WHERE process_id=? AND name='rows_set_aside'");
  if (!aside.ok()) return aside.status();
  aside->BindInt(1, process_id);
  const absl::StatusOr<bool> is_aside = aside->Step();
  if (!is_aside.ok()) return is_aside.status();
  if (*is_aside) {
    process->SetAside(static_cast<uint64_t>(aside->Int(0)), "", &keys_.table);
  } else {
    FLOPSPROF_RETURN_IF_ERROR(LoadRows(process_id, process));
  }
  process->stored = saved;
  return absl::OkStatus();
}

absl::Status LiveRows::LoadRows(int64_t process_id, LiveProcess* process) {
  for (size_t at = 0; at < tables_.size(); ++at) {
    FLOPSPROF_RETURN_IF_ERROR(LoadTable(process_id, at, process));
  }
  process->SetStored();
  return LoadNumbers(process_id, process);
}

absl::StatusOr<std::string> LiveRows::DamageText(int64_t process_id, std::string_view why,
                                                 std::string_view what_follows) {
  absl::StatusOr<Statement> row = db_.Prepare("SELECT pid, node FROM processes WHERE id=?");
  if (!row.ok()) return row.status();
  row->BindInt(1, process_id);
  const absl::StatusOr<bool> found = row->Step();
  if (!found.ok()) return found.status();
  return absl::StrCat("profile.db, process ", *found ? row->Int(0) : -1, " of ",
                      *found ? row->Text(1) : "an unknown node", ": ", std::string(why), "; ",
                      std::string(what_follows));
}

absl::Status LiveRows::HandleDamage(int64_t process_id, LiveProcess* process,
                                    const absl::Status& damage) {
  FLOPSPROF_RETURN_IF_ERROR(SetAside(process_id, process, damage));
  // A transaction in which SQLite has met a damaged page takes no changes any more.
  return absl::IsDataLoss(damage) ? absl::CancelledError("a process is set aside")
                                  : absl::OkStatus();
}

absl::Status LiveRows::SetAside(int64_t process_id, LiveProcess* process, const absl::Status& why) {
  absl::StatusOr<std::string> text =
      DamageText(process_id, std::string(why.message()),
                 "calls, times and kernels that come of it are left out");
  if (!text.ok()) return text.status();
  if (const auto kept = processes_.find(process_id); kept != processes_.end()) {
    process = OwnOf(&kept->second);
  }
  uint64_t lost = 0;
  // None of one that is being read: it has no record of the log yet.
  for (size_t at = 0; at < tables_.size() && processes_.contains(process_id); ++at) {
    lost += process->table(at).Changed().size();
  }
  process->SetAside(lost, *std::move(text), &keys_.table);
  changed_.insert(process_id);
  return absl::OkStatus();
}

absl::Status LiveRows::LoadTable(int64_t process_id, size_t at, LiveProcess* process) {
  Statement& select = *tables_[at].select;
  RowKeys& keys = keys_.of_tables[at];
  const std::unique_ptr<google::protobuf::Message> row(
      v1::ProcessProfile::default_instance()
          .GetReflection()
          ->GetMessageFactory()
          ->GetPrototype(LiveTables()[at]->row_type)
          ->New());
  LiveTable& table = process->table(at);
  select.Reset();  // an error may have ended its last use
  select.BindInt(1, process_id);
  while (true) {
    const absl::StatusOr<bool> more = select.Step();
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (select.Int(0) != table.size()) {
      select.Reset();
      return absl::FailedPreconditionError(
          absl::StrCat("rows of ", LiveTables()[at]->name, " are missing"));
    }
    std::vector<Wide> measures;
    int column = 1;
    for (size_t i = 0; i < kBlockTables[at].column_count(); ++i) {
      Wide value = static_cast<uint64_t>(select.Int(column++));
      if (IsCount(at, i))
        value = value * kDecimalBase + static_cast<uint64_t>(select.Int(column++));
      measures.push_back(value);
    }
    row->Clear();
    tables_[at].reader->Read(select, column, row.get());
    const uint32_t place = table.size();
    const KeyId key = keys_.table.Intern(keys.KeyOf(*row));
    keys_.table.Hold(key);
    table.Add(key);
    for (size_t i = 0; i < measures.size(); ++i) table.SetStored(place, i, measures[i]);
  }
  select.Reset();
  return absl::OkStatus();
}

absl::Status LiveRows::LoadNumbers(int64_t process_id, LiveProcess* process) {
  absl::StatusOr<Statement> rows = db_.Prepare(
      "SELECT place, agent_id, numbering, table_number, rows FROM numberings WHERE process_id=? "
      "ORDER BY place, table_number");
  if (!rows.ok()) return rows.status();
  rows->BindInt(1, process_id);
  while (true) {
    const absl::StatusOr<bool> row = rows->Step();
    if (!row.ok()) return row.status();
    if (!*row) return absl::OkStatus();
    auto& all = process->numbers();
    const auto place = static_cast<size_t>(rows->Int(0));
    const size_t at = FindBlockTable(static_cast<uint32_t>(rows->Int(3)));
    if (place >= all.size()) all.emplace_back();
    LiveProcess::Numbers& numbers = all.back();
    numbers.agent = rows->Text(1);
    numbers.numbering = static_cast<uint32_t>(rows->Int(2));
    if (at == kBlockTables.size() ||
        !numbers.tables[at].Decode(rows->BlobView(4), process->table(at).size())) {
      // The rows are whole: their agents say anew what their numbers mean.
      absl::StatusOr<std::string> text = DamageText(process_id, "what its numbers mean is damaged",
                                                    "rows that come of it until an agent has "
                                                    "defined them anew are left out");
      if (!text.ok()) return text.status();
      process->ForgetNumbers(*std::move(text));
      changed_.insert(process_id);
      return absl::OkStatus();
    }
  }
}

void LiveRows::ForgetBorn(size_t kept) {
  for (size_t i = kept; i < born_.size(); ++i) {
    changed_.erase(born_[i]);
    Erase(born_[i]);
  }
  born_.resize(kept);
}

void LiveRows::BeginPass(uint64_t through, uint64_t tag) {
  pass_.emplace(Pass{through, tag, {changed_.begin(), changed_.end()}, absl::ZeroDuration()});
  // As profile.db has them.
  std::sort(pass_->left.begin(), pass_->left.end());
}

absl::StatusOr<bool> LiveRows::SaveSome(absl::Duration at_most) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  const auto since = [&] { return absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns); };
  bool any = false;
  while (!pass_->left.empty() && (!any || since() < at_most)) {
    const int64_t id = pass_->left.front();
    pass_->left.pop_front();
    any = true;
    const auto found = processes_.find(id);
    if (found == processes_.end()) continue;  // forgotten with the transaction that had made it
    LiveProcess* const process = found->second.process.get();
    absl::Status status = Save(id, process);
    // What the database will never take of it must not stop the others.
    const bool never = absl::IsDataLoss(status) || absl::IsInvalidArgument(status);
    if (never && !process->is_set_aside()) {
      FLOPSPROF_RETURN_IF_ERROR(SetAside(id, process, status));
      return absl::CancelledError("a process is set aside");  // a part of it is stored
    }
    if (!status.ok()) return status;
    saved_.push_back(id);
  }
  if (pass_->left.empty()) {
    FLOPSPROF_RETURN_IF_ERROR(
        db_.Execute(absl::StrCat("UPDATE log_position SET saved=", pass_->through,
                                 "; DELETE FROM log_left_out WHERE record<=", pass_->through,
                                 "; DELETE FROM log_copies WHERE record<=", pass_->through)));
    pass_->ended = true;
  }
  pass_->cost += since();
  return pass_->ended;
}

int LiveRows::BindMeasures(const LiveTable& table, size_t at, uint32_t row, int first,
                           Statement* to) {
  int index = first;
  for (size_t i = 0; i < kBlockTables[at].column_count(); ++i) {
    const Wide value = table.value(row, i);
    if (!IsCount(at, i)) {
      to->BindInt(index++, static_cast<int64_t>(value));
      continue;
    }
    const bool is_short = value >> 64 == 0;  // most are: 128 bits divide slowly
    const auto low = static_cast<uint64_t>(value);
    to->BindInt(index++,
                static_cast<int64_t>(is_short ? low / kDecimalBase : value / kDecimalBase));
    to->BindInt(index++,
                static_cast<int64_t>(is_short ? low % kDecimalBase : value % kDecimalBase));
  }
  return index;
}

absl::Status LiveRows::SaveTable(int64_t process_id, size_t at, LiveTable* table) {
  for (const uint32_t row : table->Changed()) {
    const bool is_new = row >= table->stored_size();
    Statement& statement = is_new ? *tables_[at].insert : *tables_[at].update;
    int index = BindMeasures(*table, at, row, 1, &statement);
    statement.BindInt(index++, process_id);
    statement.BindInt(index++, row);
    if (is_new) {
      const google::protobuf::Message* key =
          keys_.of_tables[at].RowOf(keys_.table.text(table->key(row)));
      if (key == nullptr) return absl::InternalError("a key is no row");
      BindFields(*key, tables_[at].keys, index, &statement);
    }
    FLOPSPROF_RETURN_IF_ERROR(statement.Run());
  }
  return absl::OkStatus();
}

absl::Status LiveRows::SaveNumbers(int64_t process_id, LiveProcess* process) {
  FLOPSPROF_RETURN_IF_ERROR(
      db_.Execute(absl::StrCat("DELETE FROM numberings WHERE process_id=", process_id)));
  absl::StatusOr<Statement> insert = db_.Prepare("INSERT INTO numberings VALUES(?,?,?,?,?,?)");
  if (!insert.ok()) return insert.status();
  for (size_t place = 0; place < process->numbers().size(); ++place) {
    const LiveProcess::Numbers& numbers = process->numbers()[place];
    for (size_t at = 0; at < numbers.tables.size(); ++at) {
      if (numbers.tables[at].empty()) continue;
      const std::string rows = numbers.tables[at].Encode();
      insert->BindInt(1, process_id);
      insert->BindInt(2, static_cast<int64_t>(place));
      insert->BindText(3, numbers.agent);
      insert->BindInt(4, numbers.numbering);
      insert->BindInt(5, kBlockTables[at].rows);
      insert->BindBlob(6, rows);
      FLOPSPROF_RETURN_IF_ERROR(insert->Run());
    }
  }
  return absl::OkStatus();
}

absl::Status LiveRows::Save(int64_t process_id, LiveProcess* process) {
  for (size_t at = 0; at < tables_.size(); ++at) {
    FLOPSPROF_RETURN_IF_ERROR(SaveTable(process_id, at, &process->table(at)));
  }
  if (process->numbers_changed()) FLOPSPROF_RETURN_IF_ERROR(SaveNumbers(process_id, process));
  FLOPSPROF_RETURN_IF_ERROR(SaveCounts(process_id, *process));
  return db_.Execute(absl::StrCat("INSERT OR REPLACE INTO live_processes VALUES(", process_id, ",",
                                  process->applied, ",", process->undefined_rows(), ")"));
}

absl::Status LiveRows::SaveCounts(int64_t process_id, const LiveProcess& process) {
  const auto save = [&](const char* name, uint64_t count) {
    return db_.Execute(
        absl::StrCat("INSERT INTO losses(process_id, name, process_count, agent_count) VALUES(",
                     process_id, ",'", name, "',", count,
                     ",0) ON CONFLICT DO UPDATE SET process_count=excluded.process_count"));
  };
  if (process.undefined_rows() > 0) {
    FLOPSPROF_RETURN_IF_ERROR(save("rows_undefined", process.undefined_rows()));
  }
  // Also of none: so it is known that the process is set aside.
  if (process.is_set_aside()) {
    FLOPSPROF_RETURN_IF_ERROR(save("rows_set_aside", process.rows_set_aside()));
  }
  if (process.damage().empty()) return absl::OkStatus();
  absl::StatusOr<Statement> note = db_.Prepare(
      "INSERT INTO log_damage(text, lost) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM log_damage "
      "WHERE text=?1)");
  if (!note.ok()) return note.status();
  note->BindText(1, process.damage());
  return note->Run();
}

std::optional<LiveRows::Saved> LiveRows::Committed(size_t most_bytes) {
  born_.clear();
  ForgetUnheldKeys();
  for (const int64_t id : saved_) {
    // One that is frozen has another owner, who reads its rows.
    const std::shared_ptr<LiveProcess>& process = processes_[id].process;
    process->SetStored(/*is_read=*/process.use_count() > 1);
    changed_.erase(id);
    CountBytes(id);
  }
  saved_.clear();
  std::optional<Saved> saved;
  if (pass_.has_value() && pass_->ended) {
    saved = Saved{pass_->through, pass_->tag, pass_->cost};
    pass_.reset();
  }
  if (bytes() > most_bytes) LetGo(most_bytes);
  return saved;
}

void LiveRows::RolledBack() {
  ForgetBorn(0);
  ForgetUnheldKeys();
  saved_.clear();
  pass_.reset();
}

void LiveRows::CountBytes(int64_t process_id) {
  Kept& kept = processes_[process_id];
  bytes_ -= kept.bytes;
  kept.bytes = kept.process->bytes();
  bytes_ += kept.bytes;
}

void LiveRows::LetGo(size_t most_bytes) {
  std::vector<std::pair<uint64_t, int64_t>> unused;
  for (const auto& [id, kept] : processes_) {
    if (!changed_.contains(id)) unused.emplace_back(kept.process->last_used, id);
  }
  std::sort(unused.begin(), unused.end());
  for (const auto& [used, id] : unused) {
    // To three quarters: not one at a time.
    if (bytes() <= most_bytes / 4 * 3) break;
    Erase(id);
    ForgetUnheldKeys();
  }
  if (processes_.empty() && frozen_count_ == 0) keys_ = RunKeys();
}

LiveProcess* LiveRows::OwnOf(Kept* kept) {
  // Readers let go of theirs in Thaw alone.
  if (kept->process.use_count() > 1) kept->process = std::make_shared<LiveProcess>(*kept->process);
  return kept->process.get();
}

void LiveRows::ForgetUnheldKeys() {
  if (frozen_count_ == 0) keys_.table.ForgetUnheld();
}

LiveRows::Frozen LiveRows::Freeze() {
  ++frozen_count_;
  Frozen frozen;
  frozen.processes.reserve(processes_.size());
  for (const auto& [id, kept] : processes_) frozen.processes.emplace(id, kept.process);
  frozen.keys = keys_.table.Texts();
  return frozen;
}

void LiveRows::Thaw(Frozen frozen) {
  frozen.processes.clear();
  --frozen_count_;
}

void LiveRows::Erase(int64_t process_id) {
  const auto found = processes_.find(process_id);
  if (found == processes_.end()) return;
  OwnOf(&found->second)->ReleaseKeys(&keys_.table);
  bytes_ -= found->second.bytes;
  processes_.erase(found);
}

}  // namespace flopsprof::store
