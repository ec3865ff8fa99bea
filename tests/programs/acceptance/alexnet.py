# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torchvision AlexNet, the `get_model_profile` example (seeds 002, 003 and 004)."""

import torch
import torchvision

import harness

BATCH = 256


def build(args) -> harness.Workload:
    image = torch.randn(args.batch, 3, 224, 224, dtype=args.torch_dtype)
    return harness.Workload(torchvision.models.alexnet().to(args.torch_dtype), (image,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)
