# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a call of an operation costs more when the program has a formula for it.

    PYTHONPATH=injector/shims/python flopsprof-run -q -- \
        python tests/bench/injector/formula_bench.py [--short]

The operation does nothing. Calls of it with the formula alternate with calls of the same function
without; prints the median of the differences, by the CPU time of the thread. For three kinds of
arguments: tensors and a number; eight tensors in a list; an argument that cannot be remembered, so
that the formula is asked in every call.
"""

import json
import statistics
import sys
import time

import flopsprof
import torch

library = torch.library.Library("benchlib", "DEF")
library.define("plain(Tensor a, Tensor b, int factor) -> ()")
library.define("many(Tensor[] all) -> ()")
library.define("device(Tensor a, Device on) -> ()")
for name in ("plain", "many", "device"):
    library.impl(name, lambda *args: None, "CUDA")
ops = torch.ops.benchlib
real = {name: getattr(ops, name).default._op for name in ("plain", "many", "device")}


@flopsprof.formula("benchlib::plain")
@flopsprof.formula("benchlib::many")
@flopsprof.formula("benchlib::device")
def work(first, *rest):
    return 2


def block_ns(function, args, count) -> float:
    begin = time.thread_time_ns()
    for _ in range(count):
        function(*args)
    return (time.thread_time_ns() - begin) / count


def main() -> None:
    blocks, calls = (11, 200) if "--short" in sys.argv else (301, 500)
    a = torch.zeros(4, 8, 16, device="cuda")
    torch.nn.Identity()(a)  # the session and the scopes begin
    added = {}
    for name, args in (
        ("plain", (a, a, 3)), ("many", ([a] * 8,)), ("device", (a, torch.device("cuda"))),
    ):  # fmt: skip
        counted = getattr(ops, name).default._op
        assert counted is not real[name], "nothing of ours stands in front of the operation"
        differences = []
        for _ in range(blocks):
            without = block_ns(real[name], args, calls)
            differences.append(block_ns(counted, args, calls) - without)
            time.sleep(0.002)  # the reader catches up
        added[name] = round(statistics.median(differences))
    print(json.dumps({
        "bench": "operation with a formula of the program (simulated GPU)",
        "added_ns": added["plain"], "goal_ns": 1000, "eight_tensors_ns": added["many"],
        "asked_each_time_ns": added["device"],
    }))  # fmt: skip


if __name__ == "__main__":
    main()
