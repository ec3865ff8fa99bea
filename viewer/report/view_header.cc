// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What was run, how it went, the coverage, and what stands out: always first.

#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "viewer/report/markdown.h"
#include "viewer/report/numbers.h"
#include "viewer/report/recording_lines.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kMostReasons = 4;

std::string StepsText(const model::StepsSummary& steps) {
  if (steps.profiled == 0) return "no steps";
  std::string text = Plural(steps.profiled, "step");
  if (steps.first.has_value() && steps.last.has_value() && *steps.first != *steps.last) {
    text += " (" + std::to_string(*steps.first) + "-" + std::to_string(*steps.last) + ")";
  }
  return text;
}

std::string FirstLine(const ReportContext& context) {
  const model::JobSummary& job = context.summary.job;
  // A name without blanks cannot be wrapped.
  const auto fit = [&](const std::string& name, std::string_view before) {
    return ShortenMiddle(context.terminal.Clean(name), context.terminal.width - before.size(),
                         context.terminal.utf8);
  };
  const std::string name = fit(job.name.empty() ? job.id : job.name, "flopsprof  ");
  std::vector<std::string> parts = {context.terminal.Paint(Tone::kTitle, "flopsprof") + "  " +
                                    context.terminal.Paint(Tone::kStrong, name)};
  if (!context.summary.programs.empty()) {
    parts.push_back(Plural(context.summary.programs.size(), "program"));
  } else if (!context.summary.ranks.empty()) {
    parts.push_back(Plural(context.summary.ranks.size(), "rank"));
  }
  if (job.nodes.size() == 1) {
    parts.push_back("on " + fit(job.nodes[0], "  on "));
  } else if (job.nodes.size() > 1) {
    parts.push_back(Plural(job.nodes.size(), "node"));
  }
  if (!context.style.ranks_shown.empty()) {
    parts.push_back(context.terminal.Paint(Tone::kWarning, "only " + context.style.ranks_shown));
  }
  parts.push_back(StepsText(context.summary.steps));
  if (job.start_utc_ns != 0) {
    parts.push_back(absl::FormatTime("%Y-%m-%d %H:%M UTC", absl::FromUnixNanos(job.start_utc_ns),
                                     absl::UTCTimeZone()));
  }
  return JoinParts(context, parts);
}

// The stand-in's card says in its name what the next line of the head says about all of it.
std::string CardName(const ReportContext& context, std::string name) {
  constexpr std::string_view kSuffix = " (simulated)";
  const size_t at = name.find(kSuffix);
  if (context.summary.simulated && at != std::string::npos) name.erase(at, kSuffix.size());
  constexpr size_t kRoomOfCount = 8;  // "10000 x "
  return ShortenMiddle(context.terminal.Clean(name), context.terminal.width - kRoomOfCount,
                       context.terminal.utf8);
}

// "2 x NVIDIA H100 80GB HBM3   peak 989 T bf16, 494 T tf32 FLOPS, dense".
std::string DeviceLines(const ReportContext& context) {
  std::map<std::string, std::pair<size_t, std::optional<model::DevicePeaks>>> devices;
  std::map<std::string, std::set<std::string>> ids;
  for (const model::RankSummary& rank : context.summary.ranks) {
    for (const model::DeviceSummary& device : rank.devices) {
      const std::string id = device.uuid.empty() ? rank.node + "#" + std::to_string(device.ordinal)
                                                 : rank.node + device.uuid;
      if (!ids[device.name].insert(id).second) continue;
      auto& entry = devices[device.name];
      ++entry.first;
      entry.second = device.peaks;
    }
  }
  std::string lines;
  for (const auto& [name, entry] : devices) {
    std::vector<std::string> parts = {std::to_string(entry.first) + " x " +
                                      CardName(context, name)};
    if (!entry.second.has_value()) {
      parts.push_back(context.summary.simulated
                          ? "MFU: none, the card is simulated"
                          : "peak not known, so no MFU; give it: --peak bf16=989T");
    } else {
      std::string peaks;
      for (const auto& [type, unused] : context.summary.totals.flops_by_type) {
        const std::optional<double> peak = entry.second->For(type);
        peaks += (peaks.empty() ? "" : ", ") +
                 (peak.has_value() ? FormatSi(*peak) : std::string("?")) + " " +
                 context.terminal.Clean(type);
      }
      if (!peaks.empty()) parts.push_back("dense peak FLOPS " + peaks);
    }
    lines += JoinParts(context, parts) + "\n";
  }
  return lines;
}

