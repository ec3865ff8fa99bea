# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The model of plain.py under Accelerate, which `accelerate launch` starts with DeepSpeed."""

import torch
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator()
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rows = torch.utils.data.DataLoader(torch.randn(16, 64), batch_size=4)
model, optimizer, rows = accelerator.prepare(model, optimizer, rows)
for batch in rows:
    accelerator.backward(model(batch.to(accelerator.device)).mean())
    optimizer.step()
    optimizer.zero_grad()
print("trained")
