# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operations without products (0 by the convention), and ways to run products: mixed
precision, checkpointing, parts without gradients.
"""

import math

import torch
from case import T, function, layer
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def no_products():
    image, row = (2, 6, 8, 8), (4, 12)
    for name, call, shape in (
        ("relu", lambda x: F.relu(x), row),
        ("gelu", lambda x: F.gelu(x), row),
        ("softmax", lambda x: F.softmax(x, -1), row),
        ("add", lambda x: torch.add(x, x), row),
        ("mul", lambda x: torch.mul(x, x), row),
        ("mean", lambda x: x.mean(), row),
        ("max_pool2d", lambda x: F.max_pool2d(x, 2), image),
        ("avg_pool2d", lambda x: F.avg_pool2d(x, 2), image),
        ("interpolate", lambda x: F.interpolate(x, scale_factor=2.0), image),
        ("cumsum", lambda x: torch.cumsum(x, 0), row),
    ):
        yield function(
            "no products", name, call, (T(shape),), 0, 0, op=name, numel=math.prod(shape)
        )
    for name, build, shape in (
        ("LayerNorm", lambda: nn.LayerNorm(12), row),
        ("BatchNorm2d", lambda: nn.BatchNorm2d(6), image),
        ("GroupNorm", lambda: nn.GroupNorm(2, 6), image),
    ):
        yield layer(
            "no products", name, build, (T(shape),), 0, 0, op=name, norm=5 * math.prod(shape)
        )
    tokens = T((3, 5), "int64", grad=False)
    yield layer("no products", "Embedding", lambda: nn.Embedding(20, 8), (tokens,), 0, 0,
                op="Embedding")  # fmt: skip
    yield layer("no products", "EmbeddingBag", lambda: nn.EmbeddingBag(20, 8), (tokens,), 0, 0,
                op="EmbeddingBag")  # fmt: skip


class Net(nn.Module):
    """Two linear layers; `how` says what of them is checkpointed."""

    def __init__(self, how):
        super().__init__()
        self.how = how
        self.first = nn.Linear(16, 16, bias=False)
        self.second = nn.Linear(16, 16, bias=False)

    def forward(self, x):
        if self.how == "all checkpointed":
            return checkpoint(lambda y: self.second(self.first(y)), x, use_reentrant=False)
        if self.how == "first checkpointed":
            x = checkpoint(self.first, x, use_reentrant=False)
        elif self.how == "reentrant":
            x = checkpoint(self.first, x, use_reentrant=True)
        elif self.how == "no_grad":
            with torch.no_grad():
                x = self.first(x)
        else:
            x = self.first(x)
        return self.second(x)


def ways():
    one = 2 * 4 * 16 * 16
    for how in ("plain", "first checkpointed", "all checkpointed", "reentrant", "no_grad"):
        case = layer(
            "ways", f"two layers, {how}", lambda how=how: Net(how), (T((4, 16)),), 2 * one,
            one if how == "no_grad" else 4 * one, how=how, one=one,
        )  # fmt: skip
        # Repetition stops when all saved tensors are there: the last product is not run again.
        # A reentrant checkpoint repeats everything.
        case.recompute = one if how in ("all checkpointed", "reentrant") else 0
        yield case

    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(16, 16)

        def forward(self, x):
            with torch.autocast(x.device.type, dtype=torch.bfloat16):
                return self.inner(x)

    yield layer(
        "ways", "mixed precision", Mixed, (T((4, 16)),), one, 2 * one, how="mixed", out=64, one=one
    )

    yield layer(
        "ways", "inference mode", Inference, (T((4, 16), grad=False),), one,
        how="inference", out=64, one=one,
    )  # fmt: skip


class Inference(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16)

    def forward(self, x):
        with torch.inference_mode():
            return self.inner(x)


def cases():
    yield from no_products()
    yield from ways()