// "34.2%", or "31.0-34.2%" over the ranks.
std::string RangeOfShares(const std::vector<model::RankSummary>& ranks,
                          std::optional<double> model::Utilisation::*member) {
  std::optional<double> low, high;
  for (const model::RankSummary& rank : ranks) {
    const std::optional<double>& share = rank.utilisation.*member;
    if (!share.has_value()) continue;
    low = std::min(low.value_or(*share), *share);
    high = std::max(high.value_or(*share), *share);
  }
  if (!low.has_value()) return "";
  const std::string first = FormatShare(low);
  const std::string last = FormatShare(high);
  return first == last ? first : first + " to " + last;
}

double TotalOverheadShare(const model::Summary& summary, double wall_s) {
  double estimated_s = 0;
  for (const model::RankSummary& rank : summary.ranks) estimated_s += rank.overhead.estimated_s;
  return wall_s > 0 ? estimated_s / wall_s : 0;
}

// Evidence names kernels as the GPU library does, mangled and hundreds of letters long.
std::string ReadableText(const ReportContext& context, const std::string& text) {
  constexpr size_t kLongestName = 60;
  const size_t longest = context.terminal.width - 12;
  std::string readable;
  for (size_t begin = 0; begin < text.size();) {
    const size_t space = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, space - begin);
    const std::string comma = !word.empty() && word.back() == ',' ? "," : "";
    if (word.rfind("_Z", 0) == 0) {
      word.resize(word.size() - comma.size());
      word = ShortenMiddle(context.terminal.Clean(ReadableKernelName(word)), kLongestName,
                           context.terminal.utf8) +
             comma;
    }
    // As in the tables.
    const bool after_number =
        begin > 1 && std::isdigit(static_cast<unsigned char>(text[begin - 2])) != 0;
    if (after_number && context.terminal.utf8 && word.rfind("us", 0) == 0 &&
        (word.size() == 2 || std::ispunct(static_cast<unsigned char>(word[2])) != 0)) {
      word.replace(0, 1, "µ");
    }
    word = ShortenMiddle(word, longest, context.terminal.utf8);
    readable += word + (space < text.size() ? " " : "");
    begin = space + 1;
  }
  return context.terminal.Clean(readable);
}

std::string CoverageLines(const ReportContext& context) {
  const model::Coverage& coverage = context.summary.coverage;
  std::string line;
  if (!coverage.times_known || coverage.gpu_time_ns == 0) {
    line += context.terminal.Paint(Tone::kWarning, "GPU times are missing");
    line += ": no shares; counts of library calls stand";
  } else {
    constexpr std::pair<int, const char*> kCategories[] = {
        {v1::TIME_CATEGORY_EXACT, "exact"},
        {v1::TIME_CATEGORY_MODELLED, "modelled"},
        {v1::TIME_CATEGORY_NO_PRODUCTS, "no products"},
        {v1::TIME_CATEGORY_UNKNOWN, "unknown"},
        {v1::TIME_CATEGORY_COMMUNICATION, "communication"},
        {v1::TIME_CATEGORY_COPY, "copy"}};
    std::string shares;
    for (const auto& [category, name] : kCategories) {
      const auto found = coverage.category_ns.find(category);
      const uint64_t ns = found == coverage.category_ns.end() ? 0 : found->second;
      const double share = static_cast<double>(ns) / static_cast<double>(coverage.gpu_time_ns);
      const std::string text = std::string(name) + " " + FormatShare(share);
      const bool loud = category == v1::TIME_CATEGORY_UNKNOWN && share >= 0.02;
      shares += (shares.empty() ? "" : ", ") +
                (loud ? context.terminal.Paint(Tone::kWarning, text) : text);
    }
    line += shares + (coverage.times_incomplete ? " of the GPU time that came" : " of GPU time");
  }
  line = context.terminal.Paint(Tone::kStrong, "coverage") + "  " +
         Wrap(line, context.terminal.width, sizeof("coverage  ") - 1) + "\n";
  size_t shown = 0;
  for (const std::string& reason : coverage.reasons) {
    if (++shown > kMostReasons) {
      line += "  - " + Plural(coverage.reasons.size() - kMostReasons, "more reason") +
              " in summary.json\n";
      break;
    }
    line += "  - " + Wrap(ReadableText(context, reason), context.terminal.width, 4) + "\n";
  }
  return line;
}

std::string BoundText(const std::string& bound_by) {
  if (bound_by == "idle") return ": mostly idle, cause not known";
  constexpr std::pair<const char*, const char*> kTexts[] = {
      {"gpu_work", "the work of the GPU"},
      {"exposed_communication", "communication"},
      {"launch_bound", "launches"},
      {"input_bound", "what the host does between steps"}};
  for (const auto& [name, text] : kTexts) {
    if (bound_by == name) return std::string(": bound by ") + text;
  }
  return "";
}

