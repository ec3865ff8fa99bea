# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A model that does not fit: the frozen encoder runs on the CPU, the head on the GPU."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

ROWS, INPUTS, WIDTH, CLASSES = 32, 64, 128, 10


class Split(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device
        self.encoder = nn.Sequential(nn.Linear(INPUTS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
        self.encoder.requires_grad_(False)
        self.head = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, CLASSES))
        self.head.to(device)

    def forward(self, x):
        return self.head(self.encoder(x).to(self.device))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    torch.manual_seed(0)
    model = Split(options.device)
    optimizer = torch.optim.SGD(model.head.parameters(), lr=1e-3)
    x, target = torch.randn(ROWS, INPUTS), torch.randint(0, CLASSES, (ROWS,)).to(options.device)
    for step in range(options.steps):
        F.cross_entropy(model(x), target).backward()
        optimizer.step()
        optimizer.zero_grad()
        print("step", step)


if __name__ == "__main__":
    main()
