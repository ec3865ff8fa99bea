# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operators that do no floating-point arithmetic: views, copies, choices, comparisons, sorting,
random numbers, shapes. An operator that is neither here nor in operators.py is unknown."""

import re

_NAMES = frozenset(
    """_to_copy copy copy_ clone contiguous to fill fill_ zero zero_ cat stack index index_select
 index_put index_put_ _index_put_impl_ _unsafe_index _unsafe_index_put gather scatter scatter_
 masked_fill masked_fill_ masked_select masked_scatter masked_scatter_ where take take_along_dim put
 put_ index_copy index_copy_ index_fill index_fill_ embedding embedding_renorm_ one_hot nonzero
 nonzero_static unique _unique2 unique_dim unique_consecutive sort topk argsort argmax argmin max min
 amax amin aminmax median nanmedian kthvalue mode cummax cummin searchsorted bucketize bincount histc
 eq ne lt le gt ge logical_and logical_or logical_not logical_xor logical_and_ logical_or_
 logical_not_ bitwise_and bitwise_or bitwise_not bitwise_xor bitwise_and_ bitwise_or_ isnan isinf
 isfinite isin isclose equal allclose any all sign sgn floor ceil round trunc floor_ ceil_ round_
 trunc_ signbit roll flip rot90 repeat repeat_interleave tile pad constant_pad_nd reflection_pad1d
 reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d tril triu
 tril_ triu_ tril_indices triu_indices eye arange linspace logspace full full_like zeros zeros_like
 ones ones_like empty empty_like empty_strided empty_permuted new_empty new_empty_strided new_full
 new_zeros new_ones scalar_tensor rand rand_like randn randn_like randint randint_like randperm
 bernoulli bernoulli_ uniform uniform_ normal normal_ exponential_ geometric_ log_normal_ cauchy_
 random_ random multinomial poisson _local_scalar_dense item is_same_size is_nonzero resize_
 resize_as_ set_ detach detach_ lift lift_fresh lift_fresh_copy alias im2col col2im pixel_shuffle
 pixel_unshuffle channel_shuffle native_channel_shuffle complex polar _conj _conj_physical resolve_conj
 resolve_neg real imag bitwise_left_shift bitwise_right_shift __and__ __or__ __xor__ __lshift__
 __rshift__ _assert_async _assert_scalar _functional_assert_async sym_size sym_numel sym_stride
 sym_storage_offset record_stream pin_memory _pin_memory is_pinned _pack_padded_sequence
 _pad_packed_sequence _reshape_from_tensor nll_loss_forward nll_loss2d_forward quantize_per_tensor
 quantize_per_channel quantize_per_tensor_dynamic dequantize q_scale q_zero_point int_repr
 _make_per_tensor_quantized_tensor _nested_tensor_from_mask _nested_tensor_from_mask_left_aligned
 _nested_view_from_buffer nested_to_padded_tensor to_padded_tensor _nested_from_padded
 _nested_tensor_size _nested_tensor_strides _nested_tensor_storage_offsets coalesce _coalesced_
 _indices _values indices values crow_indices col_indices _nnz sparse_dim dense_dim _to_dense
 _to_sparse _sparse_coo_tensor_with_dims_and_tensors _sparse_coo_tensor_unsafe
 _validate_sparse_coo_tensor_args sparse_compressed_tensor _convert_indices_from_coo_to_csr
 _convert_indices_from_csr_to_coo _fused_moving_avg_obs_fq_helper split_with_sizes_copy
 _cast_Float _cast_Half _backward_hook prim_device nan_to_num nan_to_num_ heaviside _cdist_backward
 diag_embed segment_reduce _is_all_true _is_any_true _has_same_storage_numel
 _sparse_semi_structured_tile _weight_norm_interface_backward _unsafe_view
 squeeze_ unsqueeze_ t_ transpose_ as_strided_ swapaxes_
 _reshape_alias
 set_data retain_grad _cummax_helper _cummin_helper unsafe_split unsafe_split_with_sizes unsafe_chunk
 _efficientzerotensor _nested_tensor_from_tensor_list
 _foreach_zero _foreach_zero_ _foreach_copy _foreach_copy_ _foreach_sign _foreach_sign_ _foreach_floor
 _foreach_floor_ _foreach_ceil _foreach_ceil_ _foreach_round _foreach_round_ _foreach_trunc
 _foreach_trunc_ _foreach_max
 _reshape_copy view_copy expand_copy _unsafe_masked_index _chunk_cat""".split()
)
_FOLDERS = re.compile(r"prim|profiler|c10d|_c10d_functional|inductor|rngprims|torchvision::nms|aoti|fsdp")
_known = {}


def is_without_work(operator, name: str) -> bool:
    known = _known.get(name)
    if known is None:
        known = _known[name] = _look(operator, name)
    return known


def _look(operator, name: str) -> bool:
    namespace, _, rest = name.partition("::")
    if _FOLDERS.match(name):
        return True
    if namespace in ("aten", "quantized") and rest in _NAMES:
        return True
    return _is_view(operator) or _gives_no_floats(operator)


def _is_view(operator) -> bool:
    """It returns an alias of an argument that it does not write to."""
    schema = getattr(operator, "_schema", None)
    if schema is None:
        return False
    aliases = [r.alias_info for r in schema.returns if r.alias_info is not None]
    return bool(aliases) and not any(alias.is_write for alias in aliases)


def _gives_no_floats(operator) -> bool:
    """No tensor comes out, and none is written to: a size, a flag, nothing."""
    schema = getattr(operator, "_schema", None)
    if schema is None or any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments):
        return False
    return not any("Tensor" in str(r.type) for r in schema.returns)
