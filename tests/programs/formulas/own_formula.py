# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operations of the program's own, with formulas of its own, good ones and bad ones."""

import flopsprof
import torch
from torch import nn

# What a formula must not return, by the name of its operation.
WRONG = {
    "negative": -1, "huge": 1 << 70, "nan": float("nan"), "broken": 1.5, "whole": 2.0, "text": "12",
    "nothing": None, "yes": True,
}  # fmt: skip

library = torch.library.Library("mylib", "DEF")
for name in ("outer", "raises", "fails", "uses_library", *WRONG):
    library.define(f"{name}(Tensor a, Tensor b, int factor) -> Tensor")
library.define(
    "total(Tensor[] all, int[] factors, *, float scale=1.0, Tensor? also=None) -> Tensor"
)


def outer(a, b, factor):
    return a[:, None] * b[None, :] * factor  # elementwise kernels, no library call


def raises(a, b, factor):
    raise RuntimeError("no")


library.impl("outer", outer, "CUDA")
library.impl("fails", outer, "CUDA")
library.impl("total", lambda all, factors, scale=1.0, also=None: all[0] * scale, "CUDA")
for name in WRONG:
    library.impl(name, outer, "CUDA")
library.impl("raises", raises, "CUDA")
library.impl("uses_library", lambda a, b, factor: a[:, None] @ b[None, :], "CUDA")


@flopsprof.formula("mylib::outer")
@flopsprof.formula("mylib::raises")
@flopsprof.formula("mylib::uses_library")
def outer_flops(a, b, factor):
    return 2 * a[0] * b[0] + factor


asked = []


@flopsprof.formula("mylib::total")
def total_flops(all, factors, scale=1.0, also=None):
    asked.append(all)
    return sum(shape[0] * factor for shape, factor in zip(all, factors)) + (also or (0,))[0]


@flopsprof.formula("mylib::fails")
def fails_flops(a, b, factor):
    raise ValueError("no such shape")


for name, result in WRONG.items():
    flopsprof.formula("mylib::" + name)(lambda a, b, factor, result=result: result)


class Caller(nn.Module):
    def __init__(self, operation, ready=None):
        super().__init__()
        self.operation = operation

    def forward(self, a, b):
        try:
            return self.operation(a, b, 3)
        except RuntimeError:
            return None


class Total(nn.Module):
    """The same operation with lists of several sizes; each combination is asked for once."""

    def forward(self, a, b):
        total = torch.ops.mylib.total
        total([a, b], [1, 10])
        total([b, a], [1, 10])
        total([a, b], [1, 100])
        total([a], [1], also=b)
        total([a], [1], scale=2.0, also=b)


class Replaced(nn.Module):
    """A formula takes the place of another: it is asked anew."""

    def forward(self, a, b):
        torch.ops.mylib.outer(a, a, 0)
        flopsprof.formula("mylib::outer")(lambda a, b, factor: 1000)
        torch.ops.mylib.outer(a, a, 0)
        flopsprof.formula("mylib::outer")(outer_flops)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        ops = torch.ops.mylib
        self.packet = Caller(ops.outer)
        self.overload = Caller(ops.outer.default)
        self.raises = Caller(ops.raises)
        self.fails = Caller(ops.fails)
        self.uses_library = Caller(ops.uses_library)
        self.total = Total()
        self.replaced = Replaced()
        for name in WRONG:
            self.add_module(name, Caller(getattr(ops, name)))

    def forward(self, a, b):
        for child in self.children():
            child(a, b)


def main() -> None:
    model = Model()
    a, b = torch.zeros(8, device="cuda"), torch.zeros(16, device="cuda")
    for _ in range(2):
        model(a, b)
    torch.cuda.synchronize()
    print("asked", len(asked))


if __name__ == "__main__":
    main()
