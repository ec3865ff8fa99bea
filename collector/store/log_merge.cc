// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log_merge.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "collector/base/clock.h"
#include "collector/base/status.h"

namespace flopsprof::store {

namespace {

constexpr char kCopyMark[] = "\n";  // between the id of an agent and the number of a copy
constexpr absl::Duration kShortest = absl::Milliseconds(1);  // of transactions but the first

}  // namespace

absl::StatusOr<MergedTo> ReadMergedTo(Database* database) {
  absl::StatusOr<Statement> row =
      database->Prepare("SELECT log_id, merged, saved FROM log_position");
  if (!row.ok()) return row.status();
  const absl::StatusOr<bool> found = row->Step();
  if (!found.ok()) return found.status();
  if (!*found) return absl::DataLossError("it has no log_position");
  return MergedTo{static_cast<uint64_t>(row->Int(0)), static_cast<uint64_t>(row->Int(1)),
                  static_cast<uint64_t>(row->Int(2))};
}

absl::StatusOr<bool> LogMerge::Some(LogReader* reader, absl::Duration at_most,
                                    std::optional<absl::Duration> save_for) {
  FLOPSPROF_RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  const bool saves_only = save_for.has_value() && std::exchange(save_waits_, false);
  absl::StatusOr<bool> more = true;
  if (!saves_only) more = InTransaction(reader, std::min(at_most, longest_));
  absl::Status status = more.status();
  const uint64_t read = std::max(read_, reader->last_sequence());
  // What sets a process aside while it is stored is not to be forgotten with the process.
  const bool waits = save_for.has_value() && saves_apart_ && live_.born_count() > 0;
  if (status.ok() && save_for.has_value() && !waits) {
    if (!live_.pass_is_open()) live_.BeginPass(read, reader->segment());
    status = live_.SaveSome(std::min(*save_for, longest_)).status();
  }
  if (status.ok()) status = db_.Execute("COMMIT");
  if (!status.ok()) {
    if (absl::IsCancelled(status)) {
      saves_apart_ = true;
      longest_ = absl::ZeroDuration();
    }
    // SQLite may have rolled back by itself.
    db_.Execute("ROLLBACK").IgnoreError();
    live_.RolledBack();
    is_settled_ = false;
    return status;
  }
  is_settled_ = true;
  if (save_for.has_value()) save_waits_ = waits;
  longest_ = std::max(2 * longest_, kShortest);
  read_ = read;
  merged_ = std::max(merged_, read_);
  if (const std::optional<LiveRows::Saved> saved = live_.Committed(kMostBytes)) {
    saved_ = saved->through;
    saved_segment_ = saved->tag;
    save_cost_ = saved->cost;
  }
  return *more || waits;
}

absl::StatusOr<bool> LogMerge::InTransaction(LogReader* reader, absl::Duration at_most) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  bool more = true;
  LogRecord record;
  do {
    const absl::StatusOr<bool> next = reader->Next(&record);
    if (!next.ok()) return next.status();
    more = *next;
    if (more) FLOPSPROF_RETURN_IF_ERROR(Take(record));
    for (const LogDamage& damage : reader->TakeDamage()) {
      FLOPSPROF_RETURN_IF_ERROR(NoteDamage(damage));
    }
  } while (more && absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns) < at_most);
  if (reader->last_sequence() > merged_) {
    FLOPSPROF_RETURN_IF_ERROR(
        db_.Execute(absl::StrCat("UPDATE log_position SET merged=", reader->last_sequence())));
  }
  return more;
}

// A record that is refused for what is in it (sqlite.cc has the list) must not stop those behind
// it. All else passes when its cause does: the record is tried again.
absl::Status LogMerge::Take(const LogRecord& record) {
  if (record.sequence <= merged_) return StoreAgain(record);
  FLOPSPROF_RETURN_IF_ERROR(db_.Execute("SAVEPOINT record"));
  const size_t born = live_.born_count();
  const absl::Status status = Store(record);
  if (status.ok()) return db_.Execute("RELEASE record");
  if (!absl::IsInvalidArgument(status)) return status;
  FLOPSPROF_RETURN_IF_ERROR(db_.Execute("ROLLBACK TO record; RELEASE record"));
  live_.ForgetBorn(born);
  return NoteRefused(record.sequence, status);
}

