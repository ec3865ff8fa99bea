// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof ps: which processes of this user could be attached, and why others could not.

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "viewer/attach/preflight.h"
#include "viewer/cli/attach_options.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/install.h"
#include "viewer/cli/messages.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kCommandWidth = 48;

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> all;
  DIR* const folder = opendir("/proc");
  while (const dirent* entry = folder == nullptr ? nullptr : readdir(folder)) {
    pid_t pid = 0;
    if (absl::SimpleAtoi(entry->d_name, &pid)) all.push_back(pid);
  }
  if (folder != nullptr) closedir(folder);
  std::sort(all.begin(), all.end());
  return all;
}

// Of this user, with a CUDA library or held by us.
bool IsShown(const attach::Preflight& checked) {
  if (checked.refusal == attach::Refusal::kHeld) return true;
  return checked.facts.uses_cuda;
}

std::string TextOr(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

struct PsRow {
  std::string pid, rank, local_rank, job, gpu, torch, cupti, state, next, command;
};

PsRow RowOf(const attach::Preflight& checked) {
  const attach::ProcessFacts& facts = checked.facts;
  PsRow row;
  row.pid = absl::StrCat(facts.pid);
  for (const char* name : {"FLOPSPROF_RANK", "RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
    if (row.rank.empty()) row.rank = attach::Variable(facts, name);
  }
  for (const char* name : {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    if (row.local_rank.empty()) row.local_rank = attach::Variable(facts, name);
  }
  row.job = attach::Variable(facts, "SLURM_JOB_ID");
  row.gpu = absl::StrJoin(facts.gpus, ",");
  row.torch = facts.has_torch ? TextOr(facts.torch_version, "yes") : "";
  // Who has subscribed to it cannot be seen from outside.
  row.cupti = facts.has_cupti ? "loaded" : "";
  row.state = checked.refusal == attach::Refusal::kNone ? "can be attached" : checked.why;
  row.next = checked.next;
  row.command = facts.command;
  return row;
}

std::string PsJson(const std::vector<PsRow>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto known = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  for (const PsRow& row : rows) {
    all.push_back({{"pid", std::stoi(row.pid)},
                   {"rank", known(row.rank)},
                   {"local_rank", known(row.local_rank)},
                   {"job", known(row.job)},
                   {"gpu", known(row.gpu)},
                   {"torch", known(row.torch)},
                   {"cupti", known(row.cupti)},
                   {"state", row.state},
                   {"next", known(row.next)},
                   {"command", row.command}});
  }
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string PsText(const std::vector<PsRow>& rows) {
  constexpr char kFormat[] = "%8s  %4s  %5s  %-8s  %-5s  %-12s  %-6s  %s\n";
  std::string text = absl::StrFormat(kFormat, "pid", "rank", "local", "job", "GPU", "torch",
                                     "CUPTI", "state; command");
  for (const PsRow& row : rows) {
    text += absl::StrFormat(kFormat, row.pid, TextOr(row.rank, "-"), TextOr(row.local_rank, "-"),
                            TextOr(row.job, "-"), TextOr(row.gpu, "-"), TextOr(row.torch, "-"),
                            TextOr(row.cupti, "-"),
                            absl::StrCat(row.state, "; ", row.command.substr(0, kCommandWidth)));
  }
  return text;
}

}  // namespace

int PsVerb(const PsOptions& options) {
  const std::string library = InjectorPath();
  std::vector<PsRow> rows;
  for (const pid_t pid : AllProcesses()) {
    const attach::Preflight checked = attach::CheckProcess(pid, library);
    if (IsShown(checked)) rows.push_back(RowOf(checked));
  }
  if (rows.empty() && !options.json) {
    SayError("ps: no process of this user has a CUDA library loaded",
             {"others, and those of containers, are not looked at"});
    return kExitNothing;
  }
  WriteAll(STDOUT_FILENO, options.json ? PsJson(rows) : PsText(rows));
  return kExitOk;
}

}  // namespace flopsprof::viewer
