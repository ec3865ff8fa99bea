// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/run_registry.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "collector/base/clock.h"
#include "collector/base/log.h"

namespace flopsprof::server {

RunRegistry::RunRegistry(std::shared_ptr<store::RunFolder> only_run) : one_run_(true) {
  base::MutexLock lock(&mutex_);
  open_[only_run->run_id()].folder = std::move(only_run);
}

RunRegistry::RunRegistry(std::string root, const Options& options)
    : root_(std::move(root)), options_(options), one_run_(false) {
  IndexRoot();
}

void RunRegistry::IndexRoot() {
  base::MutexLock lock(&mutex_);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root_, error)) {
    if (!entry.is_directory(error)) continue;
    const std::string path = entry.path().string();
    const auto manifest = store::ReadManifest(path);
    if (!manifest.ok()) continue;
    on_disk_[manifest->run_id] = path;
    const bool has_texts = std::filesystem::exists(path + "/summary.json", error);
    if (!manifest->finished || !has_texts) changed_.insert(path);
  }
}

absl::StatusOr<std::shared_ptr<store::RunFolder>> RunRegistry::Find(const std::string& run_id,
                                                                    const v1::RunInfo& run) {
  std::string folder;
  {
    base::MutexLock lock(&mutex_);
    const absl::Time until = absl::Now() + options_.patience;
    while (in_transit_.count(run_id) > 0) {
      // gRPC's thread is needed by the agents of other runs.
      if (absl::Now() >= until) {
        return absl::UnavailableError("the run is just being opened or closed");
      }
      settled_.WaitWithTimeout(&mutex_, until - absl::Now());
    }
    const auto found = open_.find(run_id);
    if (found != open_.end()) {
      found->second.newest_mono_ns = base::Clock::Real().MonoNs();
      return found->second.folder;
    }
    if (one_run_) {
      return absl::InvalidArgumentError("this collector stores one run, and not this one");
    }
    const auto on_disk = on_disk_.find(run_id);
    // One that somebody has moved away begins anew, and the report says what is missing.
    std::error_code error;
    if (on_disk != on_disk_.end() && std::filesystem::exists(on_disk->second, error)) {
      folder = on_disk->second;
    }
    if (open_.size() + in_transit_.size() >= options_.max_runs) {
      return absl::ResourceExhaustedError(
          absl::StrCat("this collector stores at most ", options_.max_runs, " runs at a time"));
    }
    in_transit_.insert(run_id);
  }
  absl::StatusOr<std::shared_ptr<store::RunFolder>> opened = OpenOrCreate(run_id, run, folder);
  base::MutexLock lock(&mutex_);
  in_transit_.erase(run_id);
  settled_.SignalAll();
  if (opened.ok()) {
    open_[run_id] = {*opened, base::Clock::Real().MonoNs(), false};
    on_disk_[run_id] = (*opened)->path();
  }
  return opened;
}

absl::StatusOr<std::shared_ptr<store::RunFolder>> RunRegistry::OpenOrCreate(
    const std::string& run_id, const v1::RunInfo& run, const std::string& folder) {
  store::RunFolder::Options options;
  options.parent = root_;
  options.limits = options_.limits;
  absl::StatusOr<std::unique_ptr<store::RunFolder>> opened =
      folder.empty() ? store::RunFolder::Create(options, run_id, run)
                     : store::RunFolder::Open(folder, options);
  if (!opened.ok()) return opened.status();
  return std::shared_ptr<store::RunFolder>(*std::move(opened));
}

std::shared_ptr<store::RunFolder> RunRegistry::FindKnown(const std::string& run_id) {
  std::error_code error;
  if (!std::filesystem::exists(FolderOf(run_id), error)) return nullptr;
  absl::StatusOr<std::shared_ptr<store::RunFolder>> found = Find(run_id, v1::RunInfo());
  return found.ok() ? *std::move(found) : nullptr;
}

void RunRegistry::NoteStored(const std::string& run_id, bool last) {
  base::MutexLock lock(&mutex_);
  const auto found = open_.find(run_id);
  if (found == open_.end()) return;
  if (last) found->second.an_agent_has_ended = true;
  changed_.insert(found->second.folder->path());
}

