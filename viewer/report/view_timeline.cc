// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// One step, a line for each rank: shares of its time by phase, then what was idle.

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

using model::RankStep;

constexpr size_t kRanksBrief = 3;
constexpr size_t kWidest = 100;
constexpr size_t kNarrowest = 20;

// What the blocks of a line tell apart. Phases that seldom run are one.
enum StepPart { kForward, kBackward, kRecompute, kOptimizer, kOther, kExposed, kIdle, kPartCount };
struct Block {
  const char* name;
  const char* utf8;
  char ascii;
};
constexpr Block kBlocks[kPartCount] = {{"forward", "█", 'f'},   {"backward", "▓", 'b'},
                                       {"recompute", "▚", 'r'}, {"optimizer", "▒", 'o'},
                                       {"other", "░", 'x'},     {"exposed communication", "╱", 'c'},
                                       {"idle", "·", '.'}};

StepPart PartOf(int phase) {
  switch (phase) {
    case v1::PHASE_FORWARD:
      return kForward;
    case v1::PHASE_BACKWARD:
      return kBackward;
    case v1::PHASE_RECOMPUTE:
      return kRecompute;
    case v1::PHASE_OPTIMIZER:
      return kOptimizer;
    default:
      return kOther;
  }
}

using Shares = std::array<double, kPartCount>;

// Of the time of all its devices. Phases share what is neither idle nor exposed communication, as
// the times of their kernels are, which overlap. Exposed communication is taken out of the phases
// as communication is spread over them in the run (`sums`).
Shares SharesOf(const model::ReportSums& sums, const RankStep& rank) {
  Shares shares = {};
  const double wall = static_cast<double>(rank.wall_ns) * rank.devices;
  const double busy = std::min(static_cast<double>(rank.busy_ns), wall);
  const double exposed = std::min(static_cast<double>(rank.exposed_ns.value_or(0)), busy);
  double communication = 0;
  for (const auto& phase : sums.category_times) {
    communication += static_cast<double>(phase[v1::TIME_CATEGORY_COMMUNICATION]);
  }
  std::array<double, kPartCount> times = {};
  for (size_t phase = 0; phase < sums.category_times.size(); ++phase) {
    const auto of_phase =
        static_cast<double>(sums.category_times[phase][v1::TIME_CATEGORY_COMMUNICATION]);
    const double taken = communication > 0 ? exposed * of_phase / communication : 0;
    times[PartOf(static_cast<int>(phase))] +=
        std::max(0.0, static_cast<double>(rank.gpu_time_ns[phase]) - taken);
  }
  const double all = std::accumulate(times.begin(), times.end(), 0.0);
  shares[kExposed] = exposed / wall;
  for (size_t i = 0; i < kExposed && all > 0; ++i)
    shares[i] = times[i] / all * (busy - exposed) / wall;
  shares[kIdle] = 1 - std::accumulate(shares.begin(), shares.begin() + kIdle, 0.0);
  return shares;
}

// Columns of each part, `width` together: rounded down, then one more where most was cut off.
std::array<size_t, kPartCount> ColumnsOf(const Shares& shares, size_t width) {
  std::array<size_t, kPartCount> columns = {};
  std::array<double, kPartCount> cut = {};
  std::array<size_t, kPartCount> order = {};
  std::iota(order.begin(), order.end(), size_t{0});
  size_t left = width;
  for (size_t i = 0; i < kPartCount; ++i) {
    constexpr double kInexact = 1e-9;  // 0.3 * 10 is 3
    const double exact = std::max(0.0, shares[i]) * static_cast<double>(width);
    columns[i] = std::min(left, static_cast<size_t>(exact + kInexact));
    cut[i] = exact - static_cast<double>(columns[i]);
    left -= columns[i];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&cut](size_t a, size_t b) { return cut[a] > cut[b]; });
  for (size_t i = 0; i < kPartCount && left > 0; ++i, --left) ++columns[order[i]];
  return columns;
}

std::string Blocks(const Shares& shares, size_t width, const Terminal& terminal) {
  const std::array<size_t, kPartCount> columns = ColumnsOf(shares, width);
  std::string text;
  for (size_t i = 0; i < kPartCount; ++i) {
    for (size_t column = 0; column < columns[i]; ++column) {
      text += terminal.utf8 ? kBlocks[i].utf8 : std::string(1, kBlocks[i].ascii);
    }
  }
  return text;
}

