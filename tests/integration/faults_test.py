# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUPTI that is taken, missing, too old or misbehaves: counts stay exact, nothing crashes,
invalid times enter no sum, and the summary says what is missing.
"""

import os

import ledger as book
import pytest
import summary_checks
from flopsprof_run import PROGRAMS, run_profiled

STEPS = 3
FORWARD = STEPS * 2 * 4 * (64 * 32 + 32 * 16)
BACKWARD = STEPS * 2 * 4 * (64 * 32 + 2 * 32 * 16)
JOB = os.path.join(PROGRAMS, "jobs", "ends_badly.py")


def profiled(python, folder, faults):
    run = run_profiled([python, JOB, "return"], folder=folder, faults=faults, ledger=True)
    assert run.exit_code == 0, run.explain()
    assert run.stdout == "trained\n"
    assert summary_checks.problems(run.summary) == []
    assert run.summary["totals"]["flops"]["forward"] == FORWARD, run.explain()
    assert run.summary["totals"]["flops"]["backward"] == BACKWARD
    return run


# R14: flops do not depend on CUPTI.
@pytest.mark.parametrize(
    "faults",
    [
        '{"cupti": "missing"}',
        '{"cupti": "too_old"}',
        '{"subscriber_taken": "another tool"}',
        '{"fail": {"cuptiSubscribe": true}}',
        '{"fail": {"cuptiActivityEnable": true}}',
        '{"fail": {"cuptiActivityRegisterCallbacks": true}}',
        '{"fail": {"cuptiEnableCallback": true}}',
    ],
)
def test_counts_are_complete_without_times(faults, python, folder):
    run = profiled(python, folder, faults)
    reasons = " ".join(run.summary["coverage"]["reasons"])
    assert "CUPTI" in reasons or "times" in reasons, run.summary["coverage"]
    for seconds in run.summary["totals"]["gpu_time_s"].values():
        assert not seconds, "a time without a measurement"


# R13: each case once, and for every seventh record.
CONTENT = ("null_name", "recycled_name", "zero_times", "end_before_start", "no_correlation",
           "unknown_kind", "longer_record", "shorter_record", "lost_record")  # fmt: skip
DELIVERY = ('{"late_ms": 100}', '{"shuffle": 3}', '{"callback_threads": 8}',
            '{"empty_buffers": 1}', '{"empty_buffers": 3}')  # fmt: skip
INVALID_TIME = ("zero_times", "end_before_start")
NEVER_READ = ("lost_record",)  # unknown_kind is one more record: nothing is missing


@pytest.mark.parametrize("strikes", [7, [20]], ids=["every seventh", "once"])
@pytest.mark.parametrize("fault", CONTENT)
def test_a_bad_record_is_counted_and_enters_no_sum(fault, strikes, python, folder):
    script = f'{{"durations": "hash", "{fault}": {strikes}}}'
    run = profiled(python, folder, script)
    coverage = run.summary["coverage"]
    hit = [
        row for row in book.executed(run.ledger)
        if (row["ordinal"] in strikes if isinstance(strikes, list)
            else row["ordinal"] % strikes == 0)
    ]  # fmt: skip
    assert hit, "the fault struck nothing"
    all_ns = sum(book.duration(row) for row in book.executed(run.ledger))
    without_hit = all_ns - sum(book.duration(row) for row in hit)
    reported = summary_checks.nanoseconds(coverage["gpu_time_s"])
    if fault in INVALID_TIME:
        assert coverage["invalid_timestamps"] == len(hit)
        assert reported == without_hit
    elif fault in NEVER_READ:
        assert reported == without_hit
        assert coverage["reasons"], coverage
    elif fault == "shorter_record":
        assert reported in (without_hit, all_ns)
    else:
        assert reported == all_ns
    if fault == "no_correlation":
        assert coverage["unknown"] > 0


@pytest.mark.parametrize("script", DELIVERY)
def test_late_shuffled_and_empty_deliveries_lose_nothing(script, python, folder):
    run = profiled(python, folder, script)
    all_ns = sum(book.duration(row) for row in book.executed(run.ledger))
    assert summary_checks.nanoseconds(run.summary["coverage"]["gpu_time_s"]) == all_ns
    assert run.summary["coverage"]["records_lost"] == 0


def test_records_dropped_by_cupti_are_counted(python, folder):
    run = profiled(python, folder, '{"dropped": 5}')
    assert run.summary["coverage"]["records_lost"] == 5
    assert [finding["evidence"] for finding in run.found("records_lost")] == ["records_lost: 5"]
    assert run.summary["coverage"]["reasons"]


def test_a_failing_library_call_is_not_counted(python, folder):
    """cuBLAS says no to the 5th call, the second of step 1; PyTorch raises; what succeeded before
    is counted, and nothing else."""
    run = run_profiled(
        [python, JOB, "return"], folder=folder,
        faults='{"fail": {"cublasSgemm_v2": {"calls": [5]}}}',
    )  # fmt: skip
    assert run.exit_code == 1, run.explain()
    (rank,) = run.summary["ranks"]
    # A step: two forward products by cublasLt, three backward ones by cublasSgemm.
    assert rank["flops"]["forward"] == 2 * FORWARD // STEPS
    # Of step 1 the first one, of the second layer: its weight's and its input's are equally large.
    assert rank["flops"]["backward"] == BACKWARD // STEPS + 2 * 4 * 32 * 16
