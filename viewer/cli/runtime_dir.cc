// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/runtime_dir.h"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace flopsprof::viewer {

namespace {

constexpr char kPrefix[] = "flopsprof-";

std::vector<std::string> Parents() {
  std::vector<std::string> parents;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/') {
    parents.emplace_back(runtime);
  }
  parents.emplace_back("/tmp");
  return parents;
}

// Ours alone: nobody else can have put a socket there.
bool IsPrivate(const std::string& folder) {
  struct stat info;
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & 077) == 0;
}

}  // namespace

std::vector<std::string> ControlSockets() {
  std::vector<std::string> sockets;
  for (const std::string& parent : Parents()) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
      const std::string path = entry.path();
      const std::string socket = path + "/control";
      struct stat info;
      if (entry.path().filename().string().rfind(kPrefix, 0) == 0 && IsPrivate(path) &&
          lstat(socket.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) {
        sockets.push_back(socket);
      }
    }
  }
  return sockets;
}

absl::StatusOr<std::unique_ptr<RuntimeDir>> RuntimeDir::Create() {
  constexpr size_t kLongestName = sizeof("/flopsprof-XXXXXX/collector");
  const std::vector<std::string> parents = Parents();
  int error = 0;
  for (const std::string& parent : parents) {
    // The kernel's limit for the name of a Unix socket.
    if (parent.size() + kLongestName > sizeof(sockaddr_un::sun_path)) continue;
    std::string path = parent + "/" + kPrefix + "XXXXXX";
    if (mkdtemp(path.data()) != nullptr) return std::unique_ptr<RuntimeDir>(new RuntimeDir(path));
    error = errno;
  }
  return absl::ErrnoToStatus(
      error, absl::StrCat("cannot make a private folder in ", parents.front(), " or /tmp"));
}

RuntimeDir::~RuntimeDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace flopsprof::viewer
