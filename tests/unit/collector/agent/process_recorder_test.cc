// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/process_recorder.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using testing::AllReduce;
using testing::Copy;
using testing::Cudnn;
using testing::FakeInjector;
using testing::Gemm;
using testing::Kernel;
using testing::Launch;
using testing::Library;
using testing::WithMore;

// 2 * (1*3*4*4) * (2*1*1) = 192
const char kCausalAttention[] =
    R"({"tensors":[{"name":"1","dataType":"CUDNN_DATA_HALF","dim":[2,4,16,8]}],"nodes":[)"
    R"({"operation":"CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR","Q":"1","K":"1","V":"1",)"
    R"("subgraph":{"nodes":[{"operation":"CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR",)"
    R"("comparisonMode":"CUDNN_POINTWISE_CMP_GE"}]}}]})";
const char kConvolution[] =
    R"({"tensors":[{"name":"1","dataType":"CUDNN_DATA_HALF","dim":[1,2,4,4]},)"
    R"({"name":"2","dataType":"CUDNN_DATA_HALF","dim":[3,2,1,1]},)"
    R"({"name":"3","dataType":"CUDNN_DATA_HALF","dim":[1,3,4,4]}],"nodes":[)"
    R"({"operation":"CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR","X":"1","W":"2","Y":"3"}]})";
const char kNorm[] =
    R"({"tensors":[],"nodes":[{"operation":"CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR"}]})";
// pairs = 1*1*4*4 = 16; gradient 2*16*(2*8+2*8) = 1024, QK^T again 2*16*8 = 256
const char kAttentionBackward[] =
    R"({"tensors":[{"name":"1","dataType":"CUDNN_DATA_HALF","dim":[1,1,4,8]}],"nodes":[)"
    R"({"operation":"CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR","Q":"1","K":"1","V":"1"}]})";

// Rows by key, the newest counting, as a collector keeps them.
class Received {
 public:
  void Merge(const v1::ProcessProfile& profile) {
    for (const auto& row : profile.calls()) {
      calls[std::to_string(row.scope()) + "/" + v1::Phase_Name(row.phase()) + "/" + row.api() +
            "/" + row.shape() + (row.captured() ? "/captured" : "")] = row;
    }
    for (const auto& row : profile.times()) {
      times[std::to_string(row.scope()) + "/" + v1::Phase_Name(row.phase()) + "/" +
            v1::TimeCategory_Name(row.category()) + (row.in_step() ? "" : "/before")] = row;
    }
    for (const auto& row : profile.kernels()) {
      kernels[row.name() + "/" + v1::TimeCategory_Name(row.category())] = row;
    }
    for (const auto& row : profile.steps()) steps[row.step()] = row;
    for (const auto& row : profile.scopes()) scopes[row.id()] = row;
    for (const auto& row : profile.device_times()) devices[row.device()] = row;
    for (const auto& row : profile.scope_calls()) entered[row.scope()] += row.calls();
    for (const auto& [name, count] : profile.loss()) loss[name] = count;
    for (const auto& [name, value] : profile.notes()) notes[name] = value;
    if (profile.has_info()) info = profile.info();
  }
  std::map<std::string, v1::CallRow> calls;
  std::map<std::string, v1::TimeRow> times;
  std::map<std::string, v1::KernelRow> kernels;
  std::map<uint32_t, v1::StepRow> steps;
  std::map<uint32_t, v1::Scope> scopes;
  std::map<uint32_t, v1::DeviceTime> devices;
  std::map<uint32_t, uint64_t> entered;
  std::map<std::string, uint64_t> loss;
  std::map<std::string, std::string> notes;
  v1::ProcessInfo info;
};

