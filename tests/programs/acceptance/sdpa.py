# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Causal grouped-query attention through scaled_dot_product_attention.

The four projections are library GEMMs.  The attention itself is a library call only
for some back ends: `math` runs batched GEMMs, `cudnn` one cuDNN graph, `flash` and
`efficient` are kernels inside PyTorch that no library argument describes.
"""

import contextlib

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

import harness

BATCH = 2
DTYPE = "bf16"
BACKENDS = {
    "math": SDPBackend.MATH,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
    "cudnn": SDPBackend.CUDNN_ATTENTION,
}


class Attention(nn.Module):
    def __init__(self, args) -> None:
        super().__init__()
        self.args = args
        hidden = args.heads * args.dim
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(hidden, args.kv_heads * args.dim, bias=False)
        self.value = nn.Linear(hidden, args.kv_heads * args.dim, bias=False)
        self.out = nn.Linear(hidden, hidden, bias=False)

    def split(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        return x.unflatten(-1, (heads, self.args.dim)).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        args = self.args
        choice = contextlib.nullcontext()
        if args.backend != "auto":
            choice = sdpa_kernel(BACKENDS[args.backend])
        # PyTorch before 2.5 has not the argument.
        grouped = {"enable_gqa": True} if args.heads != args.kv_heads else {}
        with choice:
            mixed = F.scaled_dot_product_attention(
                self.split(self.query(x), args.heads),
                self.split(self.key(x), args.kv_heads),
                self.split(self.value(x), args.kv_heads),
                is_causal=not args.full,
                **grouped,
            )
        return self.out(mixed.transpose(1, 2).flatten(2))


def arguments(parser) -> None:
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--kv-heads", type=int, default=2)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--seq", type=int, default=1024)
    parser.add_argument("--full", action="store_true", help="no causal mask")
    parser.add_argument("--backend", choices=("auto", *BACKENDS), default="auto")


def build(args) -> harness.Workload:
    x = torch.randn(args.batch, args.seq, args.heads * args.dim, dtype=args.torch_dtype)
    return harness.Workload(Attention(args).to(args.torch_dtype), (x,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
