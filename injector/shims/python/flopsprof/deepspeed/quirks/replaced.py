# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The functions that DeepSpeed 0.19.8 replaces while it profiles, with its rule for each."""

import sys

import torch
import torch.nn.functional as F

from . import rules

_POOLS = [kind + "_pool" + d for kind in ("avg", "max", "adaptive_avg", "adaptive_max")
          for d in ("1d", "2d", "3d")]  # fmt: skip


def _functionals():
    yield "linear", rules.linear
    for d in ("1d", "2d", "3d"):
        yield "conv" + d, rules.convolution
        yield "conv_transpose" + d, rules.transposed_convolution
    for name in ("relu", "prelu", "elu", "leaky_relu", "relu6", "silu", "gelu", "softmax", *_POOLS):
        yield name, rules.elements
    for name in ("batch_norm", "layer_norm", "instance_norm", "group_norm"):
        yield name, getattr(rules, name)
    yield "upsample", rules.interpolate
    yield "interpolate", rules.interpolate
    yield "embedding", rules.nothing
    yield "scaled_dot_product_attention", rules.attention


_TORCH = {"matmul": rules.matmul, "mm": rules.matmul, "bmm": rules.matmul, "addmm": rules.addmm,
          "mul": rules.elementwise, "add": rules.elementwise}  # fmt: skip


def places():
    """(owner, attribute, name of the row, rule) of each."""
    for name, rule in _functionals():
        if hasattr(F, name):
            yield F, name, name, rule
    for name, rule in _TORCH.items():
        yield torch, name, name, rule
        yield torch.Tensor, name, name, rule
    yield torch.Tensor, "__matmul__", "matmul", rules.matmul
    yield torch, "einsum", "einsum", rules.einsum
    yield torch, "baddbmm", "addmm", rules.addmm
    einops = sys.modules.get("einops")
    if einops is not None and hasattr(einops, "einsum"):
        yield einops, "einsum", "einsum", rules.einops_einsum


class Replacements:
    """Puts `wrap(function, name, rule)` in each place, and the originals back."""

    def __init__(self):
        self._undo = []

    def put(self, wrap) -> None:
        for owner, attribute, name, rule in places():
            own = vars(owner).get(attribute)
            setattr(owner, attribute, wrap(getattr(owner, attribute), name, rule))
            self._undo.append((owner, attribute, own))

    def take_back(self) -> None:
        while self._undo:
            owner, attribute, own = self._undo.pop()
            if own is None:  # inherited, as the methods of torch.Tensor are
                delattr(owner, attribute)
            else:
                setattr(owner, attribute, own)