absl::Status LogMerge::NoteRefused(uint64_t record, const absl::Status& why) {
  FLOPSPROF_RETURN_IF_ERROR(LeaveOut(record));
  absl::StatusOr<Statement> statement = db_.Prepare("INSERT INTO log_refused(text) VALUES(?)");
  if (!statement.ok()) return statement.status();
  const std::string text =
      absl::StrCat("update ", record, " of the log: ", std::string(why.message()));
  statement->BindText(1, text);
  return statement->Run();
}

absl::StatusOr<std::vector<std::string>> ReadLogLosses(Database* database) {
  std::vector<std::string> losses;
  for (const char* table : {"log_damage", "log_refused"}) {
    absl::StatusOr<Statement> rows =
        database->Prepare(absl::StrCat("SELECT text FROM ", table, " ORDER BY number"));
    if (!rows.ok()) return rows.status();
    while (true) {
      const absl::StatusOr<bool> row = rows->Step();
      if (!row.ok()) return row.status();
      if (!*row) break;
      losses.push_back(rows->Text(0));
    }
  }
  return losses;
}

// A part of the log that is read again, for live rows, has the damage that it had.
absl::Status LogMerge::NoteDamage(const LogDamage& damage) {
  absl::StatusOr<Statement> statement = db_.Prepare(
      "INSERT INTO log_damage(text, lost) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 "
      "FROM log_damage WHERE text=?1)");
  if (!statement.ok()) return statement.status();
  const std::string text = ToText(damage);
  statement->BindText(1, text);
  statement->BindInt(2, static_cast<int64_t>(damage.lost_records));
  return statement->Run();
}

absl::Status LogMerge::Store(const LogRecord& record) {
  // One message for all records, which keeps its memory: a block has dozens of small parts.
  thread_local v1::UploadRequest request;
  const absl::Status status = StoreRequest(record, &request);
  LetGoOf(record, &request);
  return status;
}

absl::Status LogMerge::StoreRequest(const LogRecord& record, v1::UploadRequest* parsed) {
  v1::UploadRequest& request = *parsed;
  if (!request.ParseFromString(record.payload)) {
    return absl::InvalidArgumentError("an upload in the log is no upload of flopsprof");
  }
  if (request.format() != v1::UPLOAD_FORMAT_INCREMENTS) {
    return absl::InvalidArgumentError(absl::StrCat("an upload in the log is of format ",
                                                   static_cast<int>(request.format()), ", not ",
                                                   static_cast<int>(v1::UPLOAD_FORMAT_INCREMENTS)));
  }
  const absl::StatusOr<ProfileWriter::Taken> taken = writer_.NoteUpload(request, record.utc_ns);
  if (!taken.ok()) return taken.status();
  if (!taken->is_new) return LeaveOut(record.sequence);
  if (taken->copy > 1) {
    FLOPSPROF_RETURN_IF_ERROR(db_.Execute(absl::StrCat("INSERT OR REPLACE INTO log_copies VALUES(",
                                                       record.sequence, ",", taken->copy, ")")));
  }
  if (request.has_run()) FLOPSPROF_RETURN_IF_ERROR(writer_.WriteRun(run_id_, request.run()));
  FLOPSPROF_RETURN_IF_ERROR(Prepare(request, record.sequence, taken->copy, /*again=*/false));
  for (int i = 0; i < request.processes_size(); ++i) {
    const int64_t id = parts_[static_cast<size_t>(i)].id;
    if (id == 0) {
      FLOPSPROF_RETURN_IF_ERROR(
          writer_.NoteOverLimit("processes", writer_.limits().most_processes));
      continue;
    }
    FLOPSPROF_RETURN_IF_ERROR(writer_.WriteOthers(id, request.processes(i)));
  }
  Apply(record.sequence);
  return absl::OkStatus();
}

// What a large request needed is not kept: few are, and it may be a hundred times their bytes.
void LogMerge::LetGoOf(const LogRecord& record, v1::UploadRequest* request) {
  if (record.payload.size() <= kKeptBytes) return;
  v1::UploadRequest().Swap(request);
  std::vector<Part>().swap(parts_);
  part_count_ = 0;
}

