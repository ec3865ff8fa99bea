# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""No torch.optim at all: a triplet loss needs three forwards of one network, gradients by
torch.autograd.grad, the update by hand; a validation without gradients after each iteration."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

ROWS, INPUTS, WIDTH, OUTPUTS = 16, 32, 48, 8


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(INPUTS, WIDTH), nn.Linear(WIDTH, OUTPUTS)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    torch.manual_seed(0)
    net = Embed().to(options.device)
    anchor, positive, negative = (torch.randn(ROWS, INPUTS).to(options.device) for _ in range(3))
    parameters = list(net.parameters())
    for iteration in range(options.steps):
        loss = F.triplet_margin_loss(net(anchor), net(positive), net(negative))
        for p, g in zip(parameters, torch.autograd.grad(loss, parameters)):
            p.data -= 0.01 * g
        with torch.no_grad():
            net(anchor)
        print("iteration", iteration)


if __name__ == "__main__":
    main()
