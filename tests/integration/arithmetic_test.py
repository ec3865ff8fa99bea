# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Derived numbers against others' arithmetic: step times against the program's own clock, MFU and
HFU against flops by hand over that clock, waits against the stand-in's ledger.
"""

import json
import os
import statistics

import ledger as book
import pytest
import summary_checks
from flopsprof_run import PROGRAMS, run_profiled, torchrun

STEPS = 6
PEAK = 1e12  # flop/s
# Of keeps_time.py, by hand: 64 rows, 256 by 1024; see there.
PRODUCT = 2 * 64 * 256 * 1024
MODEL_FLOPS, EXECUTED_FLOPS = 5 * PRODUCT, 6 * PRODUCT
# Between the program's reading of its clock and ours lies one call; this machine may be busy.
OFF_S = 0.03


def jobs(name: str) -> str:
    return os.path.join(PROGRAMS, "jobs", name)


@pytest.fixture(scope="module")
def timed(python, tmp_path_factory):
    """(run, seconds of the steps 1, 2 ... by the program's clock)."""
    folder = str(tmp_path_factory.mktemp("timed") / "run")
    command = [python, jobs("keeps_time.py"), str(STEPS)]
    run = run_profiled(command, "--peak", f"bf16={PEAK / 1e12:g}T", folder=folder)
    assert run.ended_well(), run.explain()
    ends = json.loads(run.stdout.splitlines()[-1])["ends_ns"]
    return run, [(b - a) / 1e9 for a, b in zip(ends, ends[1:])]


def test_flops_are_those_by_hand(timed):
    flops = timed[0].summary["totals"]["flops"]
    assert flops["forward"] == STEPS * 2 * PRODUCT
    assert flops["backward"] == STEPS * 3 * PRODUCT
    assert flops["recompute"] == STEPS * PRODUCT


def test_step_times_are_those_of_the_programs_clock(timed):
    run, seconds = timed
    steps = run.summary["steps"]
    # 0.2, 0.3 ... 0.6 s: no two are alike, and the median is one of them.
    assert steps["profiled"] == STEPS
    assert steps["median_s"] == pytest.approx(statistics.median(seconds), abs=OFF_S)
    assert statistics.median(seconds) - OFF_S > 0.3
    assert steps["p95_s"] <= max(seconds) + OFF_S
    assert steps["p95_s"] > sorted(seconds)[-2] - OFF_S


def test_mfu_and_hfu_are_flops_by_hand_over_the_programs_clock(timed):
    run, seconds = timed
    (rank,) = run.summary["ranks"]
    available = PEAK * sum(seconds)
    near = OFF_S / sum(seconds)
    for row in (rank, run.summary["totals"]):
        assert row["mfu"] == pytest.approx(MODEL_FLOPS * len(seconds) / available, rel=near)
        assert row["hfu"] == pytest.approx(EXECUTED_FLOPS * len(seconds) / available, rel=near)
        assert row["hfu"] / row["mfu"] == pytest.approx(6 / 5, rel=1e-9)
    by_step = {row["step"]: row for row in run.summary["steps"]["utilisation"]}
    for step, wall in enumerate(seconds, 1):
        mfu = MODEL_FLOPS / (PEAK * wall)
        assert by_step[step]["mfu"] == pytest.approx(mfu, rel=OFF_S / wall), step


def test_waits_are_the_ledgers(tmp_path):
    folder = str(tmp_path / "run")
    run = run_profiled(torchrun(2, jobs("waits.py")), folder=folder, ledger=True)
    assert run.ended_well(), run.explain()
    ends = {}  # file -> kernels of NCCL in their order: both ranks make the same calls
    for row in book.executed(run.ledger):
        if row["call"].startswith("ncclAllReduce"):
            ends.setdefault(row["file"], []).append(row)
    assert len(ends) == 2
    waits = 0
    for pair in zip(*ends.values(), strict=True):
        last = max(row["start_ns"] for row in pair)
        waits += sum(last - row["start_ns"] for row in pair)
    assert waits > 4 * 0.1e9  # one of the two was 0.25 s late each time
    rows = [r for r in run.summary["collectives"] if r["api"] == "ncclAllReduce"]
    assert sum(row["matched_calls"] for row in rows) == sum(map(len, ends.values()))
    whole = sum(book.duration(row) for rows_of in ends.values() for row in rows_of)
    waited = sum(summary_checks.nanoseconds(row["wait_s"]) for row in rows)
    assert sum(summary_checks.nanoseconds(row["transfer_s"]) for row in rows) == whole - waited
    # Starts on two devices are compared by the host's clock, to which each process fits its own.
    assert abs(waited - waits) <= 100 * len(ends) * len(list(ends.values())[0])
