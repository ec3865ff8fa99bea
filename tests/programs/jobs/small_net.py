# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A network of two linear layers and one training step: what the other jobs here train.

Per step, batch B: forward 2*B*(64*32 + 32*16) flops, backward the two weight gradients
and the data gradient of the second layer.
"""

import torch
from torch import nn

BATCH = 4
FORWARD_FLOPS = 2 * BATCH * (64 * 32 + 32 * 16)
BACKWARD_FLOPS = 2 * BATCH * (64 * 32 + 2 * 32 * 16)


class SmallNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 32)
        self.second = nn.Linear(32, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(x)))


class Trainer:
    def __init__(self, device: str = "cuda") -> None:
        torch.manual_seed(0)
        self.model = SmallNet().to(device)
        self.inputs = torch.randn(BATCH, 64).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.device = device

    def step(self) -> torch.Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.model(self.inputs).square().mean()
        loss.backward()
        self.optimizer.step()
        return loss

    def train(self, steps: int) -> None:
        for _ in range(steps):
            self.step()
        if self.device == "cuda":
            torch.cuda.synchronize()