class ProcessRecorderTest : public ::testing::Test {
 protected:
  explicit ProcessRecorderTest(std::optional<StepWindow> window = std::nullopt,
                               std::shared_ptr<model::FormulaRegistry> formulas = nullptr) {
    Segment segment = *Segment::Create({.slot_count = 8, .ring_records = 4096});
    injector_ = std::make_unique<FakeInjector>(segment.fd(), segment.bytes());
    v1::ProcessKey key;
    key.set_node("n1");
    key.set_pid(17);
    recorder_ = std::make_unique<ProcessRecorder>(std::move(segment), key, v1::ProcessInfo(),
                                                  window, std::move(formulas));
    main_ = std::make_unique<FakeInjector::Ring>(injector_->Claim());
    cupti_ = std::make_unique<FakeInjector::Ring>(injector_->Claim());
  }
  // A second of the agent's life: rings read, changes sent.
  void Tick() {
    now_ns_ += 1'000'000'000;
    while (recorder_->Drain(now_ns_)) {
    }
    Send();
  }
  void Send() {
    v1::ProcessProfile profile;
    while (recorder_->Emit(3, &profile)) {
      EXPECT_EQ(profile.key().pid(), 17);
      received_.Merge(profile);
      profile.Clear();
    }
  }
  void End() {
    recorder_->Finish(ProcessEnd(), now_ns_);
    Send();
  }
  void WriteGemmWithKernel(uint32_t number, uint32_t scope, uint64_t start_ns, uint64_t end_ns) {
    main_->Write(Launch(number, scope, number));
    main_->Write(Gemm(number, scope, 120, 8, 400));
    cupti_->Write(Kernel(number, 1, start_ns, end_ns));
  }

  std::unique_ptr<FakeInjector> injector_;
  std::unique_ptr<ProcessRecorder> recorder_;
  std::unique_ptr<FakeInjector::Ring> main_;
  std::unique_ptr<FakeInjector::Ring> cupti_;
  Received received_;
  uint64_t now_ns_ = 1'000'000'000;
};

const char kGemmRow[] = "5/PHASE_FORWARD/cublasSgemm_v2/m=120 n=8 k=400 batch=1 a=f32 b=f32 c=f32";

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

TEST_F(ProcessRecorderTest, SendsOnlyWhatHasChanged) {
  WriteGemmWithKernel(1, 5, 1000, 1100);
  Tick();
  received_ = Received();
  Tick();
  EXPECT_TRUE(received_.calls.empty());
  WriteGemmWithKernel(2, 5, 2000, 2030);
  Tick();
  EXPECT_EQ(received_.calls.size(), 1u);
  EXPECT_EQ(received_.calls[kGemmRow].calls(), 2u);
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

TEST_F(ProcessRecorderTest, SizesThatAreNotKnownMakeFlopsUnknown) {
  shm::GemmCall call = Gemm(1, 5, 0, 0, 0);
  call.header.flags = shm::kFlagSizesUnknown;
  main_->Write(Launch(1, 5, 1));
  main_->Write(call);
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_FALSE(received_.calls.begin()->second.flops_known());
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 100u);
}

TEST_F(ProcessRecorderTest, ACudnnCallWaitsForItsPlanFromAnotherRing) {
  main_->Write(Launch(1, 5, 1));
  main_->Write(Cudnn(1, 5, 9));
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  EXPECT_TRUE(received_.calls.empty());
  cupti_->WriteBlob(shm::BlobKind::kCudnnPlan, 9, kConvolution);
  Tick();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_EQ(received_.calls.begin()->second.flops().low(), 192u);
  EXPECT_EQ(received_.calls.begin()->second.detail(), "conv_fwd");
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].gpu_time_ns(), 100u);
}

// 2 x 4 heads, 16 queries, 16 keys, head size 8: 2 * 2*4*16*16 * (8 + 8) over all pairs, of which
// a causal mask leaves 17/32.
TEST_F(ProcessRecorderTest, AMaskOfAttentionIsSaid) {
  main_->WriteBlob(shm::BlobKind::kCudnnPlan, 9, kCausalAttention);
  main_->Write(Cudnn(1, 5, 9));
  Tick();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_EQ(received_.calls.begin()->second.flops().low(), 65536u);
  EXPECT_EQ(received_.calls.begin()->second.detail(),
            "sdpa_fwd, causal (all pairs; the mask leaves 34816 flops)");
}

