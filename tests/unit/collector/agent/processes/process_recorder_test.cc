// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/collector/agent/processes/process_recorder_fixture.h"

namespace flopsprof::agent {
namespace {

TEST_F(ProcessRecorderTest, SumsCallsAndTheirTimes) {
  main_->WriteString(1, "gemm_kernel");
  WriteGemmWithKernel(1, 5, 1000, 1100);
  WriteGemmWithKernel(2, 5, 2000, 2030);
  Tick();
  const v1::CallRow& row = received_.calls[kGemmRow];
  EXPECT_EQ(row.calls(), 2u);
  EXPECT_EQ(row.flops().low(), 2u * 768'000);
  EXPECT_TRUE(row.flops_known());
  EXPECT_EQ(row.compute_type(), "fp32");
  EXPECT_EQ(row.kernels(), 2u);
  EXPECT_EQ(row.gpu_time_ns(), 130u);
  EXPECT_EQ(row.min_gpu_time_ns(), 30u);
  EXPECT_EQ(row.max_gpu_time_ns(), 100u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].gpu_time_ns(), 130u);
  EXPECT_EQ(received_.kernels["gemm_kernel/TIME_CATEGORY_EXACT"].count(), 2u);
  EXPECT_EQ(received_.devices[0].busy_ns(), 130u);
}

TEST_F(ProcessRecorderTest, CountersThatRunOnLeaveNothingBehind) {
  WriteGemmWithKernel(1, 5, 1000, 1100);
  recorder_->Drain(now_ns_);
  v1::ProcessProfile profile;
  bool more = false;
  EXPECT_TRUE(recorder_->Emit(1, &profile, &more));
  EXPECT_TRUE(more);
  EXPECT_TRUE(recorder_->Emit(100, &profile, &more));
  EXPECT_FALSE(more);
  injector_->header().launches.store(9);
  EXPECT_TRUE(recorder_->Emit(100, &profile, &more));
  EXPECT_FALSE(more);
}

// Of all parts that were sent.
class HostClockRecorderTest : public ProcessRecorderTest {
 protected:
  HostClockRecorderTest() : ProcessRecorderTest(std::nullopt, nullptr, /*host_clock=*/true) {
    v1::EpochRow epoch;
    epoch.set_epoch(77);
    epoch.set_session(1);
    recorder_->SetSession(epoch);
  }
  v1::ProcessProfile Emitted() {
    now_ns_ += 1'000'000'000;
    while (recorder_->Drain(now_ns_)) {
    }
    v1::ProcessProfile profile;
    recorder_->Emit(1000, &profile);
    return profile;
  }
  void LaunchAt(uint32_t correlation, uint64_t mono_ns, uint64_t start_ns) {
    shm::LaunchRecord launch = Launch(correlation, 5, shm::kNoCall);
    launch.mono_ns = mono_ns;
    main_->Write(launch);
    cupti_->Write(Kernel(correlation, 0, start_ns, start_ns + 10));
  }
  void ClocksAt(uint64_t mono_ns, uint64_t gpu_ns) {
    shm::ClockRecord clock = {};
    clock.header = testing::Header(shm::RecordType::kClock);
    clock.mono_ns = mono_ns;
    clock.gpu_ns = gpu_ns;
    main_->Write(clock);
  }
};

TEST_F(HostClockRecorderTest, TheSegmentAsksForItAndSoDoWindows) {
  EXPECT_EQ(injector_->header().host_clock, 1u);
  EXPECT_EQ(injector_->header().recording, static_cast<uint32_t>(shm::Recording::kTimedWork));
}

TEST_F(HostClockRecorderTest, SaysHowLongLaunchesWaitedAndThenWhatWasAdded) {
  ClocksAt(1'000'000, 500);
  LaunchAt(1, 1'000'100, 900);  // 400 after the clocks, 300 after its launch
  Emitted();
  ClocksAt(2'000'000, 1'000'500);
  Emitted();
  LaunchAt(2, 2'000'100, 1'001'600);  // 1,000
  ClocksAt(3'000'000, 2'000'500);
  const v1::ProcessProfile first = Emitted();
  ASSERT_EQ(first.launch_latencies_size(), 1);
  EXPECT_EQ(first.launch_latencies(0).measured(), 1u);
  EXPECT_EQ(first.launch_latencies(0).sum_ns(), 300u);
  ClocksAt(4'000'000, 3'000'500);
  ClocksAt(5'000'000, 4'000'500);  // its kernel was read after the third pair
  const v1::ProcessProfile second = Emitted();
  ASSERT_EQ(second.launch_latencies_size(), 1);
  EXPECT_EQ(second.launch_latencies(0).launches(), 0u);
  EXPECT_EQ(second.launch_latencies(0).measured(), 1u);
  EXPECT_EQ(second.launch_latencies(0).sum_ns(), 1000u);
  EXPECT_EQ(second.launch_latencies(0).min_ns(), 300u);
  EXPECT_EQ(second.launch_latencies(0).max_ns(), 1000u);
  EXPECT_EQ(Emitted().launch_latencies_size(), 0);
}

TEST_F(HostClockRecorderTest, TheFirstLaunchMayBeReadAfterItsKernel) {
  FakeInjector::Ring later = injector_->Claim();
  shm::LaunchRecord launch = Launch(1, 5, shm::kNoCall);
  launch.mono_ns = 1'000'100;
  later.Write(launch);
  cupti_->Write(Kernel(1, 0, 900, 910));
  ClocksAt(1'000'000, 500);
  Emitted();
  ClocksAt(2'000'000, 1'000'500);
  Emitted();
  ClocksAt(3'000'000, 2'000'500);
  recorder_->Finish(ProcessEnd(), now_ns_);
  v1::ProcessProfile profile;
  recorder_->Emit(1000, &profile);
  ASSERT_EQ(profile.launch_latencies_size(), 1);
  EXPECT_EQ(profile.launch_latencies(0).measured(), 1u);
  EXPECT_EQ(profile.launch_latencies(0).sum_ns(), 300u);
}

TEST_F(HostClockRecorderTest, WithoutAnyLaunchItSaysThatItWasAskedFor) {
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.launch_latencies_size(), 1);
  EXPECT_EQ(profile.launch_latencies(0).measured(), 0u);
}

TEST_F(HostClockRecorderTest, AnEndOfAScopeIsKnownAndCountsAsNoCall) {
  shm::ScopeExit exit = {};
  exit.header = testing::Header(shm::RecordType::kScopeExit);
  exit.scope = 5;
  exit.kind = static_cast<uint8_t>(shm::ScopeExitKind::kLeft);
  main_->Write(exit);
  const v1::ProcessProfile profile = Emitted();
  EXPECT_TRUE(profile.loss().empty());
  EXPECT_TRUE(profile.agent_loss().empty());
  EXPECT_EQ(profile.scope_calls_size(), 0);
}

TEST_F(HostClockRecorderTest, DevicesAreThoseOfTheSession) {
  shm::DeviceRecord device = {};
  device.header = testing::Header(shm::RecordType::kDevice);
  device.ordinal = 3;
  device.uuid[15] = 9;
  main_->Write(device);
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.epoch_devices_size(), 1);
  EXPECT_EQ(profile.epoch_devices(0).epoch(), 77u);
  EXPECT_EQ(profile.epoch_devices(0).ordinal(), 3u);
  EXPECT_EQ(profile.epoch_devices(0).uuid(), "GPU-00000000-0000-0000-0000-000000000009");
}

