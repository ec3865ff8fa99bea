// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/run_registry.h"

#include <absl/strings/str_cat.h>

#include <filesystem>

#include "collector/base/log.h"

namespace flopsprof::server {

RunRegistry::RunRegistry(std::shared_ptr<store::RunFolder> only_run)
    : max_runs_(1), one_run_(true) {
  base::MutexLock lock(&mutex_);
  open_[only_run->run_id()] = std::move(only_run);
}

RunRegistry::RunRegistry(std::string root, size_t max_runs)
    : root_(std::move(root)), max_runs_(max_runs), one_run_(false) {
  IndexRoot();
}

void RunRegistry::IndexRoot() {
  base::MutexLock lock(&mutex_);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root_, error)) {
    if (!entry.is_directory(error)) continue;
    const auto manifest = store::ReadManifest(entry.path().string());
    if (manifest.ok()) on_disk_[manifest->run_id] = entry.path().string();
  }
}

absl::StatusOr<std::shared_ptr<store::RunFolder>> RunRegistry::Find(const std::string& run_id,
                                                                    const v1::RunInfo& run) {
  base::MutexLock lock(&mutex_);
  const auto found = open_.find(run_id);
  if (found != open_.end()) return found->second;
  if (one_run_) {
    return absl::InvalidArgumentError("this collector stores one run, and not this one");
  }
  const auto on_disk = on_disk_.find(run_id);
  if (on_disk == on_disk_.end() && open_.size() >= max_runs_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("this collector stores at most ", max_runs_, " runs at a time"));
  }
  store::RunFolder::Options options;
  options.parent = root_;
  absl::StatusOr<std::unique_ptr<store::RunFolder>> folder =
      on_disk != on_disk_.end() ? store::RunFolder::Open(on_disk->second)
                                : store::RunFolder::Create(options, run_id, run);
  if (!folder.ok()) return folder.status();
  std::shared_ptr<store::RunFolder> shared = *std::move(folder);
  open_[run_id] = shared;
  on_disk_[run_id] = shared->path();
  return shared;
}

std::shared_ptr<store::RunFolder> RunRegistry::FindOpen(const std::string& run_id) {
  base::MutexLock lock(&mutex_);
  const auto found = open_.find(run_id);
  return found == open_.end() ? nullptr : found->second;
}

std::string RunRegistry::FolderOf(const std::string& run_id) {
  base::MutexLock lock(&mutex_);
  const auto found = open_.find(run_id);
  if (found != open_.end()) return found->second->path();
  const auto on_disk = on_disk_.find(run_id);
  return on_disk == on_disk_.end() ? "" : on_disk->second;
}

std::vector<std::shared_ptr<store::RunFolder>> RunRegistry::All() {
  base::MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<store::RunFolder>> all;
  for (const auto& [id, folder] : open_) all.push_back(folder);
  return all;
}

}  // namespace flopsprof::server
