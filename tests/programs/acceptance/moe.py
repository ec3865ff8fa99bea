# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Mixture of experts: router GEMM, then the top-2 of 8 gated feed-forward experts.

A flop count must not depend on numerics, so the token-to-expert table is fixed and
skewed: of T tokens expert e gets shares[e] / 16 * T of the 2T assignments.

--impl loop      one GEMM triple per expert on its own tokens (useful flops)
--impl padded    batched GEMMs with every expert padded to the largest (executes more)
--impl grouped   torch._grouped_mm (bf16; a CUTLASS kernel, no library call)
"""

import torch
import torch.nn.functional as F
from torch import nn

import harness

BATCH = 4
SHARES = (8, 6, 5, 4, 4, 2, 2, 1)  # of 32: sums to two assignments per token


def routing(tokens: int):
    """Token indices of every expert; two different experts per token."""
    assert tokens % 16 == 0
    counts = [share * tokens // 16 for share in SHARES]
    flat = [e for e, count in enumerate(counts) for _ in range(count)]
    first, second = flat[:tokens], flat[tokens:]
    table = [[] for _ in SHARES]
    for token in range(tokens):
        table[first[token]].append(token)
        table[second[token]].append(token)
    return [torch.tensor(sorted(row)) for row in table]


class MixtureOfExperts(nn.Module):
    def __init__(self, args, table) -> None:
        super().__init__()
        self.impl = args.impl
        self.table = table
        experts = len(SHARES)
        self.router = nn.Linear(args.hidden, experts, bias=False)
        shape = (experts, args.hidden, args.ffn)
        self.gate = nn.Parameter(torch.randn(shape) * 0.02)
        self.up = nn.Parameter(torch.randn(shape) * 0.02)
        self.down = nn.Parameter(torch.randn(experts, args.ffn, args.hidden) * 0.02)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        tokens = x.flatten(0, 1)
        weight = torch.softmax(self.router(tokens), dim=-1)
        mixed = getattr(self, self.impl)(tokens, weight)
        return mixed.view_as(x)

    def loop(self, tokens, weight):
        mixed = torch.zeros_like(tokens)
        for e, index in enumerate(self.table):
            chosen = tokens[index]
            hidden = F.silu(chosen @ self.gate[e]) * (chosen @ self.up[e])
            mixed = mixed.index_add(
                0, index, (hidden @ self.down[e]) * weight[index, e, None]
            )
        return mixed

    def padded(self, tokens, weight):
        most = max(len(index) for index in self.table)
        rows = torch.stack(
            [F.pad(index, (0, most - len(index))) for index in self.table]
        )
        chosen = tokens[rows]
        hidden = F.silu(torch.bmm(chosen, self.gate)) * torch.bmm(chosen, self.up)
        out = torch.bmm(hidden, self.down)
        mixed = torch.zeros_like(tokens)
        for e, index in enumerate(self.table):
            mixed = mixed.index_add(
                0, index, out[e, : len(index)] * weight[index, e, None]
            )
        return mixed

    def grouped(self, tokens, weight):
        order = torch.cat(self.table)
        counts = torch.tensor([len(index) for index in self.table])
        ends = counts.cumsum(0).to(torch.int32).to(tokens.device)
        expert = torch.repeat_interleave(torch.arange(len(counts)), counts)
        chosen = tokens[order]
        gate = torch._grouped_mm(chosen, self.gate, offs=ends)
        up = torch._grouped_mm(chosen, self.up, offs=ends)
        out = torch._grouped_mm(F.silu(gate) * up, self.down, offs=ends)
        scale = weight[order, expert.to(order.device)]
        return torch.zeros_like(tokens).index_add(0, order, out * scale[:, None])


def arguments(parser) -> None:
    parser.add_argument("--seq", type=int, default=128)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--ffn", type=int, default=512)
    parser.add_argument("--impl", choices=("loop", "padded", "grouped"), default="loop")


def build(args) -> harness.Workload:
    with torch.device("cpu"):
        table = routing(args.batch * args.seq)
    table = [index.to(args.device) for index in table]
    x = torch.randn(args.batch, args.seq, args.hidden, dtype=args.torch_dtype)
    return harness.Workload(MixtureOfExperts(args, table).to(args.torch_dtype), (x,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
