# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Phases beside forward, backward and optimizer, in the summary and the report."""

import os
import re

import pytest
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
    # Up to its empty line: the report's Method has a row "optimizer" too.
    table = run.report().partition("\nSummary\n")[2].partition("\n\n")[0]
    for phase in ("clipping", "scaling", "optimizer", "evaluation"):
        assert times[phase] > 0, phase
        assert re.search(rf"^  {phase}  .* \d+\.\d% ", table, re.MULTILINE), phase  # its share
    assert times["generate"] == 0


def test_the_own_generate_of_transformers(python, folder):
    new = 4
    command = [python, os.path.join(PROGRAMS, "jobs", "generates.py"), str(new)]
    run = run_profiled(command, folder=folder)
    assert run.ended_well(), run.explain()
    assert run.stdout.strip() == "(2, 9)"
    assert summary_checks.problems(run.summary) == []
    # The prompt of 5 makes the first token, then one token at a time: 2 sequences.
    rows, last = 2 * (5 + new - 1), 2 * new
    for path, count, size in (
        ("model.layers.1.self_attn.q_proj", rows, 64 * 64),
        ("model.layers.1.self_attn.v_proj", rows, 64 * 32),  # half as many heads
        ("model.layers.0.mlp.down_proj", rows, 96 * 64),
        ("lm_head", last, 64 * 128),
    ):
        flops = {phase: n for phase, n in run.module(path)["flops"].items() if n}
        assert flops == {"generate": 2 * count * size}, path
