// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "collector/store/log/log_file.h"

namespace flopsprof::store {

// Real files whose disk fails when told. Any thread.
class FaultyFiles : public LogFiles {
 public:
  // Bytes that there is still room for; an append beyond writes what fits and fails.
  std::atomic<int64_t> room{INT64_MAX};
  std::atomic<bool> fail_sync{false};
  std::atomic<bool> fail_truncate{false};
  std::atomic<bool> fail_create{false};
  std::atomic<int> syncs{0};
  // What was done to the disk, in order; a file is its last part. One thread at a time.
  std::vector<std::string> done;
  std::atomic<bool> no_memory{false};  // an append throws
  // Called by the thread that syncs, before it does. Set while nobody appends.
  std::function<void()> before_sync;
  std::function<void(const std::string&)> before_delete;

  absl::StatusOr<std::unique_ptr<LogFile>> Create(const std::string& path) override {
    if (fail_create) return FileError(ENOSPC, "cannot make " + path);
    Note("create " + path.substr(path.rfind('/') + 1));
    auto file = LogFiles::Real()->Create(path);
    if (!file.ok()) return file.status();
    return std::make_unique<File>(this, *std::move(file));
  }

  absl::Status SyncFolder(const std::string& folder) override {
    Note("sync folder " + folder.substr(folder.rfind('/') + 1));
    return LogFiles::Real()->SyncFolder(folder);
  }
  void Delete(const std::string& path) override {
    Note("delete " + path.substr(path.rfind('/') + 1));
    if (before_delete) before_delete(path);
    LogFiles::Real()->Delete(path);
  }

 private:
  void Note(const std::string& what) {
    const std::lock_guard<std::mutex> lock(done_mutex_);
    done.push_back(what);
  }

  std::mutex done_mutex_;

  class File : public LogFile {
   public:
    File(FaultyFiles* disk, std::unique_ptr<LogFile> file) : disk_(*disk), file_(std::move(file)) {}
    absl::Status Append(std::string_view bytes) override {
      if (disk_.no_memory) throw std::bad_alloc();
      disk_.Note("append");
      const int64_t size = static_cast<int64_t>(bytes.size());
      const int64_t fits = std::min(size, disk_.room.load());
      disk_.room -= fits;
      absl::Status status = file_->Append(bytes.substr(0, static_cast<size_t>(fits)));
      return fits == size ? status : FileError(ENOSPC, "cannot write");
    }
    absl::Status Sync() override {
      ++disk_.syncs;
      disk_.Note("sync");
      if (disk_.before_sync) disk_.before_sync();
      return disk_.fail_sync ? FileError(EIO, "cannot sync") : file_->Sync();
    }
    absl::Status Truncate(uint64_t size) override {
      return disk_.fail_truncate ? FileError(EIO, "cannot cut") : file_->Truncate(size);
    }
    bool IsDeleted() override { return file_->IsDeleted(); }

   private:
    FaultyFiles& disk_;
    const std::unique_ptr<LogFile> file_;
  };
};

}  // namespace flopsprof::store
