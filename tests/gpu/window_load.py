# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of a small model before, in and after a window: python window_load.py STEPS FLOPSPROF RUN

The job is paused (`flopsprof-run --paused`) and asks for the window itself, by `FLOPSPROF ctl RUN`.

Three parts of STEPS steps each; prints the median wall ns of a step in each. Before the last is
measured, steps go on for a while: CUPTI is given back when the window's last kernels have come.
"""

import json
import statistics
import subprocess
import sys
import time

import torch
from torch import nn

count = int(sys.argv[1])
model = nn.Sequential(*(nn.Linear(64, 64) for _ in range(20))).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.randn(8, 64, device="cuda")
parts = []
GIVEN_BACK_S = 7


def step() -> int:
    begin = time.perf_counter_ns()
    optimizer.zero_grad(set_to_none=True)
    model(x).mean().backward()
    optimizer.step()
    torch.cuda.synchronize()
    return time.perf_counter_ns() - begin


for part in ("before", "in", "after"):
    deadline = time.monotonic() + (GIVEN_BACK_S if part == "after" else 0)
    while time.monotonic() < deadline:
        step()
    if part == "in":
        subprocess.run([*sys.argv[2:3], "ctl", sys.argv[3], "start", "--steps", sys.argv[1]],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    wall = [step() for _ in range(count)]
    # The first steps of a part open or close the window.
    parts.append(statistics.median(wall[count // 5 :]))
print(json.dumps(parts))
