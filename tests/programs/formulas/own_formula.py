# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operations of the program's own, with formulas of its own.

own_formula.py [--bench]    --bench: prints what a call costs, with and without a formula
"""

import sys
import time

import flopsprof
import torch
from torch import nn

library = torch.library.Library("mylib", "DEF")
for name in ("outer", "raises", "fails", "uses_library", "plain"):
    library.define(f"{name}(Tensor a, Tensor b, int factor) -> Tensor")


def outer(a, b, factor):
    return a[:, None] * b[None, :] * factor  # elementwise kernels, no library call


def raises(a, b, factor):
    raise RuntimeError("no")


library.impl("outer", outer, "CUDA")
library.impl("fails", outer, "CUDA")
library.impl("plain", outer, "CUDA")
library.impl("raises", raises, "CUDA")
library.impl("uses_library", lambda a, b, factor: a[:, None] @ b[None, :], "CUDA")


@flopsprof.formula("mylib::outer")
@flopsprof.formula("mylib::raises")
@flopsprof.formula("mylib::uses_library")
def outer_flops(a, b, factor):
    return 2 * a[0] * b[0] + factor


@flopsprof.formula("mylib::fails")
def fails_flops(a, b, factor):
    raise ValueError("no such shape")


class Caller(nn.Module):
    def __init__(self, operation, ready=None):
        super().__init__()
        self.operation = operation

    def forward(self, a, b):
        try:
            return self.operation(a, b, 3)
        except RuntimeError:
            return None


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        ops = torch.ops.mylib
        self.packet = Caller(ops.outer)
        self.overload = Caller(ops.outer.default)
        self.raises = Caller(ops.raises)
        self.fails = Caller(ops.fails)
        self.uses_library = Caller(ops.uses_library)

    def forward(self, a, b):
        for child in self.children():
            child(a, b)


def bench() -> None:
    a = torch.zeros(4, device="cuda")
    for name in ("plain", "outer"):
        operation = getattr(torch.ops.mylib, name)
        best = 1e9
        for _ in range(7):
            begin = time.perf_counter()
            for _ in range(2000):
                operation(a, a, 3)
            best = min(best, (time.perf_counter() - begin) / 2000)
        print(f"{name} {best * 1e9:.0f} ns")


def main() -> None:
    if "--bench" in sys.argv:
        Model()
        return bench()
    model = Model()
    a, b = torch.zeros(8, device="cuda"), torch.zeros(16, device="cuda")
    for _ in range(2):
        model(a, b)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
