# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains two layers: python small_model.py [profiler]

profiler: with torch.profiler around steps 2 and 3 of 6; prints how many kernels it saw.
"""

import sys

import torch
from torch import nn

BATCH, WIDE, MIDDLE, NARROW, STEPS = 4, 64, 32, 16, 6


def flops() -> tuple:
    """Of a step, by hand: forward, backward (no data gradient for the first layer)."""
    first, second = 2 * BATCH * WIDE * MIDDLE, 2 * BATCH * MIDDLE * NARROW
    return first + second, first + 2 * second


def outside_of_modules(x: torch.Tensor) -> torch.Tensor:
    return (x + 1).mul_(2).sub_(3)


def main() -> None:
    model = nn.Sequential(nn.Linear(WIDE, MIDDLE), nn.ReLU(), nn.Linear(MIDDLE, NARROW)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(BATCH, WIDE, device="cuda")

    def steps(count: int) -> None:
        for _ in range(count):
            optimizer.zero_grad(set_to_none=True)
            model(x).square().mean().backward()
            outside_of_modules(x)
            optimizer.step()
        torch.cuda.synchronize()

    seen = 0
    steps(2)
    if "profiler" in sys.argv:
        from torch.autograd import DeviceType
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
            steps(2)
        seen = sum(event.device_type == DeviceType.CUDA for event in profiler.events())
    else:
        steps(2)
    steps(2)
    print(seen)


if __name__ == "__main__":
    main()
