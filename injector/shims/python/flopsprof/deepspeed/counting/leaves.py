# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Formulas of torch.nn's own layers, from the layer and the shapes that went in and came out.

A layer of exactly one of these classes is counted here, without a look at its operators: that is
faster, and gives the same number on every device (a CPU runs an adaptive pool to size 1 as a mean, a
GPU an LSTM as one call). Where anything about the layer is not as its class has it, its operators
are counted instead.
"""

import torch
from torch import nn

from . import shapes

_Packed = nn.utils.rnn.PackedSequence
_functorch = torch._C._functorch.peek_interpreter_stack


def _has(module, name) -> bool:
    """Past nn.Module.__getattr__, which takes longer than the formula."""
    value = module._parameters.get(name, module)
    return (getattr(module, name) if value is module else value) is not None


def _linear(module, x, out):
    elements = out.numel()
    added = elements if _has(module, "bias") else 0
    return shapes.product(elements * x.shape[-1], added, out.is_complex())


def _convolution(module, x, out):
    """`x` and `out` may come without a batch: the product of their sizes is the same."""
    transposed = isinstance(module, nn.modules.conv._ConvTransposeNd)
    macs = shapes.convolution_macs(x.shape, module.weight.shape, out.shape, transposed)
    return shapes.product(macs, out.numel() if _has(module, "bias") else 0, out.is_complex())


def _norm(module, x, out):
    return shapes.normalisation(x.numel(), _has(module, "weight"))


def _rms(module, x, out):
    return shapes.rms_norm(x.numel(), _has(module, "weight"))


def _batch_norm(module, x, out):
    own = module.training or (module.running_mean is None and module.running_var is None)
    return shapes.batch_norm(x.numel(), _has(module, "weight"), own)


def _instance_norm(module, x, out):
    own = module.training or not module.track_running_stats
    return shapes.batch_norm(x.numel(), _has(module, "weight"), own)


def _input(module, x, out):
    return x.numel(), 0


def _dropout(module, x, out):
    return (shapes.DROPOUT * x.numel() if module.training and module.p > 0 else 0), 0


def _nothing(module, x, out):
    return 0, 0


def _upsample(module, x, out):
    return shapes.INTERPOLATION[module.mode] * out.numel(), 0


def _recurrent_kind(module) -> str:
    name = type(module).__name__
    return name[: -len("Cell")] if name.endswith("Cell") else name


def _recurrent(module, x, out):
    data = x[0] if type(x) is _Packed else x
    tokens = data.numel() // data.shape[-1] if data.shape[-1] else 0
    state = module.proj_size or module.hidden_size
    directions = 2 if module.bidirectional else 1
    return shapes.recurrent(_recurrent_kind(module), tokens, module.hidden_size, state,
                            module.input_size, module.num_layers, directions, module.bias)  # fmt: skip


def _cell(module, x, out):
    tokens = x.numel() // module.input_size if module.input_size else 0
    hidden = module.hidden_size
    return shapes.recurrent(_recurrent_kind(module), tokens, hidden, hidden, module.input_size,
                            1, 1, module.bias)  # fmt: skip


def _table() -> dict:
    table = {}

    def add(function, *names):
        for name in names:
            kind = getattr(nn, name, None)
            if kind is not None:
                table[kind] = function

    dimensions = ("1d", "2d", "3d")
    add(_linear, "Linear")
    add(_convolution, *("Conv" + d for d in dimensions), *("ConvTranspose" + d for d in dimensions))
    add(_norm, "LayerNorm", "GroupNorm")
    add(_rms, "RMSNorm")
    add(_batch_norm, *("BatchNorm" + d for d in dimensions))
    add(_instance_norm, *("InstanceNorm" + d for d in dimensions))
    add(_input, "ReLU", "ReLU6", "PReLU", "ELU", "LeakyReLU", "SiLU", "GELU", "Sigmoid", "Tanh",
        "Hardswish", "Hardsigmoid", "Hardtanh", "Mish", "Softplus", "SELU", "CELU", "Softmax",
        "LogSoftmax")  # fmt: skip
    add(_input, *(pool + d for d in dimensions
                  for pool in ("AvgPool", "MaxPool", "AdaptiveAvgPool", "AdaptiveMaxPool")))  # fmt: skip
    add(_dropout, "Dropout", "Dropout1d", "Dropout2d", "Dropout3d")
    add(_nothing, "Identity", "Flatten", "Unflatten", "Embedding", "ZeroPad2d", "PixelShuffle")
    add(_upsample, "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d")
    add(_recurrent, "RNN", "LSTM", "GRU")
    add(_cell, "RNNCell", "LSTMCell", "GRUCell")
    return table


FORMULAS = _table()
_FORWARDS = {kind: kind.forward for kind in FORMULAS}
RECURRENT = frozenset(kind for kind, formula in FORMULAS.items() if formula in (_recurrent, _cell))


def formula_of(module):
    """The layer's formula, or None: its class, its forward and its parameters are torch's own."""
    kind = type(module)
    formula = FORMULAS.get(kind)
    if formula is None or "forward" in module.__dict__ or kind.forward is not _FORWARDS[kind]:
        return None
    for parameter in module._parameters.values():
        if parameter is not None and type(parameter) is not nn.Parameter:
            return None
    return formula


def input_of(formula, module, args, kwargs):
    """The layer's input if it can be counted by its formula in this call, else None.

    Hooks may change what goes in; inside vmap a tensor shows the shape of one example only.
    """
    if module._forward_hooks or module._forward_pre_hooks:
        return None
    x = args[0] if args else kwargs.get("input")
    kind = type(x)
    if kind is torch.Tensor or kind is nn.Parameter:
        return x if x.layout is torch.strided and _functorch() is None else None
    return x if kind is _Packed and formula is _recurrent else None


def count(formula, module, x, out) -> tuple:
    """(flops, MACs); integers are no floating-point work, nor is a layer that gave no tensor."""
    if formula is _nothing:
        return 0, 0
    if formula is _recurrent or formula is _cell:
        return formula(module, x, out)
    if not (x.is_floating_point() or x.is_complex()):
        return 0, 0
    return formula(module, x, out[0] if isinstance(out, tuple) else out)
