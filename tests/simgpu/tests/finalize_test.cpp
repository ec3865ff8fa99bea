// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cuptiFinalize: from where it may be called, what it takes away.
#include "client.h"

extern "C" uint64_t simgpu_attached_ns();

namespace simgpu_test {
namespace {

constexpr auto kLaunchExC = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060;

struct Site {
  CUpti_ApiCallbackSite site;
  int finalized = 0;
};

void FinalizeAt(void* user, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  auto* at = static_cast<Site*>(user);
  if (static_cast<const CUpti_CallbackData*>(data)->callbackSite != at->site) return;
  if (cuptiFinalize() == CUPTI_SUCCESS) ++at->finalized;
}

void SubscribeToLaunches(Site* site) {
  CUpti_SubscriberHandle subscriber;
  ASSERT_EQ(cuptiSubscribe(&subscriber, FinalizeAt, site), CUPTI_SUCCESS);
  cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchExC);
}

SIM_TEST(Finalize, AtTheExitOfACallEverythingIsOffAndMayBeginAnew) {
  Gemms gemms;
  Site site{CUPTI_API_EXIT};
  SubscribeToLaunches(&site);
  StartKernels();
  size_t bytes = sizeof(size_t), buffers = 6;
  cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &buffers);
  gemms.Many(3);
  EXPECT_EQ(site.finalized, 1);
  EXPECT_EQ(cuptiActivityFlushAll(1), CUPTI_ERROR_INVALID_OPERATION);
  EXPECT_EQ(KernelCount(), 0u);
  cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &buffers);
  EXPECT_EQ(buffers, 250u);
  site.site = CUPTI_API_ENTER;  // never: no callback is enabled after it
  CUpti_SubscriberHandle subscriber;
  ASSERT_EQ(cuptiSubscribe(&subscriber, FinalizeAt, &site), CUPTI_SUCCESS);
  StartKernels();
  gemms.Many(3);
  FinishAndFlush();
  EXPECT_EQ(KernelCount(), 3u);
}

SIM_TEST(Finalize, IdsMayStartAgain, "SIMGPU_FAULTS={\"ids_start_again\": true}") {
  Gemms gemms;
  Site never{CUPTI_API_CBSITE_FORCE_INT};
  for (int start = 0; start < 2; ++start) {
    SubscribeToLaunches(&never);
    StartKernels();
    gemms.Many(3);
    FinishAndFlush();
    EXPECT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
  }
  ASSERT_EQ(KernelCount(), 6u);
  EXPECT_EQ(Seen().kernels[3].correlation, Seen().kernels[0].correlation);
}

SIM_TEST(Finalize, WithoutACallbackAnywhereItMayBeCalledToo) {
  Gemms gemms;
  StartKernels();
  gemms.Many(2);
  FinishAndFlush();
  EXPECT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
  gemms.Many(2);
  EXPECT_EQ(KernelCount(), 2u);
}

SIM_TEST(Finalize, AtTheEntryOfACallItEndsTheProcess) {
  Gemms gemms;
  Site site{CUPTI_API_ENTER};
  SubscribeToLaunches(&site);
  EXPECT_EXIT(gemms.One(), testing::ExitedWithCode(97), "not from one at the exit of a call");
}

SIM_TEST(Finalize, DuringACaptureItEndsTheProcess) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  EXPECT_EXIT(cuptiFinalize(), testing::ExitedWithCode(97), "while a stream is captured");
}

SIM_TEST(Finalize, AForcedFlushBringsEveryBufferAndWithoutItTheyAreLost) {
  Gemms gemms;
  StartKernels();
  gemms.Many(2);
  testing::internal::CaptureStderr();
  cuptiFinalize();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "simgpu: cuptiFinalize: 1 buffers were not given back before\n");
  StartKernels();
  gemms.Many(2);
  cudaDeviceSynchronize();
  EXPECT_EQ(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), CUPTI_SUCCESS);
  testing::internal::CaptureStderr();
  cuptiFinalize();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

SIM_TEST(Finalize, LaunchesCostMoreFromTheFirstCallUntilIt,
         "SIMGPU_FAULTS={\"attached_ns\":1000}") {
  Gemms gemms;
  gemms.Many(2);
  EXPECT_EQ(simgpu_attached_ns(), 0u);
  Site site{CUPTI_API_EXIT};
  CUpti_SubscriberHandle subscriber;
  ASSERT_EQ(cuptiSubscribe(&subscriber, FinalizeAt, &site), CUPTI_SUCCESS);
  gemms.Many(2);
  ASSERT_EQ(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
  gemms.Many(2);  // unsubscribed, and still there
  EXPECT_EQ(simgpu_attached_ns(), 4000u);
  cuptiFinalize();
  gemms.Many(2);
  EXPECT_EQ(simgpu_attached_ns(), 4000u);
}

}  // namespace
}  // namespace simgpu_test