absl::Status LogMerge::StoreAgain(const LogRecord& record) {
  const absl::StatusOr<bool> left_out = IsLeftOut(record.sequence);
  if (!left_out.ok()) return left_out.status();
  if (*left_out) return absl::OkStatus();
  v1::UploadRequest request;
  if (!request.ParseFromString(record.payload)) return absl::OkStatus();  // refused as such
  for (const v1::ProcessProfile& process : request.processes()) {
    // Who had stored it has taken it. Without its live rows the others go on.
    const absl::Status good = CheckBlocks(process);
    if (absl::IsInvalidArgument(good)) return NoteRefused(record.sequence, good);
    FLOPSPROF_RETURN_IF_ERROR(good);
  }
  const absl::StatusOr<int64_t> copy = db_.QueryInt(
      absl::StrCat("SELECT coalesce(max(copy), 1) FROM log_copies WHERE record=", record.sequence));
  if (!copy.ok()) return copy.status();
  FLOPSPROF_RETURN_IF_ERROR(Prepare(request, record.sequence, *copy, /*again=*/true));
  Apply(record.sequence);
  return absl::OkStatus();
}

absl::Status LogMerge::Prepare(const v1::UploadRequest& request, uint64_t record, int64_t copy,
                               bool again) {
  // Each copy of an agent has numbers of its own. No id has a control character.
  std::string agent = request.agent_id();
  if (copy > 1) absl::StrAppend(&agent, kCopyMark, copy);
  part_count_ = static_cast<size_t>(request.processes_size());
  if (parts_.size() < part_count_) parts_.resize(part_count_);
  for (size_t i = 0; i < part_count_; ++i) {
    const v1::ProcessProfile& process = request.processes(static_cast<int>(i));
    Part& part = parts_[i];
    const absl::StatusOr<ProfileWriter::ProcessRow> row = writer_.FindProcess(process.key());
    if (!row.ok()) return row.status();
    part.id = row->id;
    part.process = nullptr;
    if (part.id == 0) continue;  // the run has too many
    if (row->is_new) live_.NoteBorn(part.id);
    for (size_t j = 0; j < i; ++j) {
      if (parts_[j].id == part.id) return absl::InvalidArgumentError("it has a process twice");
    }
    const absl::StatusOr<LiveProcess*> live = live_.Get(part.id);
    if (!live.ok()) return live.status();
    part.process = (*live)->applied >= record ? nullptr : *live;
    if (part.process == nullptr) continue;
    absl::Status status = absl::OkStatus();
    if (row->is_new && again) status = absl::InvalidArgumentError("its row was gone");
    const auto prepare = [&] {
      return part.process->Prepare(process, agent, live_.keys(), &part.more);
    };
    if (status.ok()) status = prepare();
    // It was good when it was first read: what is stored has changed since.
    if (again && absl::IsInvalidArgument(status)) {
      FLOPSPROF_RETURN_IF_ERROR(live_.SetAside(part.id, part.process, status));
      status = prepare();
    }
    FLOPSPROF_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

void LogMerge::Apply(uint64_t record) {
  for (size_t i = 0; i < part_count_; ++i) {
    const Part& part = parts_[i];
    if (part.process == nullptr) continue;
    part.process->Apply(part.more, &live_.keys()->table);
    part.process->applied = record;
    if (part.process->is_changed()) live_.NoteChanged(part.id);
    if (part.more.undefined_rows > 0) {
      uint32_t& lacks = lacks_[part.more.agent.substr(0, part.more.agent.find(kCopyMark))];
      lacks = std::max(lacks, part.more.numbering);
    }
  }
}

absl::StatusOr<bool> LogMerge::IsLeftOut(uint64_t record) {
  const absl::StatusOr<int64_t> count =
      db_.QueryInt(absl::StrCat("SELECT count(*) FROM log_left_out WHERE record=", record));
  if (!count.ok()) return count.status();
  return *count > 0;
}

absl::Status LogMerge::LeaveOut(uint64_t record) {
  return db_.Execute(absl::StrCat("INSERT OR IGNORE INTO log_left_out VALUES(", record, ")"));
}

}  // namespace flopsprof::store
