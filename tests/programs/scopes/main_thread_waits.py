# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains in a thread while the main thread does nothing but wait for it. Argument: how many
seconds, and one step at least. Prints its steps, and those before second 3."""

import sys
import threading
import time

import torch
from torch import nn

SECONDS = float(sys.argv[1])
counts = {"steps": 0, "early": 0}


def train():
    time.sleep(0.5)  # the main thread is in join() before CUDA begins
    net = nn.Linear(64, 32, bias=False).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x = torch.ones(8, 64, device="cuda")
    begin = time.monotonic()
    while counts["steps"] == 0 or time.monotonic() - begin < SECONDS:
        optimizer.zero_grad()
        net(x).sum().backward()
        optimizer.step()
        counts["steps"] += 1
        counts["early"] += time.monotonic() - begin < 3
        time.sleep(0.02)


thread = threading.Thread(target=train)
thread.start()
thread.join()
print(counts["steps"], counts["early"])
