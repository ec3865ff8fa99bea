// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/stored_rows.h"

#include <utility>

#include "collector/base/status.h"
#include "collector/base/thread.h"
#include "collector/store/process_reader.h"

namespace flopsprof::store {
namespace {

constexpr size_t kMostAhead = 16;  // processes

}  // namespace

StoredRows::StoredRows(Database* database, const std::vector<v1::ProcessProfile>& thin,
                       std::vector<int64_t> ids)
    : database_(*database), thin_(thin), ids_(std::move(ids)) {}

StoredRows::~StoredRows() { Stop(); }

void StoredRows::Begin(const std::vector<const v1::ProcessProfile*>& thin) {
  Stop();
  std::vector<int64_t> ids;
  for (const v1::ProcessProfile* process : thin) {
    ids.push_back(ids_.at(static_cast<size_t>(process - thin_.data())));
  }
  {
    base::MutexLock lock(&mutex_);
    read_.clear();
    stopping_ = false;
  }
  thread_ = base::StartThread([this, ids = std::move(ids)] { Read(ids); });
  if (thread_.joinable()) return;
  base::MutexLock lock(&mutex_);
  status_ = absl::ResourceExhaustedError(
      "the machine allows no further thread: raise its limit on processes (ulimit -u)");
}

std::unique_ptr<v1::ProcessProfile> StoredRows::Next() {
  base::MutexLock lock(&mutex_);
  while (read_.empty() && status_.ok()) changed_.Wait(&mutex_);
  if (read_.empty()) return std::make_unique<v1::ProcessProfile>();
  std::unique_ptr<v1::ProcessProfile> process = std::move(read_.front());
  read_.pop_front();
  changed_.SignalAll();
  return process;
}

absl::Status StoredRows::End() {
  Stop();
  base::MutexLock lock(&mutex_);
  return status_;
}

void StoredRows::Stop() {
  {
    base::MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.SignalAll();
  }
  if (thread_.joinable()) thread_.join();
}

void StoredRows::Read(const std::vector<int64_t>& ids) {
  const absl::Status status = ReadEach(ids);
  base::MutexLock lock(&mutex_);
  status_.Update(status);
  changed_.SignalAll();
}

absl::Status StoredRows::ReadEach(const std::vector<int64_t>& ids) {
  const absl::StatusOr<std::unique_ptr<ProcessReader>> reader =
      ProcessReader::Create(&database_, RunParts::kForSummary, {0, 0});
  if (!reader.ok()) return reader.status();
  for (const int64_t id : ids) {
    FLOPSPROF_RETURN_IF_ERROR((*reader)->Seek({id, id + 1}));
    auto process = std::make_unique<v1::ProcessProfile>();
    const absl::StatusOr<bool> found = (*reader)->Next(process.get());
    if (!found.ok()) return found.status();
    if (!*found) return absl::DataLossError("a process is gone");
    FinishProcess((*reader)->longest_text_bytes(), process.get());
    if (!Post(std::move(process))) break;
  }
  return absl::OkStatus();
}

bool StoredRows::Post(std::unique_ptr<v1::ProcessProfile> process) {
  base::MutexLock lock(&mutex_);
  while (read_.size() >= kMostAhead && !stopping_) changed_.Wait(&mutex_);
  if (stopping_) return false;
  read_.push_back(std::move(process));
  changed_.SignalAll();
  return true;
}

}  // namespace flopsprof::store
