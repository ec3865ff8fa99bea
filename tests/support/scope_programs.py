# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of tests/programs/scopes on the CPU, through libscopes_probe.so, on any torch;
and judges rows of scopes/cases.py."""

import json
import os
import subprocess
from typing import Optional

from flopsprof_run import PROGRAMS, ROOT, product, sim_python

FOLDER = os.path.join(PROGRAMS, "scopes")
PACKAGE = os.path.join(ROOT, "injector", "shims", "python")
PROBE = product("lib/libscopes_probe.so")
# Programs that print a check a line: way, program, argument.
CHECKED = (
    ("", "names.py", ""),
    ("", "facts.py", ""),
    ("hooks", "names.py", ""),
    ("hooks", "facts.py", ""),
    ("hooks", "global_hooks.py", ""),
    ("", "global_hooks.py", "replaced"),
    ("none", "without_names.py", ""),
)
FOLDED = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def probe_environment(way: str = "", probed: bool = True) -> dict:
    """`way`: of seeing module calls; empty: the first that fits."""
    environment = dict(os.environ, PYTHONPATH=PACKAGE, SCOPES_PROBE=PROBE)
    environment["FLOPSPROF_MODULE_HOOK"] = way
    if not probed:
        del environment["SCOPES_PROBE"]
    return environment


def run(
    program: str,
    *arguments: str,
    way: str = "",
    probed: bool = True,
    timeout: int = 300,
    python: str = "",
    environment: Optional[dict] = None,
) -> list:
    """Standard output of a program of tests/programs/scopes, a parsed JSON object a line."""
    argv = [python or sim_python(), os.path.join(FOLDER, program), *arguments]
    done = subprocess.run(
        argv, env={**probe_environment(way, probed), **(environment or {})}, capture_output=True,
        text=True, timeout=timeout, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def wrong_checks(checks: list) -> list:
    return [check for check in checks if check["got"] != check["want"]]


STEP_KEY = (1 << 30) - 1  # loop and label of a record's step: proto/shm/records.h
STEP_BEGIN, STEP_NUMBER = 1, 6


def step_numbers(records: list):
    """Of fake_agent's records: from a record's step, which is a label, to the step's number."""
    numbers = {}
    for record in records:
        if record["type"] == "step" and record["step"] is not None:
            if record["event"] == STEP_BEGIN:
                numbers[record["step"] & STEP_KEY] = record["number"]
            elif record["event"] == STEP_NUMBER:
                for label in range(record["first_label"], (record["step"] & STEP_KEY) + 1):
                    numbers[label] = record["number"]
    return lambda step: None if step is None else numbers.get(step & STEP_KEY)


def phases(row) -> dict:
    """{phase: units} without zeros; work of no phase is as good as a forward. A list is
    [forward, backward, recompute]."""
    if isinstance(row, list):
        row = dict(zip(("forward", "backward", "recompute"), row))
    result: dict = {}
    for phase, units in row.items():
        if units:
            phase = "forward" if phase == "other" else phase
            result[phase] = result.get(phase, 0) + units
    return result


def folded(rows: dict) -> dict:
    """Rows by the paths that users see: without the attributes that only wrap."""
    result: dict = {}
    for path, row in rows.items():
        short = ".".join(part for part in path.split(".") if part not in FOLDED)
        merged = result.setdefault(short, {})
        for phase, units in phases(row).items():
            merged[phase] = merged.get(phase, 0) + units
    return result


def case_is_right(line: dict, found: dict) -> bool:
    return found == {path: phases(row) for path, row in line["right"].items()}
