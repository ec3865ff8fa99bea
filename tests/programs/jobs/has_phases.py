# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Three training steps with gradient scaling and clipping, an evaluation after each."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


def main() -> None:
    model = nn.Sequential(nn.Linear(64, 32)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda")
    x = torch.randn(8, 64, device="cuda")
    for _ in range(3):
        scaler.scale(model(x).sum()).backward()
        scaler.unscale_(optimizer)
        clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            model(x[:4])
        model.train()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
