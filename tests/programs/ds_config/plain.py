# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains two linear layers for 4 steps of 4 rows, by PyTorch alone. Its options are those of a script
for DeepSpeed; nothing reads them. With --growing the batches have 4, 5, 6 and 7 rows.

Forward flops of a step of 4 rows: 2 * 4 * (64 * 128 + 128 * 8) = 73,728.
"""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--deepspeed", action="store_true")
parser.add_argument("--deepspeed_config")
parser.add_argument("--growing", action="store_true")
options = parser.parse_args()

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    rows = 4 + step if options.growing else 4
    model(torch.randn(rows, 64, device="cuda")).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
print("trained")
