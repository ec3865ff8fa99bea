# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""GEMMs of three sizes in modules, timed by cudaEvents: prints per call seconds and flops, and
the number of calls with the one that warms up, as JSON."""

import json

import torch
from torch import nn

# Long enough (0.3 ms and more on an H100) for launches to stay ahead of the GPU.
SIZES = {"small": 4096, "medium": 6144, "large": 8192}
REPEATS, ROUNDS = 10, 5


class Product(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, size, device="cuda", dtype=torch.bfloat16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight


class Products(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        for name, size in SIZES.items():
            self.add_module(name, Product(size))


def round_s(product, x) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(REPEATS):
        product(x)
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1e3 / REPEATS


def main() -> None:
    model = Products()
    result = {"event_s": {}, "flops": {}, "calls": ROUNDS * REPEATS + 1}
    with torch.no_grad():
        for name, size in SIZES.items():
            product = getattr(model, name)
            x = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
            product(x)  # heuristics, workspace, and what a profiler does at a first module call
            torch.cuda.synchronize()
            # A host that falls behind leaves gaps, which only add: the shortest round has the fewest.
            result["event_s"][name] = min(round_s(product, x) for _ in range(ROUNDS))
            result["flops"][name] = 2 * size**3
    print(json.dumps(result))


main()
