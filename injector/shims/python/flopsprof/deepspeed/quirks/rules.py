# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed 0.19.8's rules for the functions that it replaces: (flops, MACs) from the arguments.

Where they differ from ours they are wrong, and reasons.py has the number of the bug. A call that
DeepSpeed's rule fails on (and with it the program) raises here too; then ours counts.
"""

import torch
from torch import nn

from ..counting.shapes import prod


def linear(input, weight, bias=None):
    macs = input.numel() * weight.shape[0]
    return 2 * macs, macs


def elements(input, *args, **kwargs):
    return input.numel(), 0


def nothing(*args, **kwargs):
    return 0, 0


def _tuple(value, length):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * length


def convolution(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """`same` loses a row where the kernel is even."""
    assert weight.shape[1] * groups == input.shape[1]
    kernel, length = weight.shape[2:], weight.dim() - 2
    stride, dilation = _tuple(stride, length), _tuple(dilation, length)
    if padding == "valid":
        padding = 0
    elif padding == "same":
        padding = tuple(d * (k - 1) // 2 for d, k in zip(dilation, kernel))
    padding = _tuple(padding, length)
    outputs = input.shape[0] * prod(
        (i + 2 * p - (d * (k - 1) + 1)) // s + 1
        for i, p, d, k, s in zip(input.shape[2:], padding, dilation, kernel, stride)
    )
    macs = prod(kernel) * input.shape[1] * (weight.shape[0] // groups) * outputs
    return 2 * macs + (0 if bias is None else weight.shape[0] * outputs), macs


def transposed_convolution(input, weight, bias=None, stride=1, padding=0, output_padding=0,
                           groups=1, dilation=1):  # fmt: skip
    kernel, length = weight.shape[2:], weight.dim() - 2
    sizes = (_tuple(v, length) for v in (stride, padding, output_padding, dilation))
    outputs = prod(
        (i - 1) * s - 2 * p + d * (k - 1) + o + 1
        for i, k, s, p, o, d in zip(input.shape[2:], kernel, *sizes)
    )
    macs = prod(kernel) * input.shape[1] * weight.shape[1] * input.shape[0] * prod(input.shape[2:])
    added = 0 if bias is None else weight.shape[1] * groups * input.shape[0] * outputs
    return 2 * macs + added, macs


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, *_, **__):
    if training:
        return input.numel() * (4 if weight is None else 5), 0
    return input.numel() * (1 if weight is None else 2), 0


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return input.numel() * (4 if weight is None else 5), 0


group_norm = layer_norm


def instance_norm(input, running_mean=None, running_var=None, weight=None, *_, **__):
    return input.numel() * (4 if weight is None else 5), 0


def interpolate(*args, **kwargs):
    """With a size: that size, without batch and channels."""
    x = args[0]
    size = kwargs.get("size", args[1] if len(args) > 1 else None)
    if size is not None:
        return (prod(size) if isinstance(size, (tuple, list)) else int(size)), 0
    scale = kwargs.get("scale_factor", args[2] if len(args) > 2 else None)
    assert scale is not None
    number = x.numel()
    if isinstance(scale, (tuple, list)):
        assert len(scale) == x.dim() - 2
        for factor in scale:
            number *= factor
    else:
        number *= scale ** (x.dim() - 2)
    return int(number), 0


def matmul(input, other, *, out=None):
    macs = prod(input.shape) * other.shape[-1]
    return 2 * macs, macs


def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    macs = prod(mat1.shape) * mat2.shape[-1]
    return 2 * macs + prod(input.shape), macs


def elementwise(input, other, *, alpha=1, out=None):
    shapes = [x.shape for x in (input, other) if torch.is_tensor(x)]
    return (prod(torch.broadcast_shapes(*shapes)) if shapes else 1), 0


def _contraction(equation, operands):
    """NumPy's estimate, printed with four digits and read back; no MACs."""
    import numpy

    arrays = [numpy.broadcast_to(numpy.zeros(()), tuple(o.shape)) for o in operands]
    report = numpy.einsum_path(equation, *arrays, optimize="optimal")[1]
    (line,) = [line for line in report.split("\n") if "optimized flop" in line.lower()]
    return int(float(line.split(":")[-1])), 0


def _renamed(equation):
    letters = dict.fromkeys(c for c in equation if c.isalpha())
    return equation.translate({ord(c): 97 + i for i, c in enumerate(letters)})


def einsum(equation, *operands):
    return _contraction(_renamed(equation.replace(" ", "")), operands)


def einops_einsum(*args):
    *operands, equation = args
    return _contraction(_renamed(equation.replace(" ", "")), operands)


def attention(q, k, v, *args, **kwargs):
    macs = prod(q.shape) * k.shape[-2] + prod(q.shape[:-1]) * k.shape[-2] * v.shape[-1]
    return 2 * macs, macs


def _cell(module, w_ih, w_hh):
    """2k - 1 for a sum of k products."""
    gates, hidden = w_ih.shape[0], module.hidden_size
    number = 2 * prod(w_ih.shape) - gates + 2 * prod(w_hh.shape) - gates
    if isinstance(module, (nn.RNN, nn.RNNCell)):
        return number + hidden
    return number + hidden * (7 if isinstance(module, (nn.GRU, nn.GRUCell)) else 10)


def recurrent_layer(module, args):
    """The first two sizes of the input are taken for batch and time, and all work for flops."""
    x, number = args[0], 0
    for layer in range(module.num_layers):
        number += _cell(module, *(getattr(module, f"weight_{k}_l{layer}") for k in ("ih", "hh")))
        if module.bias:
            number += sum(getattr(module, f"bias_{k}_l{layer}").shape[0] for k in ("ih", "hh"))
    return int(number * x.shape[0] * x.shape[1] * (2 if module.bidirectional else 1))


def recurrent_cell(module, args):
    number = _cell(module, module.weight_ih, module.weight_hh)
    if module.bias:
        number += module.bias_ih.shape[0] + module.bias_hh.shape[0]
    return int(number * args[0].shape[0])


def recurrent(module, args) -> int:
    cell = isinstance(module, nn.RNNCellBase)
    return recurrent_cell(module, args) if cell else recurrent_layer(module, args)
