# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls that a library makes to find its fastest way are said, and in no step's utilisation."""

import os

import json_schema
import pytest
from flopsprof_run import PROGRAMS, run_profiled

JOB = os.path.join(PROGRAMS, "jobs", "tunes.py")
PEAKS = ("--peak", "fp32=1T,tf32=1T")
# Two convolutions and a linear layer of a batch of 4: 2 N Cout Ho Wo Cin k k, and 2 N in out.
FIRST = 2 * 4 * 16 * 30 * 30 * 3 * 9
SECOND = 2 * 4 * 32 * 28 * 28 * 16 * 9
LINEAR = 2 * 4 * 25088 * 10
STEP = 3 * (FIRST + SECOND + LINEAR) - FIRST  # the image wants no gradient


def tuning_findings(run):
    return run.found("tuning_runs")


@pytest.fixture(scope="module")
def runs(python, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuning")
    made = {}
    for name, options in (("plain", []), ("tuned", ["--tune"])):
        made[name] = run_profiled(
            [python, JOB, *options], *PEAKS, folder=str(folder / name), timeout=300
        )
        assert made[name].ended_well(), made[name].explain()
    return made


def test_without_tuning_all_steps_do_the_same_work(runs):
    summary = runs["plain"].summary
    assert summary["steps"]["first_step_work_ratio"] == 1
    assert tuning_findings(runs["plain"]) == []
    flops = summary["totals"]["flops"]
    assert flops["forward"] + flops["backward"] == 4 * STEP


def test_the_summaries_are_what_their_schema_says(runs):
    for run in runs.values():
        assert json_schema.summary_problems(run.summary) == []
        assert json_schema.summary_undescribed(run.summary) == []


def test_tuning_runs_are_said(runs):
    summary = runs["tuned"].summary
    flops = summary["totals"]["flops"]
    work = flops["forward"] + flops["backward"]
    # Three steps as they should be, and the first with what was tried.
    assert summary["steps"]["first_step_work_ratio"] == pytest.approx((work - 3 * STEP) / STEP)
    assert summary["steps"]["first_step_work_ratio"] > 1.2
    assert len(tuning_findings(runs["tuned"])) == 1


def test_tuning_runs_are_in_no_utilisation(runs):
    summary = runs["tuned"].summary
    walls = [STEP / 1e12 / step["mfu"] for step in summary["steps"]["utilisation"][1:]]
    assert len(walls) == 3
    steady = 3 * STEP / 1e12 / sum(walls)
    assert summary["totals"]["mfu"] == pytest.approx(steady, rel=1e-6)