TEST_F(ProcessRecorderTest, WithoutTheHostsClockThereIsNoRowOfIt) {
  WriteGemmWithKernel(1, 5, 1000, 1100);
  recorder_->Drain(now_ns_);
  v1::ProcessProfile profile;
  EXPECT_TRUE(recorder_->Emit(100, &profile));
  EXPECT_EQ(profile.launch_latencies_size(), 0);
  EXPECT_EQ(injector_->header().recording, static_cast<uint32_t>(shm::Recording::kWork));
}

TEST_F(ProcessRecorderTest, SendsOnlyWhatWasAdded) {
  WriteGemmWithKernel(1, 5, 1000, 1100);
  Tick();
  received_ = Received();
  Tick();
  EXPECT_TRUE(received_.calls.empty());
  WriteGemmWithKernel(2, 5, 2000, 2030);
  Tick();
  EXPECT_EQ(received_.calls.size(), 1u);
  EXPECT_EQ(received_.calls[kGemmRow].calls(), 1u);
}

TEST_F(ProcessRecorderTest, AFailedCallIsNotCountedAndItsKernelIsUnknown) {
  main_->Write(Launch(1, 5, 1));
  main_->Write(testing::Failed(1));
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  EXPECT_TRUE(received_.calls.empty());
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 100u);
}

