# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains two bf16 layers in steps of very different length, and says by its own clock when each
step ended: {"ends_ns": [...]} on stdout.

    python keeps_time.py [STEPS]

Flops of a step, by hand, with B = 64, I = 256, H = 1024: the first layer's product, the same again
in backward for its weight (its input wants no gradient) and once more in recompute; the second
layer's, twice in backward.
"""

import json
import sys
import time

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

BATCH, INPUTS, HIDDEN = 64, 256, 1024
PRODUCT = 2 * BATCH * INPUTS * HIDDEN
MODEL_FLOPS = (2 * PRODUCT) + (PRODUCT + 2 * PRODUCT)
EXECUTED_FLOPS = MODEL_FLOPS + PRODUCT


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    options = {"bias": False, "device": "cuda", "dtype": torch.bfloat16}
    first = nn.Sequential(nn.Linear(INPUTS, HIDDEN, **options), nn.Tanh())
    second = nn.Linear(HIDDEN, INPUTS, **options)
    model = nn.Sequential(first, second)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.zeros(BATCH, INPUTS, device="cuda", dtype=torch.bfloat16)
    ends = []
    for step in range(steps):
        # Tanh saves its result, so the product in front of it runs again in backward.
        second(checkpoint(first, x, use_reentrant=False)).float().sum().backward()
        time.sleep(0.1 * (step + 1))
        optimizer.step()
        torch.cuda.synchronize()
        ends.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        optimizer.zero_grad()
    print(json.dumps({"ends_ns": ends}))


if __name__ == "__main__":
    main()