TEST_F(ProcessRecorderTest, AnUnknownPlanSaysWhy) {
  main_->WriteBlob(shm::BlobKind::kCudnnPlan, 9,
                   R"({"nodes":[{"operation":"CUDNN_BACKEND_OPERATION_NEW_DESCRIPTOR"}]})");
  main_->Write(Cudnn(1, 5, 9));
  Tick();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_FALSE(received_.calls.begin()->second.flops_known());
  EXPECT_EQ(received_.calls.begin()->second.detail(), "new (new: no formula)");
}

TEST_F(ProcessRecorderTest, TwoPlansOfOneShapeAreOneRow) {
  main_->WriteBlob(shm::BlobKind::kCudnnPlan, 8, kConvolution);
  main_->WriteBlob(shm::BlobKind::kCudnnPlan, 9, kConvolution);
  main_->Write(Cudnn(1, 5, 8));
  main_->Write(Cudnn(2, 5, 9));
  Tick();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_EQ(received_.calls.begin()->second.calls(), 2u);
  EXPECT_EQ(received_.calls.begin()->second.flops().low(), 384u);
}

TEST_F(ProcessRecorderTest, ACudnnCallWhosePlanNeverComesIsUnknown) {
  main_->Write(Launch(1, 5, 1));
  main_->Write(Cudnn(1, 5, 9));
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  End();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_FALSE(received_.calls.begin()->second.flops_known());
  EXPECT_EQ(received_.calls.begin()->second.shape(), "plan not known");
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 100u);
}

TEST_F(ProcessRecorderTest, ANormalisationHasNoProducts) {
  main_->WriteBlob(shm::BlobKind::kCudnnPlan, 9, kNorm);
  main_->Write(Launch(1, 5, 1));
  main_->Write(Cudnn(1, 5, 9));
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_NO_PRODUCTS"].gpu_time_ns(), 100u);
}

TEST_F(ProcessRecorderTest, TheProductThatAttentionBackwardRepeatsIsRecompute) {
  main_->WriteBlob(shm::BlobKind::kCudnnPlan, 9, kAttentionBackward);
  main_->Write(Cudnn(1, 5, 9, shm::Phase::kBackward));
  Tick();
  ASSERT_EQ(received_.calls.size(), 2u);
  EXPECT_EQ(received_.calls.begin()->second.phase(), v1::PHASE_BACKWARD);
  EXPECT_EQ(received_.calls.begin()->second.flops().low(), 1024u);
  EXPECT_EQ(received_.calls.rbegin()->second.phase(), v1::PHASE_RECOMPUTE);
  EXPECT_EQ(received_.calls.rbegin()->second.flops().low(), 256u);
  EXPECT_EQ(received_.calls.rbegin()->second.calls(), 0u);
  EXPECT_EQ(received_.steps[0].flops(static_cast<int>(shm::Phase::kBackward)).low(), 1024u);
  EXPECT_EQ(received_.steps[0].flops(static_cast<int>(shm::Phase::kRecompute)).low(), 256u);
}

TEST_F(ProcessRecorderTest, ACollectiveIsCommunicationWithItsBytes) {
  main_->Write(Launch(1, 0, 1, shm::Phase::kBackward));
  main_->Write(AllReduce(1, 0, 1000));
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_EQ(received_.calls.begin()->second.bytes(), 4000u);
  EXPECT_EQ(received_.calls.begin()->second.detail(), "2 ranks");
  EXPECT_EQ(received_.calls.begin()->second.shape(), "count=1000 type=f32 ranks=2");
  EXPECT_EQ(received_.times["0/PHASE_BACKWARD/TIME_CATEGORY_COMMUNICATION"].gpu_time_ns(), 100u);
}

