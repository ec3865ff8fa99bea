// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Work and GPU time by phase, over the whole run and per step.

#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

std::string CountText(const ReportContext& context, std::optional<model::FlopCount> count) {
  return context.style.exact ? FormatExact(count) : FormatSi(AsDouble(count));
}

Cell FlopsPerStep(const ReportContext& context, std::optional<double> value) {
  if (context.sums.rank_steps == 0) return {};
  if (!value.has_value()) return {"?"};
  return SiCell(context, *value / static_cast<double>(context.sums.rank_steps));
}

Cell TimePerStep(const ReportContext& context, std::optional<uint64_t> ns, bool incomplete) {
  if (context.sums.rank_steps == 0) return {};
  if (!ns.has_value() || (incomplete && *ns == 0)) return {"?"};
  const double mean_s =
      static_cast<double>(*ns) * 1e-9 / static_cast<double>(context.sums.rank_steps);
  return SecondsCell(context, mean_s, incomplete);
}

// What of a phase was in steps.
struct PhaseStep {
  bool shown = false;
  std::optional<model::FlopCount> flops;
  std::optional<uint64_t> gpu_time_ns;
};

// A row of the table.
struct PhaseRow {
  std::optional<model::FlopCount> flops;
  bool least = false;  // they are a lower bound
  std::optional<uint64_t> time_ns;
  // Without all of the row's own times there is no rate: it would be that of other work.
  bool incomplete = false;
  std::optional<double> whole_s;  // GPU time of the run; absent where a part of it never came
  PhaseStep step;
};

std::vector<Cell> CellsOf(const ReportContext& context, const std::string& name,
                          const PhaseRow& row, Tone tone) {
  const std::optional<double> time_s = Seconds(row.time_ns);
  const bool has_work = !row.flops.has_value() || *row.flops != 0;
  const std::optional<model::FlopCount> macs =
      row.flops.has_value() ? std::optional<model::FlopCount>(*row.flops / 2) : std::nullopt;
  const std::optional<double> share = Ratio(time_s, row.whole_s);
  const PhaseStep& step = row.step;
  return {{name, tone},
          FlopsCell(context, row.flops, row.least, tone),
          FlopsCell(context, macs, row.least),
          TimeCell(context, row.time_ns, row.incomplete, tone),
          ShareCell(share),
          step.shown ? FlopsPerStep(context, AsDouble(step.flops)) : Cell{},
          step.shown ? TimePerStep(context, step.gpu_time_ns, row.incomplete) : Cell{},
          !has_work        ? Cell{}
          : row.incomplete ? Cell{"?"}
                           : SiCell(context, Ratio(AsDouble(row.flops), time_s), row.least),
          {share.has_value() ? Bar(*share, context.terminal) : "", Tone::kDim}};
}

std::string DeviceTimeLine(const ReportContext& context) {
  const model::Totals& totals = context.summary.totals;
  std::string line;
  const bool incomplete = AnyOf(totals.work.time_incomplete);
  const auto add = [&](const char* name, std::optional<uint64_t> ns, bool bound = false) {
    line += (line.empty() ? "" : ", ") + std::string(name) + " " + TimeText(context, ns, bound);
  };
  add("devices busy", totals.gpu_busy_ns, incomplete);
  add("idle", totals.idle_ns);
  add("exposed communication", totals.exposed_communication_ns);
  if (totals.hidden_communication_ns.value_or(0) > 0) {
    add("beside other work", totals.hidden_communication_ns);
  }
  return NoteLine(context, line);
}

std::string TypesLine(const ReportContext& context) {
  const std::optional<double> whole = AsDouble(KnownSum(context.summary.totals.work.flops));
  std::string line;
  for (const auto& [type, flops] : context.summary.totals.flops_by_type) {
    line += (line.empty() ? "flops by type: " : ", ") +
            context.terminal.Clean(type.empty() ? "no type" : type) + " " +
            FormatShare(Ratio(static_cast<double>(flops), whole));
  }
  return line.empty() ? "" : NoteLine(context, line);
}

