// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/store/run_folder.h"

namespace flopsprof::server {

// The runs that a collector stores. Only those that something comes for are open: an open run has
// files and a thread. Any thread.
class RunRegistry {
 public:
  struct Options {
    size_t max_runs = 1000;  // open ones
    // A run whose agents have all sent their last request is closed so long after it; any other one
    // after that much silence. What comes later opens it again.
    absl::Duration close_after_end = absl::Seconds(2);
    absl::Duration close_after_silence = absl::Minutes(10);
    // For a run that is being opened or closed; then Find is Unavailable.
    absl::Duration patience = absl::Seconds(2);
    store::RunLimits limits;  // of each run
  };

  // One run, whose folder exists already; others are refused. It is never closed.
  explicit RunRegistry(std::shared_ptr<store::RunFolder> only_run);
  // A folder per run id under `root`; folders of earlier collectors are found again by the run
  // id in their run.json.
  RunRegistry(std::string root, const Options& options);

  // The run of that id; makes its folder at the first request, and opens it again.
  absl::StatusOr<std::shared_ptr<store::RunFolder>> Find(const std::string& run_id,
                                                         const v1::RunInfo& run);
  // The same if it has a folder, else null.
  std::shared_ptr<store::RunFolder> FindKnown(const std::string& run_id);
  // A request was stored. `last`: of its agent.
  void NoteStored(const std::string& run_id, bool last);
  // Finishes and closes runs that have ended or fallen silent. Call it now and then.
  void CloseEnded();
  // Path of the run's folder, "" when there is none.
  std::string FolderOf(const std::string& run_id);
  // All that it knows of, by id. `open`: null where nothing is stored just now.
  struct KnownRun {
    std::string run_id;
    std::string path;
    std::shared_ptr<store::RunFolder> open;
  };
  std::vector<KnownRun> Known();
  // The run of that id, of "" the only one. NotFound: there is none. InvalidArgument: there are
  // several. Opens nothing.
  absl::StatusOr<KnownRun> FindForReading(const std::string& run_id);
  // Those that are open.
  std::vector<std::shared_ptr<store::RunFolder>> All();
  // Folders that something has come for, or that were closed, since the last call; in the first one
  // also those that an earlier collector has not finished, or made no texts of.
  std::set<std::string> TakeChanged();

 private:
  struct OpenRun {
    std::shared_ptr<store::RunFolder> folder;
    uint64_t newest_mono_ns = 0;
    bool an_agent_has_ended = false;  // since it was looked at
  };

  void IndexRoot();
  absl::StatusOr<std::shared_ptr<store::RunFolder>> OpenOrCreate(const std::string& run_id,
                                                                 const v1::RunInfo& run,
                                                                 const std::string& folder);
  // Takes a run out that may have ended and that nobody uses; "" = none.
  std::string TakeCandidate(uint64_t now_ns, OpenRun* candidate);
  // Puts it back, or, null, ends its closing.
  void PutBack(const std::string& run_id, OpenRun run);

  const std::string root_;
  const Options options_;
  const bool one_run_;
  base::Mutex mutex_;
  std::map<std::string, OpenRun> open_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> on_disk_ ABSL_GUARDED_BY(mutex_);
  // Runs whose folders are being opened or closed, which may take long, without the lock.
  std::set<std::string> in_transit_ ABSL_GUARDED_BY(mutex_);
  base::CondVar settled_;
  std::set<std::string> changed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace flopsprof::server
