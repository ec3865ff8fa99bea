# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a module call costs more with names kept: alternating blocks in one process, on the CPU.

    SCOPES_PROBE=build/lib/libscopes_probe.so PYTHONPATH=tests/programs/scopes \\
        python tests/bench/scopes/module_call.py

Records go to a small ring of the thread, as in a session. Prints ns per call, the median of 15
pairs, beside empty global hooks in Python and beside a null test (both blocks without us).

    ... module_call.py --instructions

Counts instead, under callgrind, the instructions that a call takes more: the same under every load,
in two processes at once, and where they differ the median of three. Status 1 when a case takes more than its bound. A root without an optimizer looks for one at each
call, which is most of its count.
"""

import concurrent.futures
import gc
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch import nn

import probe

PAIRS = 15
# About one process in forty takes 500 to 700 instructions a call more. Its addresses are others: two
# names that each call looks up then share a place in Python's cache of attributes, so it seems. Others
# differ by less than this share.
ALIKE = 0.1
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


def rows() -> tuple:
    """(name, function, calls in a block, module calls in a call, bound of instructions)"""
    return (
        ("root nn.Identity", nn.Identity(), 20000, 1, 2900),
        ("nn.Identity in a Sequential of 200", nn.Sequential(*[nn.Identity() for _ in range(200)]),
         100, 201, 1200),
        ("the same child 200 times", Repeat(), 100, 201, 800),
    )  # fmt: skip


def count_here() -> None:
    """Inside of callgrind: a block with and one without us for each row.

    Without Python's garbage collector: what one collection takes, a million instructions, would be
    counted to the block in which it happens to fall.
    """
    gc.collect()
    gc.disable()
    for index, (_, function, calls, _, _) in enumerate(rows()):
        for switch, label in ((probe.end, "off"), (probe.begin, "on")):
            switch()
            for _ in range(3):
                function(X)
            probe.LIB.probe_count_begin()
            block(function, calls // 10)
            probe.LIB.probe_count_end(f"{label} {index}".encode())


def count_once(_: int) -> list:
    """What a call of each row takes more, in instructions, in one process under callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        counted = count_in(folder)
    return [
        (counted[f"on {index}"] - counted[f"off {index}"]) / (calls // 10 * modules)
        for index, (_, _, calls, modules, _) in enumerate(rows())
    ]


def count_in(folder: str) -> dict:
    """{"on 0", "off 0", ...: instructions} of one process under callgrind."""
    subprocess.run(
        ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--quiet",
         f"--callgrind-out-file={folder}/out", sys.executable, __file__, "--count-here"],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    counted = {}
    for path in pathlib.Path(folder).iterdir():
        text = path.read_text()
        label = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if label and total:
            counted[label[1]] = int(total[1])
    return counted


def count_instructions() -> int:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counted = list(pool.map(count_once, range(2)))
    if any(abs(one - other) > ALIKE * other for one, other in zip(*counted)):
        counted.append(count_once(2))
    failed = False
    for index, (name, _, _, _, bound) in enumerate(rows()):
        more = statistics.median(one[index] for one in counted)
        print(json.dumps({"bench": "module call", "case": name, "instructions": round(more),
                          "bound": bound, "processes": len(counted)}))  # fmt: skip
        failed |= not 0 < more <= bound
    return 1 if failed else 0


def main() -> int:
    torch.set_num_threads(1)
    if sys.argv[1:2] == ["--instructions"]:
        return count_instructions()
    probe.LIB.probe_discard(1)
    if sys.argv[1:2] == ["--count-here"]:
        count_here()
        return 0
    peer = PythonHooks()
    for name, function, calls, modules, _ in rows():
        ours, base = added(function, calls, modules, probe.begin, probe.end)
        hooks, _ = added(function, calls, modules, peer.on, peer.off)
        null, _ = added(function, calls, modules, lambda: None, lambda: None)
        print(json.dumps({
            "bench": "module call", "case": name, "base_ns": round(base), "added_ns": round(ours),
            "python_hooks_added_ns": round(hooks), "null_ns": round(null),
            "ratio": round(ours / hooks, 3), "goal_ns": 150,
        }), flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
