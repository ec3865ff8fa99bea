// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/run_page.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "viewer/deepspeed/layout.h"
#include "viewer/deepspeed/python_text.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer::deepspeed {
namespace {

constexpr size_t kMeasuredWidth = 70;
constexpr char kMeasuredTitle[] =
    "------------------------------ Measured by flopsprof ------------------------------";

std::string Measured(const std::string& label, const std::string& value) {
  return Line(kMeasuredWidth, label, value);
}

// "one step (1)", "2 steps (5 to 6)"
std::string StepsText(uint64_t count, std::optional<uint32_t> first, std::optional<uint32_t> last) {
  std::string text = absl::StrFormat("%d step%s", count, count == 1 ? "" : "s");
  if (!first.has_value() || !last.has_value()) return text;
  return text + (*first == *last ? absl::StrFormat(" (%d)", *first)
                                 : absl::StrFormat(" (%d to %d)", *first, *last));
}

// A page of some steps.
std::string OfSteps(const StepPart& part) {
  const uint64_t numbers = uint64_t{*part.last} - *part.first + 1;
  const bool on_each = numbers * part.ranks == part.rank_steps;
  return absl::StrFormat(on_each ? "%s on each of %d rank%s" : "%s of %d rank%s",
                         StepsText(on_each ? numbers : part.rank_steps, part.first, part.last),
                         part.ranks, part.ranks == 1 ? "" : "s");
}

// What the lines of modules are on a page of some steps.
std::string ModulesNote(const model::ReportSums& sums, const RunFigures& run) {
  if (!run.part.has_value() || run.part->rank_steps == sums.rank_steps) return "";
  const std::string all = absl::StrFormat("all %d recorded steps of all ranks", sums.rank_steps);
  std::string text =
      "- lines of modules: of these a run has sums over its steps alone; their time is the mean "
      "over " +
      all;
  text += run.part->same_forward && run.part->same_backward
              ? ", and as each of these did equally many flops, flops are those of this step"
              : ", and as these did not do equally many flops, flops of this step are unknown";
  const uint64_t end = uint64_t{*run.part->last} + 1;
  return text +
         absl::StrFormat("; flopsprof-run --steps %d:%d records it alone\n", *run.part->first, end);
}

// Steps of all ranks, or forwards.
std::string MeanOf(const model::Summary& summary, const RunFigures& run) {
  if (!run.mean_known) {
    return "a mean of forwards, as there are no steps; how many is not known: no model was called, "
           "or one more often than another, or in training and evaluation";
  }
  if (run.part.has_value()) return "mean over " + OfSteps(*run.part);
  if (!run.of_steps) return absl::StrFormat("mean over %d forwards of the model", *run.divisor);
  const model::StepsSummary& steps = summary.steps;
  const size_t ranks = summary.ranks.size();
  const bool on_each = uint64_t{steps.profiled} * ranks == *run.divisor;
  return "mean over " +
         StepsText(on_each ? steps.profiled : *run.divisor, steps.first, steps.last) +
         absl::StrFormat(on_each ? " on each of %d rank%s" : " of %d rank%s", ranks,
                         ranks == 1 ? "" : "s");
}

std::string WallNote(const model::Summary& summary, const model::ReportSums& sums,
                     const RunFigures& run) {
  if (!run.of_steps) return "";
  std::string text = "- wall clock: the mean is over the same steps";
  if (run.whole_steps < *run.divisor) {
    text = absl::StrFormat("- wall clock: the mean is not known, for %d of these %d are not whole",
                           *run.divisor - run.whole_steps, *run.divisor);
  }
  return text +
         absl::StrFormat(
             "; the median is over %d of %s %d, without step 0 and those in which something was "
             "compiled or tuned\n",
             summary.steps.measured, run.part.has_value() ? "all" : "these", sums.rank_steps);
}

std::string LatencyNote(const RunFigures& run) {
  std::string text =
      "- latencies: GPU time of all kernels that were launched there, not the wall clock";
  const Communication& communication = run.communication;
  if (communication.any) {
    const auto duration = NewestUnits().duration;
    text +=
        "; communication and its waiting is " + duration(communication.forward) + " of fwd, " +
        duration(communication.backward) + " of bwd, " + duration(communication.weights_update) +
        " of step" + (run.part.has_value() ? " in the mean over all steps" : "") +
        "\n- FLOPS: flops over these latencies, as in DeepSpeed, so that communication lowers them";
  }
  return text + "\n";
}

// How often `work` is the flops of a forward. Of work without a forward there is no such number.
std::string InForwards(const Count& work, const Count& forward) {
  if (!work.has_value() || !forward.has_value()) return kUnknown;
  if (work->value == 0) return "0";
  return forward->value == 0 ? kUnknown : General(Round2(work->value / forward->value));
}

// Each line begins as none of a layout does.
std::string Marked(const std::string& text) {
  return "| " + absl::StrReplaceAll(text.substr(0, text.size() - 1), {{"\n", "\n| "}}) + "\n";
}

std::string BackwardOfModules(const RunFigures& run) {
  const Units& units = NewestUnits();
  const auto line = [&](const Module& module) {
    const Count work = Added(module.backward_flops, module.recompute_flops);
    std::string flops = units.number(work);
    if (flops.back() != ' ') flops += ' ';
    return flops + "= " + InForwards(work, module.flops) + " * fwd flops, " +
           units.duration(module.backward_seconds) + ", " +
           units.rate(Rate(work, module.backward_seconds));
  };
  return "measured bwd of each module: flops (formula: 2 * fwd flops), bwd latency, bwd FLOPS\n" +
         Marked(ModelText(run.figures.modules, line));
}

std::string BackwardPart(const model::Summary& summary, const RunFigures& run, bool detailed) {
  const Figures& figures = run.figures;
  if (!figures.has_backward) return "";
  const Units& units = NewestUnits();
  const Module total = Total(figures);
  const double factor = 2 + figures.recompute_fwd_factor;
  const Count backward = Added(total.backward_flops, total.recompute_flops);
  const Count all = Added(total.flops, backward);
  const Seconds iteration = Sum(Sum(figures.forward, figures.backward), figures.weights_update);
  std::string text =
      Measured("measured bwd flops per GPU: ", units.number(total.backward_flops)) +
      Measured("measured recompute flops per GPU: ", units.number(total.recompute_flops)) +
      Measured("their formula = " + General(factor) + " * fwd flops per GPU: ",
               units.number(Times(factor, total.flops))) +
      Measured("measured bwd FLOPS = bwd and recompute flops / bwd latency: ",
               units.rate(Rate(backward, figures.backward))) +
      Measured("measured FLOPS = fwd, bwd and recompute flops / iter latency: ",
               units.rate(Rate(all, iteration)));
  if (run.of_steps) {
    const auto& median_ns = summary.steps.median_ns;
    const Seconds median =
        median_ns.has_value() ? Seconds(static_cast<double>(*median_ns) / 1e9) : std::nullopt;
    text += Measured("measured wall clock of a step, mean: ", units.duration(run.wall)) +
            Measured("measured FLOPS = fwd, bwd and recompute flops / this mean: ",
                     units.rate(Rate(all, run.wall))) +
            Measured("measured wall clock of a step, median of those in the notes: ",
                     units.duration(median));
  }
  return detailed ? text + BackwardOfModules(run) : text;
}

// "" for nothing.
std::string IfAny(const Count& flops, const std::string& what) {
  if (flops.has_value() && flops->value == 0) return "";
  return "- " + what + ": " + NewestUnits().number(flops) + "\n";
}

std::string Missing(const model::Summary& summary, const RunFigures& run) {
  std::string text = IfAny(run.flops_outside, "fwd flops outside of modules, in no line above");
  if (run.flops_in_no_step.has_value()) {
    text += IfAny(run.flops_in_no_step, "fwd flops in no step, in the whole run");
  }
  if (!run.modules_in_steps) {
    text +=
        "- work of fwd or bwd is in no step: what modules did of it is not known, so that their "
        "figures of a step are not either\n";
  }
  if (run.unknown_ns > 0) {
    text += "- GPU time in kernels whose flops are not known, in the whole run: " +
            NewestUnits().duration(static_cast<double>(run.unknown_ns) / 1e9) +
            "; counts are lower bounds\n";
  }
  const auto on_cpu = std::count_if(
      summary.modules.begin(), summary.modules.end(),
      [](const model::ModuleSummary& module) { return module.on_cpu != model::OnCpu::kNo; });
  if (on_cpu > 0) {
    text +=
        absl::StrFormat("- modules that worked on the CPU, where nothing is counted: %d\n", on_cpu);
  }
  const auto tops = std::count_if(run.figures.modules.begin(), run.figures.modules.end(),
                                  [](const Module& module) { return module.depth == 0; });
  if (tops > 1) {
    text += absl::StrFormat(
        "- %d models: params are the sum of all of them, also where a rank has one alone, as a "
        "stage "
        "of a pipeline; flops and latencies are the mean of the ranks\n",
        tops);
  }
  return text;
}

std::string Notes(const model::Summary& summary, const model::ReportSums& sums,
                  const RunFigures& run) {
  std::string text = "what the figures are:\n";
  if (summary.simulated) {
    text += "- GPU is simulated: times are a model, calls and counts are real\n";
  }
  text += "- " + MeanOf(summary, run) + "\n" + ModulesNote(sums, run) +
          WallNote(summary, sums, run) + LatencyNote(run) +
          "- DeepSpeed's note 3 is not so here: the latency of the top module is GPU time too\n"
          "- flops: of products alone, as they ran; MACs are half of them\n"
          "- a module's own arguments are not recorded; each list has its figures\n"
          "- batch size: not recorded, so that samples/second is not known\n";
  if (!run.figures.mp_size.has_value()) {
    text += "- model parallel size: not recorded; say it with --mp-size N\n";
  }
  return text + Missing(summary, run);
}

std::string DepthNote(const Figures& figures, int module_depth) {
  const uint32_t depths = Depths(figures);
  if (module_depth < 0 || static_cast<uint32_t>(module_depth) <= depths) return "";
  return absl::StrFormat("- the model has %d depths: all of them are shown\n", depths);
}

// What stands behind the page. `head`: which page it is of, if there are several.
std::string Additions(const model::Summary& summary, const model::ReportSums& sums,
                      const RunFigures& run, const PageOptions& options, const std::string& head) {
  return std::string("\n") + kMeasuredTitle + "\n" + head +
         BackwardPart(summary, run, options.detailed) + Notes(summary, sums, run) +
         DepthNote(run.figures, options.module_depth);
}

}  // namespace

