// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ds_page.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "collector/store/folder_name.h"
#include "viewer/cli/arguments.h"
#include "viewer/cli/messages.h"
#include "viewer/deepspeed/run_page.h"

namespace flopsprof::viewer {
namespace {

constexpr char kPageFile[] = "deepspeed.txt";  // in the run folder
constexpr int kMostNames = 10000;

std::string StepsName(deepspeed::StepRange steps) {
  if (steps.end == steps.first + 1) return absl::StrCat("step ", steps.first);
  return absl::StrCat("steps ", steps.first, " to ", steps.end - 1);
}

std::string StepsOption(deepspeed::StepRange steps) {
  if (steps.end == steps.first + 1) return absl::StrCat(steps.first);
  return absl::StrCat(steps.first, ":", steps.end);
}

// DeepSpeed's page is that of rank 0, and so is ours, where several launchers have a part of a job.
bool HasRankZero(const model::Summary& summary) {
  return std::any_of(summary.ranks.begin(), summary.ranks.end(),
                     [](const model::RankSummary& rank) { return rank.rank == 0; });
}

// "": there is none, and why was said.
std::string PageOrSay(const DsChoice& choice, const LoadedRun& run, const std::string& folder) {
  const DsBlock& block = *choice.block;
  const model::Summary& summary = run.sums.summary;
  const deepspeed::StepParts parts = deepspeed::PartsOfSteps(run.profile, summary, block.steps);
  const std::string no_page = absl::StrCat("no page in DeepSpeed's layout: ");
  if (parts.run.rank_steps == 0) {
    DsBlock other = block;
    std::string command =
        absl::StrCat("flopsprof report --style deepspeed ", QuoteCommand({folder}));
    if (summary.steps.last.has_value()) {
      other.steps = {*summary.steps.last, *summary.steps.last + 1};
      command = ReportCommand(other, folder);
    }
    SayError(absl::StrCat(no_page, StepsName(block.steps), " was asked for, and ",
                          RecordedStepsText(summary.steps), " (", choice.origin, ")"),
             {"what there is: " + command});
    return "";
  }
  deepspeed::GivenFacts given;
  given.recompute_fwd_factor = block.recompute_fwd_factor;
  std::string page = deepspeed::RunPage(run.sums,
                                        {.module_depth = block.module_depth,
                                         .top_modules = block.top_modules,
                                         .detailed = block.detailed},
                                        given, &parts);
  if (page.empty()) Say(absl::StrCat(no_page, "no module was seen (", choice.origin, ")"));
  return page;
}

// False: it exists already. Never through a link.
absl::StatusOr<bool> WriteNew(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0 && errno == EEXIST) return false;
  if (fd < 0) return absl::UnknownError(absl::StrCat(path, ": ", std::strerror(errno)));
  const bool written = WriteAll(fd, text);
  const int error = errno;
  if (close(fd) == 0 && written) return true;
  unlink(path.c_str());
  return absl::UnknownError(absl::StrCat(path, ": ", std::strerror(error)));
}

}  // namespace

std::string RecordedStepsText(const model::StepsSummary& steps) {
  if (!steps.first.has_value() || !steps.last.has_value()) return "the run has no steps";
  if (*steps.first == *steps.last) return absl::StrCat("the run has step ", *steps.first, " alone");
  return absl::StrCat("the run has steps ", *steps.first, " to ", *steps.last);
}

std::string ReportCommand(const DsBlock& block, const std::string& folder) {
  std::string command =
      absl::StrCat("flopsprof report --style deepspeed --step ", StepsOption(block.steps));
  if (block.module_depth != -1) absl::StrAppend(&command, " --depth ", block.module_depth);
  if (block.top_modules > 1) absl::StrAppend(&command, " --top ", block.top_modules);
  if (!block.detailed) command += " --no-detailed";
  if (block.recompute_fwd_factor != 0) {
    absl::StrAppend(&command, " --recompute-fwd-factor ", block.recompute_fwd_factor);
  }
  return command + " " + (folder.empty() ? "RUN" : QuoteCommand({folder}));
}

absl::StatusOr<std::string> WriteBeside(const std::string& path, const std::string& text) {
  const std::filesystem::path wanted(path);
  std::error_code error;
  if (wanted.has_parent_path()) std::filesystem::create_directories(wanted.parent_path(), error);
  if (error) return absl::UnknownError(absl::StrCat(path, ": ", error.message()));
  for (int number = 0; number < kMostNames; ++number) {
    std::filesystem::path name = wanted;
    if (number > 0) {
      const std::string mark = number == 1 ? ".flopsprof" : absl::StrCat(".flopsprof-", number);
      name.replace_filename(wanted.stem().string() + mark + wanted.extension().string());
    }
    const absl::StatusOr<bool> written = WriteNew(name.string(), text);
    if (!written.ok()) return written.status();
    if (*written) return name.string();
  }
  return absl::ResourceExhaustedError(absl::StrCat(path, ": too many files of that name"));
}

void WriteDsPage(const DsChoice& choice, const LoadedRun& run, const std::string& folder,
                 bool quiet) {
  if (run.sums.summary.empty) return;
  if (!HasRankZero(run.sums.summary)) {
    Note("no page in DeepSpeed's layout: rank 0 is not of this launcher");
    return;
  }
  const std::string page = PageOrSay(choice, run, folder);
  if (page.empty()) return;
  const std::string what = absl::StrCat("page in DeepSpeed's layout, ",
                                        StepsName(choice.block->steps), " (", choice.origin, "): ");
  const std::string& output = choice.block->output_file;
  if (!output.empty()) {
    const absl::StatusOr<std::string> path = WriteBeside(output, page);
    if (path.ok()) {
      const std::string why = *path == output ? "" : absl::StrCat("; ", output, " stays as it was");
      quiet&& why.empty() ? Note(what + *path) : Say(what + *path + why);
      return;
    }
    SayError(
        absl::StrCat("cannot write the output_file of flops_profiler: ", path.status().message()),
        {"the page goes into the run folder"});
  }
  if (const absl::Status status = store::ReplaceFile(folder, kPageFile, page); !status.ok()) {
    SayError(absl::StrCat("cannot write the page in DeepSpeed's layout: ", status.message()),
             {"it can be printed: " + ReportCommand(*choice.block, folder)});
    return;
  }
  if (!quiet && output.empty()) WriteAll(STDERR_FILENO, page);
  const std::string place = absl::StrCat(what, folder, "/", kPageFile);
  quiet ? Note(place) : Say(place);
}

void SayHowToPrintDsPage(const DsChoice& choice) {
  // Only where the launchers of other nodes know that they are.
  for (const char* name : {"SLURM_NODEID", "NODE_RANK", "GROUP_RANK"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && value[0] != '\0' && std::string(value) != "0") return;
  }
  Say(
      absl::StrCat("the page in DeepSpeed's layout is not written here, for the run folder is the "
                   "collector's; print it there: ",
                   ReportCommand(*choice.block, ""), " (", choice.origin, ")"));
}

}  // namespace flopsprof::viewer
