# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs of one job that have nothing to do with each other are no ranks of one model."""

import os
import signal
import subprocess

import json_schema
import summary_checks
from flopsprof_run import PROGRAMS, product, run_profiled
from wait_until import wait_until

JOB = os.path.join(PROGRAMS, "jobs", "starts_programs.py")
ROWS, INPUTS, CLASSES, STEPS = 16, 32, 10, 3


def forward(width):
    return 2 * ROWS * width * (INPUTS + CLASSES)


def trained(width):
    """Forward and backward of three steps; the first layer's input wants no gradient."""
    return STEPS * forward(width), STEPS * (forward(width) + 2 * ROWS * width * CLASSES)


def run_kind(python, folder, kind):
    run = run_profiled([python, JOB, kind], folder=folder, timeout=300)
    assert summary_checks.problems(run.summary) == []
    assert json_schema.summary_problems(run.summary) == []
    assert "restart -1" not in run.report()
    assert "restart -1" not in str(run.summary)
    return run


def flops_of(run):
    """(forward, backward) of each program."""
    result = []
    for program in run.summary["programs"]:
        flops = program["totals"]["flops"]
        result.append((flops["forward"], flops["backward"]))
    return result


def root_of(run, program):
    return next(
        m for m in run.summary["modules"] if m["program"] == program and m["program_path"] == ""
    )


def test_workers_with_models_of_their_own_are_programs(python, folder):
    run = run_kind(python, folder, "workers")
    assert run.ended_well(), run.explain()
    assert flops_of(run) == [trained(40), trained(20)]
    for number, width in ((0, 40), (1, 20)):
        assert root_of(run, number)["flops"]["forward"] == trained(width)[0]
        assert root_of(run, number)["params"] == width * 33 + width * 10 + 10
        assert run.summary["programs"][number]["steps"]["profiled"] == STEPS
    assert run.module("a")["calls"] == STEPS
    assert run.module("(program 1).a")["calls"] == STEPS
    assert "== program 1" in run.report()
    assert len(run.found("programs")) == 1


def test_workers_with_equal_models_are_ranks(python, folder):
    run = run_kind(python, folder, "equal")
    assert run.ended_well(), run.explain()
    assert flops_of(run) == [tuple(2 * count for count in trained(20))]
    assert [rank["rank"] for rank in run.summary["ranks"]] == [0, 1]
    assert len(run.found("ranks_numbered")) == 1


def test_what_a_script_starts_are_programs(python, folder):
    run = run_kind(python, folder, "script")
    assert run.exit_code == 3, run.explain()
    assert flops_of(run) == [trained(20), (forward(16), 0)]
    assert "--only-forward" in run.summary["programs"][1]["command"]
    assert root_of(run, 1)["class"].endswith("Net")


def test_two_launches_are_two_programs_of_two_ranks(python, folder):
    run = run_kind(python, folder, "launches")
    assert run.ended_well(), run.explain()
    assert flops_of(run) == [
        tuple(2 * count for count in trained(40)), tuple(2 * count for count in trained(20)),
    ]  # fmt: skip
    assert [(r["program"], r["rank"]) for r in run.summary["ranks"]] == [
        (0, 0), (0, 1), (1, 0), (1, 1),
    ]  # fmt: skip


def test_a_kill_leaves_no_zeros(python, folder, tmp_path):
    """SIGKILL right after the first steps: the times of most of their kernels never come."""
    ready = tmp_path / "ready-0"

    def kill(process):
        wait_until(ready.exists, 120)
        os.kill(int(ready.read_text()), signal.SIGKILL)

    job = os.path.join(PROGRAMS, "jobs", "trains_on.py")
    run = run_profiled([python, job, str(tmp_path)], folder=folder, while_running=kill, timeout=180)
    assert run.exit_code == 137, run.explain()
    assert summary_checks.problems(run.summary) == []
    totals = run.summary["totals"]
    assert any("launches without GPU times" in r for r in run.summary["coverage"]["reasons"])
    assert {"forward", "backward"} <= set(totals["gpu_time_incomplete"])
    for phase in ("forward", "backward", "optimizer"):
        assert totals["gpu_time_s"][phase] != 0
    assert totals["flop_per_s"] is None
    assert totals["idle_s"] is None
    assert run.summary["coverage"]["gpu_time_incomplete"]
    report = " ".join(run.report().split())
    assert "100.0% of the GPU time that came" in report
    # What the process counts itself is told now and then only.
    overhead = run.summary["ranks"][0]["overhead"]
    assert overhead["incomplete"]
    assert 0 not in [overhead[key] for key in overhead if key != "incomplete"]
    assert " 0 library calls" not in report and "our hooks 0 " not in report
    assert ["never came" in f["text"] for f in run.found("times_missing")] == [True]


def test_the_command_without_its_separator_is_mended():
    done = subprocess.run(
        [product("bin/flopsprof-run"), "-o", "d", "python", "train.py", "--help"],
        stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "flopsprof-run -o d -- python train.py --help" in done.stderr
