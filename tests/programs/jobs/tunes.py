# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Four training steps of a small convolutional network; with --tune cuDNN tries its ways first."""

import sys

import torch
from torch import nn

torch.backends.cudnn.benchmark = "--tune" in sys.argv
net = nn.Sequential(
    nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.Flatten(), nn.Linear(25088, 10)
).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for _ in range(4):
    optimizer.zero_grad()
    net(torch.zeros(4, 3, 32, 32, device="cuda")).sum().backward()
    optimizer.step()
torch.cuda.synchronize()
