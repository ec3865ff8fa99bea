# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters that torch.utils.swap_tensors() swaps: it refuses what anyone else refers to.

swapped.py KIND: prints the type that each parameter has at the end.
"""

import sys
import weakref

import torch
from torch import nn


class Lazy(nn.Module):
    """One head is never used."""

    def __init__(self):
        super().__init__()
        self.body, self.head, self.unused = nn.Linear(8, 8), nn.LazyLinear(4), nn.LazyLinear(3)

    def forward(self, x):
        return self.head(self.body(x))


def data():
    return torch.randn(2, 8, device="cuda")


def train(called, model):
    used = [p for p in model.parameters() if not nn.parameter.is_lazy(p)]
    optimizer = torch.optim.AdamW(used)
    for _ in range(3):
        called(data()).sum().backward()
        nn.utils.clip_grad_norm_(used, 1.0)
        optimizer.step()
        optimizer.zero_grad()


def lazy():
    model = Lazy().cuda()
    model(data())
    train(model, model)
    return model


def plain():
    model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Linear(8, 4)).cuda()
    train(model, model)
    return model


def checkpointed():
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 4)).cuda()

    def call(x):
        return torch.utils.checkpoint.checkpoint(model, x.requires_grad_(), use_reentrant=False)

    train(call, model)
    return model


def compiled():
    model = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 4)).cuda()
    train(torch.compile(model), model)
    torch._dynamo.reset()  # its guards refer to parameters
    return model


def main():
    model = globals()[sys.argv[1]]()
    assert not any(weakref.getweakrefs(parameter) for parameter in model.parameters())
    torch.__future__.set_swap_module_params_on_conversion(True)
    model.half()
    print(*sorted({str(p.dtype) for p in model.parameters()}))
    model(data().half())
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
