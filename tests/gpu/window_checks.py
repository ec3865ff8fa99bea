# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a step costs before, in and after a window of `flopsprof ctl`: after it CUPTI is out of the
process, and a second window has GPU times again.
"""

import json
import os

from check import Check, Context, Result, failed, last_lines, passed
from flopsprof_run import ROOT, product, run_profiled

LOAD = os.path.join(ROOT, "tests", "gpu", "window_load.py")
# Steps of one process drift by a few percent; what a CUPTI that stays costs is 10 to 20 %.
MOST_AFTER = 1.05
STAND_INS_COST = '{"attached_ns": 2000}'  # of each launch while CUPTI is in the process


def steps_around_a_window(context: Context, budget_s: float) -> Result:
    folder = os.path.join(context.scratch, "window")
    command = [context.python, LOAD, product("bin/flopsprof"), folder]
    faults = (context.faults or STAND_INS_COST) if context.simulated else ""
    run = run_profiled(
        command + (["quick"] if context.simulated else []), "--paused", folder=folder,
        faults=faults, timeout=budget_s,
    )  # fmt: skip
    if run.exit_code != 0:
        return failed(f"ended with {run.exit_code}: {last_lines(run.stderr, 2)}")
    ns = json.loads(run.stdout.splitlines()[-1])
    text = ", ".join(f"{name} {value:.0f} ns" for name, value in ns.items())
    stayed = sum(rank["loss"].get("cupti_stays", 0) for rank in run.summary["ranks"])
    windows = len(run.summary["recording"]["windows"])
    if ns["after"] > ns["before"] * MOST_AFTER:
        return failed(f"steps stay slower after a window: {text}", step_ns=ns, stayed=stayed)
    if stayed or windows != 2 or not run.summary["coverage"]["gpu_time_s"]:
        return failed(f"CUPTI stayed {stayed} times, {windows} windows: {text}", step_ns=ns)
    return passed(text, step_ns=ns)


def checks() -> list:
    return [Check("steps before, in and after a window", 90, steps_around_a_window)]
