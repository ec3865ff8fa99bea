# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Module surgery between steps: a wrapper is taken off (as merge_and_unload does), a head is
replaced or wrapped."""
import sys
import torch
from torch import nn

how = sys.argv[1]
dev = "cuda"


class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.base_layer, self.extra = inner, nn.Linear(16, 16, bias=False)

    def forward(self, x):
        return self.base_layer(x) + self.extra(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = Wrapped(nn.Linear(16, 16, bias=False))
        self.head = nn.Linear(16, 4, bias=False)

    def forward(self, x):
        return self.head(self.q(x))


net = Net().to(dev)
x = torch.randn(8, 16).to(dev)
with torch.no_grad():
    for _ in range(2):
        net(x)
    if how == "unwrap":
        net.q = net.q.base_layer
    elif how == "head":
        net.head = nn.Linear(16, 32, bias=False).to(dev)
    elif how == "wrap":
        net.head = Wrapped2 = nn.Sequential(net.head, nn.Linear(4, 4, bias=False).to(dev))
    for _ in range(2):
        net(x)
print("unit q", 2 * 8 * 16 * 16, "head", 2 * 8 * 16 * 4, "head32", 2 * 8 * 16 * 32)