// The slowest first; of many ranks those, the fastest and the one in the middle.
std::vector<const RankStep*> Chosen(const ReportContext& context) {
  std::vector<const RankStep*> ranks;
  for (const RankStep& rank : context.sums.picture.ranks) ranks.push_back(&rank);
  const size_t most =
      context.style.brief ? kRanksBrief : static_cast<size_t>(std::max(context.style.top, 3));
  if (ranks.size() <= most) return ranks;
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const RankStep* a, const RankStep* b) { return a->wall_ns > b->wall_ns; });
  const RankStep* middle = ranks[std::max(ranks.size() / 2, most - 2)];  // no rank is there twice
  const RankStep* fastest = ranks.back();
  ranks.resize(most - 2);
  ranks.push_back(middle);
  ranks.push_back(fastest);
  return ranks;
}

std::string Legend(const ReportContext& context, const std::vector<const RankStep*>& ranks) {
  std::string text;
  for (size_t i = 0; i < kPartCount; ++i) {
    const bool there = std::any_of(ranks.begin(), ranks.end(), [&context, i](const RankStep* rank) {
      return SharesOf(context.sums, *rank)[i] > 0;
    });
    if (!there) continue;
    text +=
        (text.empty() ? "" : "  ") +
        (context.terminal.utf8 ? std::string(kBlocks[i].utf8) : std::string(1, kBlocks[i].ascii)) +
        " " + kBlocks[i].name;
  }
  return text;
}

Cell OfAllDevices(const ReportContext& context, const RankStep& rank, double share) {
  return SecondsCell(context, share * static_cast<double>(rank.wall_ns) * 1e-9);
}

Table CsvTable(const ReportContext& context) {
  std::vector<Column> columns = {{.header = "rank"},
                                 {.header = "wall", .key = SortKey::kTime, .unit = "s"}};
  for (size_t i = 0; i < kPartCount; ++i) {
    columns.push_back({.header = kBlocks[i].name, .unit = "s"});
  }
  Table table(std::move(columns));
  for (const RankStep& rank : context.sums.picture.ranks) {
    const Shares shares = SharesOf(context.sums, rank);
    std::vector<Cell> cells = {{std::to_string(rank.rank)}, TimeCell(context, rank.wall_ns)};
    for (const double share : shares) cells.push_back(OfAllDevices(context, rank, share));
    if (!rank.exposed_ns.has_value()) cells[2 + kExposed] = {"?"};
    table.AddRow(std::move(cells));
  }
  return table;
}

}  // namespace

std::string TimelineView(const ReportContext& context) {
  const model::StepPicture& picture = context.sums.picture;
  if (picture.ranks.empty()) return "";
  if (context.style.output == Output::kCsv) {
    Table table = CsvTable(context);
    SortRows(context, &table);
    return RenderTable(context, &table);
  }
  const std::vector<const RankStep*> ranks = Chosen(context);
  uint64_t longest_ns = 1;
  for (const RankStep* rank : ranks) longest_ns = std::max(longest_ns, rank->wall_ns);
  Table table({{.header = "rank"},
               {.header = "wall", .unit = "s"},
               {.header = "exposed comm.", .drop_order = 1, .unit = "s"},
               {.header = "", .right = false}});
  constexpr size_t kOtherColumns = 40;
  const size_t room = context.terminal.width > kOtherColumns + kNarrowest
                          ? context.terminal.width - kOtherColumns
                          : kNarrowest;
  const auto width = static_cast<double>(std::min(room, kWidest));
  for (const RankStep* rank : ranks) {
    const auto length = static_cast<size_t>(
        width * static_cast<double>(rank->wall_ns) / static_cast<double>(longest_ns) + 0.5);
    table.AddRow({{std::to_string(rank->rank)},
                  TimeCell(context, rank->wall_ns),
                  TimeCell(context, rank->exposed_ns),
                  {Blocks(SharesOf(context.sums, *rank), length, context.terminal)}});
  }
  std::string note = "step " + std::to_string(picture.step);
  note += picture.measured ? ", the median of the steps by their slowest rank" : "";
  if (ranks.size() < picture.ranks.size()) {
    note += "; the slowest, the middle and the fastest of " + Plural(picture.ranks.size(), "rank");
  }
  return Title(context, "Timeline", note) + RenderTable(context, &table) +
         NoteLine(context,
                  Legend(context, ranks) +
                      "; shares in this order, since when they ran within the step is not recorded",
                  Tone::kDim);
}

}  // namespace flopsprof::viewer
