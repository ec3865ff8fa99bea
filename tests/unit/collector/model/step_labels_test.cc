// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/step_labels.h"

#include <gtest/gtest.h>

#include <ctime>

#include "collector/model/flops/flop_count.h"
#include "proto/shm/records.h"

namespace flopsprof::model {
namespace {

using shm::StepAt;
using shm::StepPlace;

// Flops of a row are its last argument, in phase forward.
void AddRow(v1::ProcessProfile* process, uint32_t step, uint64_t begin_ns, uint64_t end_ns,
            uint64_t flops) {
  v1::StepRow* row = process->add_steps();
  row->set_step(step);
  row->set_begin_mono_ns(begin_ns);
  row->set_end_mono_ns(end_ns);
  row->set_complete(end_ns != 0);
  row->add_flops();
  ToProto(flops, row->add_flops());
}

v1::StepLabelRow* AddLabel(v1::ProcessProfile* process, uint32_t step, uint32_t number,
                           uint32_t optimizer_steps) {
  v1::StepLabelRow* label = process->add_step_labels();
  label->set_step(step);
  label->set_number(number);
  label->set_optimizer_steps(optimizer_steps);
  return label;
}

uint64_t Forward(const v1::StepRow& row) {
  return static_cast<uint64_t>(ToFlopCount(row.flops(1)));
}

v1::ProcessProfile Ended() {
  v1::ProcessProfile process;
  process.mutable_info()->set_state(v1::PROCESS_STATE_EXITED);
  process.mutable_info()->set_exit_code_known(true);
  return process;
}

TEST(StepLabelsTest, LeavesStepsWithoutLabelsAsTheyAre) {
  v1::ProcessProfile process = Ended();
  AddRow(&process, 0, 10, 20, 5);
  AddRow(&process, 1, 20, 30, 6);
  JoinSteps(&process);
  ASSERT_EQ(process.steps_size(), 2);
  EXPECT_EQ(process.steps(1).step(), 1u);
  EXPECT_EQ(Forward(process.steps(1)), 6u);
}

TEST(StepLabelsTest, JoinsLabelsOfOneNumber) {
  v1::ProcessProfile process = Ended();
  AddRow(&process, 0, 10, 20, 5);
  AddRow(&process, 1, 20, 30, 6);
  AddRow(&process, 2, 30, 40, 7);
  AddLabel(&process, 0, 0, 1);
  AddLabel(&process, 1, 0, 1);
  AddLabel(&process, 2, 1, 1);
  JoinSteps(&process);
  ASSERT_EQ(process.steps_size(), 2);
  EXPECT_EQ(Forward(process.steps(0)), 11u);
  EXPECT_EQ(process.steps(0).begin_mono_ns(), 10u);
  EXPECT_EQ(process.steps(0).end_mono_ns(), 30u);
  EXPECT_EQ(process.steps(1).step(), 1u);
  EXPECT_EQ(process.step_labels(0).optimizer_steps(), 2u);
}

TEST(StepLabelsTest, MarksAndKernelsHaveNumbersOfSteps) {
  v1::ProcessProfile process = Ended();
  for (uint32_t label = 0; label < 6; ++label) AddRow(&process, label, 10 + label, 11 + label, 1);
  const uint32_t numbers[] = {shm::kNoStep, shm::kNoStep, 0, 0, 1};
  for (uint32_t label = 0; label < 5; ++label) AddLabel(&process, label, numbers[label], 1);
  for (uint32_t first = 0; first < 5; ++first) {
    v1::MarkRow* mark = process.add_marks();
    mark->set_in_steps(1);
    mark->set_first_step(first);
    mark->set_last_step(first + 1);
  }
  v1::ScopeKernelRow* kernel = process.add_scope_kernels();
  kernel->set_in_step(true);
  kernel->set_first_step(3);
  kernel->set_last_step(4);
  JoinSteps(&process);
  EXPECT_EQ(process.marks(0).in_steps(), 0u);  // both labels are of no step
  EXPECT_EQ(process.marks(1).first_step(), 0u);
  EXPECT_EQ(process.marks(1).last_step(), 0u);
  EXPECT_EQ(process.marks(3).first_step(), 0u);
  EXPECT_EQ(process.marks(3).last_step(), 1u);
  EXPECT_EQ(process.marks(4).last_step(), 5u);  // its label has no other number
  EXPECT_EQ(process.scope_kernels(0).first_step(), 0u);
  EXPECT_EQ(process.scope_kernels(0).last_step(), 1u);
}

v1::ScopeKernelRow* AddKernel(v1::ProcessProfile* process, uint32_t first, uint32_t last) {
  v1::ScopeKernelRow* kernel = process->add_scope_kernels();
  kernel->set_in_step(true);
  kernel->set_first_step(first);
  kernel->set_last_step(last);
  return kernel;
}

TEST(StepLabelsTest, KernelsOfAnotherThreadHaveTheNumbersOfItsLoop) {
  const uint32_t second = 1u << shm::kStepLoopShift;
  v1::ProcessProfile process = Ended();
  for (uint32_t label = 0; label < 4; ++label) {
    AddRow(&process, label, 10 + label, 11 + label, 1);
    AddLabel(&process, label, shm::kNoStep, 0);  // of the first loop: all of no step
    AddRow(&process, second | label, 10 + label, 11 + label, 1);
  }
  AddLabel(&process, 4, 0, 1);
  AddLabel(&process, second | 3, 7, 1);
  AddKernel(&process, second | 0, second | 2);  // labels that have no other number
  AddKernel(&process, second | 1, second | 3);
  AddKernel(&process, 2, second | 2);  // began under labels of no step: step 0
  AddKernel(&process, second | 2, 3);
  JoinSteps(&process);
  const auto& kernels = process.scope_kernels();
  const uint32_t expected[][2] = {{0, 2}, {1, 7}, {0, 2}, {2, 2}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(kernels[i].in_step()) << i;
    EXPECT_EQ(kernels[i].first_step(), expected[i][0]) << i;
    EXPECT_EQ(kernels[i].last_step(), expected[i][1]) << i;
  }
}

// CPU time of joining 20,000 labels, of which `dropped` are of no step, with 20,000 kernels.
std::clock_t TimeToJoin(uint32_t dropped) {
  constexpr uint32_t kLabels = 20'000;
  v1::ProcessProfile process = Ended();
  AddRow(&process, 0, 10, 20, 1);
  for (uint32_t label = 0; label <= kLabels; ++label) {
    AddLabel(&process, label, label < dropped ? shm::kNoStep : label - dropped, 1);
  }
  for (uint32_t i = 0; i < kLabels; ++i) AddKernel(&process, i % 100, kLabels);
  const std::clock_t begin = std::clock();
  JoinSteps(&process);
  return std::clock() - begin;
}

TEST(StepLabelsTest, ManyLabelsOfNoStepCostKernelsNoMore) {
  const std::clock_t without = TimeToJoin(0);
  // Walking over them for each kernel: 4 * 10^8 steps, some hundred times as long.
  EXPECT_LT(TimeToJoin(20'000), 5 * without + CLOCKS_PER_SEC / 10);
}

TEST(StepLabelsTest, DropsWhatWasNoStep) {
  v1::ProcessProfile process = Ended();
  AddRow(&process, 0, 10, 20, 5);
  AddRow(&process, 1, 20, 30, 6);
  AddLabel(&process, 0, shm::kNoStep, 0);
  AddLabel(&process, 1, 0, 1);
  JoinSteps(&process);
  ASSERT_EQ(process.steps_size(), 1);
  EXPECT_EQ(process.steps(0).step(), 0u);
  EXPECT_EQ(Forward(process.steps(0)), 6u);
}

TEST(StepLabelsTest, ForwardsAfterTheLastOptimizerAreInNoStep) {
  v1::ProcessProfile process = Ended();
  AddRow(&process, 0, 10, 20, 5);
  AddRow(&process, 1, 20, 0, 6);
  AddLabel(&process, 0, 0, 1);
  JoinSteps(&process);
  EXPECT_EQ(process.steps_size(), 1);
}

TEST(StepLabelsTest, AStepThatAKillCutStaysIncomplete) {
  v1::ProcessProfile process = Ended();
  process.mutable_info()->set_state(v1::PROCESS_STATE_SIGNALLED);
  AddRow(&process, 0, 10, 20, 5);
  AddRow(&process, 1, 20, 0, 6);
  AddLabel(&process, 0, 0, 1);
  JoinSteps(&process);
  ASSERT_EQ(process.steps_size(), 2);
  EXPECT_FALSE(process.steps(1).complete());
}

TEST(StepLabelsTest, EvaluationBetweenStepsIsBesideThem) {
  v1::ProcessProfile process = Ended();
  AddRow(&process, 0, 10, 40, 5);
  AddRow(&process, StepAt(StepPlace::kBeside, 0), 0, 0, 3);
  AddRow(&process, 1, 40, 50, 5);
  AddRow(&process, StepAt(StepPlace::kBeside, 1), 0, 0, 3);
  AddLabel(&process, 0, 0, 1)->set_beside_mono_ns(30);
  AddLabel(&process, 1, 1, 1);
  JoinSteps(&process);
  ASSERT_EQ(process.steps_size(), 2);
  EXPECT_EQ(process.steps(0).end_mono_ns(), 30u);
  ASSERT_EQ(process.beside_steps_size(), 1);
  EXPECT_EQ(process.beside_steps(0).step(), 0u);
  EXPECT_EQ(Forward(process.beside_steps(0)), 3u);
  EXPECT_EQ(process.beside_steps(0).end_mono_ns(), 40u);
}

TEST(StepLabelsTest, AForwardOfAnotherModelBeforeEachStepIsOfTheStep) {
  v1::ProcessProfile process = Ended();
  AddRow(&process, StepAt(StepPlace::kBeside, shm::kStepKeyMask), 0, 0, 3);
  AddRow(&process, 0, 10, 40, 5);
  AddRow(&process, StepAt(StepPlace::kBeside, 0), 0, 0, 3);
  AddRow(&process, 1, 40, 50, 5);
  AddLabel(&process, 0, 0, 1)->set_helped(true);
  AddLabel(&process, 1, 1, 1)->set_helped(true);
  JoinSteps(&process);
  ASSERT_EQ(process.steps_size(), 2);
  EXPECT_EQ(Forward(process.steps(0)), 8u);
  EXPECT_EQ(Forward(process.steps(1)), 8u);
  EXPECT_EQ(process.beside_steps_size(), 0);
}

TEST(StepLabelsTest, LoopsOfThreadsKeepStepsOfTheirOwn) {
  v1::ProcessProfile process = Ended();
  AddRow(&process, 0, 10, 20, 5);
  AddRow(&process, 1u << shm::kStepLoopShift, 12, 22, 7);
  AddLabel(&process, 0, 0, 1);
  AddLabel(&process, 1u << shm::kStepLoopShift, 0, 1);
  JoinSteps(&process);
  ASSERT_EQ(process.steps_size(), 2);
  EXPECT_EQ(process.steps(0).step(), 0u);
  EXPECT_EQ(process.steps(1).step(), 0u);
}

}  // namespace
}  // namespace flopsprof::model
