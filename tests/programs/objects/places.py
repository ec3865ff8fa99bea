# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules whose weights are on the CPU, move in mid-run, or come to the GPU for each call."""

import torch
from torch import nn


class Offloaded(nn.Module):
    """As offloading libraries do it: weights come when they are needed and go again."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(16, 16, bias=False)

    def forward(self, x):
        self.fc.cuda()
        x = self.fc(x)
        self.fc.cpu()
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(16, 16, bias=False), nn.ReLU())
        self.moves = nn.Sequential(nn.Linear(16, 16, bias=False))
        self.offloaded = Offloaded()
        self.head = nn.Linear(16, 16, bias=False).cuda()

    def forward(self, x):
        x = self.encoder(x)
        x = self.moves(x.to(self.moves[0].weight.device))
        return self.head(self.offloaded(x.cuda()))


def main():
    net = Net()
    x = torch.ones(8, 16)
    with torch.no_grad():
        net(x)
        net(x)
        net.moves.cuda()
        net(x)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
