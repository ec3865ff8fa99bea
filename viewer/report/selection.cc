// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/selection.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <map>
#include <set>

#include "collector/model/rank_groups.h"

namespace flopsprof::viewer {
namespace {

bool ParseRank(const std::string& text, int* rank) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
         absl::SimpleAtoi(text, rank);
}

bool IsAmong(const std::vector<RankRange>& ranges, int rank) {
  return std::any_of(ranges.begin(), ranges.end(), [rank](const RankRange& range) {
    return rank >= range.first && rank <= range.last;
  });
}

}  // namespace

bool ParseRankRanges(const std::string& text, std::vector<RankRange>* ranges, std::string* error) {
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& part : parts) {
    const size_t dash = part.find('-');
    const std::string first = part.substr(0, dash);
    const std::string last = dash == std::string::npos ? first : part.substr(dash + 1);
    RankRange range;
    if (!ParseRank(first, &range.first) || !ParseRank(last, &range.last) ||
        range.last < range.first) {
      *error = "\"" + part + "\" is no rank and no range of ranks, as 3 or 4-7";
      return false;
    }
    ranges->push_back(range);
  }
  return true;
}

std::string RankRangesText(const std::vector<RankRange>& ranges) {
  std::string text;
  for (const RankRange& range : ranges) {
    text += (text.empty() ? "" : ",") + std::to_string(range.first);
    if (range.last != range.first) text += "-" + std::to_string(range.last);
  }
  return text;
}

Selected SelectRanks(const std::vector<RankRange>& ranges, model::RunProfile* run) {
  const model::RankGroups groups = model::GroupByRank(*run);
  Selected selected;
  selected.of = groups.ranks.size();
  if (groups.launched.size() > 1) {
    selected.error = "the run is of several programs, whose ranks are not told apart by number";
    return selected;
  }
  std::map<const v1::ProcessProfile*, int> wanted;
  int greatest = 0;
  for (const model::RankGroup& group : groups.ranks) {
    greatest = std::max(greatest, group.rank);
    if (!IsAmong(ranges, group.rank)) continue;
    ++selected.ranks;
    for (const v1::ProcessProfile* process : group.processes) wanted[process] = group.rank;
  }
  if (wanted.empty()) {
    selected.error = "the run has no rank " + RankRangesText(ranges) + ": its ranks are 0 to " +
                     std::to_string(greatest);
    return selected;
  }
  std::vector<v1::ProcessProfile> kept;
  for (v1::ProcessProfile& process : run->processes) {
    const auto found = wanted.find(&process);
    if (found == wanted.end()) continue;
    // Its number in the whole run; that others are missing here is no fault of the run.
    process.mutable_info()->set_rank(found->second);
    process.mutable_info()->set_world_size(-1);
    kept.push_back(std::move(process));
  }
  run->processes = std::move(kept);
  run->state.reset();
  return selected;
}

std::string SelectSteps(uint32_t first, uint32_t end, model::RunProfile* run) {
  std::set<uint32_t> numbers;
  bool any = false;
  for (const v1::ProcessProfile& process : run->processes) {
    for (const v1::StepRow& row : process.steps()) {
      numbers.insert(row.step());
      any = any || (row.step() >= first && row.step() < end);
    }
  }
  if (numbers.empty()) return "the run has no steps";
  if (!any) {
    return "no step from " + std::to_string(first) + " on was recorded before " +
           std::to_string(end) + ": the run has steps " + std::to_string(*numbers.begin()) +
           " to " + std::to_string(*numbers.rbegin());
  }
  const auto outside = [first, end](const auto& row) {
    return row.step() < first || row.step() >= end;
  };
  for (v1::ProcessProfile& process : run->processes) {
    auto& steps = *process.mutable_steps();
    steps.erase(std::remove_if(steps.begin(), steps.end(), outside), steps.end());
    auto& beside = *process.mutable_beside_steps();
    beside.erase(std::remove_if(beside.begin(), beside.end(), outside), beside.end());
  }
  run->state.reset();
  return "";
}

}  // namespace flopsprof::viewer