TEST_F(ProcessRecorderTest, ExposedCommunicationIsWhatNothingElseCovers) {
  main_->Write(Launch(1, 0, 1));
  main_->Write(AllReduce(1, 0, 1000, shm::Phase::kForward));
  main_->Write(Launch(2, 0, shm::kNoCall));
  cupti_->Write(Kernel(2, 0, 1000, 1400));
  cupti_->Write(Kernel(1, 0, 1300, 1900));  // 500 of 600 alone
  Tick();
  EXPECT_EQ(received_.steps[0].gpu_busy_ns(), 900u);
  EXPECT_EQ(received_.steps[0].exposed_communication_ns(), 500u);
  EXPECT_EQ(received_.devices[0].busy_ns(), 900u);
  EXPECT_EQ(received_.devices[0].not_communication_ns(), 400u);
  EXPECT_EQ(received_.devices[0].first_gpu_ns(), 1000u);
  EXPECT_EQ(received_.devices[0].last_gpu_ns(), 1900u);
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
  Tick();
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

// Groups of one grouped product: 2*6*5*7 + 2*1*1*1 + 2*1*1*1 = 424, one call, both kernels.
TEST_F(ProcessRecorderTest, AddsThePartsOfACallUpToOneCall) {
  main_->Write(Launch(1, 5, 9));
  main_->Write(Launch(2, 5, 9));
  main_->Write(WithMore(Gemm(9, 5, 2 * 3, 5, 7)));
  main_->Write(WithMore(Gemm(9, 5, 1, 1, 1)));
  main_->Write(Gemm(9, 5, 1, 1, 1));
  cupti_->Write(Kernel(1, 1, 100, 150));
  cupti_->Write(Kernel(2, 1, 200, 225));
  Tick();
  End();
  ASSERT_EQ(received_.calls.size(), 1u);
  const v1::CallRow& row = received_.calls.begin()->second;
  EXPECT_EQ(row.shape(),
            "[m=6 n=5 k=7 batch=1 a=f32 b=f32 c=f32] + 2x [m=1 n=1 k=1 batch=1 a=f32 b=f32 c=f32]");
  EXPECT_EQ(row.api(), "cublasSgemm_v2");
  EXPECT_EQ(row.compute_type(), "fp32");
  EXPECT_EQ(row.calls(), 1u);
  EXPECT_TRUE(row.flops_known());
  EXPECT_EQ(row.flops().low(), 424u);
  EXPECT_EQ(row.kernels(), 2u);
  EXPECT_EQ(row.gpu_time_ns(), 75u);
  EXPECT_EQ(received_.steps[0].flops(v1::PHASE_FORWARD).low(), 424u);
}

TEST_F(ProcessRecorderTest, PartsOfAnotherCallDoNotMix) {
  auto other = std::make_unique<FakeInjector::Ring>(injector_->Claim());
  main_->Write(WithMore(Gemm(9, 5, 1, 1, 1)));
  other->Write(WithMore(Gemm(9, 6, 2, 2, 2)));
  other->Write(Gemm(9, 6, 2, 2, 2));
  main_->Write(Gemm(9, 5, 1, 1, 1));
  Tick();
  End();
  ASSERT_EQ(received_.calls.size(), 2u);
  EXPECT_EQ(received_.calls.begin()->second.flops().low(), 4u);    // scope 5: 2 * 2
  EXPECT_EQ(received_.calls.rbegin()->second.flops().low(), 32u);  // scope 6: 2 * 16
}

TEST_F(ProcessRecorderTest, OneUnknownPartMakesTheWholeCallUnknown) {
  shm::GemmCall unknown =
      Gemm(9, 5, static_cast<int64_t>(shm::UnknownReason::kSizesOnDevice), 0, 0);
  unknown.header.flags = shm::kFlagSizesUnknown;
  main_->Write(WithMore(Gemm(9, 5, 1, 1, 1)));
  main_->Write(unknown);
  Tick();
  End();
  ASSERT_EQ(received_.calls.size(), 1u);
  EXPECT_FALSE(received_.calls.begin()->second.flops_known());
  EXPECT_EQ(received_.calls.begin()->second.calls(), 1u);
}

TEST_F(ProcessRecorderTest, ACallWithALostPartIsUnknownAndTheNextOneIsNot) {
  main_->Write(Launch(1, 5, 9));
  main_->Write(WithMore(Gemm(9, 5, 1, 1, 1)));
  main_->Write(Gemm(10, 5, 120, 8, 400));
  main_->Write(WithMore(Gemm(11, 5, 1, 1, 1)));
  main_->Write(testing::Failed(12));
  cupti_->Write(Kernel(1, 1, 100, 150));
  Tick();
  EXPECT_EQ(received_.calls[kGemmRow].flops().low(), 768'000u);
  const char lost[] = "5/PHASE_FORWARD/cublasSgemm_v2/unknown: a part of the call was lost";
  EXPECT_EQ(received_.calls[lost].calls(), 2u);
  EXPECT_EQ(received_.calls[lost].gpu_time_ns(), 50u);
  EXPECT_FALSE(received_.calls[lost].flops_known());
  main_->Write(WithMore(Gemm(13, 5, 1, 1, 1)));  // the process is killed here
  End();
  EXPECT_EQ(received_.calls[lost].calls(), 3u);
}

TEST_F(ProcessRecorderTest, TheSumOfPartsBeyondAllReasonIsUnknown) {
  const int64_t huge = int64_t{1} << 47;  // a part: 2 * 2^47 * 2^47 = 2^95; three are above 2^96
  main_->Write(WithMore(Gemm(9, 5, huge, huge, 1)));
  main_->Write(WithMore(Gemm(9, 5, huge, huge, 1)));
  main_->Write(Gemm(9, 5, huge, huge, 1));
  Tick();
  End();
  EXPECT_FALSE(received_.calls.begin()->second.flops_known());
}

TEST_F(ProcessRecorderTest, ACallWithoutFormulaIsNamedWithItsReasonAndTimes) {
  shm::LibraryCall call = Library(9, 5, shm::ApiId::cublasSdot_v2);
  call.reason = static_cast<uint8_t>(shm::UnknownReason::kDataDependent);
  call.sizes[0] = 77;
  main_->Write(Launch(1, 5, 9));
  main_->Write(call);
  cupti_->Write(Kernel(1, 1, 100, 150));
  Tick();
  End();
  const v1::CallRow& row =
      received_.calls["5/PHASE_FORWARD/cublasSdot_v2/unknown: the work depends on the data"];
  EXPECT_EQ(row.kind(), v1::CALL_KIND_LIBRARY);
  EXPECT_EQ(row.calls(), 1u);
  EXPECT_FALSE(row.flops_known());
  EXPECT_EQ(row.gpu_time_ns(), 50u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 50u);
}

// 1*1*4*4 = 16 pairs: forward 2*16*(8+8) = 512, gradient 1024, QK^T again 256.
const char kFlash[] =
    "5/PHASE_FORWARD/aten::_flash_attention_forward/batch=1 q=1x4x8 kv=1x4x8 bf16";

TEST_F(ProcessRecorderTest, AnOperationOwnsItsKernelsAndIsModelled) {
  main_->WriteString(1, "flash_kernel");
  main_->Write(Launch(1, 5, 1));
  main_->Write(Launch(2, 5, 1));
  main_->Write(testing::Attention(1, 5, shm::OperationId::kFlashAttention));
  cupti_->Write(Kernel(1, 1, 1000, 1100));
  cupti_->Write(Kernel(2, 1, 1100, 1130));
  Tick();
  const v1::CallRow& row = received_.calls[kFlash];
  EXPECT_EQ(row.kind(), v1::CALL_KIND_MODELLED);
  EXPECT_TRUE(row.flops_known());
  EXPECT_EQ(row.flops().low(), 512u);
  EXPECT_EQ(row.kernels(), 2u);
  EXPECT_EQ(row.max_gpu_time_ns(), 130u);
  EXPECT_EQ(row.compute_type(), "bf16");
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_MODELLED"].gpu_time_ns(), 130u);
  EXPECT_EQ(received_.kernels["flash_kernel/TIME_CATEGORY_MODELLED"].count(), 2u);
}

TEST_F(ProcessRecorderTest, TheRepeatedProductOfAnAttentionBackwardIsRecompute) {
  main_->Write(
      testing::Attention(1, 5, shm::OperationId::kFlashAttentionBackward, shm::Phase::kBackward));
  Tick();
  const std::string rest = "/aten::_flash_attention_backward/batch=1 q=1x4x8 kv=1x4x8 bf16";
  EXPECT_EQ(received_.calls["5/PHASE_BACKWARD" + rest].flops().low(), 1024u);
  EXPECT_EQ(received_.calls["5/PHASE_BACKWARD" + rest].calls(), 1u);
  EXPECT_EQ(received_.calls["5/PHASE_RECOMPUTE" + rest].flops().low(), 256u);
  EXPECT_EQ(received_.calls["5/PHASE_RECOMPUTE" + rest].calls(), 0u);
}

TEST_F(ProcessRecorderTest, KernelsOfAnOperationWithoutProductsAreSaidToHaveNone) {
  main_->Write(Launch(1, 5, 1));
  main_->Write(testing::Attention(1, 5, shm::OperationId::kEmbeddingBag));
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  EXPECT_TRUE(received_.calls.empty());
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_NO_PRODUCTS"].gpu_time_ns(), 100u);
}

TEST_F(ProcessRecorderTest, KernelsOfAnOperationWithLibraryCallsInsideAreUnknown) {
  // Operation 1 makes library call 2 and launches a kernel of its own.
  main_->Write(Launch(1, 5, 1));
  main_->Write(Launch(2, 5, 2));
  main_->Write(Gemm(2, 5, 120, 8, 400));
  shm::CallEnd end = testing::Failed(1);
  end.status = 0;
  main_->Write(end);
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  cupti_->Write(Kernel(2, 0, 1100, 1150));
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].gpu_time_ns(), 50u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 100u);
  EXPECT_EQ(received_.calls.size(), 1u);
}

