# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Windows of steps hold the work of those steps and no other, however late their numbers are known;
what ran in a thread's own loop has the numbers of that loop."""

import os
import sqlite3
from collections import Counter

import pytest
import summary_checks
from flopsprof_run import PROGRAMS, product, run_plain, run_profiled

LOOPS = os.path.join(PROGRAMS, "steps", "loops.py")


def run_loop(python, folder, kind, argument, *options):
    run = run_profiled([python, LOOPS, kind, str(argument)], *options, folder=str(folder))
    assert run.ended_well(), run.explain()
    assert summary_checks.problems(run.summary) == []
    assert run.summary["ranks"][0]["loss"] == {}
    return run


def work(lines) -> list:
    return [(line["step"], {p: n for p, n in line["flops"].items() if n}) for line in lines]


@pytest.mark.parametrize(
    "kind, argument, first, end",
    [
        ("beside_unused", 14, 2, 5),
        ("beside_unused", 5, 0, 1),
        ("one_never_steps", 1, 1, 3),
        ("gan", 2, 0, 1),
        ("gan", 5, 1, 2),
        ("generator_first", 2, 1, 3),
        ("late_optimizer", 0, 1, 2),
        ("evaluations", 0, 0, 2),
        ("threads", 0, 1, 3),
        ("graph", 0, 2, 4),
    ],
)
def test_a_window_is_these_steps_of_the_whole(python, tmp_path, kind, argument, first, end):
    whole = run_loop(python, tmp_path / "whole", kind, argument).summary
    window = run_loop(
        python, tmp_path / "window", kind, argument, "--steps", f"{first}:{end}"
    ).summary
    steps = [one for one in work(whole["steps"]["list"]) if first <= one[0] < end]
    beside = [one for one in work(whole["steps"]["beside"]) if first <= one[0] < end - 1]
    assert [step for step, flops in steps if flops] == list(range(first, end))
    assert work(window["steps"]["list"]) == steps
    assert work(window["steps"]["beside"]) == beside
    total = Counter()  # evaluation beside steps is in a list of its own
    for _, flops in steps:
        total.update(flops)
    assert {p: n for p, n in window["totals"]["flops"].items() if n} == total
    # In the tree of modules nothing is of another step.
    modules = Counter()
    for module in window["modules"]:
        modules.update({p: n for p, n in module["self"]["flops"].items() if n})
    assert modules == total


def test_kernels_of_a_thread_have_the_steps_of_its_loop(python, tmp_path):
    run = run_loop(python, tmp_path / "run", "thread_after_forwards", 0)
    with sqlite3.connect(os.path.join(run.folder, "profile.db")) as database:
        spans = database.execute(
            "SELECT DISTINCT module, first_step, last_step FROM launch_view "
            "WHERE phase = 'forward' AND in_step ORDER BY module"
        ).fetchall()
        loops = database.execute(
            "SELECT loop, count(*), max(wall_s) FROM step_view WHERE place = 'in' GROUP BY loop"
        ).fetchall()
    # `net` is (0, 2), Two (first.0, first.2, second).
    assert {(m, f, l) for m, f, l in spans if m.startswith(("first", "second"))} == {
        (module, 0, 4) for module in ("first.0", "first.1", "first.2", "second")
    }
    assert {(f, l) for m, f, l in spans if m in ("0", "1", "2")} == {(0, 2)}
    assert [loop[:2] for loop in loops] == [(0, 3), (1, 5)]
    # As in the report: a step's time is that of its own loop.
    walls = sorted(line["wall_s"] for line in run.summary["steps"]["list"])
    assert max(loop[2] for loop in loops) == pytest.approx(walls[-1])
    focus = run_plain(
        [product("bin/flopsprof"), "report", run.folder, "--focus", "first"], env={"COLUMNS": "200"}
    )
    assert " 0-4 " in focus.stdout
