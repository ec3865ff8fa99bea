# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Activation checkpointing: executed flops are more than the model's flops.

Every `--every`-th block of an MLP is checkpointed, so its forward runs once more in
backward.  The last linear layer of a checkpointed block is recomputed too, unless
the non-reentrant implementation stops early (it does: see the golden file).
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import harness

BATCH = 64


class Block(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.wide = nn.Linear(hidden, 4 * hidden)
        self.narrow = nn.Linear(4 * hidden, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.narrow(torch.relu(self.wide(x)))


class Stack(nn.Module):
    def __init__(self, args) -> None:
        super().__init__()
        self.args = args
        self.blocks = nn.ModuleList(Block(args.hidden) for _ in range(args.layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i, block in enumerate(self.blocks):
            if torch.is_grad_enabled() and i % self.args.every == 0:
                x = checkpoint(block, x, use_reentrant=self.args.reentrant)
            else:
                x = block(x)
        return x


def arguments(parser) -> None:
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--reentrant", action="store_true")


def build(args) -> harness.Workload:
    # The reentrant implementation only works on inputs that need a gradient.
    x = torch.randn(
        args.batch, args.hidden, dtype=args.torch_dtype, requires_grad=args.reentrant
    )
    return harness.Workload(Stack(args).to(args.torch_dtype), (x,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
