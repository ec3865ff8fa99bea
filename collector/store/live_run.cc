// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live_run.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/base/clock.h"
#include "collector/base/status.h"
#include "collector/model/thin_profile.h"
#include "collector/store/process_reader.h"
#include "collector/store/row_setters.h"
#include "collector/store/run_reader.h"
#include "collector/store/schema.h"

namespace flopsprof::store {

// What a live report is made from, without waiting for it: RunFolder's part of this.
RunFolder::Position RunFolder::position() { return {log_->end().sequence, changes_}; }

absl::StatusOr<RunFolder::Frozen> RunFolder::Freeze(absl::Duration patience) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  const uint64_t wanted = log_->end().sequence;
  const MergeHold hold(this);
  Frozen frozen;
  absl::StatusOr<Database> database = Database::Open(path_ + "/profile.db", SQLITE_OPEN_READONLY);
  if (!database.ok()) return absl::UnavailableError(std::string(database.status().message()));
  frozen.database = std::make_unique<Database>(*std::move(database));
  // Reads the schema, so that nothing is left to do while the merge stands still.
  FLOPSPROF_RETURN_IF_ERROR(frozen.database->QueryInt("SELECT count(*) FROM run").status());
  for (bool is_idle = false; true;) {
    {
      base::MutexLock lock(&mutex_);
      if (is_finished_) {
        return absl::FailedPreconditionError("the run is finished: its folder has all");
      }
      const bool settled = merge_->is_settled() || merge_->read() == log_->end().sequence;
      const bool merged = merge_->read() >= std::max(wanted, merge_->merged());
      if (!is_plain_file_ && settled && merged) {
        FLOPSPROF_RETURN_IF_ERROR(FreezeLocked(&frozen));
        return frozen;
      }
    }
    if (is_idle || absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns) >= patience) {
      return absl::UnavailableError(absl::StrCat(path_, "/profile.db is behind its log"));
    }
    const absl::StatusOr<absl::Duration> more = MergeSome(Wanted::kInItsTime);
    if (!more.ok() && !absl::IsCancelled(more.status())) {
      return absl::UnavailableError(std::string(more.status().message()));
    }
    is_idle = more.ok() && *more > absl::ZeroDuration();
  }
}

absl::Status RunFolder::FreezeLocked(Frozen* frozen) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  // SQLite takes the state at the first read of a transaction: between two of the merger's.
  FLOPSPROF_RETURN_IF_ERROR(frozen->database->Execute("BEGIN"));
  FLOPSPROF_RETURN_IF_ERROR(frozen->database->QueryInt("SELECT count(*) FROM run").status());
  frozen->at = {merge_->read(), changes_};
  frozen->rows = merge_->Freeze();
  if (reader_.has_value()) frozen->problems = reader_->strays();
  frozen->stopped = absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns);
  return absl::OkStatus();
}

void RunFolder::Thaw(Frozen frozen) {
  frozen.database.reset();
  base::MutexLock lock(&mutex_);
  merge_->Thaw(std::move(frozen.rows));
}
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Between two looks at whether the sums are still wanted.
constexpr absl::Duration kFreezePatience = absl::Milliseconds(200);
constexpr absl::Duration kRetryAfter = absl::Milliseconds(10);

bool IsOfSummary(size_t at) {
  return kBlockTables[at].rows !=
         static_cast<uint32_t>(v1::ProcessProfile::kScopeKernelsFieldNumber);
}

// Makes messages of live rows, as ProcessReader makes them of those in profile.db.
class LiveRowWriter {
 public:
  explicit LiveRowWriter(const std::vector<const std::string*>& keys) : keys_(keys) {
    for (size_t at = 0; at < tables_.size(); ++at) {
      const auto rows = static_cast<int>(kBlockTables[at].rows);
      tables_[at].rows = v1::ProcessProfile::descriptor()->FindFieldByNumber(rows);
      for (size_t i = 0; i < kBlockTables[at].column_count(); ++i) {
        const auto field = static_cast<int>(kBlockTables[at].columns[i].field);
        tables_[at].fields.push_back(tables_[at].rows->message_type()->FindFieldByNumber(field));
        tables_[at].setters.push_back(FindRowSetter(tables_[at].fields.back()));
      }
    }
  }

  // Returns a bound of the bytes of the longest text. DataLoss: a key is no row.
  absl::StatusOr<size_t> Write(const LiveProcess& live, v1::ProcessProfile* process) const {
    size_t longest = 0;
    for (size_t at = 0; at < tables_.size(); ++at) {
      if (!IsOfSummary(at)) continue;
      const LiveTable& table = live.table(at);
      for (uint32_t row = 0; row < table.size(); ++row) {
        const std::string& key = *keys_.at(static_cast<size_t>(table.key(row)));
        longest = std::max(longest, key.size());
        Message* message = process->GetReflection()->AddMessage(process, tables_[at].rows);
        // Behind the mark of the table (RowKeys).
        if (key.empty() ||
            !message->ParseFromArray(key.data() + 1, static_cast<int>(key.size() - 1))) {
          return absl::DataLossError("a key is no row");
        }
        for (size_t i = 0; i < tables_[at].fields.size(); ++i) {
          Set(tables_[at], i, table.value(row, i), message);
        }
      }
    }
    return longest;
  }

