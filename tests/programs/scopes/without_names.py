# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Phases when no module calls are seen. Needs FLOPSPROF_MODULE_HOOK=none. JSON as names.py."""

import json

import probe
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

SHIM_FAILED = 22
X = torch.ones(1, requires_grad=True)
linear = nn.Linear(1, 1)
seen: list = []


def check(name, got, want):
    print(json.dumps({"check": name, "got": got, "want": want}), flush=True)


def look(x):
    seen.append(probe.here())
    return x


OPTIMIZER = 2  # the first scope of a process; 1 is "(other)"


def places(call) -> list:
    seen.clear()
    call()
    return [list(place) for place in seen]


class Node(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        return look(gradient)


class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        look(None)
        return super().step()


def recomputed(reentrant):
    region = checkpoint(lambda x: torch.sin(look(linear(x))), X, use_reentrant=reentrant)
    region.sum().backward()


def main() -> None:
    probe.begin()
    notes = probe.take()["notes"]
    check("way", notes["modules"], "none: FLOPSPROF_MODULE_HOOK=none")
    check("backward", notes["backward"], "engine")
    check("forward", places(lambda: look(linear(X))), [[0, "other"]])
    check("node", places(lambda: Node.apply(X).sum().backward()), [[0, "backward"]])
    for reentrant in (True, False):
        want = [[0, "other"], [0, "recompute"]]
        name = f"checkpoint, reentrant {reentrant}"
        check(name, places(lambda reentrant=reentrant: recomputed(reentrant)), want)
    optimizer = Optimizer(linear.parameters(), lr=0.1)
    check("optimizer", places(optimizer.step), [[OPTIMIZER, "optimizer"]])
    check("after it", probe.here(), [0, "other"])
    records = probe.take()["records"]
    scopes = [(r["name"], r["kind"]) for r in records if r["type"] == "scope"]
    check("no scopes but the optimizer's", scopes, [("Optimizer", 4)])
    check("no modules", [r for r in records if r["type"] == "module"], [])
    check("depth", probe.LIB.probe_depth(), 0)
    check("failures of the shim", probe.LIB.probe_loss(SHIM_FAILED), 0)


if __name__ == "__main__":
    main()
