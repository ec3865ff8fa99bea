# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A small ViT of timm, trained in channels_last with an exponential moving average of its weights,
which is what is evaluated at the end. TIMM_FUSED_ATTN=0 or 1 changes how attention runs.

Needs timm.
"""

import argparse

import torch
from timm.models.vision_transformer import VisionTransformer
from timm.utils import ModelEmaV2
from torch.nn import functional as F

BATCH, SIZE, PATCH, WIDTH, DEPTH, HEADS, CLASSES = 2, 32, 8, 32, 2, 2, 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    device = options.device
    torch.manual_seed(0)
    model = VisionTransformer(
        img_size=SIZE, patch_size=PATCH, embed_dim=WIDTH, depth=DEPTH, num_heads=HEADS,
        num_classes=CLASSES,
    ).to(device, memory_format=torch.channels_last)  # fmt: skip
    average = ModelEmaV2(model, decay=0.99)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(BATCH, 3, SIZE, SIZE).to(device, memory_format=torch.channels_last)
    target = torch.randint(0, CLASSES, (BATCH,)).to(device)
    for step in range(options.steps):
        F.cross_entropy(model(x), target).backward()
        optimizer.step()
        optimizer.zero_grad()
        average.update(model)
        print("step", step)
    with torch.no_grad():
        print("average", tuple(average.module(x).shape))


if __name__ == "__main__":
    main()