std::string OptimizersLine(const ReportContext& context) {
  std::string line;
  for (const model::OptimizerSummary& optimizer : context.summary.optimizers) {
    line += (line.empty() ? "optimizers: " : "; ") + context.terminal.Clean(optimizer.name) + " " +
            Plural(optimizer.steps, "step") + " " +
            TimeText(context, optimizer.gpu_time_ns, optimizer.time_incomplete);
    if (optimizer.flops != 0) {
      line += " " + CountText(context, optimizer.flops) + " flops of its own, not in MFU";
    }
  }
  return line.empty() ? "" : NoteLine(context, line);
}

}  // namespace

std::string SummaryView(const ReportContext& context) {
  const model::Work& work = context.summary.totals.work;
  const std::optional<uint64_t> time_ns = KnownSum(work.gpu_time_ns);
  const bool any_missing = AnyOf(work.time_incomplete);
  const std::optional<double> whole_s = any_missing ? std::nullopt : Seconds(time_ns);
  Table table(
      {{.header = "phase", .right = false, .key = SortKey::kName},
       {.header = "flops", .group = "all steps and ranks", .key = SortKey::kFlops},
       {.header = "MACs", .group = "all steps and ranks", .drop_order = 2},
       {.header = "GPU time", .group = "all steps and ranks", .key = SortKey::kTime, .unit = "s"},
       {.header = "share", .group = "all steps and ranks", .unit = "ratio"},
       {.header = "flops", .group = "per step, rank", .drop_order = 4},
       {.header = "GPU time", .group = "per step, rank", .drop_order = 5, .unit = "s"},
       {.header = "FLOPS", .drop_order = 3, .key = SortKey::kRate, .csv_name = "flop_per_s"},
       {.header = "", .right = false, .drop_order = 1}});
  bool modelled = false;
  const model::WorkInSteps& in_steps = context.sums.in_steps;
  for (const int phase : kPhaseOrder) {
    const auto& flops = work.flops[static_cast<size_t>(phase)];
    const auto& phase_ns = work.gpu_time_ns[static_cast<size_t>(phase)];
    const bool idle = flops.has_value() && *flops == 0 && phase_ns.has_value() && *phase_ns == 0;
    if (idle && phase != v1::PHASE_FORWARD && phase != v1::PHASE_BACKWARD) continue;
    const auto& estimate = work.flops_modelled[static_cast<size_t>(phase)];
    modelled = modelled || (estimate.has_value() && *estimate != 0);
    // What is not known of the phase is not known of its part in steps either.
    PhaseStep step = {phase != v1::PHASE_OTHER, std::nullopt, std::nullopt};
    if (flops.has_value()) step.flops = in_steps.flops[static_cast<size_t>(phase)];
    if (phase_ns.has_value()) step.gpu_time_ns = in_steps.gpu_time_ns[static_cast<size_t>(phase)];
    const PhaseRow row = {
        flops, false, phase_ns, work.time_incomplete[static_cast<size_t>(phase)], whole_s, step};
    table.AddRow(CellsOf(context, std::string(model::PhaseName(phase)), row, Tone::kPlain));
  }
  const std::string unsorted = SortRows(context, &table);
  if (context.style.output != Output::kCsv) {
    const PhaseRow total = {
        KnownSum(work.flops), AnyUnknown(work.flops), time_ns, any_missing, whole_s, {}};
    table.AddRow(CellsOf(context, "total", total, Tone::kStrong));
  }
  std::string text = Title(context, "Summary", "") + RenderTable(context, &table) + unsorted;
  text += DeviceTimeLine(context) + GradientsLine(context) + OptimizersLine(context) +
          TypesLine(context);
  if (modelled) {
    text += NoteLine(context, "of these flops modelled by formula: " +
                                  FormatShare(Ratio(AsDouble(KnownSum(work.flops_modelled)),
                                                    AsDouble(KnownSum(work.flops)))));
  }
  return text +
         NoteLine(context,
                  "flops: operations of products; MACs: half of it; FLOPS: per second of GPU time",
                  Tone::kDim);
}

}  // namespace flopsprof::viewer
