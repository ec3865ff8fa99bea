// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/log_file.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "collector/base/unique_fd.h"

namespace flopsprof::store {
namespace {

class RealFile : public LogFile {
 public:
  RealFile(base::UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  absl::Status Append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = write(fd_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return FileError(written < 0 ? errno : ENOSPC, "cannot write " + path_);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    if (fdatasync(fd_.get()) == 0) return absl::OkStatus();
    return FileError(errno, "cannot sync " + path_);
  }

  absl::Status Truncate(uint64_t size) override {
    if (ftruncate(fd_.get(), static_cast<off_t>(size)) == 0) return absl::OkStatus();
    return FileError(errno, "cannot cut " + path_);
  }

  bool IsDeleted() override {
    struct stat info;
    return fstat(fd_.get(), &info) == 0 && info.st_nlink == 0;
  }

 private:
  const base::UniqueFd fd_;
  const std::string path_;
};

class RealFiles : public LogFiles {
 public:
  absl::StatusOr<std::unique_ptr<LogFile>> Create(const std::string& path) override {
    base::UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
    if (!fd.valid() && errno == EEXIST) return absl::AlreadyExistsError(path + " is there already");
    if (!fd.valid()) return FileError(errno, "cannot make " + path);
    fchmod(fd.get(), 0600);
    return std::make_unique<RealFile>(std::move(fd), path);
  }

  void Delete(const std::string& path) override { unlink(path.c_str()); }

  absl::Status SyncFolder(const std::string& folder) override {
    const base::UniqueFd directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid()) return FileError(errno, "cannot open " + folder);
    // Some file systems cannot, and say so.
    if (fsync(directory.get()) == 0 || errno == EINVAL || errno == ENOTSUP) return absl::OkStatus();
    return FileError(errno, "cannot sync " + folder);
  }
};

}  // namespace

LogFiles* LogFiles::Real() {
  static auto* const kFiles = new RealFiles;
  return kFiles;
}

absl::Status FileError(int error, std::string_view what) {
  const std::string text = absl::StrCat(std::string(what), ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return absl::ResourceExhaustedError(text);
  }
  return absl::UnavailableError(text);
}

}  // namespace flopsprof::store
