# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Counts of the acceptance programs equal tests/golden to the integer: totals, and every module
with its children and alone. In every run each module is the sum of itself and its children.

A step is the difference of a run with three steps and a run with two, so that warm-up is
in neither. One row per program and all rows that the main job is held to run always; the
other rows with --full.
"""

import json
import os
import subprocess

import compare
import pytest
import summary_checks
from acceptance_table import WHOLE_ONLY
from flopsprof_run import ROOT, acceptance, run_profiled

with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
    GOLDEN = {entry["id"]: entry for entry in json.load(file)}

ALWAYS_PROGRAMS = ("cifar_net", "lenet5", "alexnet", "gpt2_megatron", "bert", "t5", "amp")
ALWAYS = (
    "vision-model-vit_b_16-batch-1-mode-fwd",
    "vision-model-vit_b_16-batch-2-mode-train",
    "graph_transformer-batch-16-nodes-224-mode-train",
    "sdpa-backend-math-mode-train",
    "sdpa-backend-cudnn-mode-train",
    "rnn-packed-mode-train",
    "moe-mode-train",
    "fp8-mode-fwd",
    "convs-mode-train",
    "checkpoint-mode-train",
    "checkpoint-reentrant-mode-train",
    "ganlike-mode-train",
    "compiled-mode-train",
    "graphs-mode-train",
)
# Rows that cannot be equal here, and why: the reason is printed with the skip.
NOT_HERE = {
    "gpt2_megatron-layers-12": "needs 20 GB of weights",
}
# Slow here: more than a minute each.
SLOW = ("bert-size-large", "gpt2_megatron-layers-12")


def cases():
    for name, entry in GOLDEN.items():
        if "same_as" in entry:
            continue
        always = name in ALWAYS or name.split("-")[0] in ALWAYS_PROGRAMS
        marks = []
        if not always or name.startswith(SLOW):
            marks.append(pytest.mark.full)
        for part, reason in NOT_HERE.items():
            if name.startswith(part):
                marks.append(pytest.mark.skip(reason=reason))
        yield pytest.param(entry, id=name, marks=marks)


@pytest.fixture(scope="session")
def code() -> str:
    """What docs/acceptance.md says that a row is of."""
    command = ["git", "-C", ROOT, "describe", "--always", "--dirty"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    elsewhere = ", product built elsewhere" if "FLOPSPROF_TEST_PRODUCT" in os.environ else ""
    return (done.stdout.strip() or "no repository") + elsewhere


@pytest.mark.parametrize("entry", cases())
def test_a_step_has_the_golden_counts(entry, python, tmp_path, code, record_property):
    record_property("code", code)
    runs = []
    for steps in (2, 3):
        program, *options = entry["argv"]
        command = acceptance(program[: -len(".py")], *options, "--steps", str(steps))
        run = run_profiled(
            [python, *command], folder=str(tmp_path / f"steps-{steps}"), timeout=600
        )
        assert run.ended_well(), run.explain()
        assert run.summary is not None, run.explain()
        assert summary_checks.problems(run.summary) == [], run.explain()
        runs.append(run.summary)
    # What library calls show, and with what formulas give for kernels without one.
    for level in ("visible", "whole"):
        if level == "visible" and entry["id"].startswith(WHOLE_ONLY):
            continue
        longer, shorter = (summary_checks.counts(run, level) for run in reversed(runs))
        measured = summary_checks.difference(longer, shorter)
        assert compare.judge(entry, measured, level, again=True) == [], level
