// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A job of very many steps: the agent keeps what is new, and its sums are exact.

#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// As in sanitizer/allocator_interface.h, which not every GCC package has.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

#include "tests/support/sanitizers.h"
#include "tests/unit/collector/agent/processes/process_recorder_fixture.h"

namespace flopsprof::agent {
namespace {

// Memory in use. Sanitizers keep freed memory back for a while: there, what is allocated and not
// freed.
size_t UsedBytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  long pages = 0, resident = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  const bool read = file != nullptr && std::fscanf(file, "%ld %ld", &pages, &resident) == 2;
  if (file != nullptr) std::fclose(file);
  return read ? static_cast<size_t>(resident) * 4096 : 0;
#endif
}

// What was sent, without keeping it.
struct Totals {
  uint64_t calls = 0, kernels = 0, busy_ns = 0, not_communication_ns = 0;
  uint64_t step_activities = 0, step_busy_ns = 0, optimizer_steps = 0, marks = 0, entered = 0;
  model::FlopCount flops = 0, step_flops = 0;

  void Add(const v1::ProcessProfile& part) {
    for (const auto& row : part.calls()) {
      calls += row.calls();
      flops += model::ToFlopCount(row.flops());
    }
    for (const auto& row : part.kernels()) kernels += row.count();
    for (const auto& row : part.device_times()) {
      busy_ns += row.busy_ns();
      not_communication_ns += row.not_communication_ns();
    }
    for (const auto& row : part.steps()) {
      step_activities += row.activities();
      step_busy_ns += row.gpu_busy_ns();
      for (const auto& count : row.flops()) step_flops += model::ToFlopCount(count);
    }
    for (const auto& row : part.step_labels()) optimizer_steps += row.optimizer_steps();
    for (const auto& row : part.marks()) marks += row.count();
    for (const auto& row : part.scope_calls()) entered += row.calls();
  }
};

class LongJobTest : public ProcessRecorderTest {
 protected:
  void RunStep(uint32_t step) {
    const uint64_t begin_ns = 1'000'000 + 1000 * uint64_t{step};
    main_->Write(testing::Step(step, shm::StepEvent::kBegin, begin_ns));
    shm::ScopeEnter entry = {};
    entry.header = testing::Header(shm::RecordType::kScopeEnter, shm::Phase::kForward, step);
    entry.scope = 5;
    main_->Write(entry);
    shm::MarkRecord mark = {};
    mark.header = testing::Header(shm::RecordType::kMark, shm::Phase::kForward, step);
    mark.name = 2;
    main_->Write(mark);
    main_->Write(Launch(step + 1, 5, step + 1, shm::Phase::kForward, step));
    main_->Write(Gemm(step + 1, 5, 120, 8, 400, shm::Phase::kForward, step));
    cupti_->Write(Kernel(step + 1, 1, begin_ns, begin_ns + 100));
    main_->Write(testing::Step(step, shm::StepEvent::kOptimizerEnd, begin_ns + 900));
    // Work after the last optimizer, which is of the step: another follows.
    const uint32_t tail = shm::StepAt(shm::StepPlace::kTail, step);
    main_->Write(Gemm(step + 1, 5, 120, 8, 400, shm::Phase::kForward, tail));
  }
  void SendTo(Totals* totals) {
    now_ns_ += 1'000'000;
    while (recorder_->Drain(now_ns_)) {
    }
    v1::ProcessProfile part;
    while (recorder_->Emit(500, &part)) {
      totals->Add(part);
      part.Clear();
    }
  }
};

// 10^5 steps; FLOPSPROF_LONG_JOB_STEPS is another number.
TEST_F(LongJobTest, MemoryStaysAndSumsAreExact) {
  const char* asked = getenv("FLOPSPROF_LONG_JOB_STEPS");
  const auto steps =
      static_cast<uint32_t>(asked == nullptr ? (test::kSanitized ? 45'000 : 100'000) : atoi(asked));
  constexpr uint32_t kWarm = 20'000;
  // The gaps of 4 s stay: with one a microsecond they are as many as are ever kept, 2^19 of 16
  // bytes.
  constexpr uint32_t kMostGaps = 1 << 19;
  const size_t gap_bytes = steps > 100'000 ? size_t{16} * kMostGaps : 0;
  ASSERT_GT(steps, 2 * kWarm) << "too short to show that memory stays";
  main_->WriteString(1, "gemm_kernel");
  main_->WriteString(2, "checkpoint");
  Totals totals;
  size_t warm_bytes = 0;
  size_t settled_bytes = 0;
  for (uint32_t step = 0; step < steps; ++step) {
    RunStep(step);
    if (step % 256 == 255) SendTo(&totals);
    if (step == kWarm) warm_bytes = UsedBytes();
    if (step == 2 * kMostGaps) settled_bytes = UsedBytes();
  }
  SendTo(&totals);
  EXPECT_LT(UsedBytes(), warm_bytes + (2 << 20) + gap_bytes);
  if (settled_bytes > 0) {
    EXPECT_LT(UsedBytes(), settled_bytes + (2 << 20));
  }
  // Of each open step a row and one of its tail; labels; and what came since they were sent.
  EXPECT_LT(recorder_->aggregator().steps().kept_count(),
            2 * (StepRows::kMaxOpenSteps + 512) + StepRows::kKeptLabels + 512);
  EXPECT_EQ(recorder_->aggregator().steps().count(), steps);
  recorder_->Finish(ProcessEnd(), now_ns_);  // the tail of the last step
  SendTo(&totals);
  constexpr uint64_t kProduct = 2 * 120 * 8 * 400;
  const uint64_t count = steps;
  EXPECT_EQ(totals.calls, 2 * count);
  EXPECT_EQ(totals.flops, model::FlopCount{2 * count * kProduct});
  EXPECT_EQ(totals.step_flops, model::FlopCount{2 * count * kProduct});
  EXPECT_EQ(totals.kernels, count);
  EXPECT_EQ(totals.step_activities, count);
  EXPECT_EQ(totals.busy_ns, 100 * count);
  EXPECT_EQ(totals.not_communication_ns, 100 * count);
  EXPECT_EQ(totals.step_busy_ns, 100 * count);
  EXPECT_EQ(totals.optimizer_steps, count);
  EXPECT_EQ(totals.marks, count);
  EXPECT_EQ(totals.entered, count);
  EXPECT_EQ(recorder_->loss_count(), 0u);
}

}  // namespace
}  // namespace flopsprof::agent