class FormulaOffTest : public ProcessRecorderTest {
 protected:
  static std::shared_ptr<model::FormulaRegistry> Off() {
    auto registry = std::make_shared<model::FormulaRegistry>();
    registry->TurnOff("aten::_flash_attention_forward");
    return registry;
  }
  FormulaOffTest() : ProcessRecorderTest(std::nullopt, Off()) {}
};

TEST_F(FormulaOffTest, TheSameWorkIsUnknownWithTheKernelsNamed) {
  main_->WriteString(1, "flash_kernel");
  main_->Write(Launch(1, 5, 1));
  main_->Write(testing::Attention(1, 5, shm::OperationId::kFlashAttention));
  cupti_->Write(Kernel(1, 1, 1000, 1100));
  Tick();
  EXPECT_FALSE(received_.calls[kFlash].flops_known());
  EXPECT_EQ(received_.calls[kFlash].detail(), "formula off");
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 100u);
  EXPECT_EQ(received_.kernels["flash_kernel/TIME_CATEGORY_UNKNOWN"].count(), 1u);
}

class UserFormulaTest : public ProcessRecorderTest {
 protected:
  static std::shared_ptr<model::FormulaRegistry> Formulas() {
    auto registry = std::make_shared<model::FormulaRegistry>();
    EXPECT_TRUE(registry
                    ->AddText("[[formula]]\nkernel = \"my_*\"\nflops = \"grid.x * 10 + grid.z\"\n"
                              "compute_type = \"fp16\"\n"
                              "[[formula]]\noperation = \"aten::_flash_attention_forward\"\n"
                              "flops = \"batch * heads * pairs * 7\"\n"
                              "[[formula]]\noperation = \"mylib::mm\"\n"
                              "flops = \"2 * in0.0 * in0.1 * in1.1 + in1.numel + arg2\"\n",
                              "f.toml")
                    .ok());
    return registry;
  }
  UserFormulaTest() : ProcessRecorderTest(std::nullopt, Formulas()) {}
};

