// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <mutex>
#include <set>

namespace flopsprof::store {

// The write-ahead logs of all databases that are opened while it is there, and which of them have
// something that is not on the disk yet. (What of it is copied into a database may be synced
// later.) One at a time; any thread.
class SqliteWals {
 public:
  SqliteWals() : real_(sqlite3_vfs_find(nullptr)), ours_(*real_) {
    self_ = this;
    ours_.zName = "noticing";
    ours_.xOpen = &Open;
    sqlite3_vfs_register(&ours_, 1);
  }
  ~SqliteWals() {
    sqlite3_vfs_unregister(&ours_);
    sqlite3_vfs_register(real_, 1);
  }
  SqliteWals(const SqliteWals&) = delete;
  SqliteWals& operator=(const SqliteWals&) = delete;

  size_t unsynced() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return unsynced_.size();
  }

 private:
  static int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* got) {
    SqliteWals& self = *self_;
    const int code = self.real_->xOpen(self.real_, name, file, flags, got);
    if (code != SQLITE_OK || (flags & SQLITE_OPEN_WAL) == 0) return code;
    const std::lock_guard<std::mutex> lock(self.mutex_);
    real_methods_ = file->pMethods;
    methods_ = *real_methods_;
    methods_.xWrite = &Write;
    methods_.xSync = &Sync;
    file->pMethods = &methods_;
    return code;
  }
  static int Write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
    {
      const std::lock_guard<std::mutex> lock(self_->mutex_);
      self_->unsynced_.insert(file);
    }
    return real_methods_->xWrite(file, bytes, count, at);
  }
  static int Sync(sqlite3_file* file, int flags) {
    const int code = real_methods_->xSync(file, flags);
    const std::lock_guard<std::mutex> lock(self_->mutex_);
    if (code == SQLITE_OK) self_->unsynced_.erase(file);
    return code;
  }

  // All of them have the same set.
  static inline SqliteWals* self_ = nullptr;
  static inline const sqlite3_io_methods* real_methods_ = nullptr;
  static inline sqlite3_io_methods methods_ = {};

  sqlite3_vfs* const real_;
  sqlite3_vfs ours_;
  std::mutex mutex_;
  std::set<sqlite3_file*> unsynced_;
};

}  // namespace flopsprof::store
