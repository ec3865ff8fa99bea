# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Experts with one three-dimensional weight for all of them, with and without an activation as
their child: both have num_experts weights in one parameter, which is there once."""

import torch
from torch import nn

EXPERTS, WIDTH, ROWS = 4, 8, 3


class Experts(nn.Module):
    def __init__(self, with_activation):
        super().__init__()
        self.num_experts = EXPERTS
        self.w = nn.Parameter(torch.randn(EXPERTS, WIDTH, WIDTH))
        if with_activation:
            self.act_fn = nn.SiLU()

    def forward(self, x):
        return torch.matmul(x, self.w).sum(0)


class Moe(nn.Module):
    def __init__(self, with_activation):
        super().__init__()
        self.experts = Experts(with_activation)

    def forward(self, x):
        return self.experts(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain, self.act = Moe(False), Moe(True)

    def forward(self, x):
        return self.plain(x) + self.act(x)


def main():
    net = Net().cuda()
    net(torch.randn(ROWS, WIDTH, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    print("sum of numel:", sum(p.numel() for p in net.parameters()))


if __name__ == "__main__":
    main()
