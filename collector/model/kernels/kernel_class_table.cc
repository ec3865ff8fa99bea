// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernels/kernel_class_table.h"

#include <cstddef>

namespace flopsprof::model {
namespace {

using K = KernelClass;

// Source: the kernels that libtorch_cuda.so and libtorch_cuda_linalg.so of the wheel torch 2.14
// register (names in their .rodata, demangled); the one with "manual_unroll"
// from traces of builds for AMD. Left out: embedding bags that may be weighted (a sparse product),
// linear combinations of matrices, sparse and quantised products.
constexpr KernelNameRow kTorch[] = {
    {"cross_kernel", K::kElementwise},
    {"elementwise_kernel", K::kElementwise},
    {"elementwise_kernel_manual_unroll", K::kElementwise},
    {"glu_backward_kernel", K::kElementwise},
    {"gru_cell_backward", K::kElementwise},
    {"gru_cell_forward", K::kElementwise},
    {"jagged_dense_dense_elementwise_jagged_output_kernel_", K::kElementwise},
    {"jagged_dense_dense_elementwise_jagged_output_opt_gather_kernel_", K::kElementwise},
    {"jagged_dense_dense_elementwise_jagged_output_opt_search_kernel_", K::kElementwise},
    {"jagged_dense_elementwise_dense_output_kernel_", K::kElementwise},
    {"kernelPointwiseApply2", K::kElementwise},
    {"lstm_cell_backward", K::kElementwise},
    {"lstm_cell_forward", K::kElementwise},
    {"op_dense_esuhm", K::kElementwise},
    {"sparseElementwiseKernel", K::kElementwise},
    {"sparseElementwiseKernelScalar", K::kElementwise},
    {"transform_bias_rescale_qkv_kernel", K::kElementwise},
    {"unrolled_elementwise_kernel", K::kElementwise},
    {"unrolled_elementwise_kernel_for_multi_outputs", K::kElementwise},
    {"vectorized_elementwise_kernel", K::kElementwise},
    {"Compute1dBackwardFusedParamsCUDAKernel", K::kNormalisation},
    {"ComputeBackwardFusedParamsCUDAKernel", K::kNormalisation},
    {"ComputeFusedParamsCUDAKernel", K::kNormalisation},
    {"ComputeInternalGradientsCUDAKernel", K::kNormalisation},
    {"GammaBeta1dBackwardCUDAKernel1", K::kNormalisation},
    {"GammaBeta1dBackwardCUDAKernel2", K::kNormalisation},
    {"GammaBetaBackwardCUDAKernel1", K::kNormalisation},
    {"GammaBetaBackwardCUDAKernel2", K::kNormalisation},
    {"GammaBetaBackwardCUDAKernelTemplate", K::kNormalisation},
    {"LayerNormForwardCUDAKernel", K::kNormalisation},
    {"RowwiseMomentsCUDAKernel", K::kNormalisation},
    {"batch_norm_backward_elemt_channels_last_kernel", K::kNormalisation},
    {"batch_norm_backward_elemt_kernel", K::kNormalisation},
    {"batch_norm_backward_kernel", K::kNormalisation},
    {"batch_norm_backward_reduce_channels_last_kernel", K::kNormalisation},
    {"batch_norm_backward_reduce_kernel", K::kNormalisation},
    {"batch_norm_collect_statistics_channels_last_kernel", K::kNormalisation},
    {"batch_norm_collect_statistics_kernel", K::kNormalisation},
    {"batch_norm_reduce_statistics_kernel", K::kNormalisation},
    {"batch_norm_transform_input_channels_last_kernel", K::kNormalisation},
    {"batch_norm_transform_input_kernel", K::kNormalisation},
    {"layer_norm_grad_input_kernel", K::kNormalisation},
    {"layer_norm_grad_input_kernel_vectorized", K::kNormalisation},
    {"renormRowsL1", K::kNormalisation},
    {"renorm_kernel", K::kNormalisation},
    {"vectorized_layer_norm_kernel", K::kNormalisation},
    {"weight_norm_bwd_first_dim_kernel", K::kNormalisation},
    {"weight_norm_bwd_last_dim_kernel", K::kNormalisation},
    {"weight_norm_fwd_first_dim_kernel", K::kNormalisation},
    {"weight_norm_fwd_last_dim_kernel", K::kNormalisation},
    {"cuda_sparse_coo_softmax_backward_kernel", K::kSoftmax},
    {"cuda_sparse_coo_softmax_kernel", K::kSoftmax},
    {"cunn_SoftMaxBackward", K::kSoftmax},
    {"cunn_SoftMaxBackwardSmem", K::kSoftmax},
    {"cunn_SoftMaxForward", K::kSoftmax},
    {"cunn_SoftMaxForwardReg", K::kSoftmax},
    {"cunn_SoftMaxForwardSmem", K::kSoftmax},
    {"cunn_SpatialSoftMaxBackward", K::kSoftmax},
    {"cunn_SpatialSoftMaxForward", K::kSoftmax},
    {"ChooseQuantizationParamsKernelImpl", K::kReduction},
    {"MovingAverageMinMax", K::kReduction},
    {"MultiMarginLoss_backward_kernel", K::kReduction},
    {"MultiMarginLoss_forward_kernel", K::kReduction},
    {"calc_block_sums", K::kReduction},
    {"cdist_backward_kernel_cuda_impl", K::kReduction},
    {"cdist_kernel_cuda_impl", K::kReduction},
    {"coalesceValuesKernel", K::kReduction},
    {"ctc_loss_backward_collect_gpu_kernel", K::kReduction},
    {"ctc_loss_backward_collect_nonblank_gpu_kernel", K::kReduction},
    {"ctc_loss_backward_log_beta_gpu_kernel", K::kReduction},
    {"ctc_loss_log_alpha_gpu_kernel", K::kReduction},
    {"ctc_loss_zero_padded_gradients", K::kReduction},
    {"final_scan_kernel", K::kReduction},
    {"multilabel_margin_loss_backward_kernel", K::kReduction},
    {"multilabel_margin_loss_forward_kernel", K::kReduction},
    {"nll_loss2d_backward_kernel", K::kReduction},
    {"nll_loss2d_backward_no_reduce_kernel", K::kReduction},
    {"nll_loss2d_forward_kernel", K::kReduction},
    {"nll_loss2d_forward_no_reduce_kernel", K::kReduction},
    {"nll_loss2d_forward_size_average_kernel", K::kReduction},
    {"nll_loss_backward_no_reduce_cuda_kernel", K::kReduction},
    {"nll_loss_backward_reduce_cuda_kernel_1d", K::kReduction},
    {"nll_loss_backward_reduce_cuda_kernel_2d", K::kReduction},
    {"nll_loss_forward_no_reduce_cuda_kernel", K::kReduction},
    {"nll_loss_forward_reduce_cuda_kernel_1d", K::kReduction},
    {"nll_loss_forward_reduce_cuda_kernel_2d", K::kReduction},
    {"pdist_backward_kernel_cuda_impl", K::kReduction},
    {"pdist_kernel_cuda_impl", K::kReduction},
    {"post_sum_div_kernel", K::kReduction},
    {"reduce_crow_indices_dim1_cuda_kernel", K::kReduction},
    {"reduce_kernel", K::kReduction},
    {"reduce_sparse_csr_dim0_cuda_kernel", K::kReduction},
    {"reduce_sparse_csr_dim1_cuda_kernel", K::kReduction},
    {"segment_reduce_backward_kernel", K::kReduction},
    {"segment_reduce_forward_kernel", K::kReduction},
    {"sum_and_scatter", K::kReduction},
    {"tensor_kernel_scan_innermost_dim", K::kReduction},
    {"tensor_kernel_scan_innermost_dim_with_indices", K::kReduction},
    {"tensor_kernel_scan_outer_dim", K::kReduction},
    {"tensor_kernel_scan_outer_dim_with_indices", K::kReduction},
    {"transform_vals", K::kReduction},
    {"EmbeddingBag_accGradParametersKernel_max", K::kIndexing},
    {"EmbeddingBag_updateOutputKernel_max", K::kIndexing},
    {"_scatter_gather_elementwise_kernel", K::kIndexing},
    {"_sparse_sum_backward_cuda_kernel", K::kIndexing},
    {"_unfold_backward_elementwise_kernel", K::kIndexing},
    {"add_padding_1", K::kIndexing},
    {"add_padding_2", K::kIndexing},
    {"add_padding_3", K::kIndexing},
    {"compute_agg", K::kIndexing},
    {"compute_grad_weight", K::kIndexing},
    {"compute_grad_weight_atomic_accumulate", K::kIndexing},
    {"compute_num_of_partial_segments", K::kIndexing},
    {"convert_indices_from_coo_to_csr_cuda_kernel", K::kIndexing},
    {"convert_indices_from_csr_to_coo_cuda_kernel", K::kIndexing},
    {"embedding_backward_feature_kernel", K::kIndexing},
    {"embedding_renorm_wrap_indices_kernel", K::kIndexing},
    {"fill_index_and_segment_kernel", K::kIndexing},
    {"fill_reverse_indices_kernel", K::kIndexing},
    {"flag_kernel", K::kIndexing},
    {"indexFuncLargeIndex", K::kIndexing},
    {"indexFuncSmallIndex", K::kIndexing},
    {"indexSelectSmallIndex", K::kIndexing},
    {"index_elementwise_kernel", K::kIndexing},
    {"krn_partial_segment_offset", K::kIndexing},
    {"krn_partial_to_segment_idx", K::kIndexing},
    {"krn_partials_per_segment", K::kIndexing},
    {"masked_scatter_size_check", K::kIndexing},
    {"reflection_pad1d_backward_flat", K::kIndexing},
    {"reflection_pad1d_backward_out_kernel", K::kIndexing},
    {"reflection_pad1d_flat", K::kIndexing},
    {"reflection_pad1d_out_kernel", K::kIndexing},
    {"reflection_pad2d_backward_det_out_kernel", K::kIndexing},
    {"reflection_pad2d_backward_out_kernel", K::kIndexing},
    {"reflection_pad2d_out_kernel", K::kIndexing},
    {"reflection_pad3d_backward_out_kernel", K::kIndexing},
    {"reflection_pad3d_out_kernel", K::kIndexing},
    {"remove_padding", K::kIndexing},
    {"remove_padding_2", K::kIndexing},
    {"remove_padding_transform0213_2", K::kIndexing},
    {"replication_pad_backward_kernel", K::kIndexing},
    {"replication_pad_forward_kernel1d", K::kIndexing},
    {"replication_pad_forward_kernel2d", K::kIndexing},
    {"replication_pad_forward_kernel3d", K::kIndexing},
    {"roll_cuda_kernel", K::kIndexing},
    {"search_end_matrix_indices_cuda_kernel", K::kIndexing},
    {"sparse_semi_structured_apply_dense_k", K::kIndexing},
    {"sparse_semi_structured_apply_kernel", K::kIndexing},
    {"sparse_semi_structured_tile_kernel", K::kIndexing},
    {"tma_scatter_add_kernel", K::kIndexing},
    {"transform_bias_rescale_qkv_add_padding_kernel", K::kIndexing},
    {"tril_indices_kernel", K::kIndexing},
    {"triu_indices_kernel", K::kIndexing},
    {"triu_tril_kernel", K::kIndexing},
    {"vectorized_gather_kernel", K::kIndexing},
    {"vectorized_scatter_add_kernel", K::kIndexing},
    {"write_fill_value", K::kIndexing},
    {"write_indices", K::kIndexing},
    {"adjacent_difference_kernel", K::kSorting},
    {"bitonicSortKVInPlace", K::kSorting},
    {"computeBlockDigitCounts", K::kSorting},
    {"computeBlockwiseKthCounts", K::kSorting},
    {"computeBlockwiseWithinKCounts", K::kSorting},
    {"computeDigitCumSum", K::kSorting},
    {"compute_mode", K::kSorting},
    {"gatherKthValue", K::kSorting},
    {"gatherMedian", K::kSorting},
    {"gatherTopK", K::kSorting},
    {"kernelHistogram1D", K::kSorting},
    {"radixSortKVInPlace", K::kSorting},
    {"searchsorted_cuda_kernel", K::kSorting},
    {"sort_postprocess_kernel", K::kSorting},
    {"unique_bool_write_inverse_indices", K::kSorting},
    {"unique_bool_write_output", K::kSorting},
    {"warpMergeSortKVInPlace", K::kSorting},
    {"adaptive_average_gradinput", K::kPooling},
    {"adaptive_average_gradinput_nhwc", K::kPooling},
    {"adaptive_average_pool", K::kPooling},
    {"adaptive_average_pool_nhwc", K::kPooling},
    {"adaptiveaveragegradinput", K::kPooling},
    {"adaptiveaveragepool", K::kPooling},
    {"adaptivemaxgradinput", K::kPooling},
    {"adaptivemaxpool", K::kPooling},
    {"atomic_adaptive_average_gradinput", K::kPooling},
    {"atomicadaptiveaveragegradinput", K::kPooling},
    {"atomicadaptivemaxgradinput", K::kPooling},
    {"avg_pool2d_backward_out_cuda_frame", K::kPooling},
    {"avg_pool2d_backward_out_cuda_frame_nhwc", K::kPooling},
    {"avg_pool2d_out_cuda_frame", K::kPooling},
    {"avg_pool2d_out_cuda_frame_nhwc", K::kPooling},
    {"avg_pool3d_cuda_update_grad_input", K::kPooling},
    {"avg_pool3d_cuda_update_grad_input_atomic", K::kPooling},
    {"avg_pool3d_cuda_update_output", K::kPooling},
    {"avg_pool3d_single_backward_out_frame_stride1", K::kPooling},
    {"fractional_max_pool2d_backward_out_cuda_frame", K::kPooling},
    {"fractional_max_pool2d_out_cuda_frame", K::kPooling},
    {"fractional_max_pool3d_backward_out_frame", K::kPooling},
    {"fractional_max_pool3d_out_frame", K::kPooling},
    {"grid_sampler_2d_backward_kernel", K::kPooling},
    {"grid_sampler_2d_kernel", K::kPooling},
    {"grid_sampler_3d_backward_kernel", K::kPooling},
    {"grid_sampler_3d_kernel", K::kPooling},
    {"max_pool3d_with_indices_backward_single_out_frame", K::kPooling},
    {"max_pool3d_with_indices_single_out_frame", K::kPooling},
    {"max_pool_backward_nchw", K::kPooling},
    {"max_pool_backward_nhwc", K::kPooling},
    {"max_pool_forward_nchw", K::kPooling},
    {"max_pool_forward_nhwc", K::kPooling},
    {"max_unpooling2d_backward_kernel", K::kPooling},
    {"max_unpooling2d_forward_kernel", K::kPooling},
    {"max_unpooling3d_backward_kernel", K::kPooling},
    {"max_unpooling3d_forward_kernel", K::kPooling},
    {"upsample_bicubic2d_backward_out_frame", K::kPooling},
    {"upsample_bicubic2d_out_frame", K::kPooling},
    {"upsample_bicubic2d_out_frame_parallel", K::kPooling},
    {"upsample_bilinear2d_backward_nhwc_out_frame", K::kPooling},
    {"upsample_bilinear2d_backward_out_frame", K::kPooling},
    {"upsample_bilinear2d_nhwc_out_frame", K::kPooling},
    {"upsample_bilinear2d_out_frame", K::kPooling},
    {"upsample_gen2d_aa_backward_out_frame", K::kPooling},
    {"upsample_gen2d_aa_out_frame", K::kPooling},
    {"upsample_linear1d_out_frame", K::kPooling},
    {"upsample_linear1d_out_frame_backward", K::kPooling},
    {"upsample_nearest1d_backward_out_frame", K::kPooling},
    {"upsample_nearest1d_out_frame", K::kPooling},
    {"upsample_nearest2d_backward_nhwc_out_frame", K::kPooling},
    {"upsample_nearest2d_backward_out_frame", K::kPooling},
    {"upsample_nearest2d_nhwc_out_frame", K::kPooling},
    {"upsample_nearest2d_out_frame", K::kPooling},
    {"upsample_nearest3d_backward_out_frame", K::kPooling},
    {"upsample_nearest3d_out_frame", K::kPooling},
    {"upsample_trilinear3d_backward_out_frame", K::kPooling},
    {"upsample_trilinear3d_out_frame", K::kPooling},
    {"CatArrayBatchedCopy", K::kCopy},
    {"CatArrayBatchedCopy_aligned16_contig", K::kCopy},  // PyTorch 2.4
    {"CatArrayBatchedCopy_alignedK_contig", K::kCopy},
    {"CatArrayBatchedCopy_contig", K::kCopy},
    {"CatArrayBatchedCopy_vectorized", K::kCopy},
    {"_fft_conjugate_copy_kernel", K::kCopy},
    {"chunk_cat_cuda_kernel", K::kCopy},
    {"col2im_batched_kernel", K::kCopy},
    {"col2im_kernel", K::kCopy},
    {"im2col_kernel", K::kCopy},
    {"linalg_eig_make_complex_eigenvectors_kernel", K::kCopy},
    {"matrix_to_m16n8k16_Bint4_layout", K::kCopy},
    {"split_with_sizes_copy_out_contiguous_no_cast_kernel", K::kCopy},
    {"vol2col_kernel", K::kCopy},
    {"vol2im_kernel", K::kCopy},
    {"distribution_binary_elementwise_kernel", K::kRandom},
    {"distribution_elementwise_grid_stride_kernel", K::kRandom},
    {"fused_dropout_kernel", K::kRandom},
    {"fused_dropout_kernel_vec", K::kRandom},
    {"philox_key_fold_in_scalar_kernel", K::kRandom},
    {"philox_key_fold_in_tensor_kernel", K::kRandom},
    {"philox_key_split_kernel", K::kRandom},
    {"philox_multi_key_kernel", K::kRandom},
    {"philox_single_key_kernel", K::kRandom},
    {"rand_uniform_kernel", K::kRandom},
    {"rrelu_with_noise_cuda_kernel", K::kRandom},
    {"sampleMultinomialOnce", K::kRandom},
    {"sampleMultinomialWithReplacement", K::kRandom},
    {"unpack_cudnn", K::kRandom},
    {"amp_update_scale_cuda_kernel", K::kOptimizer},
    {"lpmax_cleanup", K::kOptimizer},
    {"lpnorm_cleanup", K::kOptimizer},
    {"multi_tensor_apply_kernel", K::kOptimizer},
    {"_assert_async_cuda_kernel", K::kOther},
    {"prepare_grouped_gemm_data", K::kOther},
    {"set_conditional_handle_kernel", K::kOther},
    {"spin_kernel", K::kOther},
};

// In an anonymous namespace outside of any other. Source: the same libraries.
constexpr KernelNameRow kTorchAnonymous[] = {
    {"elementwise_kernel_with_index", K::kElementwise},
    {"indexing_backward_kernel", K::kIndexing},
    {"indexing_backward_kernel_quantized", K::kIndexing},
    {"indexing_backward_kernel_small_stride", K::kIndexing},
    {"indexing_backward_kernel_stride_1", K::kIndexing},
    {"softmax_warp_backward", K::kSoftmax},
    {"softmax_warp_forward", K::kSoftmax},
    {"randperm_handle_duplicate_keys_kernel", K::kRandom},
    {"multimem_all_gather_kernel", K::kCommunication},
    {"multimem_all_reduce_kernel", K::kCommunication},
    {"multimem_one_shot_reduce_kernel", K::kCommunication},
    {"one_shot_all_reduce_kernel", K::kCommunication},
    {"two_shot_all_reduce_kernel", K::kCommunication},
    {"two_shot_all_reduce_kernel_inplace", K::kCommunication},
};

// Whose names say little without their namespaces. Source: the
// same libraries.
constexpr KernelNameRow kTorchQualified[] = {
    {"at::native::internal::scatter_kernel", K::kSorting},
    {"at::native::mbtopk::fill", K::kSorting},
    {"mslk::gemm::set_grouped_gemm_args_kernel", K::kOther},
    {"mslk::gemm::set_stacked_kernel_args_kernel", K::kOther},
};

// Source: the same libraries, and CUB's own folders of device-wide algorithms. Kernels that run
// any functor for each index (for_each::static_kernel, transform_kernel): kFunctors.
constexpr KernelNameRow kCub[] = {
    {"DeviceAdjacentDifferenceDifferenceKernel", K::kElementwise},
    {"DeviceAdjacentDifferenceInitKernel", K::kElementwise},
    {"DeviceReduceByKeyKernel", K::kReduction},
    {"DeviceReduceKernel", K::kReduction},
    {"DeviceReduceSingleTileKernel", K::kReduction},
    {"DeviceScanByKeyInitKernel", K::kReduction},
    {"DeviceScanByKeyKernel", K::kReduction},
    {"DeviceScanInitKernel", K::kReduction},
    {"DeviceScanKernel", K::kReduction},
    {"DeviceSegmentedReduceKernel", K::kReduction},
    {"DeviceCompactInitKernel", K::kSorting},
    {"DeviceHistogramInitKernel", K::kSorting},
    {"DeviceHistogramSweepKernel", K::kSorting},
    {"DeviceMergeSortBlockSortKernel", K::kSorting},
    {"DeviceMergeSortMergeKernel", K::kSorting},
    {"DeviceMergeSortPartitionKernel", K::kSorting},
    {"DeviceRadixSortDownsweepKernel", K::kSorting},
    {"DeviceRadixSortExclusiveSumKernel", K::kSorting},
    {"DeviceRadixSortHistogramKernel", K::kSorting},
    {"DeviceRadixSortOnesweepKernel", K::kSorting},
    {"DeviceRadixSortSingleTileKernel", K::kSorting},
    {"DeviceRadixSortUpsweepKernel", K::kSorting},
    {"DeviceSegmentedRadixSortKernel", K::kSorting},
    {"DeviceSegmentedSortFallbackKernel", K::kSorting},
    {"DeviceSegmentedSortKernelLarge", K::kSorting},
    {"DeviceSegmentedSortKernelSmall", K::kSorting},
    {"RadixSortScanBinsKernel", K::kSorting},
    {"DeviceSelectSweepKernel", K::kSorting},
    {"DeviceThreeWayPartitionInitKernel", K::kSorting},
    {"DeviceThreeWayPartitionKernel", K::kSorting},
    {"DeviceUniqueByKeySweepKernel", K::kSorting},
    {"EmptyKernel", K::kOther},
};

// Functors without products that PyTorch hands to algorithms of CUB and Thrust, by their
// beginnings, without inline namespaces. Source: the same libraries.
constexpr std::string_view kFunctors[] = {
    "at::cuda::cub::CountMaskOp",
    "at::native::internal::LoadBoolOp",
    "at::native::ModeImpl<",
    "at::native::NonZeroOp<",
    "at::native::add_out_dense_sparse_compressed_cuda(",
    "at::native::compute_pool_max<",
    "at::native::get_offsets(",
    "at::native::mbtopk::BlockIdxToKey",
    "cuda::std::__identity",
    "cuda::std::not_equal_to<",
    "thrust::cuda_cub::__find_if::",
    "thrust::cuda_cub::__tabulate::functor<thrust::device_ptr<int>, "
    "thrust::system::detail::generic::detail::compute_sequence_value<",
    "thrust::cuda_cub::__tabulate::functor<thrust::device_ptr<long>, "
    "thrust::system::detail::generic::detail::compute_sequence_value<",
    "thrust::system::detail::generic::detail::binary_search_functor<",
    "thrust::zip_function<cuda::std::not_equal_to<",
};

// Below vision::ops. Source: _C_stable.so of the wheel torchvision 0.29. The products of a
// deformable convolution are a library call beside these.
constexpr KernelNameRow kVision[] = {
    {"box_iou_rotated_cuda_kernel", K::kOther},
    {"deformable_col2im_coord_kernel", K::kPooling},
    {"deformable_col2im_kernel", K::kPooling},
    {"deformable_im2col_kernel", K::kPooling},
    {"gather_keep_from_mask", K::kIndexing},
    {"nms_kernel_impl", K::kSorting},
    {"ps_roi_align_backward_kernel_impl", K::kPooling},
    {"ps_roi_align_forward_kernel_impl", K::kPooling},
    {"ps_roi_pool_backward_kernel_impl", K::kPooling},
    {"ps_roi_pool_forward_kernel_impl", K::kPooling},
    {"roi_align_backward_kernel_impl", K::kPooling},
    {"roi_align_forward_kernel_impl", K::kPooling},
    {"roi_pool_backward_kernel_impl", K::kPooling},
    {"roi_pool_forward_kernel_impl", K::kPooling},
};

// Of cuSPARSE, with or without its namespace: changes of format, sorting. Source:
// libcusparse.so.12 of the wheel nvidia-cusparse for CUDA 13. Those of its products, solvers and
// factorisations, and of names that others may have, are left out.
constexpr KernelNameRow kCusparse[] = {
    {"bsr2csr_large_core", K::kCopy},
    {"bsr2csr_small_core", K::kCopy},
    {"build_bscRowInd_bscVal", K::kCopy},
    {"convert_CooToCsr_kernel", K::kIndexing},
    {"convert_CsrToCoo_kernel", K::kIndexing},
    {"csr2bsr_core", K::kCopy},
    {"csr2bsr_large_core", K::kCopy},
    {"csr2csr_compress_colval", K::kCopy},
    {"csr2gebsr_large_core", K::kCopy},
    {"cusparse::coo_to_dense_kernel", K::kCopy},
    {"cusparse::copy_csr_offsets", K::kCopy},
    {"cusparse::count_nz_kernel", K::kReduction},
    {"cusparse::count_nz_reverse_kernel", K::kReduction},
    {"cusparse::create_row_indices", K::kIndexing},
    {"cusparse::csr2csc_rows_expansion_kernel", K::kIndexing},
    {"cusparse::empty_kernel", K::kOther},
    {"cusparse::fill_ellValues_kernel", K::kCopy},
    {"cusparse::gather_kernel", K::kIndexing},
    {"cusparse::gather_nz_kernel", K::kIndexing},
    {"cusparse::gather_nz_reverse_kernel", K::kIndexing},
    {"cusparse::iota_kernel", K::kCopy},
    {"cusparse::scatter_kernel", K::kIndexing},
    {"cusparse::streamcpy_kernel", K::kCopy},
    {"cusparse::vector_fill_kernel", K::kCopy},
    {"cusparseCountNnzPerRow_kernel", K::kReduction},
    {"cusparseIinclusive_localscan_core", K::kReduction},
    {"cusparseIinclusive_scan_domino_v1_core", K::kReduction},
    {"cusparseIinclusive_scan_merge_core", K::kReduction},
    {"cusparseParseDenseByColumns_kernel", K::kCopy},
    {"cusparseParseDenseByRows_kernel", K::kCopy},
    {"cusparse_transpose_readWrite_alignment_kernel", K::kCopy},
    {"gebsr2csr_large_core", K::kCopy},
    {"sortI16_by_key_local_core", K::kSorting},
    {"sortI16_by_key_merge_core", K::kSorting},
    {"sortI32_by_key_local_core", K::kSorting},
    {"sortI32_by_key_merge_core", K::kSorting},
    {"sortI32_by_oneCTA", K::kSorting},
    {"sortI64_by_key_local_core", K::kSorting},
    {"sortI64_by_key_merge_core", K::kSorting},
    {"sortI64_by_oneCTA", K::kSorting},
    {"stable_sort_by_key_domino_phase1", K::kSorting},
    {"stable_sort_by_key_local_core", K::kSorting},
    {"stable_sort_by_key_merge_core", K::kSorting},
    {"stable_sort_by_key_stop_core", K::kSorting},
};

// Functions that PyTorch compiles while the job runs (jiterator): the NAME of NAME_kernel,
// NAME_vectorized4_kernel. Source: strings of libtorch_cuda.so, and aten/src/ATen/native/cuda.
// Some names end in "_kernel" themselves.
constexpr std::string_view kJiterator[] = {
    "abs_kernel",
    "acos_impl",
    "acos_name",
    "acosh_impl",
    "acosh_name",
    "addcdiv",
    "addcmul",
    "airy_ai_forward",
    "angle",
    "angle_kernel",
    "asin_impl",
    "asin_name",
    "asinh_impl",
    "asinh_name",
    "atan_impl",
    "atanh_impl",
    "bessel_j0_forward",
    "bessel_j1_forward",
    "bessel_y0_forward",
    "bessel_y1_forward",
    "chebyshev_polynomial_t_forward",
    "chebyshev_polynomial_u_forward",
    "chebyshev_polynomial_v_forward",
    "chebyshev_polynomial_w_forward",
    "calc_i0",
    "calc_i0e",
    "calc_i1",
    "calc_i1e",
    "cos_impl",
    "cosh_impl",
    "digamma",
    "div_kernel",
    "entr",
    "erfc_kernel",
    "erfcx",
    "erfinv_kernel",
    "exp2_kernel",
    "exp_kernel",
    "gcd",
    "hermite_polynomial_h_forward",
    "hermite_polynomial_he_forward",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "kaiser_window",
    "laguerre_polynomial_l_forward",
    "lcm",
    "legendre_polynomial_p_forward",
    "lerp_scalar",
    "lerp_tensor",
    "lgamma_kernel",
    "log10_kernel",
    "log2_kernel",
    "log_kernel",
    "log_ndtr",
    "modified_bessel_i0_forward",
    "modified_bessel_i1_forward",
    "modified_bessel_k0_forward",
    "modified_bessel_k1_forward",
    "mul_kernel",
    "ndtri",
    "neg_kernel",
    "polygamma",
    "reciprocal_kernel",
    "rsqrt_kernel",
    "scaled_modified_bessel_k0_forward",
    "scaled_modified_bessel_k1_forward",
    "sgn_kernel",
    "shifted_chebyshev_polynomial_t_forward",
    "shifted_chebyshev_polynomial_u_forward",
    "shifted_chebyshev_polynomial_v_forward",
    "shifted_chebyshev_polynomial_w_forward",
    "sigmoid",
    "sigmoid_backward",
    "sin_impl",
    "sinc",
    "sinh_impl",
    "spherical_bessel_j0_forward",
    "sqrt_kernel",
    "tan_impl",
    "tanh_backward",
    "tanh_impl",
    "trigamma",
    "zeta",
};

// The same of reduction_NAME_kernel.
constexpr std::string_view kJiteratorReductions[] = {"nansum", "prod", "sum"};

// Beginnings. Source: libcudnn_ops.so.9 of the wheel nvidia-cudnn-cu13, and traces of TensorFlow
// for the layout kernels. They run inside of cuDNN's calls; here they matter only where those
// calls were not seen.
constexpr KernelNameRow kCudnn[] = {
    {"batchnorm_", K::kNormalisation},  {"bn_bw_", K::kNormalisation},
    {"bn_fw_", K::kNormalisation},      {"divNorm_", K::kNormalisation},
    {"softmax_bw_", K::kSoftmax},       {"softmax_fw_", K::kSoftmax},
    {"pooling_bw_", K::kPooling},       {"pooling_fw_", K::kPooling},
    {"dropout_bp", K::kRandom},         {"dropout_fp", K::kRandom},
    {"convertTensor_kernel", K::kCopy}, {"nchwToNhwcKernel", K::kCopy},
    {"nhwcToNchwKernel", K::kCopy},     {"scalePackedTensor_kernel", K::kElementwise},
};

// Source: csrc/multi_tensor_*.cu of Apex and of TransformerEngine.
constexpr KernelNameRow kMultiTensor[] = {
    {"AdagradFunctor", K::kOptimizer},
    {"AdamCapturableFunctor", K::kOptimizer},
    {"AdamCapturableMasterFunctor", K::kOptimizer},
    {"AdamFunctor", K::kOptimizer},
    {"AdamFunctorMaster", K::kOptimizer},
    {"AxpbyFunctor", K::kOptimizer},
    {"L2NormFunctor", K::kOptimizer},
    {"LAMBFunctor", K::kOptimizer},
    {"LAMBStage1Functor", K::kOptimizer},
    {"LAMBStage2Functor", K::kOptimizer},
    {"MaxNormFunctor", K::kOptimizer},
    {"NovoGradFunctor", K::kOptimizer},
    {"SGDFunctor", K::kOptimizer},
    {"ScaleFunctor", K::kOptimizer},
    {"UnscaleL2NormFunctor", K::kOptimizer},
};

template <size_t N>
KernelClass Exact(const KernelNameRow (&rows)[N], std::string_view name) {
  for (const KernelNameRow& row : rows) {
    if (row.name == name) return row.kernel_class;
  }
  return KernelClass::kUnknown;
}

template <size_t N>
bool Has(const std::string_view (&names)[N], std::string_view name) {
  for (const std::string_view known : names) {
    if (known == name) return true;
  }
  return false;
}

}  // namespace

KernelClass ClassOfTorchFunction(std::string_view function) { return Exact(kTorch, function); }

KernelClass ClassOfTorchQualified(std::string_view qualified) {
  return Exact(kTorchQualified, qualified);
}

KernelClass ClassOfVisionFunction(std::string_view function) { return Exact(kVision, function); }

KernelClass ClassOfCusparseFunction(std::string_view qualified) {
  return Exact(kCusparse, qualified);
}

bool IsFunctorWithoutProducts(std::string_view functor) {
  for (const std::string_view beginning : kFunctors) {
    if (functor.substr(0, beginning.size()) == beginning) return true;
  }
  return false;
}

bool IsJiteratorFunction(std::string_view function) { return Has(kJiterator, function); }

bool IsJiteratorReduction(std::string_view function) { return Has(kJiteratorReductions, function); }

KernelClass ClassOfTorchAnonymous(std::string_view function) {
  return Exact(kTorchAnonymous, function);
}

KernelClass ClassOfCubFunction(std::string_view function) { return Exact(kCub, function); }

KernelClass ClassOfCudnnFunction(std::string_view function) {
  for (const KernelNameRow& row : kCudnn) {
    if (function.substr(0, row.name.size()) == row.name) return row.kernel_class;
  }
  return KernelClass::kUnknown;
}

KernelClass ClassOfMultiTensorFunctor(std::string_view functor) {
  return Exact(kMultiTensor, functor);
}

}  // namespace flopsprof::model
