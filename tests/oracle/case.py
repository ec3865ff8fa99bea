# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""One case of the oracle: a small module, its inputs, and its flops by hand.

The right numbers are written in the files under `cases/` as closed formulas of the sizes, one
multiply-add being two operations; nothing here asks torch, a counter or the profiler for them.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

import torch
from torch import nn

DTYPES = {
    "fp32": torch.float32,
    "fp64": torch.float64,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "c64": torch.complex64,
    "c128": torch.complex128,
    "int8": torch.int8,
    "int64": torch.int64,
    "e4m3": torch.float8_e4m3fn,
}


@dataclass
class T:
    """An input tensor. `layout`: "" contiguous, "t" last two dimensions transposed, "gap" every
    second column of a wider tensor, "cl" channels last, "eye" ones on the diagonal."""

    shape: tuple
    dtype: str = "fp32"
    grad: bool = True
    layout: str = ""

    def make(self, device: str) -> torch.Tensor:
        shape = list(self.shape)
        if self.layout == "t":
            shape[-1], shape[-2] = shape[-2], shape[-1]
        if self.layout == "gap":
            shape[-1] *= 2
        if self.layout == "eye":
            x = torch.eye(shape[-1], dtype=DTYPES[self.dtype], device=device)
            return x.expand(shape).clone()
        x = torch.zeros(shape, dtype=DTYPES[self.dtype], device=device)
        if self.layout == "t":
            x = x.transpose(-1, -2)
        if self.layout == "gap":
            x = x[..., ::2]
        if self.layout == "cl":
            x = x.contiguous(memory_format=torch.channels_last)
        return x.requires_grad_(self.grad) if self.grad else x


class Function(nn.Module):
    """A function as a module, so that every tool can name its work."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


@dataclass
class Case:
    family: str
    name: str
    module: Callable[[str], nn.Module]  # device -> module
    inputs: Callable[[str], tuple]  # device -> inputs
    forward: int  # right flops
    backward: Optional[int] = None  # None: no backward pass is run
    recompute: int = 0
    # What the rules in reasons.toml may ask for: sizes and properties of the case.
    facts: dict = field(default_factory=dict)
    context: Callable[[], Any] = None  # entered around both passes

    @property
    def id(self) -> str:
        return f"{self.family}: {self.name}"


def on(device: str, inputs) -> tuple:
    return tuple(x.make(device) if isinstance(x, T) else x for x in inputs)


def function(family, name, call, inputs, forward, backward=None, **facts) -> Case:
    """A case of a plain function of tensors. Its dtype is that of the first tensor."""
    first = next(x for x in inputs if isinstance(x, T))
    facts = {"dtype": first.dtype, "layout": first.layout, **facts}
    return Case(
        family,
        name,
        lambda device: Function(call),
        lambda device: on(device, inputs),
        forward,
        backward,
        facts=facts,
    )


def layer(family, name, build, inputs, forward, backward=None, dtype="fp32", **facts) -> Case:
    """A case of a module that `build()` makes."""

    def make(device):
        # Made on the CPU, so that initialisation by products is no part of the case.
        return build().to(device=device, dtype=DTYPES[dtype])

    case = Case(
        family,
        name,
        make,
        lambda device: on(device, inputs),
        forward,
        backward,
        facts={"dtype": dtype, "layout": "", **facts},
    )
    return case


def product(*sizes) -> int:
    return math.prod(sizes)


def multiply_adds(*sizes, dtype: str = "fp32") -> int:
    """Operations of a matrix product: 2 a multiply-add, 8 for complex numbers."""
    return product(*sizes) * (8 if dtype.startswith("c") else 2)
