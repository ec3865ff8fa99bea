# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torch.optim.Muon for the hidden matrices, AdamW for the rest: the optimizer itself multiplies
matrices (Newton-Schulz)."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

ROWS, INPUTS, WIDTH, HIDDEN, CLASSES = 32, 96, 64, 128, 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(INPUTS, WIDTH, bias=False),
        nn.ReLU(),
        nn.Linear(WIDTH, HIDDEN, bias=False),
        nn.ReLU(),
        nn.Linear(HIDDEN, CLASSES),
    ).to(options.device)
    muon = torch.optim.Muon([model[0].weight, model[2].weight], lr=0.02)
    adamw = torch.optim.AdamW(model[4].parameters(), lr=1e-3)
    x = torch.randn(ROWS, INPUTS).to(options.device)
    target = torch.randint(0, CLASSES, (ROWS,)).to(options.device)
    for step in range(options.steps):
        F.cross_entropy(model(x), target).backward()
        for optimizer in (muon, adamw):
            optimizer.step()
            optimizer.zero_grad()
        print("step", step)


if __name__ == "__main__":
    main()
