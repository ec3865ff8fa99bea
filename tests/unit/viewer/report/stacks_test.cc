// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/viewer/report/sample_run.h"
#include "tests/unit/viewer/report/view_text.h"

namespace flopsprof::viewer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

model::StackFrameSummary Python(const std::string& function, const std::string& where) {
  return {"python", function, where};
}

model::StackFrameSummary Native(const std::string& function) {
  return {"native", function, "libmodel.so"};
}

// Outermost frame first: main() in C, step() in Python, five native ones.
model::StackSummary SampleStack(const std::string& path, const std::string& category) {
  return {path,
          "_ZN2at6native4axpyEv",
          "kernel",
          category,
          "forward",
          {{"cut", "", ""},
           Native("main"),
           Python("step", "/srv/train.py:12"),
           Native("_ZN5model8MultiplyEv"),
           Native("third"),
           Native("second"),
           Native(""),
           Native("launch")},
          3,
          40,
          6000};
}

model::Summary With(const std::vector<model::StackSummary>& stacks) {
  model::Summary summary = SampleSummary();
  summary.stacks = stacks;
  return summary;
}

TEST(StacksViewTest, OutsideOfModulesInnermostFrameFirst) {
  const model::Summary summary = With({SampleStack("(outside)", "no_products")});
  // Below Python three native frames, the innermost; main() and model::Multiply() are the others.
  EXPECT_THAT(RenderView(summary, {.views = {"modules"}}),
              HasSubstr("  (outside) was launched from, innermost frame first:\n"
                        "    axpy  3 samples of 40 launches, 6.00 µs GPU time\n"
                        "      launch  libmodel.so\n"
                        "      libmodel.so\n"
                        "      second  libmodel.so\n"
                        "      ... 2 native frames\n"
                        "      train.py:12 step\n"
                        "      ... 1 native frame\n"
                        "      ... (frames further out are not known)\n"));
  EXPECT_THAT(RenderView(summary, {.views = {"kernels"}}), Not(HasSubstr("launched from")));
}

TEST(StacksViewTest, KernelsOfUnknownWorkInModules) {
  const std::vector<model::StackSummary> stacks = {SampleStack("layers.0", "unknown"),
                                                   SampleStack("layers.1", "no_products"),
                                                   SampleStack("(outside)", "unknown")};
  const std::string text = RenderView(With(stacks), {.views = {"kernels"}});
  EXPECT_THAT(text, HasSubstr("kernels of unknown work were launched from, innermost"));
  EXPECT_EQ(LinesWith(text, "3 samples of 40 launches").size(), 1u);
  EXPECT_THAT(RenderView(With({stacks[1]}), {.views = {"kernels"}}),
              Not(HasSubstr("launched from")));
}

TEST(StacksViewTest, FiveStacksAndEightFramesEach) {
  model::StackSummary stack = SampleStack("(outside)", "unknown");
  stack.frames.clear();
  for (int i = 0; i < 10; ++i) stack.frames.push_back(Native("f" + std::to_string(i)));
  stack.gpu_time_ns = 0;
  const std::string text = RenderView(With({7, stack}), {.views = {"modules"}});
  EXPECT_THAT(text, HasSubstr("(outside) was launched from (5 of 7), innermost frame first:\n"));
  EXPECT_EQ(LinesWith(text, "3 samples of 40 launches, no GPU time").size(), 5u);
  EXPECT_EQ(LinesWith(text, "f2  libmodel.so").size(), 5u);
  EXPECT_EQ(LinesWith(text, "f1  libmodel.so").size(), 0u);
}

TEST(StacksViewTest, FramesCannotSteerTheTerminal) {
  model::StackSummary stack = SampleStack("(outside)", "unknown");
  stack.frames = {Python("f\x1b[2J", "a\x1b[1m.py:1"), {"native", "g\x1b[3J", "lib\x07.so"}};
  EXPECT_EQ(RenderView(With({stack}), {}).find_first_of("\x1b\x07"), std::string::npos);
}

}  // namespace
}  // namespace flopsprof::viewer
