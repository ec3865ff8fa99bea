// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/model/row_source.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {

// Rows of processes as the database has them, read a few processes ahead by a thread of its own,
// which has the database to itself from Begin to End. Its owner reads nothing meanwhile.
class StoredRows : public model::RowSource {
 public:
  // `thin`: the processes that are asked for, where they stay; `ids`: theirs in the database.
  StoredRows(Database* database, const std::vector<v1::ProcessProfile>& thin,
             std::vector<int64_t> ids);
  ~StoredRows() override;

  void Begin(const std::vector<const v1::ProcessProfile*>& thin) override;
  // After a failure, which End returns: one without rows.
  std::unique_ptr<v1::ProcessProfile> Next() override;

  absl::Status End();

 private:
  void Stop();
  void Read(const std::vector<int64_t>& ids);
  absl::Status ReadEach(const std::vector<int64_t>& ids);
  // False: nobody wants it.
  bool Post(std::unique_ptr<v1::ProcessProfile> process);

  Database& database_;
  const std::vector<v1::ProcessProfile>& thin_;
  const std::vector<int64_t> ids_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::deque<std::unique_ptr<v1::ProcessProfile>> read_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace flopsprof::store
