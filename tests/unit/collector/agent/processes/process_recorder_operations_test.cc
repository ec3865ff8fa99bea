// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/collector/agent/processes/process_recorder_fixture.h"

namespace flopsprof::agent {
namespace {

// Work without a library call: operations, formulas of the user, named work.

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
