// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace flopsprof::store {

// A file that is only appended to. One thread at a time. Tests have one of their own, whose disk
// is full when they want.
class LogFile {
 public:
  virtual ~LogFile() = default;
  // All of it; after a failure any part of it may be in the file.
  virtual absl::Status Append(std::string_view bytes) = 0;
  // What was appended is on the disk.
  virtual absl::Status Sync() = 0;
  // Cuts what is behind `size`.
  virtual absl::Status Truncate(uint64_t size) = 0;
  // Somebody has deleted it: what is appended is lost with the last who has it open.
  virtual bool IsDeleted() = 0;
};

class LogFiles {
 public:
  virtual ~LogFiles() = default;
  // A new file, mode 0600. AlreadyExists: the name is taken.
  virtual absl::StatusOr<std::unique_ptr<LogFile>> Create(const std::string& path) = 0;
  virtual void Delete(const std::string& path) = 0;
  // The names of what was made in it are on the disk.
  virtual absl::Status SyncFolder(const std::string& folder) = 0;
  // The file system.
  static LogFiles* Real();
};

// ResourceExhausted when the disk is full, else Unavailable: both pass when the cause does.
absl::Status FileError(int error, std::string_view what);

}  // namespace flopsprof::store
