# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn

ROWS, INPUTS, WIDTH, CLASSES = 16, 32, 48, 10


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(INPUTS, WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))
