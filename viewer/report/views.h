// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "viewer/report/report.h"
#include "viewer/report/table.h"

namespace flopsprof::viewer {

// The parts of the report. Each returns its lines, "" when there is nothing to show.

struct ReportContext {
  const model::Summary& summary;
  const model::ReportSums& sums;
  const model::RunProfile& run;  // for FocusView alone
  const std::string& folder;
  const ReportStyle& style;
  const Terminal& terminal;
};

std::string HeaderView(const ReportContext& context);
inline constexpr size_t kFindingsOfHead = 3;
// All findings; the head has the first ones.
std::string FindingsView(const ReportContext& context);
// Step time, MFU and speed; "" when nothing of it is known.
std::string SpeedLine(const ReportContext& context);
// Where the time of a step goes: by what the GPU did, by phase and by kind of kernel.
std::string TimeView(const ReportContext& context);
std::string SummaryView(const ReportContext& context);
// One step, a line for each rank.
std::string TimelineView(const ReportContext& context);
// Classes of modules with the most time, at each depth.
std::string DepthsView(const ReportContext& context);
// In place of ModulesView and RanksView where style.group_by says so.
std::string ClassesView(const ReportContext& context);
std::string NodesView(const ReportContext& context);
std::string StepsView(const ReportContext& context);
std::string ModulesView(const ReportContext& context);
std::string RangesView(const ReportContext& context);
// Data and weight gradients by module, with their sums; "" when nothing of the backward is counted.
std::string GradientsView(const ReportContext& context);
std::string GradientsLine(const ReportContext& context);
std::string RanksView(const ReportContext& context);
std::string KernelsView(const ReportContext& context);
// In place of KernelsView where style.focus is set.
std::string FocusView(const ReportContext& context);
std::string CommunicationView(const ReportContext& context);
// Parts of the modules' and the kernels' view: sampled stacks, "" without --stacks.
std::string OutsideStacks(const ReportContext& context);
std::string KernelStacks(const ReportContext& context);
std::string CallsView(const ReportContext& context);
std::string OverheadView(const ReportContext& context);
std::string LossesView(const ReportContext& context);
std::string MethodView(const ReportContext& context);
std::string FooterView(const ReportContext& context);

// `views` of each program, where the run is several; programs.h of the model says what one is.
std::string ProgramsView(const ReportContext& context,
                         const std::vector<std::string (*)(const ReportContext&)>& views);

// The same view of each program as one table of CSV, with a column that says of which one.
std::string CsvOfPrograms(const ReportContext& context, std::string (*view)(const ReportContext&));

// A title line, preceded by an empty one: "Modules  per step and rank".
std::string Title(const ReportContext& context, const std::string& title, const std::string& note);

// The table, and a line that names the columns for which the terminal is too narrow.
std::string RenderTable(const ReportContext& context, Table* table);

// Sorts the rows as the style wants; a line that says so where the table has no such column.
std::string SortRows(const ReportContext& context, Table* table);
// Was the view asked for by its name?
bool IsNamed(const ReportContext& context, const std::string& view);
// Does style.ignore match the name?
bool IsIgnored(const ReportContext& context, const std::string& name);
std::string IgnoredLine(const ReportContext& context, size_t ignored);

// The order of phases in tables.
inline constexpr int kPhaseOrder[] = {v1::PHASE_FORWARD,    v1::PHASE_BACKWARD, v1::PHASE_RECOMPUTE,
                                      v1::PHASE_CLIPPING,   v1::PHASE_SCALING,  v1::PHASE_OPTIMIZER,
                                      v1::PHASE_EVALUATION, v1::PHASE_GENERATE, v1::PHASE_OTHER};

// The width of a text that is not for a terminal.
inline constexpr size_t kNoWidth = 1'000'000;

// `text` indented by two and wrapped, with its newline.
std::string NoteLine(const ReportContext& context, const std::string& text,
                     Tone tone = Tone::kPlain);
// Parts of a line, "   " between them; what does not fit begins a new one.
std::string JoinParts(const ReportContext& context, const std::vector<std::string>& parts);

// "≥", or ">=" in ASCII.
const char* AtLeast(const ReportContext& context);
// A time of which some parts never came is a lower bound; "?" where nothing is known.
std::string TimeText(const ReportContext& context, std::optional<uint64_t> ns, bool incomplete);
bool AnyOf(const model::PhaseFlags& flags);

// Sums of what is known; absent when nothing is.
std::optional<model::FlopCount> KnownSum(const model::PhaseCounts& counts);
std::optional<uint64_t> KnownSum(const model::PhaseTimes& times);

// True when a part is not known, so that KnownSum is a lower bound.
bool AnyUnknown(const model::PhaseCounts& counts);

// A kernel's name as a person would write it: demangled, without return type, parameter list and
// the namespaces that all of PyTorch's kernels share. Not clean text yet.
std::string ReadableKernelName(const std::string& name);

inline std::optional<double> Seconds(std::optional<uint64_t> ns) {
  return ns.has_value() ? std::optional<double>(static_cast<double>(*ns) * 1e-9) : std::nullopt;
}
inline std::optional<double> AsDouble(std::optional<model::FlopCount> count) {
  return count.has_value() ? std::optional<double>(static_cast<double>(*count)) : std::nullopt;
}
inline std::optional<double> Ratio(std::optional<double> part, std::optional<double> whole) {
  if (!part.has_value() || !whole.has_value() || *whole <= 0) return std::nullopt;
  return *part / *whole;
}

// "3 ranks", "1 rank".
std::string Plural(uint64_t count, const std::string& one);
std::string Plural(uint64_t count, const std::string& one, const std::string& many);

}  // namespace flopsprof::viewer
