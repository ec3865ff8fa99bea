# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A parent that uses the GPU, spawns two workers (one a GPU each, models of different width, one
ends by os._exit) and starts one more Python as a subprocess. No torchrun, no ranks."""

import argparse
import os
import subprocess
import sys

import torch
import torch.multiprocessing as mp
from torch import nn

ROWS, INPUTS, CLASSES = 16, 32, 10


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Linear(INPUTS, width), nn.Linear(width, CLASSES)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def train(width, steps, device):
    torch.manual_seed(0)
    model = Net(width).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(ROWS, INPUTS).to(device)
    target = torch.randint(0, CLASSES, (ROWS,)).to(device)
    for _ in range(steps):
        nn.functional.cross_entropy(model(x), target).backward()
        optimizer.step()
        optimizer.zero_grad()


def worker(number, steps, kind):
    device = kind if kind == "cpu" else f"cuda:{number}"
    train(20 * (number + 1), steps, device)
    if number == 0:
        os._exit(0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args()
    if options.alone:
        train(60, options.steps, options.device)
        return
    with torch.no_grad():
        Net(16).to(options.device)(torch.randn(ROWS, INPUTS).to(options.device))
    mp.spawn(worker, args=(options.steps, options.device), nprocs=2)
    command = [sys.executable, os.path.abspath(__file__), "--alone", "--steps", str(options.steps)]
    subprocess.run([*command, "--device", options.device], check=True)
    print("workers", 2)


if __name__ == "__main__":
    main()