// Where the time of a step goes: what it is bound by.
std::string PartsLine(const ReportContext& context) {
  const std::optional<model::StepParts>& parts = context.summary.steps.parts;
  if (!parts.has_value()) return "";
  const auto share = [&](uint64_t ns) {
    return FormatShare(static_cast<double>(ns) / static_cast<double>(parts->wall_ns));
  };
  const uint64_t exposed_ns = parts->exposed_communication_ns.value_or(0);
  std::string text = "GPU works " + share(parts->busy_ns - exposed_ns);
  if (!parts->exposed_communication_ns.has_value()) {
    text = "GPU is busy " + share(parts->busy_ns);
  } else if (exposed_ns > 0) {
    text += ", exposed communication " + share(exposed_ns);
  }
  text += ", idle " + share(parts->wall_ns - parts->busy_ns) + " of the steps' time";
  text += BoundText(context.summary.steps.bound_by);
  return context.terminal.Paint(Tone::kStrong, "time") + "  " +
         Wrap(text, context.terminal.width, sizeof("time  ") - 1) + "\n";
}

// How long launches waited for the GPU, where that was asked for.
std::string LatencyLine(const ReportContext& context) {
  model::LaunchLatency all;
  bool asked = false;
  for (const model::RankSummary& rank : context.summary.ranks) {
    asked |= rank.launch_latency.has_value();
    all.Add(rank.launch_latency.value_or(model::LaunchLatency()));
  }
  if (!asked) return "";
  const auto time = [&](uint64_t ns) { return FormatSeconds(Seconds(ns), context.terminal.utf8); };
  std::string text = "not known: no launch has both a time of the host and one of the GPU";
  if (all.measured > 0) {
    text = "began " + time(static_cast<uint64_t>(all.sum_ns / all.measured)) +
           " after their call on average (" + time(all.min_ns) + " to " + time(all.max_ns) +
           "): the way to the GPU and the wait for what was queued there before; measured for " +
           std::to_string(all.measured) + " of " + Plural(all.launches, "launch", "launches") +
           ", each to within " + time(all.error_ns) + " by the readings of both clocks";
  }
  if (!context.summary.coverage.graphs.empty()) text += "; replays of CUDA graphs are not measured";
  if (all.clock_unsure > 0) {
    text += "; of " + Plural(all.clock_unsure, "launch", "launches") +
            " it is not known: the clocks were not read after them, or did not agree";
  }
  return context.terminal.Paint(Tone::kStrong, "launches") + "  " +
         Wrap(text, context.terminal.width, sizeof("launches  ") - 1) + "\n";
}

std::string FindingText(const ReportContext& context, const model::Finding& finding) {
  const Tone tone = finding.severity == "error"     ? Tone::kBad
                    : finding.severity == "warning" ? Tone::kWarning
                                                    : Tone::kPlain;
  const size_t width = context.terminal.width;
  std::string lines = context.terminal.Paint(tone, finding.severity == "note" ? "." : "!") + " " +
                      Wrap(ReadableText(context, finding.text), width, 2) + "\n";
  const auto add = [&](const char* what, const std::string& text) {
    if (text.empty()) return;
    lines += "  " + context.terminal.Paint(Tone::kDim, what) + "  " +
             Wrap(ReadableText(context, text), width, 8) + "\n";
  };
  add("why ", finding.evidence);
  add("next", finding.next);
  add("gain", finding.gain);
  return lines;
}

std::string FindingLines(const ReportContext& context) {
  const std::vector<model::Finding>& findings = context.summary.findings;
  std::string lines;
  for (size_t i = 0; i < findings.size() && i < kFindingsOfHead; ++i) {
    lines += FindingText(context, findings[i]);
  }
  if (findings.size() > kFindingsOfHead) {
    const bool below = context.style.views.empty() && !context.style.brief;
    lines += "  " + Plural(findings.size() - kFindingsOfHead, "more finding") +
             (below ? ": all are at the end\n" : ": --view findings, and in summary.json\n");
  }
  return lines;
}

// A peak of the user's, which is less than what a rank reached: then it is not the card's.
bool IsAboveGivenPeak(const model::Summary& summary) {
  const auto is_given = [](const model::DeviceSummary& device) {
    return device.peaks.has_value() && device.peaks->source.rfind("given by --peak", 0) == 0;
  };
  return std::any_of(summary.ranks.begin(), summary.ranks.end(), [&](const auto& rank) {
    return std::max(rank.utilisation.mfu.value_or(0), rank.utilisation.hfu.value_or(0)) > 1 &&
           std::any_of(rank.devices.begin(), rank.devices.end(), is_given);
  });
}

}  // namespace

