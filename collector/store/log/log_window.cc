// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/log_window.h"

#include <new>
#include <utility>

namespace flopsprof::store {

void LogWindow::Add(Record record) {
  base::MutexLock lock(&mutex_);
  const size_t bytes = sizeof record + record.payload.size();
  if (bytes_ + bytes > most_bytes_) return;
  try {
    records_.push_back(std::move(record));
    bytes_ += bytes;
  } catch (const std::bad_alloc&) {  // as if there were no room
  }
}

bool LogWindow::Take(uint64_t sequence, Record* record) {
  base::MutexLock lock(&mutex_);
  while (!records_.empty() && records_.front().sequence <= sequence) {
    const bool found = records_.front().sequence == sequence;
    bytes_ -= sizeof *record + records_.front().payload.size();
    if (found) *record = std::move(records_.front());
    records_.pop_front();
    if (found) return true;
  }
  return false;
}

size_t LogWindow::bytes() {
  base::MutexLock lock(&mutex_);
  return bytes_;
}

}  // namespace flopsprof::store
