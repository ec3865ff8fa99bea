# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel that says in its launch metadata, as Proton reads it, what a launch does."""

import torch
import triton
import triton.language as tl
from torch import nn


def metadata(grid, kernel, args):
    return {"name": f"{kernel.name}_{args['n']}", "flops16": 2 * args["n"]}


def add_body(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


with_metadata = triton.jit(add_body, launch_metadata=metadata)


@triton.jit
def without_metadata(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


class Double(nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel

    def forward(self, x):
        y = torch.empty_like(x)
        self.kernel[(triton.cdiv(x.numel(), 128),)](x, y, x.numel(), BLOCK=128)
        return y


def main() -> None:
    model = nn.Sequential(Double(with_metadata), Double(without_metadata))
    x = torch.empty(1000, device="cuda", dtype=torch.float16)
    for _ in range(2):
        model(x)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