std::string SpeedLine(const ReportContext& context) {
  const model::Summary& summary = context.summary;
  const model::StepsSummary& steps = summary.steps;
  std::vector<std::string> parts;
  const std::optional<double> median_s = Seconds(steps.median_ns);
  if (median_s.has_value()) {
    std::string step = "step " + context.terminal.Paint(
                                     Tone::kStrong, FormatSeconds(median_s, context.terminal.utf8));
    if (steps.p95_ns.has_value()) {
      step += " (p95 " + FormatSeconds(Seconds(steps.p95_ns), context.terminal.utf8) + ")";
    }
    parts.push_back(step);
  }
  const std::string mfu = RangeOfShares(summary.ranks, &model::Utilisation::mfu);
  const std::string hfu = RangeOfShares(summary.ranks, &model::Utilisation::hfu);
  // Flops by type and the cost of our hooks are kept of all steps together.
  const bool whole = context.style.steps_shown.empty();
  if (!mfu.empty() && whole) {
    // What the figure stands on: kernels whose flops are not known would only add to it.
    const std::optional<double> counted = summary.totals.utilisation.counted_share;
    const bool bound = counted.value_or(0) < 0.9995;
    const auto least = [&](const std::string& share) {
      // "<0.1%" is no bound from below.
      const bool prefix = bound && share[0] != '<';
      return (prefix ? (context.terminal.utf8 ? "≥" : ">=") : "") + share;
    };
    std::string text = "MFU " + context.terminal.Paint(Tone::kStrong, least(mfu));
    if (!hfu.empty() && hfu != mfu) text += " HFU " + least(hfu);
    if (IsAboveGivenPeak(summary)) text += ", above the peak given";
    if (bound) {
      text += " (counted: " + (counted.has_value() ? FormatShare(counted) : std::string("?")) +
              " of compute time)";
    }
    parts.push_back(text);
  }
  if (const std::optional<double> speed = context.sums.speed_of_a_rank; speed.has_value()) {
    const model::Work& work = summary.totals.work;
    const bool bound = AnyUnknown(work.flops) || work.unknown_gpu_time_ns > 0;
    parts.push_back((bound ? (context.terminal.utf8 ? "≥" : ">=") : "") + FormatSi(speed) +
                    "FLOPS per rank (mean, wall time)");
  }
  if (whole && context.sums.rank_steps > 0 && median_s.has_value()) {
    const double wall_s = *median_s * static_cast<double>(context.sums.rank_steps);
    const double share = TotalOverheadShare(summary, wall_s);
    const bool bound = std::any_of(summary.ranks.begin(), summary.ranks.end(),
                                   [](const auto& rank) { return rank.overhead.incomplete; });
    if (!bound || share > 0) {
      const std::string sign = !bound ? "" : context.terminal.utf8 ? "≥" : ">=";
      parts.push_back("our hooks " + sign + FormatShare(share) + " (estimate, without launches)");
    }
  }
  const std::string line = JoinParts(context, parts);
  return line.empty() ? "" : line + "\n";
}

std::string FindingsView(const ReportContext& context) {
  // No table, so nothing of it is CSV.
  if (context.style.output == Output::kCsv) return "";
  const std::string title =
      Title(context, "Findings", "what is wrong, then what is slow, then facts");
  if (context.summary.findings.empty()) return title + NoteLine(context, "none");
  std::string text;
  for (const model::Finding& finding : context.summary.findings) {
    text += FindingText(context, finding);
  }
  return title + (context.style.output == Output::kMarkdown ? MarkdownLines(text) : text);
}

std::string HeaderView(const ReportContext& context) {
  const model::Summary& summary = context.summary;
  std::string text = FirstLine(context) + "\n";
  if (!summary.job.command.empty()) {
    text +=
        context.terminal.Paint(
            Tone::kDim, "$ " + ShortenMiddle(context.terminal.Clean(summary.job.command),
                                             context.terminal.width - 2, context.terminal.utf8)) +
        "\n";
  }
  text += DeviceLines(context);
  if (summary.simulated) {
    text += context.terminal.Paint(Tone::kWarning, "! ") +
            Wrap("GPU is simulated: times are a model, calls and counts are real",
                 context.terminal.width, 2) +
            "\n";
  }
  if (summary.empty) {
    return text + context.terminal.Paint(Tone::kWarning, "! ") +
           Wrap(context.terminal.Clean(EmptyReason(summary)), context.terminal.width, 2) + "\n";
  }
  // Steps of programs that have nothing to do with each other have no common speed.
  if (summary.programs.empty()) text += SpeedLine(context) + PartsLine(context);
  text += LatencyLine(context);
  if (!context.style.steps_shown.empty()) {
    const std::string what = "only " + context.style.steps_shown +
                             ": their times, flops and timeline. Modules, kernels, communication, "
                             "coverage and findings are not kept by step";
    return text + context.terminal.Paint(Tone::kWarning, "! ") +
           Wrap(what, context.terminal.width, 2) + "\n";
  }
  text += RecordingLines(context) + CoverageLines(context);
  const std::string findings = FindingLines(context);
  return findings.empty() ? text : text + "\n" + findings;
}

}  // namespace flopsprof::viewer
