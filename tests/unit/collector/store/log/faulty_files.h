// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>

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
  // Called by the thread that syncs, before it does. Set while nobody appends.
  std::function<void()> before_sync;
  std::function<void(const std::string&)> before_delete;

  absl::StatusOr<std::unique_ptr<LogFile>> Create(const std::string& path) override {
    if (fail_create) return FileError(ENOSPC, "cannot make " + path);
    auto file = LogFiles::Real()->Create(path);
    if (!file.ok()) return file.status();
    return std::make_unique<File>(this, *std::move(file));
  }

  void Delete(const std::string& path) override {
    if (before_delete) before_delete(path);
    LogFiles::Real()->Delete(path);
  }

 private:
  class File : public LogFile {
   public:
    File(FaultyFiles* disk, std::unique_ptr<LogFile> file) : disk_(*disk), file_(std::move(file)) {}
    absl::Status Append(std::string_view bytes) override {
      const int64_t size = static_cast<int64_t>(bytes.size());
      const int64_t fits = std::min(size, disk_.room.load());
      disk_.room -= fits;
      absl::Status status = file_->Append(bytes.substr(0, static_cast<size_t>(fits)));
      return fits == size ? status : FileError(ENOSPC, "cannot write");
    }
    absl::Status Sync() override {
      ++disk_.syncs;
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
