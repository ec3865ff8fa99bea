// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Ranks added up by node, and one character for each of them.

#include <algorithm>
#include <map>
#include <vector>

#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

using NodeRanks = std::vector<const model::RankSummary*>;

std::optional<double> SecondsOf(const model::RankSummary& rank) {
  if (AnyOf(rank.work.time_incomplete)) return std::nullopt;
  return Seconds(KnownSum(rank.work.gpu_time_ns));
}

struct Spread {
  std::optional<double> low, high;
  void Add(std::optional<double> value) {
    if (!value.has_value()) return;
    low = std::min(low.value_or(*value), *value);
    high = std::max(high.value_or(*value), *value);
  }
};

// By local rank, or by rank where that is not known; "?" for a rank without a time.
std::string HeatLine(const ReportContext& context, NodeRanks ranks, const Spread& all) {
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto* a, const auto* b) {
    return a->local_rank.value_or(a->rank) < b->local_rank.value_or(b->rank);
  });
  std::string line;
  for (const model::RankSummary* rank : ranks) {
    const std::optional<double> seconds = SecondsOf(*rank);
    const double range = all.high.value_or(0) - all.low.value_or(0);
    if (!seconds.has_value()) {
      line += "?";
    } else {
      line += Level(range > 0 ? (*seconds - *all.low) / range : 0, context.terminal);
    }
  }
  return line;
}

uint64_t LostOf(const NodeRanks& ranks) {
  uint64_t sum = 0;
  for (const model::RankSummary* rank : ranks) {
    for (const auto& [name, value] : rank->loss) {
      if (name != "activity_outside_windows") sum += value;
    }
  }
  return sum;
}

std::vector<Cell> NodeCells(const ReportContext& context, const std::string& node,
                            const NodeRanks& ranks, const Spread& all) {
  Spread time, mfu;
  std::optional<model::FlopCount> flops = model::FlopCount{0};
  size_t bad = 0;
  int slowest = -1;
  bool least = false;
  for (const model::RankSummary* rank : ranks) {
    const std::optional<double> seconds = SecondsOf(*rank);
    if (seconds.has_value() && (!time.high.has_value() || *seconds > *time.high)) {
      slowest = rank->rank;
    }
    time.Add(seconds);
    mfu.Add(rank->utilisation.mfu);
    const std::optional<model::FlopCount> own = KnownSum(rank->work.flops);
    flops = own.has_value() && flops.has_value() ? std::optional(*flops + *own) : std::nullopt;
    least = least || AnyUnknown(rank->work.flops);
    bad += rank->state != "exited" || rank->exit_code.value_or(0) != 0 ? 1 : 0;
  }
  const std::string count = std::to_string(ranks.size());
  return {{context.terminal.Clean(node)},
          {count, Tone::kPlain, count},
          {std::to_string(bad), bad > 0 ? Tone::kBad : Tone::kPlain},
          SecondsCell(context, time.low),
          SecondsCell(context, time.high),
          {slowest < 0 ? "?" : std::to_string(slowest)},
          FlopsCell(context, flops, least),
          ShareCell(mfu.low, "-"),
          CountCell(static_cast<double>(LostOf(ranks))),
          {HeatLine(context, ranks, all)}};
}

}  // namespace

std::string NodesView(const ReportContext& context) {
  std::map<std::string, NodeRanks> nodes;
  Spread all;
  size_t ignored = 0;
  for (const model::RankSummary& rank : context.summary.ranks) {
    if (IsIgnored(context, rank.node)) {
      ++ignored;
      continue;
    }
    nodes[rank.node].push_back(&rank);
    all.Add(SecondsOf(rank));
  }
  if (nodes.empty()) return "";
  Table table(
      {{.header = "node", .right = false, .flexible = true, .min_width = 10, .key = SortKey::kName},
       {.header = "ranks", .drop_order = 4},
       {.header = "failed", .drop_order = 5},
       {.header = "least", .group = "GPU time", .drop_order = 6, .unit = "s"},
       {.header = "most", .group = "GPU time", .key = SortKey::kTime, .unit = "s"},
       {.header = "slowest rank", .drop_order = 7},
       {.header = "flops", .drop_order = 1, .key = SortKey::kFlops},
       {.header = "least MFU", .drop_order = 2, .key = SortKey::kMfu, .unit = "ratio"},
       {.header = "lost", .drop_order = 3, .key = SortKey::kLost},
       {.header = "each rank", .right = false}});
  for (const auto& [node, ranks] : nodes) table.AddRow(NodeCells(context, node, ranks, all));
  const std::string unsorted = SortRows(context, &table);
  std::string text = Title(context, "Ranks by node", "") + RenderTable(context, &table) + unsorted +
                     IgnoredLine(context, ignored);
  if (all.low.has_value() && *all.high > *all.low) {
    text += NoteLine(context,
                     "each rank: its GPU time, from " + Level(0, context.terminal) + " " +
                         FormatSeconds(all.low, context.terminal.utf8) + " to " +
                         Level(1, context.terminal) + " " +
                         FormatSeconds(all.high, context.terminal.utf8),
                     Tone::kDim);
  }
  return text;
}

}  // namespace flopsprof::viewer
