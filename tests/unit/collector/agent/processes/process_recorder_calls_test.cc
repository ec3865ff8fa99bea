// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/collector/agent/processes/process_recorder_fixture.h"

namespace flopsprof::agent {
namespace {

// What library calls are worth: plans, collectives, calls of several parts.

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
  const v1::CommunicationRow& row = received_.communications.at("0/PHASE_FORWARD/ncclAllReduce");
  EXPECT_EQ(row.shape(), "count=1000 type=f32 ranks=2");
  EXPECT_EQ(row.compared_ns(), 600u);
  EXPECT_EQ(row.hidden_ns(), 100u);
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

}  // namespace
}  // namespace flopsprof::agent