TEST_F(UserFormulaTest, AKernelIsModelledByItsNameAndGrid) {
  main_->WriteString(1, "my_kernel");
  main_->WriteString(2, "other_kernel");
  main_->Write(Launch(1, 5, shm::kNoCall));
  main_->Write(Launch(2, 5, shm::kNoCall));
  shm::ActivityRecord mine = Kernel(1, 1, 1000, 1100);
  mine.bytes = shm::PackGrid(8, 2, 3);
  cupti_->Write(mine);
  cupti_->Write(Kernel(2, 2, 1100, 1130));
  Tick();
  const v1::CallRow& row = received_.calls["5/PHASE_FORWARD/my_kernel/grid=8x2x3"];
  EXPECT_EQ(row.kind(), v1::CALL_KIND_MODELLED);
  EXPECT_EQ(row.flops().low(), 83u);
  EXPECT_EQ(row.compute_type(), "fp16");
  EXPECT_EQ(row.kernels(), 1u);
  EXPECT_EQ(row.max_gpu_time_ns(), 100u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_MODELLED"].gpu_time_ns(), 100u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 30u);
  EXPECT_EQ(received_.steps[0].flops(v1::PHASE_FORWARD).low(), 83u);
}

TEST_F(UserFormulaTest, AKernelWhoseGridIsNotKnownIsUnknownWithTheReason) {
  main_->WriteString(1, "my_kernel");
  main_->Write(Launch(1, 5, shm::kNoCall));
  cupti_->Write(Kernel(1, 1, 1000, 1100));
  Tick();
  const v1::CallRow& row = received_.calls["5/PHASE_FORWARD/my_kernel/"];
  EXPECT_FALSE(row.flops_known());
  EXPECT_EQ(row.detail(), "formula \"grid.x * 10 + grid.z\": \"grid.x\" has no value here");
  EXPECT_EQ(received_.loss["formula_failed"], 1u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 100u);
}

TEST_F(UserFormulaTest, AKernelOfALibraryCallIsTheCalls) {
  main_->WriteString(1, "my_kernel");
  WriteGemmWithKernel(1, 5, 1000, 1100);
  Tick();
  EXPECT_EQ(received_.calls.size(), 1u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].gpu_time_ns(), 100u);
}

