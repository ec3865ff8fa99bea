// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/runtime_dir.h"

#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace flopsprof::viewer {

absl::StatusOr<std::unique_ptr<RuntimeDir>> RuntimeDir::Create() {
  constexpr size_t kLongestName = sizeof("/flopsprof-XXXXXX/collector");
  std::vector<std::string> parents;
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/') {
    parents.emplace_back(runtime);
  }
  parents.emplace_back("/tmp");
  int error = 0;
  for (const std::string& parent : parents) {
    // The kernel's limit for the name of a Unix socket.
    if (parent.size() + kLongestName > sizeof(sockaddr_un::sun_path)) continue;
    std::string path = parent + "/flopsprof-XXXXXX";
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
