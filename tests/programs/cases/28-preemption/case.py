# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A job on a cluster that takes jobs back: on SIGTERM or SIGUSR1 it finishes its step, saves, and
exits with code 75. Without --wait it sends itself SIGUSR1 after the given number of steps; with
--wait it trains until a signal comes (and at most 60 s)."""

import argparse
import os
import signal
import sys
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F

ROWS, INPUTS, WIDTH, CLASSES = 16, 32, 48, 10
stop = []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--wait", action="store_true")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, lambda number, frame: stop.append(signal.Signals(number).name))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(INPUTS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, CLASSES))
    model = model.to(options.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(ROWS, INPUTS).to(options.device)
    target = torch.randint(0, CLASSES, (ROWS,)).to(options.device)
    step, end = 0, time.monotonic() + 60
    while not stop and time.monotonic() < end:
        F.cross_entropy(model(x), target).backward()
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        if options.wait:
            print("step", step, flush=True)
            time.sleep(0.2)
        elif step == options.steps:
            os.kill(os.getpid(), signal.SIGUSR1)
    with tempfile.TemporaryDirectory() as folder:
        torch.save(model.state_dict(), os.path.join(folder, "last.pt"))
    print("stopped by", *stop, "after", step)
    sys.exit(75)


if __name__ == "__main__":
    main()
