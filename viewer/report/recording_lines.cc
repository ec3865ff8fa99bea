// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/recording_lines.h"

#include <absl/time/time.h>
#include <fmt/format.h>

#include "viewer/report/numbers.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

std::string UtcClock(int64_t utc_ns) {
  return absl::FormatTime("%H:%M:%S", absl::FromUnixNanos(utc_ns), absl::UTCTimeZone());
}

std::string WindowText(const model::WindowSummary& window) {
  std::string text;
  if (window.first_step.has_value() && window.end_step.has_value()) {
    const uint32_t last = *window.end_step - 1;
    text = *window.first_step >= last
               ? "step " + std::to_string(last)
               : "steps " + std::to_string(*window.first_step) + "-" + std::to_string(last);
  } else if (window.first_step.has_value()) {
    text = "from step " + std::to_string(*window.first_step);
  } else if (window.end_step.has_value()) {
    text = "up to step " + std::to_string(*window.end_step - 1);
  } else if (!window.cut_step.has_value()) {
    text = "not by steps";
  } else if (*window.cut_step > 0) {
    text = "up to step " + std::to_string(*window.cut_step - 1);
  }
  if (window.cut_step.has_value()) {
    text +=
        std::string(text.empty() ? "" : "; ") + "cut in step " + std::to_string(*window.cut_step);
  }
  text += ", " + UtcClock(window.begin_utc_ns) + " to " +
          (window.end_utc_ns == 0 ? "the end" : UtcClock(window.end_utc_ns) + " UTC");
  return window.aligned ? text : text + ", not the same steps on all ranks";
}

std::string JudgedText(const model::BudgetSummary& budget) {
  const std::string pid = "pid " + std::to_string(budget.pid);
  if (budget.processes <= 1) return pid;
  const std::string who =
      budget.rank.has_value() ? "rank " + std::to_string(*budget.rank) + " (" + pid + ")" : pid;
  return who + ", the process where it is most,";
}

// What --max-overhead allowed, what was taken, and how.
std::string BudgetLine(const ReportContext& context, const model::BudgetSummary& budget) {
  const bool utf8 = context.terminal.utf8;
  const auto exact = [](double share) { return fmt::format("{:.3g}%", 100 * share); };
  std::string text = exact(budget.budget) + " of each process's time; taken";
  if (budget.estimate.has_value()) {
    text += " " + exact(*budget.estimate) + " of the " +
            FormatSeconds(Seconds(budget.wall_ns), utf8) + " of " + JudgedText(budget) +
            " by our estimate";
    if (budget.IsKept() && *budget.estimate > budget.budget) {
      text += ", within the 20% that the estimate may be off";
    }
  } else {
    text += ": not known";
  }
  const auto level = [&](uint64_t ns, const char* name) {
    if (ns > 0) text += std::string(", ") + name + " " + FormatSeconds(Seconds(ns), utf8);
  };
  level(budget.full_ns, "full for");
  level(budget.sampled_ns, "one window in several for");
  level(budget.paused_ns, "paused for");
  text += budget.switches == 0 ? "" : ", " + Plural(budget.switches, "switch", "switches");
  return context.terminal.Paint(Tone::kStrong, "budget") + "  " +
         Wrap(text, context.terminal.width, sizeof("budget  ") - 1) + "\n";
}

// How much of the run its windows are.
std::string RecordedText(const model::RecordingSummary& recording) {
  std::string text = Plural(recording.windows.size(), "window");
  if (recording.share.has_value()) {
    text += ", " + FormatShare(recording.share) + " of the run's time, its start included";
  }
  if (recording.whole_processes > 0) {
    text += "; all of " + Plural(recording.whole_processes, "process", "processes") +
            " without windows";
  }
  return text;
}

}  // namespace

std::string RecordingLines(const ReportContext& context) {
  constexpr size_t kMostLines = 5;
  const model::RecordingSummary& recording = context.summary.recording;
  std::string lines;
  if (recording.budget.has_value()) lines += BudgetLine(context, *recording.budget);
  if (!recording.windows.empty()) {
    const std::string what = RecordedText(recording) + "; the rest of the run is in no number here";
    lines += context.terminal.Paint(Tone::kStrong, "recorded") + "  " +
             Wrap(what, context.terminal.width, sizeof("recorded  ") - 1) + "\n";
  }
  for (size_t i = 0; i < recording.windows.size(); ++i) {
    if (i == kMostLines) {
      lines += "  - " + Plural(recording.windows.size() - i, "more window") + " in summary.json\n";
      break;
    }
    lines += "  - " + Wrap(WindowText(recording.windows[i]), context.terminal.width, 4) + "\n";
  }
  for (size_t i = 0; i < recording.marks.size(); ++i) {
    if (i == kMostLines) {
      lines += "mark  " + Plural(recording.marks.size() - i, "more mark") + " in summary.json\n";
      break;
    }
    const model::InstantSummary& mark = recording.marks[i];
    const std::string name = ShortenMiddle(context.terminal.Clean(mark.name),
                                           context.terminal.width - 40, context.terminal.utf8);
    const std::string text = name + "  " + UtcClock(mark.utc_ns) + " UTC" +
                             (mark.step.has_value() ? ", step " + std::to_string(*mark.step) : "");
    lines += context.terminal.Paint(Tone::kStrong, "mark") + "  " +
             Wrap(text, context.terminal.width, sizeof("mark  ") - 1) + "\n";
  }
  return lines;
}

}  // namespace flopsprof::viewer
