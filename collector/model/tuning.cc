// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/tuning.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "collector/model/flops/flop_count.h"
#include "collector/model/tally.h"

namespace flopsprof::model {
namespace {

// What the embedded shim calls the range around Inductor's and Triton's tuning.
constexpr std::string_view kTuningRange = "(autotuning)";

// By phase, what step 0 did more than the median of the complete later steps.
std::array<double, kPhaseCount> MoreInFirstStep(const v1::ProcessProfile& process) {
  std::array<double, kPhaseCount> more = {};
  const v1::StepRow* first = nullptr;
  std::array<std::vector<double>, kPhaseCount> later;
  const auto flops_of = [](const v1::StepRow& row, int phase) {
    return phase < row.flops_size() ? static_cast<double>(ToFlopCount(row.flops(phase))) : 0;
  };
  for (const v1::StepRow& row : process.steps()) {
    if (row.step() == 0) {
      first = &row;
    } else if (row.complete()) {
      for (int phase = 0; phase < kPhaseCount; ++phase) {
        later[static_cast<size_t>(phase)].push_back(flops_of(row, phase));
      }
    }
  }
  if (first == nullptr || later[0].empty()) return more;
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    std::vector<double>& values = later[static_cast<size_t>(phase)];
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    more[static_cast<size_t>(phase)] = flops_of(*first, phase) - *middle;
  }
  return more;
}

// Flops in calls of one shape beyond a whole number of them in each call of their module.
double RepeatedFlops(const v1::ProcessProfile& process) {
  std::set<uint32_t> modules;
  for (const v1::Scope& scope : process.scopes()) {
    if (scope.kind() == v1::SCOPE_KIND_MODULE) modules.insert(scope.id());
  }
  std::map<std::pair<uint32_t, int>, uint64_t> entries;
  for (const v1::ScopeCallRow& row : process.scope_calls()) {
    if (modules.count(row.scope()) != 0) entries[{row.scope(), row.phase()}] += row.calls();
  }
  double repeated = 0;
  for (const v1::CallRow& row : process.calls()) {
    if (!IsExecutedProduct(row) || !row.flops_known() || row.calls() == 0) continue;
    const bool backward = row.phase() == v1::PHASE_BACKWARD;
    const auto found =
        entries.find({row.scope(), backward ? static_cast<int>(v1::PHASE_FORWARD) : row.phase()});
    if (found == entries.end() || found->second < 2 || row.calls() <= found->second) continue;
    const double one =
        static_cast<double>(ToFlopCount(row.flops())) / static_cast<double>(row.calls());
    repeated += one * static_cast<double>(row.calls() % found->second);
  }
  return repeated;
}

bool RanInTuningRange(const v1::ProcessProfile& process) {
  std::set<uint32_t> ranges;
  for (const v1::Scope& scope : process.scopes()) {
    if (scope.name() == kTuningRange) ranges.insert(scope.id());
  }
  return std::any_of(process.calls().begin(), process.calls().end(), [&](const v1::CallRow& row) {
    return ranges.count(row.scope()) != 0 && IsExecutedProduct(row);
  });
}

template <typename Visit>
void ForEachProcess(const RankGroups& groups, Visit visit) {
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) visit(*process);
  }
}

}  // namespace

std::string TuningSign(const v1::ProcessProfile& process) {
  const auto note = process.notes().find("tuning");
  if (note != process.notes().end()) return absl::StrCat(note->second, " is on");
  if (RanInTuningRange(process)) return "calls ran inside of the framework's autotuning";
  double more = 0;
  for (const double flops : MoreInFirstStep(process)) more += flops;
  if (more <= 0 || RepeatedFlops(process) < more / 2) return "";
  return "the same shapes were run more often than their modules were called";
}

std::string PhaseOfFirstStep(const RankGroups& groups) {
  std::array<double, kPhaseCount> sum = {};
  ForEachProcess(groups, [&sum](const v1::ProcessProfile& process) {
    const std::array<double, kPhaseCount> more = MoreInFirstStep(process);
    for (size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
  });
  const auto most = std::max_element(sum.begin(), sum.end());
  if (*most <= 0) return "";
  return std::string(PhaseName(static_cast<int>(most - sum.begin())));
}

}  // namespace flopsprof::model
