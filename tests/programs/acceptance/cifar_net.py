# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The small CIFAR-10 network of the PyTorch tutorial: 62 006 parameters (seed 000).

python cifar_net.py --batch 8
torchrun --nproc-per-node 2 cifar_net.py --batch 8     # DistributedDataParallel
"""

import torch
import torch.nn.functional as F
from torch import nn

import harness

BATCH = 8


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.pool(F.relu(self.conv1(image)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def arguments(parser) -> None:
    parser.add_argument(
        "--no-init-sync",
        action="store_true",
        help="skip DDP's start-up exchange, whose result a simulated NCCL cannot give",
    )


def build(args) -> harness.Workload:
    model = Net().to(args.torch_dtype)
    if getattr(args, "distributed", False):
        options = {"init_sync": False} if args.no_init_sync else {}  # PyTorch 2.4 has it not
        model = nn.parallel.DistributedDataParallel(model, **options)
    image = torch.randn(args.batch, 3, 32, 32, dtype=args.torch_dtype)
    label = torch.zeros(args.batch, dtype=torch.long)
    return harness.Workload(
        model, (image,), loss=lambda out: F.cross_entropy(out.float(), label)
    )


if __name__ == "__main__":
    harness.main(__file__, __doc__)
