# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A module of one's own with a child that is called as torch.compile calls its own."""

import torch
from torch import nn

ROWS, INPUTS, OUTPUTS = 4, 8, 4


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self._orig_mod = nn.Linear(INPUTS, INPUTS)
        self.head = nn.Linear(INPUTS, OUTPUTS)

    def forward(self, x):
        return self.head(self._orig_mod(x))


def main():
    model = Net().cuda()
    model(torch.randn(ROWS, INPUTS, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    print("sum of numel:", sum(p.numel() for p in model.parameters()))


if __name__ == "__main__":
    main()
