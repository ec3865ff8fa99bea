# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: autocast, with a gradient scaler when the type is fp16.

The weights stay fp32 and are cast for every GEMM: all counted flops are of the
autocast type, except those of `exact`, which leaves autocast.
"""

import torch
from torch import nn

import harness

BATCH = 32


class Mixed(nn.Module):
    def __init__(self, hidden: int, autocast: torch.dtype) -> None:
        super().__init__()
        self.autocast = autocast
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.body = nn.Sequential(
            nn.Linear(16 * 16 * 16, hidden), nn.ReLU(), nn.Linear(hidden, hidden)
        )
        self.exact = nn.Linear(hidden, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        device = image.device.type
        with torch.autocast(device, dtype=self.autocast):
            x = torch.relu(self.stem(image)).flatten(1)
            x = self.body(x)
        return self.exact(x.float())


class Scaled(harness.Workload):
    scaler = None

    def train_step(self) -> None:
        if self.scaler is None:
            device = self.inputs[0].device.type
            self.scaler = torch.amp.GradScaler(device, enabled=device == "cuda")
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(self.loss(self.forward())).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()


def arguments(parser) -> None:
    parser.add_argument("--autocast", choices=("bf16", "fp16"), default="bf16")
    parser.add_argument("--hidden", type=int, default=256)


def build(args) -> harness.Workload:
    model = Mixed(args.hidden, harness.DTYPES[args.autocast])
    image = torch.randn(args.batch, 3, 16, 16)
    return Scaled(model, (image,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
