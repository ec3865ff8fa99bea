// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Gradients, optimizers and the focus on modules and ranges.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/viewer/report/view_text.h"
#include "viewer/report/focus.h"

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// 30,000 flops of data in 2 us, 12,000 of weights in 1 us.
model::Summary WithGradients() {
  model::Summary summary = SampleSummary();
  const auto set = [](model::Work* work) {
    work->gradients[static_cast<size_t>(model::Gradient::kData)] = {30000, 2000};
    work->gradients[static_cast<size_t>(model::Gradient::kWeight)] = {12000, 1000};
  };
  set(&summary.totals.work);
  set(&summary.modules[0].inclusive);
  return summary;
}

TEST(GradientsTest, TheSummaryHasTheirSums) {
  EXPECT_THAT(
      RenderReport(WithGradients(), SampleRun(), "run", {.views = {"summary"}}, {.width = 160}),
      HasSubstr("backward: data gradient 30.0 k flops in 2.00 µs, "
                "weight gradient 12.0 k flops in 1.00 µs, not told 0"));
  EXPECT_THAT(RenderReport(SampleSummary(), SampleRun(), "run", {.views = {"summary"}}, {}),
              Not(HasSubstr("data gradient")));
}

TEST(GradientsTest, TheirViewIsPrintedWhenItIsAskedFor) {
  const ReportStyle style = {.views = {"gradients"}, .exact = true};
  const std::string text = RenderReport(WithGradients(), SampleRun(), "run", style, {});
  EXPECT_THAT(LinesWith(text, "(model)"), ElementsAre(HasSubstr("30,000 | 2.00 µs | 12,000")));
  EXPECT_THAT(RenderReport(WithGradients(), SampleRun(), "run", {}, {}),
              Not(HasSubstr("Gradients")));
}

TEST(OptimizersTest, TheSummaryHasTheirStepsAndTime) {
  model::Summary summary = SampleSummary();
  summary.optimizers = {{"AdamW", 6, 3000, false, 0}, {"SGD #2", 1, std::nullopt, false, 500}};
  EXPECT_THAT(RenderReport(summary, SampleRun(), "run", {.views = {"summary"}}, {.width = 160}),
              HasSubstr("optimizers: AdamW 6 steps 3.00 µs; SGD #2 1 step ? 500 flops of its own, "
                        "not in MFU"));
}

// Module "fc" (2) of a model (1), with a range "inner" (3) in it.
model::RunProfile Placed() {
  model::RunProfile run;
  v1::ProcessProfile process;
  const auto scope = [&process](uint32_t id, uint32_t parent, const char* name,
                                v1::ScopeKind kind) {
    v1::Scope* out = process.add_scopes();
    out->set_id(id);
    out->set_parent(parent);
    out->set_name(name);
    out->set_kind(kind);
    out->set_object(0x10 + id);
  };
  scope(1, 0, "", v1::SCOPE_KIND_MODULE);
  scope(2, 1, "fc", v1::SCOPE_KIND_MODULE);
  scope(3, 2, "inner", v1::SCOPE_KIND_RANGE);
  (*process.mutable_strings())[1] = "gemm_kernel";
  (*process.mutable_strings())[2] = "cublasSgemm_v2";
  for (const uint32_t id : {1, 2, 3}) {
    v1::ScopeKernelRow* row = process.add_scope_kernels();
    row->set_scope(id);
    row->set_phase(v1::PHASE_FORWARD);
    row->set_name(1);
    row->set_api(id == 2 ? 2 : 0);
    row->set_in_step(true);
    row->set_first_step(id);
    row->set_last_step(5);
    row->set_count(id);
    row->set_gpu_time_ns(1000);
  }
  run.processes.push_back(process);
  return run;
}

std::string Focused(const std::string& focus) {
  const ReportStyle style = {.views = {"kernels"}, .focus = std::regex(focus)};
  Terminal terminal;
  terminal.width = 160;
  return RenderReport(SampleSummary(), Placed(), "run", style, terminal);
}

TEST(FocusTest, ShowsPlacePhaseStepsAndCall) {
  EXPECT_THAT(LinesWith(Focused("^fc$"), "gemm_kernel"),
              ElementsAre("gemm_kernel | fc | - | forward | cublasSgemm_v2 | 2-5 | 2 | 1.00 µs | "
                          "50.0%",
                          "gemm_kernel | fc | inner | forward | - | 3-5 | 3 | 1.00 µs | 50.0%"));
}

TEST(FocusTest, FindsRanges) { EXPECT_EQ(LinesWith(Focused("inn"), "gemm_kernel").size(), 1u); }

TEST(FocusTest, SaysWhetherAnythingIsInIt) {
  EXPECT_TRUE(AnyInFocus(Placed(), std::regex("fc")));
  EXPECT_FALSE(AnyInFocus(Placed(), std::regex("conv")));
}

}  // namespace
}  // namespace flopsprof::viewer
