# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Times equal the stand-in GPU's ledger to the nanosecond, per module and phase.

The fault script gives every launch a duration of its own, and records come late and out of
order: a record booked on the wrong launch changes a sum. Who launched what is told by the
job itself (tests/programs/jobs/tagged_training.py).
"""

import os

import ledger as book
import pytest
import summary_checks
from flopsprof_run import PROGRAMS, acceptance, run_plain, run_profiled, torchrun

HASHED = '{"durations": "hash", "late_ms": 30, "shuffle": 7, "callback_threads": 3}'
TAGGED = os.path.join(PROGRAMS, "jobs", "tagged_training.py")

CASES = {
    "cifar_net": ["cifar_net.py", "--batch", "8"],
    "lenet5": ["lenet5.py", "--batch", "16"],
    "checkpoint": ["checkpoint.py"],
    "amp": ["amp.py"],
    "bert": ["bert.py", "--batch", "1", "--seq", "32", "--head", "classify"],
}


def reported(summary: dict) -> dict:
    """(path, phase) -> ns of the modules alone, those without time left out."""
    times = {}
    for module in summary["modules"]:
        for phase in summary_checks.PHASES:
            ns = summary_checks.nanoseconds(module["self"]["gpu_time_s"].get(phase))
            if ns:
                times[module["path"], phase] = ns
    return times


@pytest.mark.parametrize("case", CASES)
def test_times_per_module_and_phase_are_the_ledgers(case, python, folder):
    run = run_profiled(
        [python, TAGGED, *CASES[case], "--steps", "3"],
        folder=folder, faults=HASHED, ledger=True,
    )  # fmt: skip
    assert run.ended_well(), run.explain()
    assert summary_checks.problems(run.summary) == []
    expected = {key: ns for key, ns in book.by_tag(run.ledger).items() if ns}
    assert reported(run.summary) == expected, run.explain()


@pytest.mark.parametrize("case", ["lenet5", "amp"])
def test_totals_and_coverage_shares_are_the_ledgers(case, python, folder):
    program, *options = CASES[case]
    run = run_profiled(
        [python, *acceptance(program[:-3], *options, "--steps", "3")],
        folder=folder, faults=HASHED, ledger=True,
    )  # fmt: skip
    assert run.ended_well(), run.explain()
    total = sum(book.duration(row) for row in book.executed(run.ledger))
    coverage = run.summary["coverage"]
    assert summary_checks.nanoseconds(coverage["gpu_time_s"]) == total, run.explain()
    busy = sum(run.summary["totals"]["gpu_busy_s"].values())
    assert summary_checks.nanoseconds(busy) == book.union(run.ledger)
    times = book.by_category(run.ledger)
    rest = coverage["modelled"] + coverage["no_products"] + coverage["unknown"]
    for share, ns in (
        (coverage["exact"], times["exact"]),
        (coverage["communication"], times["communication"]),
        (coverage["copy"], times["copy"]),
        (rest, times["rest"]),
    ):
        assert round(share * total) == ns, (coverage, times)


def test_two_ranks_have_the_times_of_their_own_ledgers(python, folder):
    command = torchrun(2, *acceptance("cifar_net", "--batch", "8", "--steps", "2"))
    run = run_profiled(command, folder=folder, faults=HASHED, ledger=True)
    assert run.ended_well(), run.explain()
    assert len(run.summary["ranks"]) == 2
    for rank in run.summary["ranks"]:
        own = [row for row in run.ledger if f".{rank['pid']}." in row["file"]]
        total = sum(book.duration(row) for row in book.executed(own))
        reported_ns = sum(
            summary_checks.nanoseconds(s) for s in rank["gpu_time_s"].values()
        )
        assert reported_ns == total > 0, run.explain()
    communication = book.by_category(run.ledger)["communication"]
    total = sum(book.duration(row) for row in book.executed(run.ledger))
    assert round(run.summary["coverage"]["communication"] * total) == communication > 0


def test_the_tags_do_not_depend_on_the_profiler(python):
    run = run_plain(
        [python, TAGGED, *CASES["lenet5"], "--steps", "2"], faults=HASHED, ledger=True
    )
    assert run.ended_well(), run.explain()
    tags = book.by_tag(run.ledger)
    expected = (
        ("feature_extractor.0", "forward"),
        ("feature_extractor.0", "backward"),
        ("(outside)", "optimizer"),
    )
    for key in expected:
        assert tags.get(key, 0) > 0, sorted(tags)
