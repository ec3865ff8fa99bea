# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a module call costs more with names kept: alternating blocks in one process, on the CPU.

    SCOPES_PROBE=build/lib/libscopes_probe.so PYTHONPATH=tests/programs/scopes \\
        python tests/bench/scopes/module_call.py

Records go to a small ring of the thread, as in a session. Prints ns per call, the median of 15
pairs, beside empty global hooks in Python and beside a null test (both blocks without us).
"""

import json
import statistics
import time

import torch
from torch import nn

import probe

PAIRS = 15
X = torch.ones(4, 16)


class Repeat(nn.Module):
    """Calls one child 200 times."""

    def __init__(self):
        super().__init__()
        self.child = nn.Identity()

    def forward(self, x):
        child = self.child
        for _ in range(200):
            x = child(x)
        return x


def block(function, calls: int) -> float:
    begin = time.perf_counter_ns()
    for _ in range(calls):
        function(X)
    return (time.perf_counter_ns() - begin) / calls


def added(function, calls: int, modules: int, on, off) -> tuple:
    """(median ns added per module call, median ns without)."""
    differences, bases = [], []
    for pair in range(PAIRS + 1):
        base = block(function, calls)
        on()
        function(X)
        with_us = block(function, calls)
        off()
        function(X)
        if pair:  # the first pair warms up
            differences.append((with_us - base) / modules)
            bases.append(base / modules)
    return statistics.median(differences), statistics.median(bases)


class PythonHooks:
    """The peer: two empty global module hooks."""

    def on(self) -> None:
        module = nn.modules.module
        self.handles = [
            module.register_module_forward_pre_hook(lambda m, args: None),
            module.register_module_forward_hook(lambda m, args, out: None),
        ]

    def off(self) -> None:
        for handle in self.handles:
            handle.remove()


def main() -> None:
    torch.set_num_threads(1)
    probe.LIB.probe_discard(1)
    peer = PythonHooks()
    rows = (
        ("root nn.Identity", nn.Identity(), 20000, 1),
        ("nn.Identity in a Sequential of 200", nn.Sequential(*[nn.Identity() for _ in range(200)]),
         100, 201),
        ("the same child 200 times", Repeat(), 100, 201),
    )  # fmt: skip
    for name, function, calls, modules in rows:
        ours, base = added(function, calls, modules, probe.begin, probe.end)
        hooks, _ = added(function, calls, modules, peer.on, peer.off)
        null, _ = added(function, calls, modules, lambda: None, lambda: None)
        print(json.dumps({
            "bench": "module call", "case": name, "base_ns": round(base), "added_ns": round(ours),
            "python_hooks_added_ns": round(hooks), "null_ns": round(null),
            "ratio": round(ours / hooks, 3), "goal_ns": 150,
        }), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
