# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torch.compile: module boundaries vanish, the GEMMs stay library calls by default.

Inductor's default keeps `extern_kernels.mm/addmm` for GEMMs; `--max-autotune` may turn
them into Triton templates that no library call shows.
"""

import torch
from torch import nn

import harness

BATCH = 32


class Mlp(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(hidden, 4 * hidden)
        self.down = nn.Linear(4 * hidden, hidden)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x + self.down(torch.nn.functional.gelu(self.up(x))))


def arguments(parser) -> None:
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument(
        "--backend", default="inductor", help="or eager, aot_eager, none"
    )
    parser.add_argument("--max-autotune", action="store_true")


def build(args) -> harness.Workload:
    model = nn.Sequential(*(Mlp(args.hidden) for _ in range(args.layers)))
    model = model.to(args.torch_dtype)
    if args.backend != "none":
        options = {"mode": "max-autotune-no-cudagraphs"} if args.max_autotune else {}
        model = torch.compile(model, backend=args.backend, **options)
    x = torch.randn(args.batch, args.hidden, dtype=args.torch_dtype)
    return harness.Workload(model, (x,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
