# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A graph network of two layers with a sparse adjacency matrix (CSR): sparse times dense products
forward and backward, trained."""

import argparse
import warnings

import torch
from torch import nn
from torch.nn import functional as F

NODES, DEGREE, INPUTS, WIDTH, CLASSES = 60, 5, 24, 16, 7


class Layer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=False)

    def forward(self, x, adjacency):
        return torch.sparse.mm(adjacency, self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Layer(INPUTS, WIDTH), Layer(WIDTH, CLASSES)

    def forward(self, x, adjacency):
        return self.two(torch.relu(self.one(x, adjacency)), adjacency)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    offsets = torch.arange(0, NODES * DEGREE + 1, DEGREE)
    columns = torch.cat([torch.randperm(NODES)[:DEGREE].sort().values for _ in range(NODES)])
    adjacency = torch.sparse_csr_tensor(
        offsets, columns, torch.full((NODES * DEGREE,), 1 / DEGREE), (NODES, NODES)
    ).to(options.device)
    model = Net().to(options.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(NODES, INPUTS).to(options.device)
    target = torch.randint(0, CLASSES, (NODES,)).to(options.device)
    for step in range(options.steps):
        F.cross_entropy(model(x, adjacency), target).backward()
        optimizer.step()
        optimizer.zero_grad()
        print("step", step)


if __name__ == "__main__":
    main()
