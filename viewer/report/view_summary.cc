// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Work and GPU time by phase, over the whole run and per step.

#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr int kPhaseOrder[] = {v1::PHASE_FORWARD,    v1::PHASE_BACKWARD, v1::PHASE_RECOMPUTE,
                               v1::PHASE_CLIPPING,   v1::PHASE_SCALING,  v1::PHASE_OPTIMIZER,
                               v1::PHASE_EVALUATION, v1::PHASE_GENERATE, v1::PHASE_OTHER};

std::string Bar(double share, const Terminal& terminal) {
  constexpr double kFullWidth = 20;
  const int eighths = static_cast<int>(share * kFullWidth * 8 + 0.5);
  std::string bar;
  if (!terminal.utf8) return std::string(static_cast<size_t>(eighths / 8), '#');
  for (int i = 0; i < eighths / 8; ++i) bar += "█";
  constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  return bar + kParts[eighths % 8];
}

std::string CountText(const ReportContext& context, std::optional<model::FlopCount> count) {
  return context.style.exact ? FormatExact(count) : FormatSi(AsDouble(count));
}

// What stands before a sum of which a part is not known.
std::string LeastOf(const ReportContext& context, const model::PhaseCounts& counts) {
  return AnyUnknown(counts) ? AtLeast(context) : "";
}

std::string FlopsPerStep(const ReportContext& context, std::optional<double> value) {
  if (context.sums.rank_steps == 0) return "";
  if (!value.has_value()) return "?";
  return FormatSi(*value / static_cast<double>(context.sums.rank_steps));
}

std::string TimePerStep(const ReportContext& context, std::optional<uint64_t> ns, bool incomplete) {
  if (context.sums.rank_steps == 0) return "";
  if (!ns.has_value() || (incomplete && *ns == 0)) return "?";
  const double mean_s =
      static_cast<double>(*ns) * 1e-9 / static_cast<double>(context.sums.rank_steps);
  return (incomplete ? AtLeast(context) : "") + FormatSeconds(mean_s, context.terminal.utf8);
}

// What of a phase was in steps.
struct PhaseStep {
  bool shown = false;
  std::optional<model::FlopCount> flops;
  std::optional<uint64_t> gpu_time_ns;
};

// A row of the table; `whole_s` is the GPU time of the run, absent where a part of it never came.
// Without all of the row's own times (`incomplete`) there is no rate: it would be that of other
// work.
std::vector<Cell> PhaseRow(const ReportContext& context, const std::string& name,
                           std::optional<model::FlopCount> flops, std::optional<uint64_t> time_ns,
                           bool incomplete, std::optional<double> whole_s, const PhaseStep& step,
                           Tone tone) {
  const std::optional<double> time_s = Seconds(time_ns);
  const bool has_work = !flops.has_value() || *flops != 0;
  const std::optional<model::FlopCount> macs =
      flops.has_value() ? std::optional<model::FlopCount>(*flops / 2) : std::nullopt;
  const std::optional<double> share = Ratio(time_s, whole_s);
  return {{name, tone},
          {CountText(context, flops), tone},
          {CountText(context, macs), Tone::kPlain},
          {TimeText(context, time_ns, incomplete), tone},
          {FormatShare(share), Tone::kPlain},
          {step.shown ? FlopsPerStep(context, AsDouble(step.flops)) : "", Tone::kPlain},
          {step.shown ? TimePerStep(context, step.gpu_time_ns, incomplete) : "", Tone::kPlain},
          {!has_work    ? ""
           : incomplete ? "?"
                        : FormatSi(Ratio(AsDouble(flops), time_s)),
           Tone::kPlain},
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
  Table table({{.header = "phase", .right = false},
               {.header = "flops", .group = "all steps and ranks"},
               {.header = "MACs", .group = "all steps and ranks", .drop_order = 2},
               {.header = "GPU time", .group = "all steps and ranks"},
               {.header = "share", .group = "all steps and ranks"},
               {.header = "flops", .group = "per step, rank", .drop_order = 4},
               {.header = "GPU time", .group = "per step, rank", .drop_order = 5},
               {.header = "FLOPS", .drop_order = 3},
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
    table.AddRow(PhaseRow(context, std::string(model::PhaseName(phase)), flops, phase_ns,
                          work.time_incomplete[static_cast<size_t>(phase)], whole_s, step,
                          Tone::kPlain));
  }
  std::vector<Cell> total = PhaseRow(context, "total", KnownSum(work.flops), time_ns, any_missing,
                                     whole_s, {}, Tone::kStrong);
  for (const size_t column : {1, 2, 7}) {
    if (total[column].text != "?") total[column].text.insert(0, LeastOf(context, work.flops));
  }
  table.AddRow(std::move(total));
  std::string text = Title(context, "Summary", "") + table.Render(context.terminal, 2);
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
