// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/live/live_process.h"
#include "collector/store/row_codec.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {

// The processes of a run whose rows are summed up in memory, and how they get into its database and
// out of it. What is not in the database yet is in the log behind `saved` of log_position. Runs
// inside the caller's transactions, and keeps statements: the database outlives it. One thread.
class LiveRows {
 public:
  explicit LiveRows(Database* database);

  // The process of that id, from memory or from the database, where what is stored of it may be
  // damaged: then it is set aside. Valid until Committed. Cancelled: so it was, and SQLite takes
  // nothing more in this transaction, which is to be begun anew.
  absl::StatusOr<LiveProcess*> Get(int64_t process_id);
  RunKeys* keys() { return &keys_; }
  // Its memory is ahead of the database from now on.
  void NoteChanged(int64_t process_id) {
    changed_.insert(process_id);
    CountBytes(process_id);
  }
  // Sets it aside (LiveProcess), which is stored with the next pass. What of it is in memory alone
  // is lost.
  absl::Status SetAside(int64_t process_id, LiveProcess* process, const absl::Status& why);
  // The process was made in this transaction; gone with it.
  void NoteBorn(int64_t process_id) { born_.push_back(process_id); }
  size_t born_count() const { return born_.size(); }
  // The database has forgotten all but so many of those that were born.
  void ForgetBorn(size_t kept);

  // A pass stores all that is not stored, in any number of transactions, in which more may come.
  // When it is through, the database has all records up to `through`. `tag`: the caller's.
  void BeginPass(uint64_t through, uint64_t tag);
  bool pass_is_open() const { return pass_.has_value(); }
  // Stores for about so long, one process at the least. True: the pass is through, which the
  // transaction says too. Cancelled: as by Get.
  absl::StatusOr<bool> SaveSome(absl::Duration at_most);

  struct Saved {
    uint64_t through = 0;
    uint64_t tag = 0;
    absl::Duration cost;
  };
  // After COMMIT: the pass that has ended with it. Lets go of what is beyond `most_bytes`.
  std::optional<Saved> Committed(size_t most_bytes);
  // After anything else.
  void RolledBack();

  size_t bytes() const { return bytes_ + keys_.table.bytes(); }

  // All that is in memory, as it is: for a reader in another thread, while more comes. A process of
  // which something comes is copied first, keys stay. Until Thaw, in the thread of Freeze's lock.
  struct Frozen {
    absl::flat_hash_map<int64_t, std::shared_ptr<const LiveProcess>> processes;
    std::vector<const std::string*> keys;  // by KeyId
  };
  Frozen Freeze();
  void Thaw(Frozen frozen);

 private:
  struct Pass {
    uint64_t through;
    uint64_t tag;
    std::deque<int64_t> left;
    absl::Duration cost;
    bool ended = false;
  };
  // Statements and columns of one table.
  struct Table {
    std::optional<Statement> update, insert, select;
    std::optional<RowReader> reader;
    std::vector<const google::protobuf::FieldDescriptor*> keys;
  };

  absl::Status PrepareTables();
  absl::Status Load(int64_t process_id, LiveProcess* process);
  absl::Status LoadRows(int64_t process_id, LiveProcess* process);
  // FailedPrecondition: they are not whole.
  absl::Status LoadTable(int64_t process_id, size_t at, LiveProcess* process);
  absl::Status LoadNumbers(int64_t process_id, LiveProcess* process);
  // "process 7 of node-a: rows of times are missing; ...".
  absl::StatusOr<std::string> DamageText(int64_t process_id, std::string_view why,
                                         std::string_view what_follows);
  // Sets it aside.
  absl::Status HandleDamage(int64_t process_id, LiveProcess* process, const absl::Status& damage);
  absl::Status Save(int64_t process_id, LiveProcess* process);
  absl::Status SaveCounts(int64_t process_id, const LiveProcess& process);
  absl::Status SaveTable(int64_t process_id, size_t at, LiveTable* table);
  absl::Status SaveNumbers(int64_t process_id, LiveProcess* process);
  int BindMeasures(const LiveTable& table, size_t at, uint32_t row, int first, Statement* to);
  void LetGo(size_t most_bytes);
  void Erase(int64_t process_id);
  void CountBytes(int64_t process_id);

  Database& db_;
  RunKeys keys_;
  std::vector<Table> tables_;  // as kBlockTables; none before the first use
  struct Kept {
    std::shared_ptr<LiveProcess> process;
    size_t bytes = 0;  // when they were counted
  };
  // Its process, for a change: no reader has it.
  static LiveProcess* OwnOf(Kept* kept);
  void ForgetUnheldKeys();
  absl::flat_hash_map<int64_t, Kept> processes_;
  absl::flat_hash_set<int64_t> changed_;
  std::vector<int64_t> born_;
  std::vector<int64_t> saved_;  // in this transaction
  std::optional<Pass> pass_;
  size_t bytes_ = 0;
  uint64_t uses_ = 0;
  int frozen_count_ = 0;
};

}  // namespace flopsprof::store
