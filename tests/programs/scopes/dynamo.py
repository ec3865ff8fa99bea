# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Counters and warnings of torch.compile on the CPU: the same with and without the hooks.

Modules compiled whole, in place, as a child, called in a compiled function, with a graph break,
and an optimizer; prints one JSON object.
"""

import json
import warnings

import torch
import torch._dynamo
import torch._dynamo.utils
from torch import nn

import probe

KINDS = ("frames", "graph_break", "recompiles", "stats", "unimplemented")


class Mlp(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Broken(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.a, self.b = Mlp(size), Mlp(size)

    def forward(self, x):
        x = self.a(x)
        torch._dynamo.graph_break()
        return self.b(x)


class Makes(nn.Module):
    """Makes a module in its forward."""

    def forward(self, x):
        self.made = nn.ReLU()
        return self.made(x)


def counted(function) -> dict:
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    for size in (8, 8, 9):
        function(torch.ones(size, 32, requires_grad=True)).sum().backward()
    counters = torch._dynamo.utils.counters
    return {kind: {str(k)[:60]: v for k, v in counters[kind].items()} for kind in KINDS}


def main() -> None:
    probe.begin()
    nn.Identity()(1)  # the first call: calibration and the rest happen before we count
    torch.manual_seed(0)
    result = {}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for name, make in (
            ("plain", lambda: nn.Sequential(Mlp(32), Mlp(32))),
            ("broken", lambda: Broken(32)),
            ("container that breaks", lambda: nn.Sequential(Mlp(32), Broken(32))),
            ("makes", Makes),
        ):
            result[name] = counted(torch.compile(make(), backend="aot_eager"))
            model = make()
            model.compile(backend="aot_eager")
            result[name + ", in place"] = counted(model)
        model = nn.Sequential(nn.Sequential(Mlp(32)), Mlp(32))
        for block in model:
            block.compile(backend="aot_eager")
        result["blocks"] = counted(model)
        result["blocks in a compiled one"] = counted(torch.compile(model, backend="aot_eager"))
        child = Broken(32)
        child.a.compile(backend="aot_eager")
        result["child"] = counted(child)
        inner = Broken(32)
        result["function"] = counted(torch.compile(lambda x: inner(x) * 2, backend="aot_eager"))
        model = nn.Linear(32, 32)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        forward = torch.compile(model, backend="aot_eager")
        compiled_step = torch.compile(optimizer.step, backend="aot_eager")

        def step(x):
            forward(x).sum().backward()
            compiled_step()
            return x

        result["optimizer"] = counted(step)
    result["warnings"] = sorted(str(w.message)[:80] for w in warned)
    print(json.dumps(result, sort_keys=True))
    taken = probe.take()
    if probe.LIB is not None:
        names = probe.Names()
        names.learn(taken)
        unknown = sorted({r["class"] for r in names.scopes.values() if not r["known"]})
        print(json.dumps({"unknown": unknown, "failed": probe.LIB.probe_loss(22),
                          "notes": taken["notes"]}))  # fmt: skip


if __name__ == "__main__":
    main()
