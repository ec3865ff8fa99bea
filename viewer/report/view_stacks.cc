// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Where launches came from: sampled stacks, where --stacks asked for them.

#include <algorithm>

#include "collector/model/module_paths.h"
#include "viewer/report/markdown.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kStacksShown = 5;
constexpr size_t kFramesShown = 8;
constexpr size_t kNativeBelowPython = 3;
constexpr size_t kLeastName = 12;  // columns

// "train.py:12 step", "Multiply  libmodel.so".
std::string FrameText(const ReportContext& context, const model::StackFrameSummary& frame) {
  if (frame.kind == "cut") return "... (frames further out are not known)";
  if (frame.kind == "python") {
    const std::string file = frame.where.substr(frame.where.rfind('/') + 1);
    return context.terminal.Clean(file) + " " + context.terminal.Clean(frame.function);
  }
  if (frame.function.empty()) return context.terminal.Clean(frame.where);
  return context.terminal.Clean(ReadableKernelName(frame.function)) + "  " +
         context.terminal.Clean(frame.where);
}

// What is left of a line that has `used` columns already.
std::string Fit(const ReportContext& context, const std::string& text, size_t used) {
  const auto width = static_cast<size_t>(context.terminal.width);
  return ShortenMiddle(text, width > used + kLeastName ? width - used : kLeastName,
                       context.terminal.utf8);
}

// The kernel, and `facts` behind it or, where there is no room for both, below it.
std::string KernelLine(const ReportContext& context, const std::string& kernel,
                       const std::string& facts) {
  const std::string name = context.terminal.Clean(ReadableKernelName(kernel));
  const size_t beside = 6 + DisplayWidth(facts);
  const bool fits = context.terminal.width >= beside + std::min(DisplayWidth(name), kLeastName);
  const std::string between = fits ? "  " : "\n      ";
  const std::string text = fits ? facts : Wrap(facts, context.terminal.width, 6);
  return "    " + Fit(context, name, fits ? beside : 4) + between +
         context.terminal.Paint(Tone::kDim, text) + "\n";
}

// The innermost frames below the line of a stack, innermost first. Where Python called, what it
// called says less than who called it.
std::string FrameLines(const ReportContext& context, const model::StackSummary& stack) {
  std::string text;
  size_t left_out = 0;
  size_t native = 0;
  size_t shown = 0;
  const auto skip = [&](const char* noun) {
    if (left_out > 0) text += "      ... " + Plural(left_out, noun) + "\n";
    left_out = 0;
  };
  const bool python = std::any_of(stack.frames.begin(), stack.frames.end(),
                                  [](const auto& frame) { return frame.kind == "python"; });
  const size_t native_shown = python ? kNativeBelowPython : kFramesShown;
  for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame) {
    const bool too_many = frame->kind == "native" && ++native > native_shown;
    if (too_many || shown == kFramesShown) {
      ++left_out;
      continue;
    }
    skip("native frame");
    ++shown;
    text += "      " + Fit(context, FrameText(context, *frame), 6) + "\n";
  }
  skip("more frame");
  return text;
}

template <class Wanted>
std::string StackList(const ReportContext& context, const std::string& title, Wanted wanted) {
  std::string text;
  size_t shown = 0;
  size_t all = 0;
  for (const model::StackSummary& stack : context.summary.stacks) {
    if (!wanted(stack)) continue;
    ++all;
    if (shown == kStacksShown) continue;
    ++shown;
    const std::string time =
        stack.gpu_time_ns == 0
            ? "no GPU time"
            : FormatSeconds(Seconds(stack.gpu_time_ns), context.terminal.utf8) + " GPU time";
    const std::string facts = Plural(stack.samples, "sample") + " of " +
                              Plural(stack.launches, "launch", "launches") + ", " + time;
    text += KernelLine(context, stack.kernel, facts) + FrameLines(context, stack);
  }
  if (all == 0 || context.style.output == Output::kCsv) return "";
  if (context.style.output == Output::kMarkdown) text = "\n" + MarkdownLines(text);
  const std::string note =
      shown < all ? " (" + std::to_string(shown) + " of " + std::to_string(all) + ")" : "";
  return NoteLine(context, title + note + ", innermost frame first:") + text;
}

}  // namespace

std::string OutsideStacks(const ReportContext& context) {
  return StackList(context, "(outside) was launched from",
                   [](const auto& stack) { return stack.path == model::kOutsidePath; });
}

std::string KernelStacks(const ReportContext& context) {
  return StackList(context, "kernels of unknown work were launched from", [](const auto& stack) {
    return stack.category == "unknown" && stack.path != model::kOutsidePath;
  });
}

}  // namespace flopsprof::viewer
