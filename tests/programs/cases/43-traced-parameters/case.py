# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A module that torch.jit.trace made: it has parameters like any other."""

import torch
from torch import nn

ROWS, INPUTS, OUTPUTS = 4, 8, 4


def main():
    layers = nn.Sequential(nn.Linear(INPUTS, INPUTS), nn.ReLU(), nn.Linear(INPUTS, OUTPUTS))
    model = torch.jit.trace(layers, torch.randn(ROWS, INPUTS)).cuda()
    model(torch.randn(ROWS, INPUTS, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    names = [name for name, _ in model.named_modules()]
    print("sum of numel:", sum(p.numel() for p in model.parameters()), names)


if __name__ == "__main__":
    main()
