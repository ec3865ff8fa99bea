# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Two steps of small layers, each a model's own child, trained by two optimizers; then a CUDA graph.

    trains_two_ways.py [fused|foreach|single]
"""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

ROWS, REPLAYS = 8, 5


class Scores(nn.Module):
    """Attention's two products, of activations alone."""

    def forward(self, q, k, v):
        return torch.bmm(torch.bmm(q, k.transpose(1, 2)), v)


class Flash(nn.Module):
    def forward(self, x):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return F.scaled_dot_product_attention(x, x, x)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 32)  # its input wants no gradient
        self.frozen = nn.Linear(32, 48).requires_grad_(False)
        self.both = nn.Linear(48, 40)
        self.square = nn.Linear(40, 40)
        self.unclear = nn.Linear(40, ROWS)  # as many outputs as rows
        self.again = nn.Linear(ROWS, 24)  # under checkpoint
        self.cast = nn.Linear(24, 16)  # under autocast
        self.conv = nn.Conv2d(2, 3, 3)
        self.lstm = nn.LSTM(10, 12)
        self.scores = Scores()
        self.flash = Flash()
        self.graphed = nn.Linear(56, 72)

    def forward(self, x, image, sequence, q, heads):
        x = self.square(self.both(self.frozen(self.first(x))))
        x = checkpoint(self.again, self.unclear(x), use_reentrant=False)
        with torch.autocast("cuda", dtype=torch.float16):
            x = self.cast(x)
        sums = [x.float(), self.conv(image), self.lstm(sequence)[0], self.scores(q, q + 1, q * 2)]
        return sum(part.sum() for part in sums) + self.flash(heads).float().sum()


def capture_and_replay(model) -> None:
    x = torch.randn(ROWS, 56, device="cuda", requires_grad=True)

    def step():
        model.graphed(x).sum().backward()

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(REPLAYS):
        graph.replay()


def main(way: str = "foreach") -> None:
    torch.manual_seed(1)
    model = Model().cuda()
    options = {way: True} if way != "single" else {"foreach": False}
    layers = [p for name, p in model.named_parameters() if p.requires_grad]
    optimizers = [
        torch.optim.AdamW(layers[:4], **options),
        torch.optim.SGD(layers[4:], lr=0.1, momentum=0.9, **options),
    ]

    def tensor(*sizes, dtype=torch.float32):
        return torch.randn(*sizes, device="cuda", dtype=dtype, requires_grad=True)

    inputs = (
        tensor(ROWS, 64).detach(), tensor(4, 2, 10, 10), tensor(7, 5, 10), tensor(4, 9, 6),
        tensor(1, 2, 64, 32, dtype=torch.bfloat16),
    )  # fmt: skip
    for _ in range(2):
        model(*inputs).backward()
        with torch.cuda.nvtx.range("update"):
            for optimizer in optimizers:
                optimizer.step()
        for optimizer in optimizers:
            optimizer.zero_grad()
    capture_and_replay(model)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main(*sys.argv[1:])
