// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/store/run_folder.h"

namespace flopsprof::server {

// The runs that a collector stores. Any thread.
class RunRegistry {
 public:
  // One run, whose folder exists already; others are refused.
  explicit RunRegistry(std::shared_ptr<store::RunFolder> only_run);
  // A folder per run id under `root`; folders of earlier collectors are found again by the run
  // id in their run.json.
  RunRegistry(std::string root, size_t max_runs);

  // The run of that id; makes its folder at the first request.
  absl::StatusOr<std::shared_ptr<store::RunFolder>> Find(const std::string& run_id,
                                                         const v1::RunInfo& run);
  // The same if some request has come for it, else null.
  std::shared_ptr<store::RunFolder> FindOpen(const std::string& run_id);
  // Path of the run's folder, "" when there is none.
  std::string FolderOf(const std::string& run_id);
  std::vector<std::shared_ptr<store::RunFolder>> All();

 private:
  void IndexRoot();

  const std::string root_;
  const size_t max_runs_;
  const bool one_run_;
  base::Mutex mutex_;
  std::map<std::string, std::shared_ptr<store::RunFolder>> open_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> on_disk_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace flopsprof::server
