# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The job does the same with the profiler as without: output, exit code, numbers, calls."""

import json
import os
import re
import subprocess
import sys

import pytest
import summary_checks
from flopsprof_run import (
    PROGRAMS,
    ROOT,
    acceptance,
    environment,
    product,
    run_plain,
    run_profiled,
    torchrun,
)

JOBS = os.path.join(PROGRAMS, "jobs")


def job(python, name, *options):
    return [python, os.path.join(JOBS, name + ".py"), *options]


@pytest.mark.parametrize("how", ["return", "exit7", "raise"])
def test_output_and_exit_code_are_the_jobs(how, python, folder):
    command = job(python, "ends_badly", how)
    without, profiled = run_plain(command), run_profiled(command, folder=folder)
    assert profiled.exit_code == without.exit_code, profiled.explain()
    assert profiled.stdout == without.stdout
    if how == "raise":
        assert "RuntimeError: on purpose" in profiled.stderr


@pytest.mark.parametrize("options", [(), ("--collector", "127.0.0.1:1")])
def test_two_ranks_print_what_they_print_alone(options, python, folder):
    command = torchrun(2, *acceptance("cifar_net", "--batch", "8", "--steps", "2"))
    without = run_plain(command)
    profiled = run_profiled(command, *options, folder=folder)
    assert profiled.exit_code == without.exit_code == 0, profiled.explain()
    # Two ranks write to one pipe: a line's end may come after the other's line. Nothing else may
    # differ, and no byte may be lost.
    texts = [run.stdout.replace("\n", "").replace("}{", "}\n{") for run in (profiled, without)]
    assert sorted(texts[0].splitlines()) == sorted(texts[1].splitlines())
    assert sorted(profiled.stdout) == sorted(without.stdout)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_losses_and_weights_are_equal_to_the_bit(device, python, folder):
    """Numbers are proved by the CPU case. On the stand-in losses are zeros and weights stay as they
    began: the CUDA case proves that the program takes the same way."""
    command = job(python, "prints_weights", device)
    without, profiled = run_plain(command), run_profiled(command, folder=folder)
    assert without.exit_code == 0, without.explain()
    assert len(without.stdout.splitlines()) == 22
    assert profiled.stdout == without.stdout, profiled.explain()


def threads_of(run):
    """The call sequences of the threads; the log names pointers by allocation and offset."""
    return sorted(run.calls.values())


@pytest.mark.parametrize("name", ["cifar_net", "lenet5", "amp", "checkpoint"])
def test_the_library_calls_are_equal_per_thread(name, python, folder):
    command = [python, *acceptance(name, "--steps", "2")]
    without = run_plain(command, calls=True)
    assert without.ended_well(), without.explain()
    profiled = run_profiled(command, folder=folder, calls=True)
    assert profiled.ended_well(), profiled.explain()
    assert sum(len(calls) for calls in threads_of(without)) > 10
    assert threads_of(profiled) == threads_of(without)


@pytest.mark.parametrize("when", ["before", "after", "between"])
def test_the_jobs_own_torch_profiler_comes_first(when, python, folder):
    command = job(python, "uses_torch_profiler", when)
    without, profiled = run_plain(command), run_profiled(command, folder=folder)
    assert without.exit_code == 0, without.explain()
    assert profiled.exit_code == 0, profiled.explain()
    assert profiled.stdout == without.stdout
    counts = [int(n) for n in re.findall(r"\d+", without.stdout.split("]")[0])]
    assert all(count > 0 for count in counts), without.stdout
    steps = int(without.stdout.split()[-1])
    forward, backward = small_net_flops()
    totals = profiled.summary["totals"]["flops"]
    assert totals["forward"] == steps * forward, profiled.explain()
    assert totals["backward"] == steps * backward
    reasons = " ".join(profiled.summary["coverage"]["reasons"]).lower()
    assert "profiler" in reasons or "cupti" in reasons, profiled.summary["coverage"]


def test_a_yield_with_full_rings_waits_for_nobody_and_counts_what_is_lost(python, folder):
    """The agent reads nothing before the job has ended. A wait for room sleeps 0.1 ms at a time."""
    os.makedirs(folder)
    records = os.path.join(folder, "records.jsonl")
    agent = os.path.join(ROOT, "tests", "support", "fake_agent.py")
    ours = run_plain(job(python, "yields_with_full_rings"), prefix=(
        sys.executable, agent, "--library", product("lib/libflopsprof_inject.so"),
        "--out", records, "--no-drain", "--records", "1024", "--"))
    assert ours.exit_code == 0, ours.explain()
    events, sleeps = map(int, ours.stdout.split())
    assert events > 0
    assert sleeps < 200, f"the threads beside the program's slept {sleeps} times while it waited"
    with open(records, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    (end,) = [row for row in rows if row["type"] == "end" and row["loss"].get("cupti_yielded")]
    assert end["loss"]["cupti_yielded"] == 1
    read = sum(row["type"] in ("activity", "launch") and row["pid"] == end["pid"] for row in rows)
    assert 0 < end["launches"] + end["activities"] - read <= end["loss"]["ring_full"]


def small_net_flops():
    """By hand: 4 x 64 x 32 and 4 x 32 x 16 products; no data gradient for the first layer."""
    batch, wide, middle, narrow = 4, 64, 32, 16
    forward = 2 * batch * (wide * middle + middle * narrow)
    backward = 2 * batch * (wide * middle + 2 * middle * narrow)
    return forward, backward


def test_forked_workers_neither_hang_nor_count(python, folder):
    command = job(python, "loads_data")
    without, profiled = run_plain(command), run_profiled(command, folder=folder)
    assert profiled.exit_code == without.exit_code == 0, profiled.explain()
    assert profiled.stdout == without.stdout
    steps = int(profiled.stdout.split()[-1])
    forward, backward = small_net_flops()
    assert profiled.summary["totals"]["flops"]["forward"] == steps * forward
    assert profiled.summary["totals"]["flops"]["backward"] == steps * backward
    assert len(profiled.summary["ranks"]) == 1
    assert summary_checks.problems(profiled.summary) == []


def test_megabytes_of_output_pass_through(python, folder):
    # Without lines of ours: they could come between two writes that make one line of the job's.
    command = job(python, "chatters")
    without = run_plain(command)
    profiled = run_profiled(command, "--progress", "none", folder=folder)
    assert profiled.exit_code == without.exit_code == 0
    assert len(profiled.stdout) > 7_000_000
    assert profiled.stdout == without.stdout
    ours = [line for line in profiled.stderr.splitlines() if line.startswith("err ")]
    assert ours == [l for l in without.stderr.splitlines() if l.startswith("err ")]
    assert profiled.summary["steps"]["profiled"] == 8


def test_standard_input_reaches_the_job(python, folder):
    done = subprocess.run(
        [product("bin/flopsprof-run"), "-o", folder, "--", "cat"],
        input="to the job", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=environment(), timeout=60,
    )  # fmt: skip
    assert done.stdout == "to the job"
    assert done.returncode == 0