 private:
  struct Table {
    const FieldDescriptor* rows = nullptr;
    std::vector<const FieldDescriptor*> fields;  // of the measures
    std::vector<const RowSetter*> setters;       // of each; nullptr: by reflection
  };

  static void Set(const Table& table, size_t i, Wide value, Message* row) {
    const RowSetter* setter = table.setters[i];
    const FieldDescriptor* field = table.fields[i];
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      auto* count = setter != nullptr
                        ? setter->count(row)
                        : static_cast<v1::Count*>(row->GetReflection()->MutableMessage(row, field));
      count->set_low(static_cast<uint64_t>(value));
      count->set_high(static_cast<uint64_t>(value >> 64));
    } else if (value == 0) {
      return;
    } else if (setter != nullptr) {
      setter->set_int(row, static_cast<int64_t>(value));
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
      row->GetReflection()->SetUInt32(row, field, static_cast<uint32_t>(value));
    } else {
      row->GetReflection()->SetUInt64(row, field, static_cast<uint64_t>(value));
    }
  }

  const std::vector<const std::string*>& keys_;
  std::array<Table, kBlockTables.size()> tables_;
};

// The processes of a run that is frozen, whole.
class FrozenProcesses {
 public:
  explicit FrozenProcesses(const RunFolder::Frozen& run) : run_(run), live_rows_(run.rows.keys) {}

  absl::Status Open() {
    absl::StatusOr<std::unique_ptr<ProcessReader>> others =
        ProcessReader::Create(run_.database.get(), RunParts::kForSummaryWithoutLive);
    if (!others.ok()) return others.status();
    others_ = *std::move(others);
    absl::StatusOr<std::unique_ptr<ProcessReader>> stored =
        ProcessReader::Create(run_.database.get(), RunParts::kForSummary, {0, 0});
    if (!stored.ok()) return stored.status();
    stored_ = *std::move(stored);
    return absl::OkStatus();
  }

  absl::Status Seek(int64_t id) { return others_->Seek({id, id + 1}); }

  // The next one, in the order of ids. False: there is none.
  absl::StatusOr<bool> Next(v1::ProcessProfile* process) {
    const absl::StatusOr<bool> more = others_->Next(process);
    if (!more.ok() || !*more) return more;
    const auto found = run_.rows.processes.find(id());
    const LiveProcess* live = found == run_.rows.processes.end() ? nullptr : found->second.get();
    size_t longest = others_->longest_text_bytes();
    // Of one that is not in memory, or set aside, profile.db has all that there is.
    if (live == nullptr || live->is_set_aside()) {
      process->Clear();
      FLOPSPROF_RETURN_IF_ERROR(stored_->Seek({id(), id() + 1}));
      const absl::StatusOr<bool> read = stored_->Next(process);
      if (!read.ok()) return read;
      longest = stored_->longest_text_bytes();
    } else {
      const absl::StatusOr<size_t> written = live_rows_.Write(*live, process);
      if (!written.ok()) return written.status();
      longest = std::max(longest, *written);
    }
    if (live != nullptr) AddCounts(*live, process);
    FinishProcess(longest, process);
    return true;
  }

  int64_t id() const { return others_->id(); }

  // Of those of which not all rows could be read, until now.
  std::set<std::string> DamagedTables() const {
    std::set<std::string> tables;
    for (const ProcessReader* reader : {others_.get(), stored_.get()}) {
      for (std::string& table : reader->DamagedTables()) tables.insert(std::move(table));
    }
    return tables;
  }

 private:
  // Which the database gets with the rows (LiveRows::SaveCounts).
  static void AddCounts(const LiveProcess& live, v1::ProcessProfile* process) {
    auto& loss = *process->mutable_loss();
    if (live.undefined_rows() > 0) loss["rows_undefined"] = live.undefined_rows();
    if (live.is_set_aside()) loss["rows_set_aside"] = live.rows_set_aside();
  }

  const RunFolder::Frozen& run_;
  const LiveRowWriter live_rows_;
  std::unique_ptr<ProcessReader> others_, stored_;
};

// Whole processes for those that are thin, each made when it is asked for.
class FrozenRows : public model::RowSource {
 public:
  FrozenRows(FrozenProcesses* processes, const std::vector<v1::ProcessProfile>& thin,
             std::vector<int64_t> ids, LiveProgress* progress)
      : processes_(*processes), thin_(thin), ids_(std::move(ids)), progress_(*progress) {}

