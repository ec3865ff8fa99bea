# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains two blocks under torch.compile, compiled in the way named, and prints the counters of
Dynamo, AOTAutograd and Inductor.

    compiles.py whole|blocks|in_place|reduce_overhead|broken|again STEPS

"again": the last step but one has twice the batch, which is compiled for itself. Its blocks also have two
products without weights, which are of no module's own.
"""

import json
import sys

import torch
import torch._dynamo.utils
from torch import nn
from torch.nn import functional

BATCH, WIDTH = 8, 64


class Block(nn.Module):
    def __init__(self, broken, scores):
        super().__init__()
        self.q, self.k = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.broken, self.scores = broken, scores

    def forward(self, x):
        h = self.norm(x)
        x = x + torch.sigmoid(self.q(h)) * torch.tanh(self.k(h))
        if self.broken:
            torch._dynamo.graph_break()
        if self.scores:
            x = (x @ x.t()) @ x
        return x + self.down(functional.gelu(self.up(x)))


def compiled(how):
    model = nn.Sequential(*(Block(how == "broken", how == "again") for _ in range(2))).cuda()
    if how == "blocks":
        for block in model:
            block.compile()
    elif how == "in_place":
        model.compile()
    else:
        mode = "reduce-overhead" if how == "reduce_overhead" else None
        model = torch.compile(model, mode=mode, dynamic=False if how == "again" else None)
    return model


def main() -> None:
    how, steps = sys.argv[1], int(sys.argv[2])
    model = compiled(how)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(BATCH, WIDTH, device="cuda")
    for step in range(steps):
        twice = how == "again" and step == steps - 2
        model(torch.cat([x, x]) if twice else x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    counters = torch._dynamo.utils.counters
    kinds = ("frames", "graph_break", "recompiles", "stats", "unimplemented", "inductor",
             "aot_autograd")  # fmt: skip
    print(json.dumps({kind: {str(k)[:60]: v for k, v in counters[kind].items()} for kind in kinds}))


if __name__ == "__main__":
    main()
