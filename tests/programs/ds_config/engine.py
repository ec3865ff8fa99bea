# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The model of plain.py under DeepSpeed's own engine, as its documentation starts it."""

import argparse

import deepspeed
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
deepspeed.add_config_arguments(parser)
options = parser.parse_args()

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
engine, *_ = deepspeed.initialize(args=options, model=model, optimizer=optimizer)
for _ in range(4):
    loss = engine(torch.randn(4, 64, device=engine.device)).mean()
    engine.backward(loss)
    engine.step()
print("trained", engine.global_steps)