std::string ErrorInSizes(const model::RunSums& sums, const GivenFacts& given) {
  for (const model::ProgramSummary& program : sums.summary.programs) {
    const std::string error = ErrorInSizes(program.own, given);
    if (!error.empty()) return error + absl::StrFormat(" of program %d", program.number);
  }
  if (!sums.summary.programs.empty()) return "";
  const std::string error = ErrorInSizes(sums.summary, given);
  return error.empty() ? "" : error + " of this run";
}

std::string RunPage(const model::RunSums& sums, const PageOptions& options, const GivenFacts& given,
                    const StepParts* parts) {
  const std::vector<model::ProgramSummary>& programs = sums.summary.programs;
  if (programs.empty()) {
    const RunFigures run =
        FiguresOf(sums.summary, sums.report, given, parts == nullptr ? nullptr : &parts->run);
    if (run.figures.modules.empty()) return "";
    return Page(run.figures, options) + Additions(sums.summary, sums.report, run, options, "");
  }
  std::string pages, additions;
  int number = 0;
  for (size_t i = 0; i < programs.size(); ++i) {
    const StepPart* part = parts == nullptr ? nullptr : &parts->programs.at(i);
    if (part != nullptr && part->rank_steps == 0) continue;
    const RunFigures run = FiguresOf(programs[i].own, sums.report.programs[i], given, part);
    if (run.figures.modules.empty()) continue;
    pages += Page(run.figures, options);
    additions += Additions(programs[i].own, sums.report.programs[i], run, options,
                           absl::StrFormat("- page %d is of program %d: %s\n", ++number,
                                           programs[i].number, CleanText(programs[i].command)));
  }
  return pages + additions;
}

}  // namespace flopsprof::viewer::deepspeed
