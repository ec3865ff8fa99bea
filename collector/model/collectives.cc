// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/collectives.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <tuple>

#include "collector/model/tally.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

// The columns by which a CollectiveRow is found beside its CallRow.
template <typename Row>
auto KeyOf(const Row& row) {
  return std::make_tuple(row.scope(), static_cast<int>(row.phase()), row.api(), row.shape(),
                         row.captured(), row.in_step());
}

// And those by which a CommunicationRow is.
template <typename Row>
auto CommunicationKeyOf(const Row& row) {
  return std::make_tuple(row.scope(), static_cast<int>(row.phase()), row.api(), row.shape(),
                         row.in_step());
}

}  // namespace

std::string RanksText(const std::set<int>& ranks) {
  std::string text;
  for (auto at = ranks.begin(); at != ranks.end();) {
    const int first = *at;
    int last = first;
    for (++at; at != ranks.end() && *at == last + 1; ++at) last = *at;
    absl::StrAppend(&text, text.empty() ? "" : ",", first);
    if (last > first) absl::StrAppend(&text, "-", last);
  }
  return text;
}

const std::string& CollectiveSums::RanksText(uint64_t group) {
  const auto [text, is_new] = text_of_group_.try_emplace(group);
  const auto found = ranks_of_group_.find(group);
  if (is_new && found != ranks_of_group_.end()) text->second = model::RanksText(found->second);
  return text->second;
}

void CollectiveSums::NoteGroups(int rank, const v1::ProcessProfile& process) {
  for (const v1::CollectiveRow& row : process.collectives()) {
    if (row.group() != 0) ranks_of_group_[row.group()].insert(rank);
  }
}

void CollectiveSums::Add(const v1::RunInfo& run, const v1::ProcessProfile& process,
                         const ModulePaths& paths) {
  using Key = decltype(KeyOf(v1::CollectiveRow()));
  std::map<Key, const v1::CollectiveRow*> more;
  for (const v1::CollectiveRow& row : process.collectives()) more.emplace(KeyOf(row), &row);
  std::map<decltype(CommunicationKeyOf(v1::CallRow())), const v1::CommunicationRow*> compared;
  for (const v1::CommunicationRow& row : process.communications()) {
    compared.emplace(CommunicationKeyOf(row), &row);
  }
  for (const v1::CallRow& row : process.calls()) {
    if (row.kind() != v1::CALL_KIND_COLLECTIVE || row.captured() || !InWindow(run, row)) continue;
    const auto found = more.find(KeyOf(row));
    const v1::CollectiveRow* its = found == more.end() ? nullptr : found->second;
    const int node = paths.NodeOf(row.scope());
    const std::string module =
        node == ModulePaths::kOutside ? std::string(kOutsidePath) : paths.nodes()[node].path;
    const std::string ranks = its == nullptr ? "" : RanksText(its->group());
    const std::string phase(PhaseName(PhaseIndex(row.phase())));
    CollectiveSummary& sum = sums_[{row.api(), row.detail(), phase, module, ranks}];
    sum.api = row.api();
    sum.detail = row.detail();
    sum.phase = phase;
    sum.module = module;
    sum.ranks = ranks;
    sum.calls += row.calls();
    sum.bytes += row.bytes();
    sum.gpu_time_ns += row.gpu_time_ns();
    if (const auto at = compared.find(CommunicationKeyOf(row)); at != compared.end()) {
      sum.compared_time_ns += at->second->compared_ns();
      sum.hidden_ns += at->second->hidden_ns();
    }
    if (its == nullptr) continue;
    sum.matched_calls += its->matched_calls();
    sum.matched_time_ns += its->matched_time_ns();
    sum.wait_ns += its->wait_ns();
  }
}

std::vector<CollectiveSummary> CollectiveSums::Finish() const {
  std::vector<CollectiveSummary> result;
  for (const auto& [key, sum] : sums_) result.push_back(sum);
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.gpu_time_ns > b.gpu_time_ns; });
  return result;
}

}  // namespace flopsprof::model
