# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What profiling costs, beside no profiler, a bare CUPTI consumer, torch.profiler and Proton.

Processes alternate, so that drift of the machine hits all alike; the median counts. On
a card the bar is H2 of the goals: half of what torch.profiler adds to a launch-bound load.
"""

import json
import os
import statistics
import time

from check import Answer, Context, contradicted, held, last_lines, unanswered
from flopsprof_run import ROOT, product, run_plain

LOAD = os.path.join(ROOT, "tests", "gpu", "overhead_load.py")
PROFILERS = ("none", "flopsprof", "torch", "bare", "proton")


def measure(context: Context, profiler: str, number: int, budget_s: float):
    prefix = ()
    if profiler == "flopsprof":
        folder = os.path.join(context.scratch, f"overhead-{number}")
        prefix = (product("bin/flopsprof-run"), "-o", folder, "--")
    quick = ["quick"] if context.simulated else []
    run = run_plain(
        [context.python, LOAD, profiler, *quick], prefix=prefix, timeout=budget_s,
        faults=context.faults if context.simulated else "",
    )  # fmt: skip
    if run.exit_code != 0:
        return None, last_lines(run.stderr, 1)
    return json.loads(run.stdout.splitlines()[-1]), ""


def overhead(context: Context, budget_s: float) -> Answer:
    repeats = 1 if context.simulated else 3
    times, absent = {}, {}
    begin = time.monotonic()
    for number in range(repeats):
        took_s = time.monotonic() - begin
        if number and budget_s - took_s < took_s / number:
            repeats = number  # as many as there is time for
            break
        names = PROFILERS[:3] if context.simulated else PROFILERS
        order = names if number % 2 == 0 else names[::-1]
        for profiler in order:
            if profiler in absent:
                continue
            left_s = max(1, budget_s - (time.monotonic() - begin))
            row, why = measure(context, profiler, number, left_s)
            if row is None:
                absent[profiler] = why
                continue
            for load, ns in row.items():
                times.setdefault(load, {}).setdefault(profiler, []).append(ns)
    for needed in ("none", "flopsprof"):
        if needed in absent:
            raise RuntimeError(f"{needed}: {absent[needed]}")
    medians = {
        load: {name: statistics.median(values) for name, values in row.items()}
        for load, row in times.items()
    }
    lines = []
    for load, row in medians.items():
        added = {n: ns - row["none"] for n, ns in row.items() if n != "none"}
        shown = ", ".join(f"{n} {ns:+.0f}" for n, ns in added.items())
        lines.append(f"{load} {row['none']:.0f} ns: {shown}")
    lines += [f"{name} skipped ({why})" for name, why in absent.items()]
    text = f"{repeats} rounds: " + "; ".join(lines)
    added = {name: medians["small kernel"].get(name, 0) - medians["small kernel"]["none"]
             for name in ("flopsprof", "torch")}  # fmt: skip
    if "torch" in absent:
        return unanswered(f"torch.profiler is not there: {text}")
    bar = (2 if context.simulated else 0.5) * added["torch"]
    return (held if added["flopsprof"] <= bar else contradicted)(
        text, medians_ns=medians, skipped=absent
    )
