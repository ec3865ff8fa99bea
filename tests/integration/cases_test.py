# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs after public reports, each with its counts by hand (tests/programs/cases)."""

import functools
import json
import os
import re
import subprocess

import case_judge
import pytest
import summary_checks
from flopsprof_run import PROGRAMS, ROOT, run_profiled, sim_python

CASES = os.path.join(PROGRAMS, "cases")
NEEDS = {"01-lora-merge": "peft", "07-lightning": "lightning", "33-timm-ema": "timm"}

# Checks that fail today, and why. Strict: what mends one removes it here.
FAULTS: dict = {}


def expectations() -> list:
    """(folder, file) of every expected*.json."""
    return [
        (name, file)
        for name in sorted(os.listdir(CASES))
        if os.path.isdir(os.path.join(CASES, name))
        for file in sorted(os.listdir(os.path.join(CASES, name)))
        if file.startswith("expected")
    ]


def load(name: str, file: str) -> dict:
    with open(os.path.join(CASES, name, file), encoding="utf-8") as text:
        return json.load(text)


def judged() -> list:
    """A parameter for every case and check that it asks for."""
    found = []
    for name, file in expectations():
        variant = file[len("expected") : -len(".json")]
        for check in case_judge.CHECKS:
            reason = FAULTS.get((name + variant, check)) or FAULTS.get((name, check))
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
            found.append(
                pytest.param(name, file, check, marks=marks, id=f"{name}{variant}-{check}")
            )
    return found


@functools.lru_cache(maxsize=None)
def with_packages() -> dict:
    """PYTHONPATH of the model libraries beside the environment, where a script makes them."""
    folders = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    script = os.path.join(ROOT, "scripts", "sweep_packages.sh")
    if os.path.exists(script):
        done = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True)
        folders.append(done.stdout.strip().splitlines()[-1])
    return {"PYTHONPATH": os.pathsep.join(folders)} if folders else {}


@functools.lru_cache(maxsize=None)
def has_package(package: str) -> bool:
    command = [sim_python(), "-c", f"import {package}"]
    return subprocess.run(command, env={**os.environ, **with_packages()}).returncode == 0


def steps_of(summary: dict) -> list:
    """Flops by phase of each step of all processes together."""
    return [
        {phase: summary_checks.zero_if_null(count) for phase, count in line["flops"].items()}
        for line in summary["steps"]["list"]
    ]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs a case once; returns what case_judge wants of it."""

    @functools.lru_cache(maxsize=None)
    def run(name: str, file: str) -> tuple:
        if name in NEEDS:
            assert has_package(NEEDS[name]), f"scripts/sweep_packages.sh brings {NEEDS[name]}"
        expected = load(name, file)
        folder = str(tmp_path_factory.mktemp(name) / "run")
        command = [sim_python(), os.path.join(CASES, name, "case.py"), *expected["arguments"]]
        env = {**expected.get("environment", {}), **(with_packages() if name in NEEDS else {})}
        done = run_profiled(command, folder=folder, env=env, timeout=900)
        assert done.exit_code == expected["exit_code"], done.explain()
        return expected, done.summary, steps_of(done.summary), done.report()

    return run


@pytest.mark.parametrize("name, file, check", judged())
def test_case(runs, name, file, check):
    assert case_judge.judge(check, *runs(name, file)) == []


# 8 rows: a layer of 16 x 16, heads of 16 x 4 and 16 x 32, a layer of 4 x 4 behind a head.
LAYER, HEAD, WIDE_HEAD, BEHIND = 2 * 8 * 16 * 16, 2 * 8 * 16 * 4, 2 * 8 * 16 * 32, 2 * 8 * 4 * 4

# Two forwards, a change of the module, two forwards: (class, path, forward flops of the rows).
CHANGES = {
    # What was wrapped ran four times, the wrapper twice, with a layer of its own.
    "unwrap": [("Wrapped", "q", [4 * LAYER]), ("Linear", r"q\.extra", [2 * LAYER])],
    "head": [("Linear", "head", [2 * HEAD, 2 * WIDE_HEAD])],
    "wrap": [("Sequential", "head", [2 * HEAD + 2 * BEHIND])],
}


@pytest.mark.parametrize("how", CHANGES)
def test_what_a_module_did_stays_with_it(python, folder, how):
    program = os.path.join(CASES, "01-lora-merge", "smallest.py")
    run = run_profiled([python, program, how], folder=folder)
    assert run.ended_well(), run.explain()
    assert summary_checks.problems(run.summary) == []
    for class_name, path, flops in CHANGES[how]:
        rows = [
            row["flops"]["forward"]
            for row in run.summary["modules"]
            if row["class"] == class_name and re.fullmatch(path + r"([ #].*)?", row["path"])
        ]
        assert sorted(rows) == sorted(flops), (class_name, path)
