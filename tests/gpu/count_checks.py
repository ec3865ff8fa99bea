# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Counts per module and phase equal golden.json for programs that need only torch."""

import json
import os
import time

import compare
import summary_checks
from check import Answer, Context, contradicted, held, last_lines, unanswered
from flopsprof_run import ROOT, acceptance, run_profiled

# Without torchvision, transformers, torch_geometric, DeepSpeed; the most important first.
ROWS = (
    "cifar_net-batch-8-mode-train",
    "lenet5-batch-1024-mode-train",
    "gpt2_megatron-checkpoint-mode-train",
    "amp-mode-train",
    "convs-mode-train",
    "checkpoint-reentrant-mode-train",
    "moe-mode-train",
    "ganlike-mode-train",
    "sdpa-backend-math-mode-train",
)


def golden() -> dict:
    path = os.path.join(ROOT, "tests", "golden", "golden.json")
    with open(path, encoding="utf-8") as file:
        return {entry["id"]: entry for entry in json.load(file)}


def times_three(counts: dict) -> dict:
    if isinstance(counts, dict):
        return {key: times_three(value) for key, value in counts.items()}
    return 3 * counts


def measure(context: Context, entry: dict, budget_s: float) -> dict:
    """Counts of one step, as the difference of runs with three and with two; these
    programs have no warm-up, so the longer run must be three such steps."""
    runs = []
    for steps in (2, 3):
        program, *options = entry["argv"]
        command = acceptance(program[: -len(".py")], *options, "--steps", str(steps))
        folder = os.path.join(context.scratch, f"{entry['id']}-{steps}")
        run = run_profiled(
            [context.python, *command], folder=folder, timeout=budget_s / 2,
            faults=context.faults if context.simulated else "",
        )  # fmt: skip
        if not run.ended_well() or not run.summary:
            raise RuntimeError(f"exit code {run.exit_code}: {last_lines(run.stderr)}")
        if run.summary["empty"]:
            raise RuntimeError(f"empty: {run.summary['coverage']['reasons']}")
        broken = summary_checks.problems(run.summary)
        if broken:
            raise RuntimeError("; ".join(broken[:3]))
        runs.append(summary_checks.counts(run.summary))
    step = summary_checks.difference(runs[1], runs[0])
    if runs[1] != times_three(step):
        raise RuntimeError("three steps are not three times one step")
    return step


def counts_equal_golden(context: Context, budget_s: float) -> Answer:
    rows = golden()
    # The stand-in's counts are held against golden.json by golden_test.py.
    names = ROWS[:1] if context.simulated else ROWS
    wrong, whole, asked = [], [], []
    begin, longest_s = time.monotonic(), 0
    for name in names:
        start = time.monotonic()
        left_s = budget_s - (start - begin)
        if left_s < 1.5 * longest_s:
            break  # a program that is cut short says nothing
        measured = measure(context, rows[name], left_s)
        longest_s = max(longest_s, time.monotonic() - start)
        asked.append(name)
        visible = compare.judge(rows[name], measured, "visible")
        if not visible:
            continue
        # Another torch or card may send to a library what ran in its own kernels here.
        if not context.simulated and not compare.judge(rows[name], measured, "whole"):
            whole.append(name)
        else:
            wrong.append(f"{name}: {'; '.join(visible[:2])}")
    if wrong:
        return contradicted("; ".join(wrong), programs=asked)
    text = f"{len(asked)} of {len(names)} programs as visible in library calls"
    if len(asked) < len(names):
        return unanswered(f"no time for the others: {text}")
    return held(text + (f"; whole, with all products in libraries: {whole}" if whole else ""))
