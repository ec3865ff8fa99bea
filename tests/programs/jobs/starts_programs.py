# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that have nothing to do with each other, in one job.

    starts_programs.py workers     two spawned workers with models of different width
    starts_programs.py equal       two spawned workers with equal models
    starts_programs.py script      a shell script: a training, then an evaluation with exit code 3
    starts_programs.py launches    two launches of two ranks, one after the other
    starts_programs.py --width N   one training of a model of that width; --only-forward

A model of width N does 2 * 16 * (32 N + 10 N) flops forward, and as many for its weights and
2 * 16 * 10 N for the first activation backward: three steps of each.
"""

import argparse
import os
import subprocess
import sys

import torch
import torch.multiprocessing as mp
from torch import nn

ROWS, INPUTS, CLASSES, STEPS = 16, 32, 10, 3


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Linear(INPUTS, width), nn.Linear(width, CLASSES)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def train(width, device="cuda:0"):
    model = Net(width).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.zeros(ROWS, INPUTS, device=device)
    for _ in range(STEPS):
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def evaluate(width):
    with torch.no_grad():
        Net(width).cuda()(torch.zeros(ROWS, INPUTS, device="cuda"))


def worker(number, widths):
    train(widths[number])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", nargs="?", choices=("workers", "equal", "script", "launches"))
    parser.add_argument("--width", type=int, default=0)
    parser.add_argument("--only-forward", action="store_true")
    options = parser.parse_args()
    this = [sys.executable, os.path.abspath(__file__)]
    if options.width and options.only_forward:
        evaluate(options.width)
    elif options.width:
        train(options.width)
    elif options.kind in ("workers", "equal"):
        widths = (20, 40) if options.kind == "workers" else (20, 20)
        mp.spawn(worker, args=(widths,), nprocs=2)
    elif options.kind == "script":
        script = '"$@" --width 20; "$@" --width 16 --only-forward; exit 3'
        sys.exit(subprocess.run(["bash", "-c", script, "job", *this], check=False).returncode)
    else:
        for width in (40, 20):
            launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
            subprocess.run([*launcher, "--nproc-per-node", "2", this[1], "--width", str(width)],
                           check=True)  # fmt: skip


if __name__ == "__main__":
    main()
