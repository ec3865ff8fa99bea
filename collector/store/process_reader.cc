// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/process_reader.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "collector/base/status.h"
#include "collector/model/epochs.h"
#include "collector/model/profile_bounds.h"
#include "collector/model/step_labels.h"
#include "collector/store/row_codec.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

constexpr char kRange[] = " WHERE process_id >= ?1 AND process_id < ?2 ORDER BY process_id";

std::string ColumnList(const RowReader& reader) {
  std::vector<std::string> columns = ColumnsOf(reader.fields());
  for (std::string& column : columns) column = QuotedColumn(column);
  return absl::StrJoin(columns, ",");
}

bool IsForSummary(const RowTable& table) {
  switch (table.rows->number()) {
    case v1::ProcessProfile::kScopeKernelsFieldNumber:
    case v1::ProcessProfile::kCallGradientsFieldNumber:
    case v1::ProcessProfile::kHistoryFieldNumber:
    case v1::ProcessProfile::kDeviceHistoryFieldNumber:
      return false;
    default:
      return true;
  }
}

void NumberInOrder(v1::ProcessProfile* process) {
  const auto number = [](auto* rows, auto time_of) {
    std::stable_sort(rows->begin(), rows->end(),
                     [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
    for (int i = 0; i < rows->size(); ++i)
      rows->Mutable(i)->set_number(static_cast<uint32_t>(i + 1));
  };
  number(process->mutable_windows(), [](const v1::WindowRow& row) { return row.begin_mono_ns(); });
  number(process->mutable_instants(), [](const v1::InstantRow& row) { return row.mono_ns(); });
}

void SetExposed(v1::ProcessProfile* process) {
  for (v1::StepRow& row : *process->mutable_steps()) {
    // Late intervals may be missing in one of the two.
    row.set_exposed_communication_ns(row.gpu_busy_ns() -
                                     std::min(row.gpu_busy_ns(), row.not_communication_ns()));
  }
}

}  // namespace

class ProcessReader::Cursor {
 public:
  // `columns` after the process_id, which rows are ordered by; `more`: and by what else.
  Cursor(const std::string& table, const std::string& columns, const std::string& more,
         OnRow on_row)
      : table_(table),
        sql_(absl::StrCat("SELECT process_id,", columns, " FROM ", table, kRange, more)),
        on_row_(on_row) {}

  Cursor(const RowTable& table, OnRow on_row)
      : table_(table.name), reader_(table.fields()), rows_(table.rows), on_row_(on_row) {
    sql_ = absl::StrCat("SELECT process_id,", ColumnList(*reader_), " FROM ", table.name, kRange);
  }

  absl::Status Open(Database* database, ProcessIds ids) {
    absl::StatusOr<Statement> statement = database->Prepare(sql_);
    if (!statement.ok()) return statement.status();
    statement_.emplace(*std::move(statement));
    return Seek(ids);
  }

  absl::Status Seek(ProcessIds ids) {
    statement_->Reset();
    statement_->BindInt(1, ids.begin);
    statement_->BindInt(2, ids.end);
    return Advance();
  }

  // Gives the process its rows. Those of ids that no process has are left out.
  absl::Status ReadProcess(int64_t id, v1::ProcessProfile* process) {
    longest_text_bytes_ = 0;
    while (has_row_ && process_id_ <= id) {
      if (process_id_ == id) on_row_(*statement_, this, process);
      FLOPSPROF_RETURN_IF_ERROR(Advance());
    }
    return absl::OkStatus();
  }

  void ReadRow(google::protobuf::Message* row) {
    longest_text_bytes_ = std::max(longest_text_bytes_, reader_->Read(*statement_, 1, row));
  }
  std::string Text(int column) {
    std::string text = statement_->Text(column);
    longest_text_bytes_ = std::max(longest_text_bytes_, text.size());
    return text;
  }
  size_t longest_text_bytes() const { return longest_text_bytes_; }
  const google::protobuf::FieldDescriptor* rows() const { return rows_; }
  const std::string& table() const { return table_; }
  // Its last rows, or all, cannot be read.
  bool is_damaged() const { return is_damaged_; }

 private:
  absl::Status Advance() {
    const absl::StatusOr<bool> row = statement_->Step();
    if (absl::IsDataLoss(row.status())) {
      // The other tables can be read.
      is_damaged_ = true;
      has_row_ = false;
      return absl::OkStatus();
    }
    if (!row.ok()) return row.status();
    has_row_ = *row;
    if (has_row_) process_id_ = statement_->Int(0);
    return absl::OkStatus();
  }

  std::string table_;
  std::string sql_;
  std::optional<RowReader> reader_;
  const google::protobuf::FieldDescriptor* rows_ = nullptr;
  OnRow on_row_;
  std::optional<Statement> statement_;
  bool has_row_ = false;
  bool is_damaged_ = false;
  int64_t process_id_ = 0;
  size_t longest_text_bytes_ = 0;  // of the last process
};

ProcessReader::ProcessReader(ProcessIds ids) : ids_(ids) {}

ProcessReader::~ProcessReader() = default;

absl::StatusOr<std::unique_ptr<ProcessReader>> ProcessReader::Create(Database* database,
                                                                     RunParts parts,
                                                                     ProcessIds ids) {
  std::unique_ptr<ProcessReader> reader(new ProcessReader(ids));
  absl::StatusOr<Statement> processes = database->Prepare(
      "SELECT id, node, pid, start_ticks, image FROM processes WHERE id >= ?1 AND id < ?2 ORDER BY "
      "id");
  if (!processes.ok()) return processes.status();
  processes->BindInt(1, ids.begin);
  processes->BindInt(2, ids.end);
  reader->processes_ = std::make_unique<Statement>(*std::move(processes));
  FLOPSPROF_RETURN_IF_ERROR(reader->AddTables(database, parts));
  return reader;
}

absl::Status ProcessReader::Add(Database* database, std::unique_ptr<Cursor> cursor) {
  FLOPSPROF_RETURN_IF_ERROR(cursor->Open(database, ids_));
  cursors_.push_back(std::move(cursor));
  return absl::OkStatus();
}

absl::Status ProcessReader::AddTables(Database* database, RunParts parts) {
  const OnRow on_info = [](const Statement&, Cursor* cursor, v1::ProcessProfile* process) {
    cursor->ReadRow(process->mutable_info());
  };
  FLOPSPROF_RETURN_IF_ERROR(Add(database, std::make_unique<Cursor>(InfoTable(), on_info)));
  for (const RowTable& table : RowTables()) {
    if (parts != RunParts::kAll && !IsForSummary(table)) continue;
    if (parts == RunParts::kForSummaryWithoutLive && table.is_live) continue;
    const OnRow on_row = [](const Statement&, Cursor* cursor, v1::ProcessProfile* process) {
      cursor->ReadRow(process->GetReflection()->AddMessage(process, cursor->rows()));
    };
    FLOPSPROF_RETURN_IF_ERROR(Add(database, std::make_unique<Cursor>(table, on_row)));
  }
  // After `steps`, whose rows they are a part of, and in their order.
  const OnRow on_phase = [](const Statement& row, Cursor* cursor, v1::ProcessProfile* process) {
    const auto step = static_cast<uint32_t>(row.Int(1));
    auto& steps = *process->mutable_steps();
    const auto found =
        std::lower_bound(steps.begin(), steps.end(), step,
                         [](const v1::StepRow& at, uint32_t wanted) { return at.step() < wanted; });
    if (found == steps.end() || found->step() != step) return;
    *found->add_flops() = FromDecimal({row.Int(2), row.Int(3)});
    found->add_gpu_time_ns(static_cast<uint64_t>(row.Int(4)));
  };
  FLOPSPROF_RETURN_IF_ERROR(
      Add(database, std::make_unique<Cursor>("step_phases", "step,flops_high,flops_low,gpu_time_ns",
                                             ",step,phase", on_phase)));
  return AddMaps(database);
}

absl::Status ProcessReader::AddMaps(Database* database) {
  const OnRow on_string = [](const Statement& row, Cursor* cursor, v1::ProcessProfile* process) {
    (*process->mutable_strings())[static_cast<uint64_t>(row.Int(1))] = cursor->Text(2);
  };
  FLOPSPROF_RETURN_IF_ERROR(
      Add(database, std::make_unique<Cursor>("strings", "id,text", "", on_string)));
  const OnRow on_loss = [](const Statement& row, Cursor* cursor, v1::ProcessProfile* process) {
    (*process->mutable_loss())[cursor->Text(1)] = static_cast<uint64_t>(row.Int(2));
  };
  FLOPSPROF_RETURN_IF_ERROR(
      Add(database, std::make_unique<Cursor>("losses", "name,count", "", on_loss)));
  const OnRow on_note = [](const Statement& row, Cursor* cursor, v1::ProcessProfile* process) {
    (*process->mutable_notes())[cursor->Text(1)] = cursor->Text(2);
  };
  return Add(database, std::make_unique<Cursor>("notes", "name,text", "", on_note));
}

absl::Status ProcessReader::Seek(ProcessIds ids) {
  ids_ = ids;
  processes_->Reset();
  processes_->BindInt(1, ids.begin);
  processes_->BindInt(2, ids.end);
  for (const std::unique_ptr<Cursor>& cursor : cursors_) {
    FLOPSPROF_RETURN_IF_ERROR(cursor->Seek(ids));
  }
  return absl::OkStatus();
}

std::vector<std::string> ProcessReader::DamagedTables() const {
  std::vector<std::string> tables;
  for (const std::unique_ptr<Cursor>& cursor : cursors_) {
    if (cursor->is_damaged()) tables.push_back(cursor->table());
  }
  return tables;
}

absl::StatusOr<bool> ProcessReader::Next(v1::ProcessProfile* process) {
  longest_text_bytes_ = 0;
  const absl::StatusOr<bool> row = processes_->Step();
  if (!row.ok() || !*row) return row;
  id_ = processes_->Int(0);
  process->mutable_key()->set_node(processes_->Text(1));
  process->mutable_key()->set_pid(static_cast<int32_t>(processes_->Int(2)));
  process->mutable_key()->set_start_ticks(static_cast<uint64_t>(processes_->Int(3)));
  process->mutable_key()->set_image(static_cast<uint64_t>(processes_->Int(4)));
  longest_text_bytes_ = process->key().node().size();
  for (const std::unique_ptr<Cursor>& cursor : cursors_) {
    FLOPSPROF_RETURN_IF_ERROR(cursor->ReadProcess(id_, process));
    longest_text_bytes_ = std::max(longest_text_bytes_, cursor->longest_text_bytes());
  }
  return true;
}

void FinishProcess(size_t longest_text_bytes, v1::ProcessProfile* process) {
  NumberInOrder(process);
  SetExposed(process);
  model::BoundProfile(process, longest_text_bytes);
  model::JoinSteps(process);
  model::CountLostWithAgents(process);
}

}  // namespace flopsprof::store
