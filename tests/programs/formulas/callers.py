# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operations without a library call, asked for by every kind of caller.

    callers.py [--compiled]

Each caller is a module of its own, so that its work has a line of its own.
"""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

B, H, S, D = 2, 4, 64, 32


class PythonCaller(nn.Module):
    """F.scaled_dot_product_attention, forward and backward."""

    def forward(self, q):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return F.scaled_dot_product_attention(q, q, q, is_causal=True)


class Refused(nn.Module):
    """Operations that raise, caught by the caller."""

    def forward(self, q):
        for _ in range(3):
            try:
                torch.ops.aten._flash_attention_forward(
                    q, q[:, :3], q, None, None, S, S, 0.0, False, False
                )
            except RuntimeError:
                continue
            raise SystemExit("the operation was expected to raise")
        return q


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(100, 16, mode="sum")

    def forward(self, indices, offsets):
        return self.bag(indices, offsets)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = PythonCaller()
        self.refused = Refused()
        # In evaluation without gradients its forward is one operation, written in C++.
        self.encoder = nn.TransformerEncoderLayer(H * D, H, batch_first=True).eval()
        self.depthwise = nn.Conv3d(4, 4, 3, padding=1, groups=4)
        self.bag = Bag()
        self.cell = nn.LSTMCell(16, 8)

    def forward(self, q, x, volume, indices, offsets, state):
        q.grad = None
        self.attention(q).sum().backward()
        self.refused(q)
        with torch.no_grad():
            self.encoder(x)
        self.depthwise(volume).sum().backward()
        self.bag(indices, offsets)
        self.cell(state)


class Compiled(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = PythonCaller()

    def forward(self, q):
        return self.attention(q) * 2


def main() -> None:
    torch.manual_seed(0)
    cuda = "cuda"
    q = torch.randn(B, H, S, D, device=cuda, dtype=torch.bfloat16, requires_grad=True)
    if "--compiled" in sys.argv:
        model = torch.compile(Compiled())
        for _ in range(2):
            model(q).sum().backward()
        torch.cuda.synchronize()
        return
    model = Model().to(cuda)
    model.encoder.to(torch.bfloat16)
    for _ in range(2):
        model(
            q,
            torch.randn(B, S, H * D, device=cuda, dtype=torch.bfloat16),
            torch.randn(1, 4, 5, 6, 7, device=cuda),
            torch.zeros(6, dtype=torch.long, device=cuda),
            torch.tensor([0, 2, 4], device=cuda),
            torch.randn(3, 16, device=cuda),
        )
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
