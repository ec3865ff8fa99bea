# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUPTI leaves the process after a window: steps cost what they cost before it. The stand-in ends a
process that breaks CUPTI's rules for that (status 97), and says which buffers it kept.
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess

import pytest
from flopsprof_run import PROGRAMS, product, run_profiled
from wait_until import wait_until

FORWARD = 2 * 4 * (64 * 32 + 32 * 16)  # jobs/small_net.py
BACKWARD = 2 * 4 * (64 * 32 + 2 * 32 * 16)
JOBS = os.path.join(PROGRAMS, "jobs")
COST = {"attached_ns": 2000}  # of each launch, as long as CUPTI is in the process


def job(python, folder, way, *options):
    return [python, os.path.join(JOBS, "windows.py"), way, product("bin/flopsprof"), folder, *options]


def run_job(python, folder, way, windows=2, faults={}, **env):
    # Without TEARDOWN_CUPTI PyTorch keeps its own subscription for good.
    run = run_profiled(job(python, folder, way), "--paused", folder=folder,
                       faults=json.dumps({**COST, **faults}),
                       env={"TEARDOWN_CUPTI": "1", **env})
    assert run.ended_well(), run.explain()
    assert "simgpu: cuptiFinalize" not in run.stderr
    steps = 5 * windows
    flops = run.summary["totals"]["flops"]
    assert (flops["forward"], flops["backward"]) == (steps * FORWARD, steps * BACKWARD)
    assert len(run.summary["recording"]["windows"]) == windows
    coverage = run.summary["coverage"]
    assert coverage["calls_unmatched"] == 0 and coverage["records_lost"] == 0
    assert run.summary["steps"]["profiled"] == steps
    (rank,) = run.summary["ranks"]
    return run, rank["loss"]


@pytest.mark.parametrize("way", ["plain", "captures", "profiler"])
def test_steps_after_a_window_cost_what_they_cost_before_it(way, python, folder):
    """`captures`: a stream is captured when CUPTI could leave; `profiler`: torch.profiler runs
    between two windows, after our CUPTI has left, and ours comes after it."""
    run, loss = run_job(python, folder, way)
    assert run.stdout.split("\n")[:3] == ["before: 0", "in: some", "after: 0"]
    assert run.stdout.endswith("after: 0\n")
    assert set(loss) <= {"activity_outside_windows"}, loss
    if way == "profiler":
        assert "kernels: some" in run.stdout


@pytest.mark.parametrize("way", ["plain", "profiler"])
def test_ids_that_start_again_are_launches_of_their_own(way, python, folder):
    """Kernels beside one window, whose ids are those of launches in the other, are in neither."""
    run, loss = run_job(python, folder, way, faults={"ids_start_again": True})
    assert set(loss) == {"activity_outside_windows"}, loss
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "profile.db"))) as store:
        (activities,) = zip(*store.execute("select activities from steps"))
        query = "select sum(count) from kernels where name like 'sim_%'"
        ((products,),) = store.execute(query)
    assert len(activities) == 10 and len(set(activities)) == 1, activities
    assert products == 10 * 5  # in each step two forward, three backward


def test_it_stays_where_the_job_may_read_counters_itself(python, folder, tmp_path):
    """libnvperf: users of CUPTI's profiler and sampling, whom no hook sees."""
    nvperf = tmp_path / "libnvperf_host.so"
    subprocess.run(["gcc", "-shared", "-o", nvperf, "-xc", os.devnull], check=True)
    _, loss = run_job(python, folder, "stays", LD_PRELOAD=str(nvperf))
    assert loss["cupti_stays"] in (1, 2)  # the job may end before the second window is left


def test_without_a_cuda_call_it_stays_and_the_report_says_so(python, folder):
    run, loss = run_job(python, folder, "idle")
    assert loss["cupti_stays"] == len(run.found("cupti_stays")) == 1
    assert run.stdout.split("\n")[:3] == ["before: 0", "in: some", "idle: some"]
    text = " ".join(run.report().split())
    assert "CUPTI could not leave the process" in text and "no CUDA call came within 5 s" in text


@pytest.mark.parametrize("way", ["orphan", "paused"])
def test_a_job_whose_launcher_died_gets_rid_of_cupti_and_our_thread(way, python, folder, tmp_path):
    done, ready = tmp_path / "done", tmp_path / "ready"

    def kill_us(process):
        wait_until(ready.exists, 120, "the job is ready")
        os.kill(process.pid, signal.SIGKILL)
        wait_until(done.exists, 60, "steps cost nothing and our thread is gone")

    run = run_profiled(
        job(python, folder, way, str(ready), str(done)), "--paused", folder=folder,
        faults=json.dumps(COST), while_running=kill_us,
    )  # fmt: skip
    assert run.exit_code == -signal.SIGKILL
