# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Work that torch.compile gives to Triton templates of its own.

templates.py flex | mm
"""

import sys

import torch
import torch._inductor.config as config
from torch import nn


class Caller(nn.Module):
    """Phase forward is that of a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def flex() -> None:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    def tensor(heads):
        return torch.randn(
            2, heads, 256, 64, device="cuda", dtype=torch.float16, requires_grad=True
        )

    q, k = tensor(4), tensor(2)
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256)
    compiled = Caller(torch.compile(flex_attention))
    for _ in range(2):
        compiled(q, k, k, block_mask=mask, enable_gqa=True).sum().backward()


def mm() -> None:
    config.max_autotune = True
    config.max_autotune_gemm_backends = "TRITON"
    config.fx_graph_cache = False
    layer = nn.Linear(64, 32).cuda().half()
    compiled = torch.compile(layer)
    x = torch.randn(48, 64, device="cuda", dtype=torch.float16, requires_grad=True)
    for _ in range(2):
        compiled(x).sum().backward()


if __name__ == "__main__":
    nn.Identity()(torch.zeros(1, device="cuda"))
    {"flex": flex, "mm": mm}[sys.argv[1]]()
    torch.cuda.synchronize()