TEST_F(UserFormulaTest, AnOperationOfOursCanHaveAFormulaOfTheUsers) {
  main_->Write(testing::Attention(1, 5, shm::OperationId::kFlashAttention));
  Tick();
  EXPECT_EQ(received_.calls[kFlash].flops().low(), 16u * 7);
  EXPECT_EQ(received_.calls[kFlash].detail(), "formula: batch * heads * pairs * 7");
}

shm::NamedWork Named(uint32_t call, uint32_t name, uint32_t shape) {
  shm::NamedWork record = {};
  record.header = testing::Header(shm::RecordType::kNamedWork);
  record.call = call;
  record.scope = 5;
  record.name = name;
  record.shape = shape;
  record.type = 15;
  return record;
}

TEST_F(UserFormulaTest, NamedWorkWaitsForItsNamesAndUsesTheUsersFormula) {
  main_->Write(Launch(1, 5, 1));
  main_->Write(Named(1, 1, 2));
  cupti_->Write(Kernel(1, 0, 1000, 1100));
  Tick();
  EXPECT_TRUE(received_.calls.empty());
  main_->WriteString(1, "mylib::mm");
  main_->WriteString(2, "in0=[8,16] in1=[16,32] arg2=5");
  Tick();
  const v1::CallRow& row =
      received_.calls["5/PHASE_FORWARD/mylib::mm/in0=[8,16] in1=[16,32] arg2=5"];
  EXPECT_EQ(row.flops().low(), 2u * 8 * 16 * 32 + 512 + 5);
  EXPECT_EQ(row.kernels(), 1u);
  EXPECT_EQ(row.compute_type(), "bf16");
}

