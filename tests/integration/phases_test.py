# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Phases beside forward, backward and optimizer, in the summary and the report."""

import os

import summary_checks
from flopsprof_run import PROGRAMS, run_profiled


def test_clipping_scaling_and_evaluation_are_phases_of_their_own(python, folder):
    run = run_profiled([python, os.path.join(PROGRAMS, "jobs", "has_phases.py")], folder=folder)
    assert run.ended_well(), run.explain()
    assert summary_checks.problems(run.summary) == []
    product = 3 * 2 * 8 * 64 * 32
    module = run.module("0")
    assert {phase: n for phase, n in module["flops"].items() if n} == {
        "forward": product,
        "backward": product,  # of the weight: the input needs no gradient
        "evaluation": product // 2,
    }
    times = run.summary["totals"]["gpu_time_s"]
    for phase in ("clipping", "scaling", "optimizer", "evaluation"):
        assert times[phase] > 0, phase
        assert phase in run.report()
    assert times["generate"] == 0
