# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""LeNet5 with tanh and average pooling: 61 706 parameters, batch 1024 (seed 002)."""

import torch
import torch.nn.functional as F
from torch import nn

import harness

BATCH = 1024


class LeNet5(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.feature_extractor = nn.Sequential(
            nn.Conv2d(1, 6, 5),
            nn.Tanh(),
            nn.AvgPool2d(2),
            nn.Conv2d(6, 16, 5),
            nn.Tanh(),
            nn.AvgPool2d(2),
            nn.Conv2d(16, 120, 5),
            nn.Tanh(),
        )
        self.classifier = nn.Sequential(
            nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, classes)
        )

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        features = torch.flatten(self.feature_extractor(image), 1)
        return F.softmax(self.classifier(features), dim=1)


def arguments(parser) -> None:
    parser.add_argument("--classes", type=int, default=10)


def build(args) -> harness.Workload:
    image = torch.randn(args.batch, 1, 32, 32, dtype=args.torch_dtype)
    return harness.Workload(LeNet5(args.classes).to(args.torch_dtype), (image,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
