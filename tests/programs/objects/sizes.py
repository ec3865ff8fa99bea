# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of layers of experts, of traced and scripted modules."""

import torch
from torch import nn


class Stacked(nn.Module):
    """All experts in one weight, as in transformers 5; something with weights beside it."""

    def __init__(self):
        super().__init__()
        self.num_experts = 4
        self.w = nn.Parameter(torch.ones(4, 8, 8))
        self.bias = nn.Parameter(torch.ones(4, 8))
        self.act_fn = nn.PReLU()

    def forward(self, x):
        return self.act_fn(torch.matmul(x, self.w).sum(0))


class Inside(nn.Module):
    """One child that holds all experts."""

    def __init__(self):
        super().__init__()
        self.num_experts = 4
        self.mlp = nn.Linear(8, 4 * 8, bias=False)

    def forward(self, x):
        return self.mlp(x)[:, :8]


class Half(nn.ModuleList):
    """Two of four experts: the others are on another rank."""


class Layer(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.num_experts, self.top_k = 4, 2
        self.gate = nn.Linear(8, 4, bias=False)
        self.experts = experts

    def forward(self, x):
        self.gate(x)
        return self.experts[0](x) if isinstance(self.experts, nn.ModuleList) else self.experts(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stacked, self.inside = Layer(Stacked()), Layer(Inside())
        self.listed = Layer(Half(nn.Linear(8, 8, bias=False) for _ in range(2)))

    def forward(self, x):
        return self.listed(self.inside(self.stacked(x)))


def main():
    x = torch.ones(3, 8).cuda()
    Net().cuda()(x).sum().backward()
    plain = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)).cuda()
    torch.jit.trace(plain, x)(x)  # raises when what we ask of tensors gets into its graph
    torch.jit.script(nn.Sequential(nn.Linear(8, 2)).cuda())(x)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
