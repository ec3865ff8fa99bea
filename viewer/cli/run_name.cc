// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/run_name.h"

#include <cstdlib>
#include <random>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "collector/store/folder_name.h"

namespace flopsprof::viewer {
namespace {

std::string Env(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

std::string FileStem(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  if (path.size() > 3 && path.substr(path.size() - 3) == ".py") path.remove_suffix(3);
  return std::string(path);
}

std::string UtcTime(absl::Time time) {
  return absl::FormatTime("%Y%m%dT%H%M%SZ", time, absl::UTCTimeZone());
}

}  // namespace

std::string JobName(const std::vector<std::string>& command, const std::string& scheduler_job) {
  if (!scheduler_job.empty()) return store::SafeName(scheduler_job);
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.size() > 3 && word.substr(word.size() - 3) == ".py")
      return store::SafeName(FileStem(word));
    if ((word == "-m" || word == "--module") && i + 1 < command.size() &&
        command[i + 1].substr(0, 9) != "torch.dis") {
      return store::SafeName(command[i + 1]);
    }
  }
  return command.empty() ? "job" : store::SafeName(FileStem(command[0]));
}

std::string ExpandRunFolder(const std::string& pattern, const RunFacts& facts) {
  std::string name;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      name += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'h':
        name += store::SafeName(facts.host);
        break;
      case 'p':
        name += absl::StrCat(facts.pid);
        break;
      case 'j':
        name += facts.job;
        break;
      case 't':
        name += UtcTime(facts.start);
        break;
      case '%':
        name += '%';
        break;
      case 'q': {
        const size_t end = pattern.find('}', i);
        if (pattern.compare(i, 2, "q{") == 0 && end != std::string::npos) {
          name += Env(pattern.substr(i + 2, end - i - 2));
          i = end;
          break;
        }
        [[fallthrough]];
      }
      default:
        name += '%';
        name += pattern[i];
    }
  }
  return name;
}

std::string MakeRunId(const RunFacts& facts) {
  if (const std::string given = Env("FLOPSPROF_RUN_ID"); !given.empty()) return given;
  if (const std::string job = Env("SLURM_JOB_ID"); !job.empty()) {
    return absl::StrCat("slurm-", job, ".", Env("SLURM_STEP_ID"), ".", Env("SLURM_RESTART_COUNT"));
  }
  std::random_device random;
  return absl::StrFormat("%s-%s-%08x%08x", facts.job, UtcTime(facts.start), random(), random());
}

}  // namespace flopsprof::viewer