  void Begin(const std::vector<const v1::ProcessProfile*>& thin) override {
    wanted_ = thin;
    next_ = 0;
  }

  // After a failure one without rows.
  std::unique_ptr<v1::ProcessProfile> Next() override {
    auto process = std::make_unique<v1::ProcessProfile>();
    if (status_.ok() && progress_.cancelled) status_ = absl::CancelledError("not wanted any more");
    const size_t place = static_cast<size_t>(wanted_.at(next_++) - thin_.data());
    if (status_.ok()) status_ = processes_.Seek(ids_.at(place));
    if (!status_.ok()) return process;
    const absl::StatusOr<bool> found = processes_.Next(process.get());
    status_ = found.ok() && !*found ? absl::DataLossError("a process is gone") : found.status();
    if (!status_.ok()) process->Clear();
    ++progress_.done;
    return process;
  }

  const absl::Status& status() const { return status_; }

 private:
  FrozenProcesses& processes_;
  const std::vector<v1::ProcessProfile>& thin_;
  const std::vector<int64_t> ids_;
  LiveProgress& progress_;
  std::vector<const v1::ProcessProfile*> wanted_;
  size_t next_ = 0;
  absl::Status status_;
};

// Why processes were set aside, which the database gets with the next pass: in its order.
void AddDamage(const RunFolder::Frozen& frozen, model::RunProfile* profile) {
  std::vector<std::pair<int64_t, const std::string*>> damage;
  for (const auto& [id, live] : frozen.rows.processes) {
    if (!live->damage().empty()) damage.emplace_back(id, &live->damage());
  }
  std::sort(damage.begin(), damage.end());
  std::vector<std::string>& said = profile->log_damage;
  for (const auto& [id, text] : damage) {
    if (std::find(said.begin(), said.end(), *text) == said.end()) said.push_back(*text);
  }
}

absl::Status SumFrozen(const RunFolder::Frozen& frozen, uint64_t most_at_once,
                       LiveProgress* progress, LiveSums* sums) {
  model::RunProfile profile;
  FLOPSPROF_RETURN_IF_ERROR(ReadFacts(frozen.database.get(), &profile));
  AddDamage(frozen, &profile);
  for (const std::string& problem : frozen.problems) profile.problems.push_back(problem);
  for (const model::AgentState& agent : profile.agents) {
    sums->newest_utc_ns = std::max(sums->newest_utc_ns, agent.newest_utc_ns);
  }
  profile.is_bounded = true;
  const absl::StatusOr<int64_t> count = frozen.database->QueryInt("SELECT count(*) FROM processes");
  if (!count.ok()) return count.status();
  progress->processes = static_cast<uint64_t>(*count);
  size_t live_rows = 0;
  for (const auto& [id, live] : frozen.rows.processes) {
    for (size_t at = 0; at < kBlockTables.size(); ++at) live_rows += live->table(at).size();
  }
  const bool in_turn = progress->processes > most_at_once || live_rows > kMostLiveRowsAtOnce;
  FrozenProcesses processes(frozen);
  FLOPSPROF_RETURN_IF_ERROR(processes.Open());
  std::vector<int64_t> ids;
  while (true) {
    if (progress->cancelled) return absl::CancelledError("not wanted any more");
    v1::ProcessProfile process;
    const absl::StatusOr<bool> more = processes.Next(&process);
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (in_turn) model::MakeThin(&process);
    ids.push_back(processes.id());
    profile.processes.push_back(std::move(process));
    ++progress->done;
  }
  NameDamagedTables(processes.DamagedTables(), &profile);
  if (!in_turn) {
    sums->sums = model::SumRun(profile);
    return absl::OkStatus();
  }
  FrozenRows rows(&processes, profile.processes, std::move(ids), progress);
  sums->sums = model::SumRun(profile, &rows);
  return rows.status();
}

}  // namespace

absl::StatusOr<LiveSums> SumLiveRun(RunFolder* run, absl::Duration patience, LiveProgress* progress,
                                    uint64_t most_at_once) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  absl::StatusOr<RunFolder::Frozen> frozen = run->Freeze(kFreezePatience);
  // Somebody else may hold profile.db for a while.
  while (absl::IsUnavailable(frozen.status()) && !progress->cancelled &&
         absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns) < patience) {
    absl::SleepFor(kRetryAfter);
    frozen = run->Freeze(kFreezePatience);
  }
  if (!frozen.ok()) return frozen.status();
  LiveSums sums;
  sums.at = frozen->at;
  sums.stopped = frozen->stopped;
  const absl::Status status = SumFrozen(*frozen, most_at_once, progress, &sums);
  run->Thaw(*std::move(frozen));
  if (!status.ok()) return status;
  return sums;
}

}  // namespace flopsprof::store
