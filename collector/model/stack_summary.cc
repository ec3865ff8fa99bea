// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/stack_summary.h"

#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <utility>

#include "collector/model/coverage.h"
#include "collector/model/module_paths.h"

namespace flopsprof::model {
namespace {

std::string PathOf(const ModulePaths& paths, uint32_t scope) {
  const int node = paths.NodeOf(scope);
  return node == ModulePaths::kOutside ? std::string(kOutsidePath)
                                       : paths.nodes()[static_cast<size_t>(node)].path;
}

}  // namespace

std::vector<StackFrameSummary> ParseStackFrames(const std::string& text) {
  std::vector<StackFrameSummary> frames;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    StackFrameSummary frame;
    if (line == "cut") {
      frame.kind = "cut";
    } else {
      frame.kind = absl::ConsumePrefix(&line, "py ") ? "python" : "native";
      absl::ConsumePrefix(&line, "c ");
      const size_t tab = line.find('\t');
      frame.function = std::string(line.substr(0, tab));
      if (frame.function == "?") frame.function.clear();
      if (tab != absl::string_view::npos) frame.where = std::string(line.substr(tab + 1));
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

void StackSums::Add(const v1::ProcessProfile& process, const ModulePaths& paths) {
  if (process.stack_rows().empty()) return;
  std::map<uint32_t, const std::string*> frames;
  for (const v1::Stack& stack : process.stacks()) frames[stack.id()] = &stack.frames();
  for (const v1::StackRow& row : process.stack_rows()) {
    const auto found = frames.find(row.stack());
    const std::string text = found == frames.end() ? "cut" : *found->second;
    const std::string category(CategoryName(row.category()));
    const std::string phase(PhaseName(PhaseIndex(row.phase())));
    const std::string path = PathOf(paths, row.scope());
    StackSummary& stack = stacks_[{path, row.kernel(), row.kind(), category, phase, text}];
    if (stack.samples == 0) {
      stack.path = path;
      stack.kernel = row.kernel();
      stack.kind = row.kind();
      stack.category = category;
      stack.phase = phase;
      stack.frames = ParseStackFrames(text);
    }
    stack.samples += row.samples();
    stack.launches += row.launches();
    stack.gpu_time_ns += row.gpu_time_ns();
  }
}

void StackSums::Finish(size_t max, Summary* summary) {
  for (auto& [key, stack] : stacks_) summary->stacks.push_back(std::move(stack));
  std::stable_sort(summary->stacks.begin(), summary->stacks.end(),
                   [](const StackSummary& a, const StackSummary& b) {
                     return std::tie(a.gpu_time_ns, a.launches) >
                            std::tie(b.gpu_time_ns, b.launches);
                   });
  if (summary->stacks.size() > max) {
    summary->stacks_left_out = summary->stacks.size() - max;
    summary->stacks.resize(max);
  }
}

}  // namespace flopsprof::model
