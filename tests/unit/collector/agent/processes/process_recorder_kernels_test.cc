// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/collector/agent/processes/process_recorder_fixture.h"

namespace flopsprof::agent {
namespace {

// What kernels that no call owns are, by their names.

const char kElementwise[] = "void at::native::vectorized_elementwise_kernel<4, F>(int, F)";

TEST_F(ProcessRecorderTest, AKernelThatHoldsNoProductsByItsNameIsNotUnknown) {
  cupti_->WriteString(3, kElementwise);
  cupti_->WriteString(4, "void user_kernel<4>(float*)");
  cupti_->WriteString(5, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)");
  for (uint32_t name : {3, 4, 5}) {
    main_->Write(Launch(name, 5, 0));
    cupti_->Write(Kernel(name, name, 1000 * name, 1000 * name + 10 * name));
  }
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_NO_PRODUCTS"].gpu_time_ns(), 30u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 40u);
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_COMMUNICATION"].gpu_time_ns(), 50u);
  EXPECT_EQ(received_.kernels[std::string(kElementwise) + "/TIME_CATEGORY_NO_PRODUCTS"].count(),
            1u);
  // The all-reduce is not covered by anything else.
  EXPECT_EQ(received_.devices[0].busy_ns() - received_.devices[0].not_communication_ns(), 50u);
}

TEST_F(ProcessRecorderTest, AKernelOfACallIsTheCallsWhateverItsName) {
  cupti_->WriteString(3, kElementwise);
  main_->Write(Launch(1, 5, 1));
  main_->Write(Gemm(1, 5, 120, 8, 400));
  cupti_->Write(Kernel(1, 3, 1000, 1100));
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_EXACT"].gpu_time_ns(), 100u);
  EXPECT_EQ(received_.times.count("5/PHASE_FORWARD/TIME_CATEGORY_NO_PRODUCTS"), 0u);
}

TEST_F(ProcessRecorderTest, AnUnknownKernelSaysHowOftenACallOwnsIt) {
  cupti_->WriteString(3, "void user_kernel<4>(float*)");
  shm::GemmCall call = Gemm(1, 5, 0, 0, 0);
  call.header.flags = shm::kFlagSizesUnknown;
  main_->Write(Launch(1, 5, 1));
  main_->Write(call);
  main_->Write(Launch(2, 5, 0));
  cupti_->Write(Kernel(1, 3, 1000, 1100));
  cupti_->Write(Kernel(2, 3, 2000, 2100));
  Tick();
  const std::string key = "void user_kernel<4>(float*)/TIME_CATEGORY_UNKNOWN";
  EXPECT_EQ(received_.kernels[key].count(), 2u);
  EXPECT_EQ(received_.owners[key].in_call(), 1u);
}

TEST_F(ProcessRecorderTest, AKernelWaitsForItsNameFromAnotherRing) {
  main_->Write(Launch(1, 5, 0));
  cupti_->Write(Kernel(1, 3, 1000, 1100));
  Tick();
  EXPECT_TRUE(received_.times.empty());
  main_->WriteString(3, kElementwise);
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_NO_PRODUCTS"].gpu_time_ns(), 100u);
  EXPECT_EQ(received_.times.count("5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"), 0u);
}

TEST_F(ProcessRecorderTest, AKernelWhoseNameNeverComesIsUnknownSoonAndAtTheEnd) {
  main_->Write(Launch(1, 5, 0));
  cupti_->Write(Kernel(1, 3, 1000, 1100));
  Tick();
  Tick();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 100u);
  main_->Write(Launch(2, 5, 0));
  cupti_->Write(Kernel(2, 4, 2000, 2100));
  End();
  EXPECT_EQ(received_.times["5/PHASE_FORWARD/TIME_CATEGORY_UNKNOWN"].gpu_time_ns(), 200u);
}

}  // namespace
}  // namespace flopsprof::agent
