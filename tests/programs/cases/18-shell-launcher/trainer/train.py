# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
import argparse

import torch

from . import CLASSES, INPUTS, ROWS, Net

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=3)
parser.add_argument("--device", default="cuda")
options = parser.parse_args()
model = Net().to(options.device)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.randn(ROWS, INPUTS).to(options.device)
target = torch.randint(0, CLASSES, (ROWS,)).to(options.device)
for step in range(options.steps):
    torch.nn.functional.cross_entropy(model(x), target).backward()
    optimizer.step()
    optimizer.zero_grad()
    print("step", step, flush=True)
