// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Kernels of some modules or ranges: where, in which phase and steps, by which call.

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "collector/model/coverage.h"
#include "collector/model/module_paths.h"
#include "viewer/report/cells.h"
#include "viewer/report/focus.h"
#include "viewer/report/numbers.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kMaxScopeDepth = 4096;
constexpr size_t kMaxMatchedBytes = 2000;  // std::regex recurses

struct Place {
  std::string module;
  std::string range;  // ranges inside the module, outermost first; "" = none
};

// Places of the scopes of one process.
class Places {
 public:
  explicit Places(const v1::ProcessProfile& process) : paths_(process) {
    for (const v1::Scope& scope : process.scopes()) scopes_[scope.id()] = &scope;
  }

  Place Of(uint32_t id) const {
    Place place;
    const int node = paths_.NodeOf(id);
    const bool outside = node == model::ModulePaths::kOutside;
    place.module =
        outside ? std::string(model::kOutsidePath) : paths_.nodes()[static_cast<size_t>(node)].path;
    for (size_t hops = 0; hops < kMaxScopeDepth; ++hops) {
      const auto scope = scopes_.find(id);
      if (scope == scopes_.end() || scope->second->kind() == v1::SCOPE_KIND_MODULE) break;
      place.range = scope->second->name() + (place.range.empty() ? "" : ".") + place.range;
      id = scope->second->parent();
    }
    return place;
  }

 private:
  model::ModulePaths paths_;
  std::unordered_map<uint32_t, const v1::Scope*> scopes_;
};

bool Matches(const std::regex& focus, const std::string& text) {
  return std::regex_search(text.substr(0, kMaxMatchedBytes), focus);
}

// Calls visit(process, place, row) for the rows of matching places.
template <typename Visit>
void ForEachMatch(const model::RunProfile& run, const std::regex& focus, Visit visit) {
  for (const v1::ProcessProfile& process : run.processes) {
    const Places places(process);
    std::unordered_map<uint32_t, std::pair<Place, bool>> known;
    for (const v1::ScopeKernelRow& row : process.scope_kernels()) {
      const auto [found, added] = known.try_emplace(row.scope());
      auto& [place, matches] = found->second;
      if (added) {
        place = places.Of(row.scope());
        matches = Matches(focus, place.module) || Matches(focus, place.range);
      }
      if (matches) visit(process, place, row);
    }
  }
}

std::string TextOf(const v1::ProcessProfile& process, uint64_t id) {
  const auto found = process.strings().find(id);
  return found == process.strings().end() ? "" : found->second;
}

// Module, range, phase, call, kernel.
using FocusKey = std::tuple<std::string, std::string, int, std::string, std::string>;

struct FocusSum {
  uint64_t count = 0;
  uint64_t gpu_time_ns = 0;
  std::optional<uint32_t> first_step, last_step;
};

using FocusRow = std::pair<FocusKey, FocusSum>;

struct FocusSums {
  std::vector<FocusRow> rows;  // the longest GPU time first
  uint64_t whole_ns = 0;       // of all
};

FocusSums SumKernelsInFocus(const model::RunProfile& run, const std::regex& focus) {
  std::map<FocusKey, FocusSum> sums;
  FocusSums all;
  ForEachMatch(
      run, focus,
      [&](const v1::ProcessProfile& process, const Place& place, const v1::ScopeKernelRow& row) {
        FocusSum& sum = sums[{place.module, place.range, model::PhaseIndex(row.phase()),
                              TextOf(process, row.api()), TextOf(process, row.name())}];
        sum.count += row.count();
        sum.gpu_time_ns += row.gpu_time_ns();
        all.whole_ns += row.gpu_time_ns();
        if (!row.in_step()) return;
        sum.first_step = std::min(sum.first_step.value_or(row.first_step()), row.first_step());
        sum.last_step = std::max(sum.last_step.value_or(0), row.last_step());
      });
  all.rows.assign(sums.begin(), sums.end());
  std::stable_sort(all.rows.begin(), all.rows.end(), [](const auto& a, const auto& b) {
    return a.second.gpu_time_ns > b.second.gpu_time_ns;
  });
  return all;
}

Table NewFocusTable() {
  return Table({{.header = "kernel",
                 .right = false,
                 .flexible = true,
                 .min_width = 24,
                 .shorten_middle = true,
                 .key = SortKey::kName},
                {.header = "module", .right = false, .flexible = true, .min_width = 10},
                {.header = "range", .right = false, .flexible = true, .min_width = 6},
                {.header = "phase", .right = false, .drop_order = 3},
                {.header = "call", .right = false, .flexible = true, .min_width = 10},
                {.header = "steps", .drop_order = 2},
                {.header = "count", .drop_order = 4, .key = SortKey::kCalls},
                {.header = "GPU time", .key = SortKey::kTime, .unit = "s"},
                {.header = "share", .drop_order = 1, .unit = "ratio"}});
}

// "3", "3-7"; "-" in no step.
std::string StepsText(const FocusSum& sum) {
  if (!sum.first_step.has_value()) return "-";
  const std::string first = std::to_string(*sum.first_step);
  return sum.first_step == sum.last_step ? first : first + "-" + std::to_string(*sum.last_step);
}

void AddFocusRow(const ReportContext& context, const FocusRow& row, uint64_t whole_ns,
                 Table* table) {
  const auto& [module, range, phase, call, kernel] = row.first;
  const FocusSum& sum = row.second;
  const auto clean = [&context](const std::string& text) { return context.terminal.Clean(text); };
  const std::optional<double> seconds =
      sum.gpu_time_ns > 0 ? Seconds(sum.gpu_time_ns) : std::nullopt;
  table->AddRow({{clean(ReadableKernelName(kernel.empty() ? "(no name)" : kernel))},
                 {clean(module.empty() ? "(model)" : module)},
                 {clean(range.empty() ? "-" : range)},
                 {std::string(model::PhaseName(phase))},
                 {clean(call.empty() ? "-" : call)},
                 {StepsText(sum)},
                 CountCell(static_cast<double>(sum.count)),
                 SecondsCell(context, seconds),
                 ShareCell(Ratio(seconds, Seconds(whole_ns)))});
}

}  // namespace

bool AnyInFocus(const model::RunProfile& run, const std::regex& focus) {
  bool any = false;
  ForEachMatch(run, focus, [&any](const auto&, const auto&, const auto&) { any = true; });
  return any;
}

std::string FocusView(const ReportContext& context) {
  const FocusSums sums = SumKernelsInFocus(context.run, *context.style.focus);
  const auto most = static_cast<size_t>(std::max(context.style.top, 1));
  const bool sorted = context.style.sort.has_value();
  Table table = NewFocusTable();
  size_t ignored = 0;
  for (const FocusRow& row : sums.rows) {
    if (!sorted && table.row_count() == most) break;
    if (IsIgnored(context, ReadableKernelName(std::get<4>(row.first)))) {
      ++ignored;
    } else {
      AddFocusRow(context, row, sums.whole_ns, &table);
    }
  }
  const std::string unsorted = SortRows(context, &table);
  table.Keep(most);
  const size_t shown = table.row_count();
  std::string note = "of modules and ranges in focus";
  if (shown < sums.rows.size()) {
    note += ", top " + std::to_string(shown) + " of " + std::to_string(sums.rows.size());
  }
  return Title(context, "Kernels", note) + RenderTable(context, &table) + unsorted +
         IgnoredLine(context, ignored);
}

}  // namespace flopsprof::viewer