TEST_F(ProcessRecorderTest, ACopyInsideACallIsTheCallsOutsideItIsACopy) {
  main_->Write(Launch(1, 5, 1));
  main_->Write(Launch(2, 5, 1));
  main_->Write(Gemm(1, 5, 120, 8, 400));
  main_->Write(Launch(3, 5, shm::kNoCall));
  cupti_->Write(Copy(1, 100, 107));
  cupti_->Write(Kernel(2, 0, 200, 250));
  cupti_->Write(Copy(3, 300, 311));
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].gpu_time_ns(), 57u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_COPY"].gpu_time_ns(), 11u);
  EXPECT_EQ(received_.kernels["[memcpy HtoD]/TIME_CATEGORY_COPY"].kind(), "copy");
}

TEST_F(ProcessRecorderTest, ACapturedCallIsListedButItsFlopsAreNotDone) {
  shm::GemmCall call = Gemm(1, 5, 120, 8, 400);
  call.header.flags = shm::kFlagCaptured;
  main_->Write(call);
  Tick();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_TRUE(received_.calls.begin()->second.captured());
  EXPECT_EQ(recorder_->aggregator().flops(), model::FlopCount{0});
  EXPECT_TRUE(received_.steps.empty());
}

TEST_F(ProcessRecorderTest, KernelsOfAnUnknownGraphAreUnknownWorkOfTheReplayingScope) {
  shm::GraphLaunch graph = {};
  graph.header = testing::Header(shm::RecordType::kGraphLaunch, shm::Phase::kForward, 2);
  graph.correlation = 4;
  graph.scope = 6;
  main_->Write(graph);
  shm::ActivityRecord node = Kernel(4, 0, 100, 120);
  node.graph_node = 1;
  cupti_->Write(node);
  Tick();
  Tick();
  EXPECT_EQ(received_.times["6/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 20u);
}

TEST_F(ProcessRecorderTest, WhatIsMissingOfGraphsIsInTheLoss) {
  constexpr uint64_t kGraph = 0x100, kExec = 0xe00;
  shm::GraphEvent captured = testing::GraphChange(1, shm::GraphEventKind::kCaptureEnd, kGraph);
  captured.capture = 71;
  captured.graph_id = 7;
  main_->Write(testing::CallInCapture(1, 5, 71));
  main_->Write(testing::NodeOfCall(1, 5, 7, 1));
  shm::GemmCall gemm = Gemm(1, 5, 120, 8, 400);
  gemm.header.flags = shm::kFlagCaptured;
  main_->Write(gemm);
  main_->Write(captured);
  main_->Write(testing::GraphChange(3, shm::GraphEventKind::kInstantiate, kGraph, kExec));
  main_->Write(testing::Replay(4, kExec, 3));
  main_->Write(testing::Replay(5, /*executable=*/0xbad, 3));
  shm::ActivityRecord node = Kernel(4, 0, 100, 120);
  node.graph_node = uint64_t{7} << 32 | 55;
  cupti_->Write(node);
  Tick();
  End();
  EXPECT_EQ(recorder_->aggregator().flops(), model::FlopCount{768'000});
  EXPECT_EQ(received_.loss["graph_node_unknown"], 1u);
  EXPECT_EQ(received_.loss["graph_event_lost"], 1u);
  EXPECT_EQ(received_.loss["graph_replay"], 1u);
}

TEST_F(ProcessRecorderTest, KernelsOfOneNameUnderTwoIdsAreOneRow) {
  for (uint32_t i = 1; i <= 2; i++) main_->Write(Launch(i, 5, shm::kNoCall));
  cupti_->Write(Kernel(1, 1, 100, 110));
  cupti_->Write(Kernel(2, 2, 200, 205));
  Tick();
  EXPECT_TRUE(received_.kernels.empty());  // names come late
  main_->WriteString(1, "relu");
  main_->WriteString(2, "relu");
  Tick();
  ASSERT_EQ(received_.kernels.size(), 1u);
  const v1::KernelRow& row = received_.kernels["relu/TIME_CATEGORY_UNKNOWN"];
  EXPECT_EQ(row.count(), 2u);
  EXPECT_EQ(row.gpu_time_ns(), 15u);
  EXPECT_EQ(row.min_ns(), 5u);
  EXPECT_EQ(row.max_ns(), 10u);
}

TEST_F(ProcessRecorderTest, AKernelWhoseNameNeverComesIsNamedLostAndCounted) {
  main_->Write(Launch(1, 5, shm::kNoCall));
  cupti_->Write(Kernel(1, 1, 100, 110));
  Tick();
  End();
  EXPECT_EQ(received_.kernels["(name lost)/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 10u);
  EXPECT_EQ(received_.loss["names_lost"], 1u);
}

// As an agent asks that ends with its process: until there is no more.
TEST_F(ProcessRecorderTest, WhatIsGivenOutAtTheEndIsWhole) {
  constexpr size_t kEnough = 1000;
  for (uint32_t i = 1; i <= 4; i++) main_->Write(Launch(i, 5, shm::kNoCall));
  cupti_->Write(Kernel(1, 1, 100, 110));
  cupti_->Write(Kernel(2, 2, 120, 125));
  cupti_->Write(Kernel(3, 8, 200, 210));  // names that never come
  cupti_->Write(Kernel(4, 9, 220, 230));
  main_->WriteString(1, "relu");
  main_->WriteString(2, "relu");
  while (recorder_->Drain(now_ns_)) {
  }
  recorder_->Finish(ProcessEnd(), now_ns_);
  uint64_t placed = 0;
  bool more = true;
  while (more) {
    v1::ProcessProfile profile;
    if (!recorder_->Emit(kEnough, &profile, &more)) break;
    received_.Merge(profile);
    for (const v1::ScopeKernelRow& row : profile.scope_kernels()) placed += row.count();
  }
  EXPECT_EQ(received_.kernels["relu/TIME_CATEGORY_UNKNOWN"].count(), 2u);
  EXPECT_EQ(received_.kernels["(name lost)/TIME_CATEGORY_UNKNOWN"].count(), 2u);
  EXPECT_EQ(received_.loss["names_lost"], 2u);
  EXPECT_EQ(placed, 4u);
}

TEST_F(ProcessRecorderTest, NamesThatAreNoUtf8StillTravel) {
  main_->WriteString(1,
                     "a\xff\xc0\x80"
                     "b");
  main_->Write(Launch(1, 5, shm::kNoCall));
  cupti_->Write(Kernel(1, 1, 100, 110));
  Tick();
  EXPECT_EQ(received_.kernels.count("a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                                    "b/TIME_CATEGORY_UNKNOWN"),
            1u);
}

TEST_F(ProcessRecorderTest, ScopesWaitForTheirNames) {
  shm::ScopeRecord scope = {};
  scope.header = testing::Header(shm::RecordType::kScope);
  scope.scope = 5;
  scope.parent = 2;
  scope.name = 3;
  scope.class_name = 4;
  scope.kind = static_cast<uint8_t>(shm::ScopeKind::kModule);
  scope.known = 1;
  main_->Write(scope);
  Tick();
  EXPECT_TRUE(received_.scopes.empty());
  main_->WriteString(3, "layers.0");
  main_->WriteString(4, "Linear");
  Tick();
  ASSERT_EQ(received_.scopes.size(), 1u);
  EXPECT_EQ(received_.scopes[5].name(), "layers.0");
  EXPECT_EQ(received_.scopes[5].class_name(), "Linear");
  EXPECT_EQ(received_.scopes[5].parent(), 2u);
  EXPECT_TRUE(received_.scopes[5].known());
}

TEST_F(ProcessRecorderTest, BadTimesAreInNoSumButTheKernelCounts) {
  main_->WriteString(1, "k");
  for (uint32_t i = 1; i <= 2; i++) main_->Write(Launch(i, 5, shm::kNoCall));
  cupti_->Write(Kernel(1, 1, 100, 110));
  cupti_->Write(Kernel(2, 1, 500, 400));
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 10u);
  EXPECT_EQ(received_.kernels["k/TIME_CATEGORY_UNKNOWN"].count(), 2u);
  EXPECT_EQ(received_.devices[0].busy_ns(), 10u);
  EXPECT_EQ(received_.loss["bad_times_unmarked"], 1u);
}

TEST_F(ProcessRecorderTest, ACallWhoseKernelHasNoTimeLacksAKernel) {
  WriteGemmWithKernel(1, 5, 1000, 1100);
  WriteGemmWithKernel(2, 5, 500, 400);
  Tick();
  EXPECT_EQ(received_.calls[kGemmRow].calls(), 2u);
  EXPECT_EQ(received_.calls[kGemmRow].kernels(), 1u);
  EXPECT_EQ(received_.calls[kGemmRow].gpu_time_ns(), 100u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].activities(), 2u);
}

TEST_F(ProcessRecorderTest, AStepBeforeALostOneIsNotAsLongAsTwo) {
  main_->Write(testing::Step(0, shm::StepEvent::kBegin, 1000));
  main_->Write(testing::Step(0, shm::StepEvent::kOptimizerEnd, 1800));
  main_->Write(testing::Step(2, shm::StepEvent::kBegin, 3000));
  Tick();
  EXPECT_EQ(received_.steps[0].end_mono_ns(), 1800u);
}

TEST_F(ProcessRecorderTest, StepsMayComeOutOfOrder) {
  main_->Write(testing::Step(1, shm::StepEvent::kBegin, 2000));
  main_->Write(testing::Step(0, shm::StepEvent::kBegin, 1000));
  Tick();
  EXPECT_EQ(received_.steps[0].end_mono_ns(), 2000u);
}

TEST_F(ProcessRecorderTest, StepsHaveBeginEndAndWork) {
  main_->Write(testing::Step(0, shm::StepEvent::kBegin, 1000));
  WriteGemmWithKernel(1, 5, 10, 30);
  main_->Write(testing::Step(0, shm::StepEvent::kOptimizerEnd, 1800));
  main_->Write(testing::Step(1, shm::StepEvent::kBegin, 2000));
  main_->Write(testing::Step(1, shm::StepEvent::kOptimizerEnd, 2900));
  main_->Write(testing::Step(2, shm::StepEvent::kBegin, 3000));
  Tick();
  EXPECT_EQ(received_.steps[0].begin_mono_ns(), 1000u);
  EXPECT_EQ(received_.steps[0].end_mono_ns(), 2000u);
  EXPECT_EQ(received_.steps[1].end_mono_ns(), 3000u);
  EXPECT_EQ(received_.steps[2].end_mono_ns(), 0u);
  EXPECT_FALSE(received_.steps[2].complete());
  EXPECT_EQ(received_.steps[0].flops(1).low(), 768'000u);
  EXPECT_EQ(received_.steps[0].gpu_time_ns(1), 20u);
  EXPECT_EQ(received_.steps[0].activities(), 1u);
}

TEST_F(ProcessRecorderTest, WorkBeforeTheFirstStepIsMarked) {
  main_->Write(Launch(1, 0, shm::kNoCall, shm::Phase::kOther, shm::kNoStep));
  cupti_->Write(Kernel(1, 0, 100, 110));
  Tick();
  EXPECT_EQ(received_.times["0/PHASE_OTHER/TIME_CATEGORY_UNKNOWN/before"].gpu_time_ns(), 10u);
  EXPECT_TRUE(received_.steps.empty());
}

TEST_F(ProcessRecorderTest, LossesOfTheProcessKeepTheirNames) {
  injector_->header().loss[static_cast<int>(shm::LossCounter::kNoSlot)].store(12);
  injector_->slot(0).dropped.store(3);
  Tick();
  EXPECT_EQ(received_.loss["no_ring_slot"], 12u);
  EXPECT_EQ(received_.loss["ring_full"], 3u);
}

TEST_F(ProcessRecorderTest, ANoteSaysThatTheGpuIsSimulated) {
  main_->WriteString(1, "simulated");
  main_->WriteString(2, "1");
  shm::NoteRecord note = {};
  note.header = testing::Header(shm::RecordType::kNote);
  note.key = 1;
  note.value = 2;
  main_->Write(note);
  Tick();
  EXPECT_TRUE(received_.info.simulated());
  EXPECT_EQ(received_.notes["simulated"], "1");
}

TEST_F(ProcessRecorderTest, AProcessThatLaunchedNothingHasNotUsedTheGpu) {
  Tick();
  EXPECT_FALSE(received_.info.used_gpu());
  WriteGemmWithKernel(1, 5, 10, 30);
  Tick();
  EXPECT_TRUE(received_.info.used_gpu());
}

TEST_F(ProcessRecorderTest, EverythingWrittenBeforeAKillIsKept) {
  for (uint32_t i = 1; i <= 1000; i++) WriteGemmWithKernel(i, 5, i * 100, i * 100 + 10);
  recorder_->Finish(ProcessEnd{v1::PROCESS_STATE_SIGNALLED, std::nullopt, 9}, now_ns_);
  Send();
  EXPECT_EQ(received_.calls[kGemmRow].calls(), 1000u);
  EXPECT_EQ(received_.calls[kGemmRow].gpu_time_ns(), 10'000u);
  EXPECT_EQ(received_.info.state(), v1::PROCESS_STATE_SIGNALLED);
  EXPECT_EQ(received_.info.exit_signal(), 9);
}

TEST_F(ProcessRecorderTest, AGoodbyeWithoutAnExitStatusIsAnOrderlyEnd) {
  shm::GoodbyeRecord goodbye = {};
  goodbye.header = testing::Header(shm::RecordType::kGoodbye);
  main_->Write(goodbye);
  Tick();
  End();
  EXPECT_EQ(received_.info.state(), v1::PROCESS_STATE_EXITED);
  EXPECT_FALSE(received_.info.exit_code_known());
}

TEST_F(ProcessRecorderTest, AnEndWithoutAGoodbyeOrStatusIsLost) {
  End();
  EXPECT_EQ(received_.info.state(), v1::PROCESS_STATE_LOST);
}

class WindowTest : public ProcessRecorderTest {
 protected:
  WindowTest() : ProcessRecorderTest(StepWindow{.first = 2, .end = 4}) {}
};

TEST_F(WindowTest, OnlyWorkInsideIsBooked) {
  const uint32_t steps[] = {shm::kNoStep, 1, 2, 3, 4};
  uint32_t number = 1;
  for (uint32_t step : steps) {
    main_->Write(testing::Step(step, shm::StepEvent::kBegin, 1000 + number));
    main_->Write(Launch(number, 5, number, shm::Phase::kForward, step));
    main_->Write(Gemm(number, 5, 120, 8, 400, shm::Phase::kForward, step));
    cupti_->Write(Kernel(number, 0, number * 100, number * 100 + 7));
    number++;
  }
  End();
  EXPECT_EQ(received_.calls[kGemmRow].calls(), 2u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].gpu_time_ns(), 14u);
  EXPECT_EQ(received_.devices[0].busy_ns(), 14u);
  EXPECT_EQ(received_.steps.size(), 2u);
  EXPECT_EQ(received_.steps.count(2), 1u);
  EXPECT_EQ(received_.steps.count(3), 1u);
  // The first step behind the window ends the last one in it.
  EXPECT_EQ(received_.steps[3].end_mono_ns(), 1005u);
  EXPECT_TRUE(received_.steps[3].complete());
}

shm::StepRecord Numbered(uint32_t label, shm::StepEvent event, uint32_t number, uint64_t mono_ns) {
  shm::StepRecord record = testing::Step(label, event, mono_ns);
  record.number = number;
  record.first_label = event == shm::StepEvent::kNumber ? label : 0;
  return record;
}

TEST_F(WindowTest, WorkOfLabelsThatGetTheirNumbersLateIsThatOfTheirSteps) {
  for (uint32_t label = 0; label < 8; ++label) {
    main_->Write(Numbered(label, shm::StepEvent::kBegin, 0, 1000 + label));
    shm::ScopeEnter enter = {};
    enter.header = testing::Header(shm::RecordType::kScopeEnter, shm::Phase::kForward, label);
    enter.scope = 5;
    main_->Write(enter);
    for (uint32_t kernel = 0; kernel <= label; ++kernel) {
      const uint32_t number = 10 * label + kernel + 1;
      main_->Write(Launch(number, 5, number, shm::Phase::kForward, label));
      main_->Write(Gemm(number, 5, 120, 8, 400, shm::Phase::kForward, label));
      cupti_->Write(Kernel(number, 0, number * 100, number * 100 + 7));
    }
    Tick();
  }
  EXPECT_EQ(received_.calls.size(), 0u);
  EXPECT_EQ(received_.steps.size(), 0u);
  for (uint32_t label = 1; label < 8; ++label) {
    main_->Write(Numbered(label, shm::StepEvent::kNumber, label, 2000 + label));
  }
  End();
  // Steps 2 and 3 have 3 and 4 calls.
  const v1::CallRow& calls = received_.calls[kGemmRow];
  EXPECT_EQ(calls.calls(), 7u);
  EXPECT_EQ(calls.kernels(), 7u);
  EXPECT_EQ(calls.gpu_time_ns(), 49u);
  EXPECT_EQ(calls.min_gpu_time_ns(), 7u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].activities(), 7u);
  EXPECT_EQ(received_.devices[0].busy_ns(), 49u);
  EXPECT_EQ(received_.entered[5], 2u);
  ASSERT_EQ(received_.steps.size(), 2u);
  EXPECT_EQ(received_.steps[2].activities(), 3u);
  EXPECT_EQ(received_.steps[2].begin_mono_ns(), 1002u);
  EXPECT_EQ(received_.steps[2].end_mono_ns(), 1003u);
  EXPECT_EQ(received_.steps[3].activities(), 4u);
  EXPECT_EQ(received_.steps[3].end_mono_ns(), 1004u);
  EXPECT_EQ(received_.loss.count("window_steps_wrong"), 0u);
}

TEST_F(WindowTest, StepsByWrongNumbersAreCounted) {
  const uint32_t labels = WindowFilter::kOpenLabels + 10;
  for (uint32_t label = 0; label < labels; ++label) {
    main_->Write(Numbered(label, shm::StepEvent::kBegin, label, 1000 + label));
  }
  shm::StepRecord none = Numbered(labels - 1, shm::StepEvent::kNumber, shm::kNoStep, 5000);
  none.first_label = 0;
  main_->Write(none);
  End();
  EXPECT_EQ(received_.loss["window_steps_wrong"], 2u);
}

TEST_F(ProcessRecorderTest, ACallAndItsKernelAreOfTheirStepThoughAnotherBeganAndRowsWereSent) {
  main_->WriteString(1, "gemm");
  main_->Write(testing::Step(0, shm::StepEvent::kBegin, 1000));
  for (uint32_t call = 1; call <= 3; call++) {
    main_->Write(Launch(call, 5, call));
    main_->Write(Gemm(call, 5, 120, 8, 400));
  }
  cupti_->Write(Kernel(1, 1, 1100, 1110));
  Tick();  // rows are sent
  main_->Write(testing::Step(1, shm::StepEvent::kBegin, 2000));
  main_->Write(Launch(4, 5, 4, shm::Phase::kForward, 1));
  main_->Write(Gemm(4, 5, 120, 8, 400, shm::Phase::kForward, 1));
  for (uint32_t call = 2; call <= 4; call++) {
    cupti_->Write(Kernel(call, 1, 1000 * call, 1000 * call + 7));
  }
  Tick();
  EXPECT_EQ(model::ToFlopCount(received_.steps[0].flops(1)), model::FlopCount{3 * 768'000});
  EXPECT_EQ(model::ToFlopCount(received_.steps[1].flops(1)), model::FlopCount{768'000});
  EXPECT_EQ(received_.steps[0].gpu_time_ns(1), 24u);
  EXPECT_EQ(received_.steps[1].gpu_time_ns(1), 7u);
  EXPECT_EQ(received_.steps[0].gpu_busy_ns(), 24u);
  EXPECT_EQ(received_.calls[kGemmRow].calls(), 4u);
  EXPECT_EQ(model::ToFlopCount(received_.calls[kGemmRow].flops()), model::FlopCount{4 * 768'000});
  EXPECT_EQ(received_.calls[kGemmRow].kernels(), 4u);
  EXPECT_EQ(received_.calls[kGemmRow].min_gpu_time_ns(), 7u);
  EXPECT_EQ(received_.calls[kGemmRow].max_gpu_time_ns(), 10u);
  EXPECT_EQ(recorder_->aggregator().flops(), model::FlopCount{4 * 768'000});
}

}  // namespace
}  // namespace flopsprof::agent
