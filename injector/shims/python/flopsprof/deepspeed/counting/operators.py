# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which formula belongs to which operator of PyTorch, below autograd.

`formula_of(operator)` gives a function of (args, kwargs, out) that returns (flops, MACs), None for
an operator without floating-point work, or UNKNOWN where nobody wrote one down.
"""

import re

import torch

from . import shapes
from .without_work import is_without_work

UNKNOWN = object()
_products = {}
_others = {}


def _for(*names, table=_products):
    def add(function):
        for name in names:
            table[name] = function
        return function

    return add


def _first(out):
    return out[0] if isinstance(out, (tuple, list)) else out


def _floats(tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


# ---------------------------------------------------------------------------- matrix products


def _product_into(out, macs: int, additions: int = 0) -> tuple:
    """Integers are no floating-point work."""
    return shapes.product(macs, additions, out.is_complex()) if _floats(out) else (0, 0)


def _inner(a) -> int:
    """MACs of one output column of a @ b: the elements of a, stored ones if it is sparse."""
    if str(a.layout) == "torch.strided":
        return a.numel()
    return a._nnz()


@_for("aten::mm", "aten::bmm", "aten::_sparse_mm", "aten::mkldnn_matmul")
def _mm(args, kwargs, out):
    return _product_into(out, _inner(args[0]) * args[1].shape[-1])


@_for("aten::_int_mm")
def _int_mm(args, kwargs, out):
    """Quantised layers call it: as with their other products, the numbers stand for fractions."""
    return shapes.product(args[0].numel() * args[1].shape[-1])


@_for("aten::addmm", "aten::addmm_", "aten::baddbmm", "aten::baddbmm_", "aten::addmm.dtype",
      "aten::_addmm_activation", "aten::_sparse_addmm", "aten::sspaddmm")
def _addmm(args, kwargs, out):
    added = 0 if kwargs.get("beta", 1) == 0 else out.numel()
    return _product_into(out, _inner(args[1]) * args[2].shape[-1], added)


@_for("aten::addbmm", "aten::addbmm_")
def _addbmm(args, kwargs, out):
    return _product_into(out, args[1].numel() * args[2].shape[-1], out.numel())


@_for("aten::mv")
def _mv(args, kwargs, out):
    return _product_into(out, _inner(args[0]))


@_for("aten::addmv", "aten::addmv_")
def _addmv(args, kwargs, out):
    return _product_into(out, _inner(args[1]), out.numel())


@_for("aten::dot", "aten::vdot")
def _dot(args, kwargs, out):
    return _product_into(out, args[0].numel())


@_for("aten::addr", "aten::addr_")
def _addr(args, kwargs, out):
    return _product_into(out, out.numel(), out.numel())


@_for("aten::linear", "aten::mkldnn_linear", "aten::_mkldnn_linear_pointwise")
def _linear(args, kwargs, out):
    bias = args[2] if len(args) > 2 else kwargs.get("bias")
    added = 0 if bias is None else out.numel()
    return _product_into(out, args[0].numel() * out.shape[-1], added)


@_for("aten::_scaled_mm", "aten::_scaled_mm_v2", "aten::_weight_int8pack_mm",
      "aten::_weight_int4pack_mm", "aten::_weight_int4pack_mm_for_cpu",
      "aten::_dyn_quant_matmul_4bit", "aten::_cslt_sparse_mm")
def _scaled_mm(args, kwargs, out):
    return shapes.product(out.numel() * args[0].shape[-1])


@_for("aten::_grouped_mm", "aten::_scaled_grouped_mm")
def _grouped_mm(args, kwargs, out):
    """Both operands in two dimensions: each group has its own part of the inner one."""
    groups = out.shape[0] if args[0].dim() == 2 and args[1].dim() == 2 else 1
    return shapes.product(out.numel() // groups * args[0].shape[-1])


@_for("aten::_trilinear")
def _trilinear(args, kwargs, out):
    """nn.Bilinear: its weight (out, in1, in2) with the second input, that with the first."""
    number, first, second = args[1].shape
    rows = out.numel() // number if number else 0
    return shapes.product(rows * number * second * (first + 1))


@_for("quantized::linear", "quantized::linear_relu", "quantized::linear_dynamic",
      "quantized::linear_relu_dynamic", "quantized::linear_dynamic_fp16")
def _quantized_linear(args, kwargs, out):
    return shapes.product(args[0].numel() * out.shape[-1], out.numel())


# ---------------------------------------------------------------------------- convolutions


@_for("aten::convolution", "aten::_convolution", "aten::convolution_overrideable")
def _convolution(args, kwargs, out):
    x, weight, bias, transposed = args[0], args[1], args[2], args[6]
    macs = shapes.convolution_macs(x.shape, weight.shape, out.shape, transposed)
    return _product_into(out, macs, 0 if bias is None else out.numel())


@_for("aten::conv_tbc")
def _conv_tbc(args, kwargs, out):
    weight = args[1].shape
    return shapes.product(out.numel() * weight[0] * weight[1], out.numel())


@_for("quantized::conv1d", "quantized::conv2d", "quantized::conv3d", "quantized::conv1d_relu",
      "quantized::conv2d_relu", "quantized::conv3d_relu", "quantized::conv2d_dynamic")
def _quantized_convolution(args, kwargs, out):
    weight, bias = args[1].unpack()
    macs = shapes.convolution_macs(args[0].shape, weight.shape, out.shape, False)
    return shapes.product(macs, 0 if bias is None else out.numel())


@_for("torchvision::deform_conv2d")
def _deformable(args, kwargs, out):
    """Its product; the sampling before it is not counted."""
    macs = shapes.convolution_macs(args[0].shape, args[1].shape, out.shape, False)
    return shapes.product(macs, out.numel())


# ---------------------------------------------------------------------------- attention


@_for("aten::_scaled_dot_product_flash_attention", "aten::_scaled_dot_product_efficient_attention",
      "aten::_scaled_dot_product_cudnn_attention",
      "aten::_scaled_dot_product_flash_attention_for_cpu",
      "aten::_scaled_dot_product_fused_attention_overrideable",
      "aten::_scaled_dot_product_attention_math_for_mps",
      "flex_attention")
def _attention(args, kwargs, out):
    """The two products; what the kernel does between them is not counted."""
    return shapes.product(shapes.attention_macs(args[0].shape, args[1].shape, args[2].shape))


@_for("aten::_flash_attention_forward", "aten::_efficient_attention_forward")
def _attention_by_rows(args, kwargs, out):
    """(batch, sequence, heads, width)."""
    if any(value is not None for value in args[3:5] if hasattr(value, "shape")):
        raise ValueError("the lengths of the sequences are on the device")
    query, key, value = ([t.shape[0], t.shape[2], t.shape[1], t.shape[3]] for t in args[:3])
    return shapes.product(shapes.attention_macs(query, key, value))


def _pairs(x) -> int:
    """Pairs of tokens within their sequences; `x` is (batch, sequence, width), or nested."""
    if getattr(x, "is_nested", False):
        return sum(int(size[0]) ** 2 for size in x._nested_tensor_size())
    return x.shape[0] * x.shape[1] ** 2


def _self_attention(x, width: int) -> tuple:
    """(flops, MACs) of in-projection, attention and out-projection, with their biases."""
    tokens = x.numel() // width if width else 0
    macs = 4 * tokens * width * width + 2 * _pairs(x) * width
    return shapes.product(macs, 4 * tokens * width)


@_for("aten::_native_multi_head_attention")
def _multi_head(args, kwargs, out):
    query, key, value, width = args[:4]
    if query is key and key is value:
        return _self_attention(query, width)
    macs = (query.numel() + key.numel() + value.numel() + query.numel()) * width
    macs += 2 * query.numel() * key.shape[1]
    return shapes.product(macs, 2 * query.numel() + key.numel() + value.numel())


@_for("aten::_transformer_encoder_layer_fwd")
def _encoder_layer(args, kwargs, out):
    x, width, inner = args[0], args[1], args[14].shape[0]
    tokens = x.numel() // width if width else 0
    flops, macs = _self_attention(x, width)
    feed = 2 * tokens * width * inner
    # Biases and activation of the feed-forward part, two norms, two residual sums.
    rest = tokens * (2 * inner + width) + 2 * 5 * x.numel() + 2 * x.numel()
    return flops + 2 * feed + rest, macs + feed


# ---------------------------------------------------------------------------- recurrent layers

_CUDNN_KINDS = {0: "RNN", 1: "RNN", 2: "LSTM", 3: "GRU"}


@_for("aten::mkldnn_rnn_layer")
def _mkldnn_rnn(args, kwargs, out):
    x, w_ih, w_hh = args[0], args[1], args[2]
    hidden = w_hh.shape[1]
    tokens = x.numel() // x.shape[-1]
    has_bias = args[12] if len(args) > 12 else True
    return shapes.recurrent("LSTM", tokens, hidden, hidden, w_ih.shape[1], 1, 1, has_bias)


def _rnn_of(operator):
    """By the names of its arguments: cuDNN's and MIOpen's have them at other places."""

    def count(args, kwargs, out):
        names = [argument.name for argument in getattr(torch.ops.aten, operator).default._schema.arguments]
        given = {**dict(zip(names, args)), **kwargs}
        x, hidden = given["input"], given["hidden_size"]
        tokens = x.shape[0] if given["batch_sizes"] else x.shape[0] * x.shape[1]
        return shapes.recurrent(
            _CUDNN_KINDS[given["mode"]], tokens, hidden, given.get("proj_size") or hidden, x.shape[-1],
            given["num_layers"], 2 if given["bidirectional"] else 1, given["weight_stride0"] >= 4)  # fmt: skip

    return count


for _name in ("_cudnn_rnn", "miopen_rnn"):
    _for("aten::" + _name)(_rnn_of(_name))


# ---------------------------------------------------------------------------- without products


def _each(times):
    """So many operations for each element of the result."""

    def count(args, kwargs, out):
        result = _first(out)
        if not _floats(result):
            return 0, 0
        return times * result.numel() * (2 if result.is_complex() else 1), 0

    return count


def _sum_of_two(args, kwargs, out):
    """`alpha` is one more product for each element."""
    if not _floats(out):
        return 0, 0
    times = 1 if kwargs.get("alpha", 1) == 1 else 2
    return times * out.numel() * (2 if out.is_complex() else 1), 0


def _each_input(times):
    def count(args, kwargs, out):
        x = args[0]
        if isinstance(x, (tuple, list)):
            return times * sum(t.numel() for t in x if _floats(t)), 0
        return (times * x.numel() if _floats(x) else 0), 0

    return count


_ARITHMETIC = """sub rsub mul div true_divide neg abs reciprocal pow square sqrt rsqrt exp exp2 expm1
 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc erfinv
 sigmoid relu relu6 hardtanh elu gelu silu leaky_relu prelu _prelu_kernel rrelu_with_noise hardswish
 hardsigmoid mish softplus softshrink hardshrink threshold log_sigmoid_forward logit celu selu sinc
 maximum minimum fmax fmin clamp clamp_min clamp_max fmod remainder floor_divide xlogy hypot lgamma
 digamma special_expit logaddexp logaddexp2 frac""".split()
for _name in _ARITHMETIC:
    _for("aten::" + _name, "aten::" + _name + "_", table=_others)(_each(1))
for _name in ("add", "add_"):
    _for("aten::" + _name, table=_others)(_sum_of_two)
for _name in ("addcmul", "addcdiv"):
    _for("aten::" + _name, "aten::" + _name + "_", table=_others)(_each(3))
_for("aten::lerp", "aten::lerp_", table=_others)(_each(3))
_for("aten::glu", table=_others)(_each(2))
_for("aten::native_dropout", table=_others)(_each(shapes.DROPOUT))

_for("aten::_softmax", "aten::_log_softmax", "aten::_safe_softmax", "aten::_masked_softmax",
     "aten::sum", "aten::nansum", "aten::mean", "aten::prod", "aten::cumsum", "aten::cumprod",
     "aten::logsumexp", "aten::logcumsumexp", "aten::cumsum_",
     "aten::avg_pool1d", "aten::avg_pool2d", "aten::avg_pool3d", "aten::max_pool1d",
     "aten::max_pool1d_with_indices", "aten::max_pool2d", "aten::max_pool2d_with_indices",
     "aten::max_pool3d", "aten::max_pool3d_with_indices", "aten::mkldnn_max_pool2d",
     "aten::mkldnn_max_pool3d", "aten::quantized_max_pool2d", "aten::_adaptive_avg_pool2d",
     "aten::_adaptive_avg_pool3d", "aten::adaptive_avg_pool2d", "aten::adaptive_avg_pool3d",
     "aten::mkldnn_adaptive_avg_pool2d", "aten::adaptive_max_pool2d", "aten::adaptive_max_pool3d",
     "aten::fractional_max_pool2d", "aten::fractional_max_pool3d",
     "aten::binary_cross_entropy", "aten::binary_cross_entropy_with_logits",
     "aten::mse_loss", "aten::smooth_l1_loss", "aten::huber_loss",
     table=_others)(_each_input(1))  # fmt: skip
_for("aten::linalg_vector_norm", "aten::norm", "aten::var", "aten::std", "aten::var_mean",
     "aten::std_mean", table=_others)(_each_input(2))


def _scattered(position):
    """One addition for each element of the source."""

    def count(args, kwargs, out):
        source = args[position] if len(args) > position else kwargs.get("src", kwargs.get("source"))
        if not hasattr(source, "numel"):
            source = args[2]
        return (source.numel() if _floats(_first(out)) else 0), 0

    return count


_for("aten::scatter_add", "aten::scatter_add_", "aten::scatter_reduce", "aten::scatter_reduce_",
     "aten::index_add", "aten::index_add_", "aten::index_reduce", "aten::index_reduce_",
     table=_others)(_scattered(3))


@_for("aten::_embedding_bag", "aten::_embedding_bag_forward_only", table=_others)
def _embedding_bag(args, kwargs, out):
    return args[1].numel() * args[0].shape[1], 0


def _affine(args, position=1) -> bool:
    return len(args) > position and args[position] is not None


@_for("aten::native_layer_norm", table=_others)
def _layer_norm(args, kwargs, out):
    return shapes.normalisation(args[0].numel(), _affine(args, 2))


@_for("aten::native_group_norm", table=_others)
def _group_norm(args, kwargs, out):
    return shapes.normalisation(args[0].numel(), _affine(args))


@_for("aten::_weight_norm_interface", table=_others)
def _weight_norm(args, kwargs, out):
    """The norm of the direction, and its product with the length."""
    return 3 * args[0].numel(), 0


@_for("aten::_fused_rms_norm", "aten::rms_norm", table=_others)
def _rms_norm(args, kwargs, out):
    return shapes.rms_norm(args[0].numel(), _affine(args, 2))


@_for("aten::native_batch_norm", "aten::cudnn_batch_norm", "aten::miopen_batch_norm",
      "aten::_native_batch_norm_legit", table=_others)
def _batch_norm(args, kwargs, out):
    # Without running statistics, `training` stands where these would.
    training = args[3] if isinstance(args[3], bool) else args[5]
    return shapes.batch_norm(args[0].numel(), _affine(args), training)


@_for("aten::_native_batch_norm_legit_no_training", table=_others)
def _batch_norm_eval(args, kwargs, out):
    return shapes.batch_norm(args[0].numel(), _affine(args), False)


@_for("aten::_batch_norm_with_update", "aten::batch_norm_with_update",
      "aten::_batch_norm_with_update_functional", table=_others)
def _batch_norm_train(args, kwargs, out):
    return shapes.batch_norm(args[0].numel(), _affine(args), True)


_UPSAMPLED = re.compile(r"aten::_?upsample_(nearest|linear|bilinear|bicubic|trilinear)")


def _upsampled(name):
    found = _UPSAMPLED.match(name)
    return _each(shapes.INTERPOLATION[found.group(1)]) if found else None


# ---------------------------------------------------------------------------- lists of tensors

_FOREACH = "aten::_foreach_"


def _of_lists(name):
    """What the operator does to one tensor, for each of the list; those in place return nothing."""
    if not name.startswith(_FOREACH):
        return None
    formula = _others.get("aten::" + name[len(_FOREACH) :])
    if formula is None:
        return None

    def count(args, kwargs, out):
        results = args[0] if out is None else out
        inputs = args[0] if isinstance(args[0], (tuple, list)) else results
        flops = (formula((x, *args[1:]), kwargs, result)[0] for x, result in zip(inputs, results))
        return sum(flops), 0

    return count


# ---------------------------------------------------------------------------- one operator


def name_of(operator) -> str:
    schema = getattr(operator, "_schema", None)
    return schema.name if schema is not None else str(getattr(operator, "_name", operator))


def formula_of(operator):
    name = name_of(operator)
    formula = _products.get(name) or _others.get(name) or _upsampled(name) or _of_lists(name)
    if formula is not None:
        return formula
    return None if is_without_work(operator, name) else UNKNOWN


def is_product(name: str) -> bool:
    return name in _products
