// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/folder_name.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "collector/base/status.h"
#include "collector/base/unique_fd.h"

namespace flopsprof::store {
namespace {

constexpr int kMaxAttempts = 10000;
constexpr size_t kMaxNameBytes = 48;  // of a job in the name of a folder

absl::Status MakeParents(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    if (mkdir(parent.c_str(), 0777) != 0 && errno != EEXIST) {
      const int error = errno;
      struct stat info;
      if (stat(parent.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) continue;
      return base::ErrnoStatus(error, absl::StrCat("cannot make the folder ", parent));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return base::ErrnoStatus(absl::StrCat("cannot write ", path));
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(fd) != 0) return base::ErrnoStatus(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string SafeName(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, kMaxNameBytes)) {
    // No hidden file, no "..", no option of a command.
    const bool inner =
        (c == '.' && !name.empty() && IsLetterOrDigit(name.back())) || (c == '-' && !name.empty());
    name += IsLetterOrDigit(c) || c == '_' || inner ? c : '_';
  }
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();
  return std::any_of(name.begin(), name.end(), IsLetterOrDigit) ? name : "job";
}

std::string AutoFolderName(std::string_view job, int64_t start_utc_ns) {
  return absl::StrCat(
      "flopsprof-", SafeName(job), "-",
      absl::FormatTime("%Y%m%dT%H%M%SZ", absl::FromUnixNanos(start_utc_ns), absl::UTCTimeZone()));
}

absl::StatusOr<std::string> MakeFreshFolder(const std::string& path) {
  std::string wanted = path;
  while (wanted.size() > 1 && wanted.back() == '/') wanted.pop_back();
  if (wanted.empty()) return absl::InvalidArgumentError("the name of the run folder is empty");
  if (const absl::Status status = MakeParents(wanted); !status.ok()) return status;
  for (int number = 1; number <= kMaxAttempts; ++number) {
    const std::string candidate = number == 1 ? wanted : absl::StrCat(wanted, "-", number);
    if (mkdir(candidate.c_str(), 0700) == 0) {
      // The umask may have taken our own rights away.
      if (chmod(candidate.c_str(), 0700) == 0) return candidate;
    }
    if (errno != EEXIST) {
      return base::ErrnoStatus(absl::StrCat("cannot make the run folder ", candidate));
    }
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot make the run folder ", wanted, ": too many of that name"));
}

absl::Status ReplaceFile(const std::string& folder, const std::string& name,
                         std::string_view content) {
  if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("not a plain file name: ", name));
  }
  const std::string path = absl::StrCat(folder, "/", name);
  const std::string temporary = absl::StrCat(folder, "/.", name, ".new");
  base::UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd.valid()) return base::ErrnoStatus(absl::StrCat("cannot write ", path));
  if (const absl::Status status = WriteAll(fd.get(), content, path); !status.ok()) {
    unlink(temporary.c_str());
    return status;
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) {
    return base::ErrnoStatus(absl::StrCat("cannot write ", path));
  }
  const base::UniqueFd directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.valid()) fsync(directory.get());
  return absl::OkStatus();
}

}  // namespace flopsprof::store
