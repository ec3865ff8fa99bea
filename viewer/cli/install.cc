// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/install.h"

#include <filesystem>
#include <system_error>
#include <vector>

namespace flopsprof::viewer {
namespace {

namespace fs = std::filesystem;
constexpr char kInjector[] = "libflopsprof_inject.so";

std::vector<fs::path> InjectorFolders() {
  const fs::path program = ProgramPath();
  if (program.empty()) return {};
  const fs::path bin = program.parent_path();
  return {bin.parent_path() / "lib", bin.parent_path() / "lib" / "flopsprof", bin};
}

}  // namespace

std::string Version() { return FLOPSPROF_VERSION; }

std::string ProgramPath() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? "" : path.string();
}

std::string InjectorPath() {
  for (const fs::path& folder : InjectorFolders()) {
    std::error_code error;
    if (fs::is_regular_file(folder / kInjector, error)) return (folder / kInjector).string();
  }
  return "";
}

std::string InjectorSearchText() {
  std::string text;
  for (const fs::path& folder : InjectorFolders()) {
    text += (text.empty() ? "" : ", ") + folder.string();
  }
  return text;
}

}  // namespace flopsprof::viewer