std::string RunRegistry::TakeCandidate(uint64_t now_ns, OpenRun* candidate) {
  const auto passed = [](uint64_t ns, absl::Duration limit) {
    return absl::Nanoseconds(static_cast<int64_t>(ns)) >= limit;
  };
  base::MutexLock lock(&mutex_);
  for (auto found = open_.begin(); found != open_.end(); ++found) {
    const auto& [run_id, run] = *found;
    // Who has got it from Find may be storing something.
    if (run.folder.use_count() > 1) continue;
    const uint64_t silent_ns = now_ns - std::min(now_ns, run.newest_mono_ns);
    const bool may_have_ended =
        run.an_agent_has_ended && passed(silent_ns, options_.close_after_end);
    if (!may_have_ended && !passed(silent_ns, options_.close_after_silence)) continue;
    std::string id = run_id;
    *candidate = std::move(found->second);
    candidate->an_agent_has_ended = false;
    open_.erase(found);
    in_transit_.insert(id);
    return id;
  }
  return "";
}

void RunRegistry::PutBack(const std::string& run_id, OpenRun run) {
  base::MutexLock lock(&mutex_);
  in_transit_.erase(run_id);
  if (run.folder != nullptr) open_[run_id] = std::move(run);
  settled_.SignalAll();
}

void RunRegistry::CloseEnded() {
  if (one_run_) return;
  const uint64_t now_ns = base::Clock::Real().MonoNs();
  while (true) {
    OpenRun run;
    const std::string run_id = TakeCandidate(now_ns, &run);
    if (run_id.empty()) return;
    const uint64_t silent_ns = now_ns - std::min(now_ns, run.newest_mono_ns);
    const bool silent = absl::Nanoseconds(silent_ns) >= options_.close_after_silence;
    const absl::StatusOr<bool> ended = run.folder->AllAgentsHaveEnded();
    absl::Status finished = ended.status();
    if (finished.ok() && !*ended && !silent) {
      PutBack(run_id, std::move(run));
      continue;
    }
    if (finished.ok() || silent) finished = run.folder->Finish();
    if (!finished.ok()) {
      base::Log().warn("collector: {} stays open: {}", run.folder->path(),
                       std::string(finished.message()));
      run.newest_mono_ns = base::Clock::Real().MonoNs();
      run.an_agent_has_ended = true;  // again, later
      PutBack(run_id, std::move(run));
      continue;
    }
    const std::string path = run.folder->path();
    run.folder.reset();
    PutBack(run_id, OpenRun());
    base::MutexLock lock(&mutex_);
    changed_.insert(path);
  }
}

std::string RunRegistry::FolderOf(const std::string& run_id) {
  base::MutexLock lock(&mutex_);
  const auto found = open_.find(run_id);
  if (found != open_.end()) return found->second.folder->path();
  const auto on_disk = on_disk_.find(run_id);
  return on_disk == on_disk_.end() ? "" : on_disk->second;
}

std::vector<RunRegistry::KnownRun> RunRegistry::Known() {
  base::MutexLock lock(&mutex_);
  std::map<std::string, KnownRun> known;
  for (const auto& [id, path] : on_disk_) known[id] = {id, path, nullptr};
  for (const auto& [id, run] : open_) known[id] = {id, run.folder->path(), run.folder};
  std::vector<KnownRun> runs;
  for (auto& [id, run] : known) runs.push_back(std::move(run));
  return runs;
}

absl::StatusOr<RunRegistry::KnownRun> RunRegistry::FindForReading(const std::string& run_id) {
  base::MutexLock lock(&mutex_);
  std::string wanted = run_id;
  if (wanted.empty()) {
    std::set<std::string> ids;
    for (const auto& [id, run] : open_) ids.insert(id);
    for (const auto& [id, path] : on_disk_) ids.insert(id);
    if (ids.size() > 1)
      return absl::InvalidArgumentError("this collector has several runs: name one");
    if (!ids.empty()) wanted = *ids.begin();
  }
  if (const auto found = open_.find(wanted); found != open_.end()) {
    return KnownRun{wanted, found->second.folder->path(), found->second.folder};
  }
  if (const auto found = on_disk_.find(wanted); found != on_disk_.end()) {
    return KnownRun{wanted, found->second, nullptr};
  }
  return absl::NotFoundError("this collector has no such run");
}

std::vector<std::shared_ptr<store::RunFolder>> RunRegistry::All() {
  base::MutexLock lock(&mutex_);
  std::vector<std::shared_ptr<store::RunFolder>> all;
  for (const auto& [id, run] : open_) all.push_back(run.folder);
  return all;
}

std::set<std::string> RunRegistry::TakeChanged() {
  base::MutexLock lock(&mutex_);
  return std::exchange(changed_, {});
}

}  // namespace flopsprof::server
