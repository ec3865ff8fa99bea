// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Numbers and categories of ranges, and marks; nothing where a program has none.

#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "viewer/report/numbers.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

// "layers.0: attention", "domain: name".
std::string Where(const ReportContext& context, const std::string& module,
                  const std::string& range) {
  // Without modules the ranges are the tree.
  if (range.empty() || module == range) return context.terminal.Clean(module);
  const bool outside = module.empty() || module == model::kOutsidePath;
  return context.terminal.Clean(outside ? range : module + ": " + range);
}

std::string Category(const ReportContext& context, uint32_t category, const std::string& name) {
  if (category == 0) return "-";
  return name.empty() ? std::to_string(category) : context.terminal.Clean(name);
}

// Integers of up to 15 digits as they are, else six digits.
std::string Number(const std::string& text) {
  double value;
  if (text.empty() || !absl::SimpleAtod(text, &value)) return "-";
  if (text.size() <= 15 && text.find_first_of(".enin") == std::string::npos) return text;
  return absl::StrFormat("%.6g", value);
}

std::string Mean(const std::string& sum, uint64_t count) {
  double value;
  if (sum.empty() || count == 0 || !absl::SimpleAtod(sum, &value)) return "-";
  return absl::StrFormat("%.6g", value / static_cast<double>(count));
}

std::string LeftOut(const ReportContext& context, size_t shown, uint64_t all, const char* table) {
  if (shown >= all) return "";
  return NoteLine(context,
                  std::to_string(shown) + " of " + std::to_string(all) + "; all: table " + table +
                      " of profile.db",
                  Tone::kDim);
}

std::string RangeTable(const ReportContext& context) {
  const auto& ranges = context.summary.ranges;
  Table table({{.header = "range",
                .right = false,
                .flexible = true,
                .min_width = 16,
                .key = SortKey::kName},
               {.header = "domain", .right = false, .drop_order = 2},
               {.header = "category", .right = false, .flexible = true, .min_width = 8},
               {.header = "entries", .key = SortKey::kCalls},
               {.header = "sum"},
               {.header = "mean", .drop_order = 3},
               {.header = "least", .drop_order = 4},
               {.header = "greatest", .drop_order = 5},
               {.header = "last", .drop_order = 1}});
  const size_t shown = std::min(ranges.size(), static_cast<size_t>(context.style.top));
  for (size_t i = 0; i < shown; ++i) {
    const model::RangeSummary& range = ranges[i];
    table.AddRow({{Where(context, range.module, range.range)},
                  {context.terminal.Clean(range.domain.empty() ? "-" : range.domain)},
                  {Category(context, range.category, range.category_name)},
                  {std::to_string(range.entries), Tone::kPlain, std::to_string(range.entries)},
                  {Number(range.numbers.sum)},
                  {Mean(range.numbers.sum, range.entries)},
                  {Number(range.numbers.min)},
                  {Number(range.numbers.max)},
                  {Number(range.numbers.last)}});
  }
  return Title(context, "Ranges", "with a number or a category, sums over all steps and ranks") +
         RenderTable(context, &table) +
         LeftOut(context, shown, ranges.size() + context.summary.ranges_left_out, "range_rows");
}

std::string MarkTable(const ReportContext& context) {
  const auto& marks = context.summary.marks;
  if (marks.empty()) return "";
  Table table({{.header = "mark", .right = false, .flexible = true, .min_width = 12},
               {.header = "domain", .right = false, .drop_order = 2},
               {.header = "category", .right = false, .drop_order = 1},
               {.header = "in", .right = false, .flexible = true, .min_width = 8},
               {.header = "count"},
               {.header = "steps"},
               {.header = "sum", .drop_order = 3}});
  const size_t shown = std::min(marks.size(), static_cast<size_t>(context.style.top));
  for (size_t i = 0; i < shown; ++i) {
    const model::MarkSummary& mark = marks[i];
    std::string steps = "-";
    if (mark.first_step.has_value()) {
      steps = std::to_string(*mark.first_step);
      if (*mark.last_step != *mark.first_step) steps += "-" + std::to_string(*mark.last_step);
    }
    table.AddRow({{context.terminal.Clean(mark.name)},
                  {context.terminal.Clean(mark.domain.empty() ? "-" : mark.domain)},
                  {Category(context, mark.category, mark.category_name)},
                  {Where(context, mark.module, mark.range)},
                  {std::to_string(mark.count)},
                  {steps},
                  {Number(mark.numbers.sum)}});
  }
  return Title(context, "Marks", "of all ranks") + RenderTable(context, &table) +
         LeftOut(context, shown, marks.size() + context.summary.marks_left_out, "marks");
}

}  // namespace

std::string RangesView(const ReportContext& context) {
  const bool ranges = !context.summary.ranges.empty();
  const bool marks = !context.summary.marks.empty();
  // A table of CSV is one: without ranges that of the marks.
  if (context.style.output == Output::kCsv) {
    if (!ranges && marks) return MarkTable(context);
    return ranges || IsNamed(context, "ranges") ? RangeTable(context) : "";
  }
  if (!ranges && !marks && IsNamed(context, "ranges")) {
    return Title(context, "Ranges", "") + NoteLine(context, "none recorded");
  }
  return (ranges ? RangeTable(context) : "") + MarkTable(context);
}

}  // namespace flopsprof::viewer
