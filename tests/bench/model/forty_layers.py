# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains 40 small layers and prints the median nanoseconds of a step: launch-bound work."""

import statistics
import sys
import time

import torch
from torch import nn

LAYERS = 40


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    torch.set_num_threads(1)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(32, 32), nn.ReLU()) for _ in range(LAYERS)])
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.ones(8, 32, device="cuda")
    times = []
    for step in range(steps + 20):
        begin = time.perf_counter_ns()
        optimizer.zero_grad(set_to_none=True)
        model(x).sum().backward()
        optimizer.step()
        torch.cuda.synchronize()
        if step >= 20:
            times.append(time.perf_counter_ns() - begin)
    print(round(statistics.median(times)))


if __name__ == "__main__":
    main()
