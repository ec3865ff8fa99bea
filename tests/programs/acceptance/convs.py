# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions of every kind, each a separately named module.

`--kind all` runs them one after the other on independent inputs.
"""

import torch
from torch import nn

import harness

BATCH = 4
KINDS = {
    # kind: (constructor, input shape without the batch)
    "plain": (lambda: nn.Conv2d(8, 16, 3, padding=1), (8, 20, 20)),
    "strided": (lambda: nn.Conv2d(8, 16, 3, stride=2, padding=1), (8, 21, 21)),
    "pointwise": (lambda: nn.Conv2d(32, 64, 1, bias=False), (32, 14, 14)),
    "grouped": (lambda: nn.Conv2d(32, 64, 3, padding=1, groups=4), (32, 14, 14)),
    "depthwise": (lambda: nn.Conv2d(32, 32, 3, padding=1, groups=32), (32, 14, 14)),
    "multiplier": (lambda: nn.Conv2d(16, 48, 5, padding=2, groups=16), (16, 14, 14)),
    "dilated": (lambda: nn.Conv2d(8, 8, 3, dilation=2), (8, 20, 20)),
    "same": (lambda: nn.Conv2d(4, 6, 2, padding="same"), (4, 9, 9)),
    "conv1d": (lambda: nn.Conv1d(16, 32, 5, stride=2), (16, 101)),
    "conv3d": (lambda: nn.Conv3d(4, 8, 3, padding=1), (4, 6, 10, 10)),
    "transposed": (
        lambda: nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1),
        (16, 10, 10),
    ),
    "transposed_grouped": (
        lambda: nn.ConvTranspose2d(16, 8, 3, stride=2, output_padding=1, groups=4),
        (16, 10, 10),
    ),
    "transposed1d": (lambda: nn.ConvTranspose1d(8, 4, 4, stride=4), (8, 25)),
}


class Convolutions(nn.Module):
    def __init__(self, kinds) -> None:
        super().__init__()
        for kind in kinds:
            self.add_module(kind, KINDS[kind][0]())

    def forward(self, inputs) -> torch.Tensor:
        parts = [getattr(self, kind)(x).float().mean() for kind, x in inputs.items()]
        return torch.stack(parts).sum()


def arguments(parser) -> None:
    parser.add_argument("--kind", choices=("all", *KINDS), default="all")
    parser.add_argument(
        "--input-grad", action="store_true", help="inputs need a gradient: dgrad runs"
    )


def build(args) -> harness.Workload:
    kinds = list(KINDS) if args.kind == "all" else [args.kind]
    inputs = {
        kind: torch.randn(
            args.batch,
            *KINDS[kind][1],
            dtype=args.torch_dtype,
            requires_grad=args.input_grad,
        )
        for kind in kinds
    }
    return harness.Workload(Convolutions(kinds).to(args.torch_dtype), (inputs,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
