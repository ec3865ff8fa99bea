# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Two steps of a model whose two blocks hold one layer, called first in one, last in the other."""

import torch
from torch import nn

WIDTH, BATCH = 16, 2


class Block(nn.Module):
    def __init__(self, shared, first):
        super().__init__()
        self.shared, self.first = shared, first
        self.own = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        return self.own(self.shared(x)) if self.first else self.shared(self.own(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(WIDTH, WIDTH, bias=False)
        self.blocks = nn.ModuleList(Block(self.layer, first) for first in (True, False))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model(torch.ones(BATCH, WIDTH, device="cuda")).sum().backward()
    optimizer.step()
torch.cuda.synchronize()
