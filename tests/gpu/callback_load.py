# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small model for SECONDS, launch-bound: python callback_load.py SECONDS

The profiler decides meanwhile which of CUPTI's callbacks it needs: 256 launches of a kind, a second
of trial, and until the records of these kernels have come.
"""

import sys
import time

import torch
from torch import nn

model = nn.Sequential(*(nn.Linear(64, 64) for _ in range(20))).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.randn(8, 64, device="cuda")
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until:
    optimizer.zero_grad(set_to_none=True)
    model(x).mean().backward()
    optimizer.step()
    torch.cuda.synchronize()
