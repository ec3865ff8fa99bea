// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernels/kernel_classes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace flopsprof::model {
namespace {

std::string ClassText(std::string_view name) {
  return std::string(KernelClassName(ClassOfKernel(name)));
}

TEST(KernelClassesTest, KnowsThoseOfTorchByTheirMangledNames) {
  std::ifstream file(std::string(FLOPSPROF_TEST_FOLDER) + "/kernels/kernel_names.txt");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string expected, name;
    words >> expected >> name;
    EXPECT_EQ(ClassText(name), expected == "-" ? "" : expected) << name;
    count++;
  }
  EXPECT_EQ(count, 173);
}

TEST(KernelClassesTest, KnowsThoseOfTracesByTheirDemangledNames) {
  // Of published traces of PyTorch and TensorFlow.
  EXPECT_EQ(ClassText("void at::native::vectorized_elementwise_kernel<4, at::native::"
                      "CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::"
                      "CUDAFunctor_add<float>, at::detail::Array<char*, 3>)"),
            "elementwise");
  EXPECT_EQ(ClassText("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native"
                      "::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous "
                      "namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, "
                      "float>(at::native::(anonymous namespace)::TensorListMetadata<2>)"),
            "optimizer");
  EXPECT_EQ(ClassText("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>("
                      "cudnnTensorStruct, float const*)"),
            "normalisation");
  EXPECT_EQ(ClassText("void cub::CUB_200200_500_600_700_NS::DeviceReduceKernel<cub::Policy600, "
                      "float*, float*, int, at::native::SumOp>(float*, float*)"),
            "reduction");
  EXPECT_EQ(ClassText("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            "communication");
  EXPECT_EQ(ClassText("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWork)"), "communication");
  EXPECT_EQ(ClassText("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, "
                      "float>(int, int volatile*, TensorListMetadata<4>)"),
            "optimizer");
}

TEST(KernelClassesTest, AReductionOverATransformationMayBeAProduct) {
  EXPECT_EQ(ClassText("void cub::DeviceReduceKernel<cub::Policy, float*, int>(float*)"),
            "reduction");
  EXPECT_EQ(ClassText("void cub::DeviceReduceKernel<cub::Policy, cub::TransformInputIterator<float,"
                      " Mul, float*, long>, int>(float*)"),
            "");
}

// As nvcc 13 with its CUB names thrust::transform_reduce over indices: the functor that looks two
// factors up and multiplies them is the last argument. A plain reduction has __identity there.
TEST(KernelClassesTest, AReductionThatTransformsItsElementsMayBeAProduct) {
  const std::string begin = "void cub::CUB_300002_SM_900::detail::reduce::";
  const std::string six =
      "<cub::Policy, thrust::counting_iterator<int>, int, std::plus<float>, "
      "float, ";
  const std::string eight =
      "<cub::Policy, thrust::counting_iterator<int>, float*, int, "
      "std::plus<float>, float, float, ";
  EXPECT_EQ(ClassText(begin + "DeviceReduceKernel" + six + "DotOp>(int)"), "");
  EXPECT_EQ(ClassText(begin + "DeviceReduceKernel" + six + "cuda::std::__3::__identity>(int)"),
            "reduction");
  EXPECT_EQ(ClassText(begin + "DeviceReduceSingleTileKernel" + eight + "DotOp>(int)"), "");
  EXPECT_EQ(ClassText(begin + "DeviceReduceSingleTileKernel" + eight +
                      "cuda::std::__3::__identity>(int)"),
            "reduction");
  EXPECT_EQ(ClassText("void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__reduce::"
                      "ReduceAgent<thrust::cuda_cub::transform_input_iterator_t<float, "
                      "thrust::counting_iterator<int>, DotOp>, float*, float>, float*>(float*)"),
            "");
}

TEST(KernelClassesTest, NamesThatMayHideAProductAreUnknown) {
  for (const char* name : {
           "",
           "kernel",
           "my_kernel",
           "_Z9my_kernelPf",
           "_Znot a name",
           "elementwise_kernel",
           "softmax",
           "layer_norm",
           "void reduce_kernel<512>(float*)",
           "void user::at::native::reduce_kernel<512>(float*)",
           "at::native::elementwise_kernel_of_mine<4>(int)",
           "void at::native::reduce_kernel<512>::operator()(int)",
           "void multi_tensor_apply_kernel<TensorListMetadata<4>, MyFunctor<float> >(int)",
           "void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm>(Params)",
           "void cudnn::winograd_nonfused::winogradForwardOutput4x4<float>(float*)",
           "nvjet_sm90_tst_64x64",
           "ampere_sgemm_128x64_tn",
           "void gemv2T_kernel_val<int>(int)",
           "void cublasLt::splitKreduce_kernel<32>(int)",
           "flash_fwd_kernel",
           "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::"
           "ParallelForAgent<MyFunctor, long>, MyFunctor, long>(MyFunctor, long)",
           "softmax_warp_forward",
           "void softmax_warp_forward<4>(float*)",
           "loop_add_fusion",
           "input_reduce_fusion",
           "cupy_multiply__float32_float32_float32",
       }) {
    EXPECT_EQ(ClassText(name), "") << name;
  }
}

TEST(KernelClassesTest, KnowsInductorsFusionsOfKnownOperations) {
  // Of published dumps of code that Inductor generated.
  for (const char* name : {
           "triton_per_fused_native_layer_norm_relu_15",
           "triton_red_fused__log_softmax__to_copy_21",
           "triton_poi_fused_convolution_relu_3",
           "triton_poi_fused_add_div_mul_sqrt_tanh_0",
           "triton_per_fused_add_embedding_mean_mul_pow_rsqrt_6",
           "triton_red_fused_convert_element_type_div_exp_prepare_softmax_online_sub_0",
           "triton_red_fused_linalg_vector_norm_0",
           "triton_red_fused__fused_rms_norm__to_copy_add_mul_select_unsqueeze_1",
           "triton_per_fused__to_copy_add_embedding_dense_backward_native_dropout_backward_native_"
           "layer_norm_backward_nll_loss_forward_30",
           "triton_poi_fused_embedding_dense_backward_26",
           "triton_red_fused__native_batch_norm_legit_functional_2",
       }) {
    EXPECT_EQ(ClassText(name), "fused") << name;
  }
}

// Inductor names a kernel after the operations that its parts came from: of a product that ran as
// a library call or a template, only the bias and conversions are in a pointwise kernel.
TEST(KernelClassesTest, APointwiseFusionHasNoMoreOfAProductThanItsBias) {
  for (const char* name : {
           "triton_poi_fused_addmm_0",
           "triton_poi_fused_addmm_relu_3",
           "triton_poi_fused__to_copy_add_addmm_gelu_mul_12",
           "triton_poi_fused_mm_0",
           "triton_poi_fused_bmm_transpose_1",
           "triton_poi_fused_baddbmm_2",
           // Never made sums on a GPU.
           "triton_per_fused__to_copy_add_addmm_native_layer_norm_5",
           "triton_red_fused_addmm_mean_7",
       }) {
    EXPECT_EQ(ClassText(name), "fused") << name;
  }
}

TEST(KernelClassesTest, KnowsWhatPyTorchCompilesWhileTheJobRuns) {
  for (const char* name :
       {"gcd_kernel", "gcd_vectorized4_kernel", "digamma_vectorized2_kernel", "abs_kernel_kernel",
        "sgn_kernel_vectorized4_kernel", "i0e_kernel", "bessel_j0_forward_vectorized8_kernel",
        "zeta_vectorized16_kernel", "calc_i0e_vectorized4_kernel"}) {
    EXPECT_EQ(ClassText(name), "elementwise") << name;
  }
  EXPECT_EQ(ClassText("reduction_prod_kernel"), "reduction");
  for (const char* name : {"gemm_kernel", "gemm_vectorized4_kernel", "dot_vectorized4_kernel",
                           "reduction_dot_kernel", "prod_kernel", "sum_kernel", "_kernel",
                           "gcd_vectorized4", "gcd_vectorized3_kernel", "mul_kernel"}) {
    EXPECT_EQ(ClassText(name), "") << name;
  }
}

TEST(KernelClassesTest, KnowsAlgorithmsByWhatTheyRun) {
  const std::string each =
      "void cub::CUB_300001_SM_800::detail::for_each::static_kernel<cub::policy, long, "
      "cub::CUB_300001_SM_800::detail::for_each::op_wrapper_t<long, ";
  EXPECT_EQ(
      ClassText(each + "at::native::get_offsets(at::Tensor const&)::{lambda(long)#1}> >(long)"),
      "elementwise");
  EXPECT_EQ(ClassText(each + "MyProduct> >(long)"), "");
  EXPECT_EQ(ClassText(each + "user::at::native::get_offsets(int)::{lambda(long)#1}> >(long)"), "");
  const std::string reduce =
      "void cub::DeviceReduceByKeyKernel<P, thrust::THRUST_300001_SM_800_NS::transform_iterator<";
  EXPECT_EQ(ClassText(reduce + "at::native::NonZeroOp<float>, float const*>, int>(int)"),
            "reduction");
  // One that is known beside one that is not.
  EXPECT_EQ(ClassText(reduce + "at::native::NonZeroOp<float>, float const*>, "
                               "thrust::transform_iterator<MyProduct, float*> >(int)"),
            "");
  EXPECT_EQ(ClassText(reduce + "MyProduct<at::native::NonZeroOp<float>, float const*> >(int)"), "");
}

TEST(KernelClassesTest, ANameOfOthersIsNoOneElses) {
  EXPECT_EQ(ClassText("void compute_cuda_kernel<long>(long const*, long const*, long*, long, "
                      "long)"),
            "indexing");
  for (const char* name : {
           "void compute_cuda_kernel<float>(float const*, float const*, float*, long, long)",
           "void nms_kernel_impl<float>(int)",
           "void vision::ops::my_gemm<float>(int)",
           "void scatter_kernel<float>(float*)",
           "void at::native::scatter_kernel<float>(float*)",
           "void cusparse::csrmm_alg2_kernel<float>(float*)",
           "void at::native::apply_kernel<128, 8, MyFunctor>(int, MyFunctor)",
           "void mslk::gemm::cutlass_kernel<float>(int)",
       }) {
    EXPECT_EQ(ClassText(name), "") << name;
  }
}

TEST(KernelClassesTest, AFusionThatMayHideAProductIsUnknown) {
  for (const char* name : {
           // A product as multiplication and sum, or only its rest: the name does not say.
           "triton_red_fused_mm_0",
           "triton_per_fused_bmm_mul_sum_1",
           "triton_per_fused_addmm_mm_sum_5",
           "triton_red_fused_baddbmm_5",
           "triton_red_fused_mv_0",
           "triton_poi_fused_mv_0",
           "triton_poi_fused_addmv_0",
           "triton_poi_fused_linear_relu_0",
           "triton_poi_fused_dot_2",
           // Templates have what was fused behind them in their names.
           "triton_tem_fused_addmm_0",
           "triton_tem_fused__to_copy_addmm_relu_1",
           "triton_poi_fused_einsum_2",
           // Products of sums: the bias alone is certain in a pointwise kernel only.
           "triton_red_fused_convolution_backward_4",
           "triton_red_fused_convolution_4",
           "triton_tem_fused_mm_0",
           "triton_tem_fused_add_0",
           "triton_mm",
           "triton_",
           "triton_0",
           "triton_poi_fused_0",
           "triton_poi_fused",
           "triton_poi_fused_",
           "triton_poi_fused_add",
           "triton_poi_add_0",
           "triton_poi_fused_my_op_0",
           "triton_poi_fused_add__0",
           "triton_user_fused_add_0",
           "triton_poi_fused_scaled_dot_product_attention_0",
           "triton_poi_fused__scaled_mm_add_0",
           "triton_per_fused_flex_attention_0",
       }) {
    EXPECT_EQ(ClassText(name), "") << name;
  }
}

TEST(KernelClassesTest, AListOfTenOperationsMayBeCutOff) {
  // Nine; ten, where an eleventh could be mm; ten, of which the last comes after all products.
  EXPECT_EQ(ClassText("triton_per_fused_add_clone_cos_div_exp_mean_mul_sub_sum_1"), "fused");
  EXPECT_EQ(ClassText("triton_per_fused_add_clone_cos_div_exp_gelu_mean_mul_sub_sum_1"), "");
  EXPECT_EQ(ClassText("triton_per_fused_add_clone_cos_div_exp_mean_mul_sub_sum_where_1"), "fused");
}

}  // namespace
}  // namespace flopsprof::model
