# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""`flopsprof-run --host-clock`: how long launches waited for the GPU, against the stand-in's own account
and the program's own clock; and what the records say of scopes."""

import json
import os
import sqlite3
import subprocess
import sys
import time

import pytest
import summary_checks
from by_name import library_folders
from flopsprof_run import ROOT, product, run_profiled

PROGRAM = product("bin/launch_times")
# Each kernel takes 2 ms, so that those launched at once wait for each other.
KERNEL_NS = 2_000_000
FAULTS = json.dumps({"durations": KERNEL_NS})
PRODUCTS, THREADS = 20, 2
# Of reading CLOCK_REALTIME and CLOCK_MONOTONIC here, some time after the program did.
CLOCKS_NS = 200_000


def environment() -> dict:
    return {"LD_LIBRARY_PATH": library_folders(), "SIMGPU_FAULTS": FAULTS}


def real_minus_mono_ns() -> int:
    """Of many readings the narrowest: another process may run between two of one."""
    readings = []
    for _ in range(100):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        real = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        readings.append((after - before, real - (before + after) // 2))
    return min(readings)[1]


def database(run) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{run.folder}/profile.db?mode=ro", uri=True)


@pytest.fixture(scope="module")
def timed(tmp_path_factory):
    """(run, least and most that each launch can have waited, in ns)"""
    run = run_profiled(
        [PROGRAM, str(PRODUCTS), str(THREADS)], "--host-clock",
        folder=str(tmp_path_factory.mktemp("clock") / "run"), ledger=True, env=environment(),
    )  # fmt: skip
    assert run.exit_code == 0, run.explain()
    ahead_ns = real_minus_mono_ns()
    starts: dict = {}
    for entry in run.ledger:
        if entry["kind"] == "kernel":
            starts.setdefault(entry["thread"], []).append(entry["start_ns"] - ahead_ns)
    waits = []
    for thread, before_ns, after_ns in json.loads(run.stdout):
        start_ns = starts[thread].pop(0)
        waits.append((start_ns - after_ns, start_ns - before_ns))
    assert not any(starts.values())
    return run, waits


def test_the_waits_are_those_of_the_programs_and_the_stand_ins_clocks(timed):
    run, waits = timed
    latency = run.summary["ranks"][0]["launch_latency"]
    count = PRODUCTS * THREADS
    assert (latency["launches"], latency["measured"], latency["clock_unsure"]) == (count, count, 0)
    slack_ns = CLOCKS_NS + latency["error_s"] * 1e9
    mean_ns = latency["mean_s"] * 1e9
    assert sum(least for least, _ in waits) / count - slack_ns <= mean_ns
    assert mean_ns <= sum(most for _, most in waits) / count + slack_ns
    for name, pick in (("min_s", min), ("max_s", max)):
        assert pick(least for least, _ in waits) - slack_ns <= latency[name] * 1e9
        assert latency[name] * 1e9 <= pick(most for _, most in waits) + slack_ns
    # Those launched at once wait for those before them.
    assert latency["max_s"] * 1e9 > 5 * KERNEL_NS
    assert summary_checks.problems(run.summary) == []


def test_the_report_says_what_the_time_is(timed):
    run, _ = timed
    text = " ".join(run.report().split())
    assert f"measured for {PRODUCTS * THREADS} of {PRODUCTS * THREADS} launches" in text
    assert "the wait for what was queued there before" in text


def test_sql_has_the_waits_and_which_session_used_which_device(timed):
    run, _ = timed
    connection = database(run)
    row = connection.execute("SELECT launches, measured, mean_s, min_s, max_s FROM "
                             "launch_latency_view").fetchone()  # fmt: skip
    devices = connection.execute(
        "SELECT session, ordinal, uuid, length_s > 0 FROM session_device_view"
    ).fetchall()
    stored = connection.execute("SELECT ordinal, uuid FROM devices").fetchall()
    connection.close()
    latency = run.summary["ranks"][0]["launch_latency"]
    assert row[:2] == (latency["launches"], latency["measured"])
    assert row[2:] == pytest.approx([latency[name] for name in ("mean_s", "min_s", "max_s")],
                                    abs=2e-9)  # fmt: skip
    assert devices == [(1, ordinal, uuid, 1) for ordinal, uuid in stored] and devices
    assert all(uuid.startswith("GPU-") for _, uuid in stored)


def test_without_the_option_nothing_is_known_of_it(tmp_path):
    run = run_profiled([PROGRAM, "3", "1"], folder=str(tmp_path / "run"), env=environment())
    assert run.exit_code == 0, run.explain()
    assert run.summary["ranks"][0]["launch_latency"] is None
    assert "after their call on average" not in run.report()
    connection = database(run)
    assert connection.execute("SELECT count(*) FROM launch_latency_view").fetchone() == (0,)
    connection.close()


def test_without_gpu_times_the_waits_are_not_known(tmp_path):
    run = run_profiled(
        [PROGRAM, "3", "1"], "--host-clock", "--no-times", folder=str(tmp_path / "run"),
        env=environment(),
    )  # fmt: skip
    assert run.exit_code == 0, run.explain()
    latency = run.summary["ranks"][0]["launch_latency"]
    assert latency["measured"] == 0
    assert latency["mean_s"] is None and latency["min_s"] is None
    assert "not known: no launch has both" in " ".join(run.report().split())


def records_of(tmp_path, *options: str) -> list:
    out = str(tmp_path / "records.jsonl")
    agent = os.path.join(ROOT, "tests", "support", "fake_agent.py")
    argv = [sys.executable, agent, "--library", product("lib/libflopsprof_inject.so"), "--out", out]
    done = subprocess.run(
        [*argv, *options, "--", PROGRAM, "5", str(THREADS)],
        env={**os.environ, **environment()}, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with open(out) as file:
        return [json.loads(line) for line in file]


def test_each_launch_lies_in_the_scopes_of_its_thread(tmp_path):
    records = records_of(tmp_path, "--host-clock")
    names = {r["scope"]: r["name"] for r in records if r["type"] == "scope"}
    begun: dict = {}  # slot -> frame -> (scope, begin)
    ended, launches = [], []
    for r in records:
        open_frames = begun.setdefault(r.get("slot"), {})
        if r["type"] == "scope_enter":
            assert r["frame"] == len(open_frames)
            open_frames[r["frame"]] = (r["scope"], r["mono_ns"])
        elif r["type"] == "scope_exit":
            scope, begin_ns = open_frames.pop(r["frame"])
            assert scope == r["scope"] and begin_ns <= r["mono_ns"] and r["kind"] == 1
            ended.append(names[scope])
        elif r["type"] == "launch":
            inner, begin_ns = open_frames[1]
            assert inner == r["scope"] and begin_ns <= r["mono_ns"]
            assert open_frames[0][1] <= begin_ns
            launches.append(r)
    assert not any(begun.values())
    assert sorted(ended) == ["inner"] * (5 * THREADS) + ["outer"] * THREADS
    assert len(launches) == 5 * THREADS


def test_without_it_no_record_has_a_time(tmp_path):
    records = records_of(tmp_path)
    assert not [r for r in records if r["type"] == "scope_exit"]
    timed = [r for r in records if r["type"] in ("scope_enter", "launch")]
    assert len(timed) == (5 + 5 + 1) * THREADS
    assert {r["mono_ns"] for r in timed} == {0}


GROWS = """
import torch
from torch import nn


class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 128)
        self.fc2 = None

    def forward(self, x):
        if self.fc2 is None:
            self.fc2 = nn.Linear(128, 32).cuda()
        return self.fc2(self.fc1(x))


Late().cuda()(torch.randn(8, 64).cuda())
torch.cuda.synchronize()
"""


def test_a_module_that_is_made_in_the_only_call_has_its_parameters(python, tmp_path):
    program = tmp_path / "grows.py"
    program.write_text(GROWS)
    run = run_profiled([python, str(program)], "--host-clock", folder=str(tmp_path / "run"))
    assert run.ended_well(), run.explain()
    params = {module["path"]: module["params"] for module in run.summary["modules"]}
    fc1, fc2 = 64 * 128 + 128, 128 * 32 + 32
    assert (params["fc1"], params["fc2"]) == (fc1, fc2), params
    assert fc1 + fc2 in params.values(), params
