# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""One convolution, three times: python convolution.py"""

import torch
from torch import nn

BATCH, CHANNELS, FILTERS, SIZE, KERNEL, CALLS = 4, 8, 16, 20, 3, 3


def flops() -> int:
    """Of all calls, by hand."""
    out = SIZE - KERNEL + 1
    return CALLS * 2 * BATCH * FILTERS * CHANNELS * KERNEL * KERNEL * out * out


if __name__ == "__main__":
    layer = nn.Conv2d(CHANNELS, FILTERS, KERNEL, device="cuda")
    x = torch.randn(BATCH, CHANNELS, SIZE, SIZE, device="cuda")
    with torch.no_grad():
        for _ in range(CALLS):
            layer(x)
    torch.cuda.synchronize()