TEST_F(ProcessRecorderTest, NamedWorkCountsWhatTheProgramSaysOrWhyNot) {
  main_->WriteString(1, "mylib::mm");
  main_->WriteString(2, "in0=[8,16]");
  main_->WriteString(3, "ValueError: no such shape");
  shm::NamedWork known = Named(1, 1, 2);
  known.known = 1;
  known.flops = 4096;
  main_->Write(known);
  shm::NamedWork threw = Named(2, 1, 2);
  threw.reason = 3;
  threw.header.phase = static_cast<uint8_t>(shm::Phase::kBackward);
  main_->Write(threw);
  Tick();
  const std::string rest = "/mylib::mm/in0=[8,16]";
  EXPECT_EQ(received_.calls["5/PHASE_FORWARD" + rest].flops().low(), 4096u);
  EXPECT_FALSE(received_.calls["5/PHASE_BACKWARD" + rest].flops_known());
  EXPECT_EQ(received_.calls["5/PHASE_BACKWARD" + rest].detail(), "ValueError: no such shape");
  EXPECT_EQ(received_.loss["formula_failed"], 1u);
}

TEST_F(ProcessRecorderTest, AKernelThatTheProgramDeclaresIsModelled) {
  main_->WriteString(1, "triton_tem_fused_mm_0");
  shm::NamedWork declared = Named(shm::kNoCall, 1, 0);
  declared.known = 1;
  declared.flops = 2048;
  main_->Write(declared);
  main_->Write(Launch(1, 5, shm::kNoCall));
  Tick();
  cupti_->Write(Kernel(1, 1, 1000, 1100));
  Tick();
  const v1::CallRow& row = received_.calls["5/PHASE_FORWARD/triton_tem_fused_mm_0/"];
  EXPECT_EQ(row.flops().low(), 2048u);
  EXPECT_EQ(row.detail(), "declared by the program");
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_MODELLED"].gpu_time_ns(), 100u);
  EXPECT_EQ(received_.loss.count("formula_refused"), 0u);
}

TEST(KernelFormulasTest, CountsDeclarationsThatAreTooManyOrTooLarge) {
  KernelFormulas formulas(nullptr);
  for (size_t i = 0; i < KernelFormulas::kMaxDeclared; i++) {
    formulas.Declare("kernel" + std::to_string(i), 1, "fp16");
  }
  formulas.Declare("kernel0", 2, "fp16");  // known: only its number changes
  EXPECT_EQ(formulas.refused_count(), 0u);
  formulas.Declare("one more", 1, "fp16");
  formulas.Declare("kernel1", model::kMaxCallFlops + 1, "fp16");
  formulas.Declare("", 1, "fp16");
  EXPECT_EQ(formulas.refused_count(), 3u);
  EXPECT_EQ(formulas.WorkOf(1, "kernel0", 0)->flops, model::FlopCount{2});
  EXPECT_EQ(formulas.WorkOf(2, "kernel1", 0)->flops, model::FlopCount{1});
}

TEST_F(ProcessRecorderTest, ADeclarationWithoutANameIsCounted) {
  main_->WriteString(1, "");
  shm::NamedWork declared = Named(shm::kNoCall, 1, 0);
  declared.known = 1;
  main_->Write(declared);
  Tick();
  EXPECT_EQ(received_.loss["formula_refused"], 1u);
}

}  // namespace
}  // namespace flopsprof::agent
