# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Times: against the stand-in's ledger to the nanosecond, on a GPU against cudaEvents."""

import json
import os

import ledger as book
import summary_checks
from check import Answer, Context, contradicted, held
from flopsprof_run import ROOT, acceptance
from product_checks import profiled

GEMMS = os.path.join(ROOT, "tests", "gpu", "timed_gemms.py")
EVENT_TOLERANCE = 0.05  # events also time the gaps between kernels


def every_record_joins(context: Context, budget_s: float) -> Answer:
    """Each record found its launch, each launch its record, each call its kernels."""
    command = acceptance("lenet5", "--batch", "64", "--steps", "3")
    run = profiled(context, command, "join", budget_s)
    coverage = run.summary["coverage"]
    losses = {
        name: value
        for rank in run.summary["ranks"]
        for name, value in rank["loss"].items()
        if value
    }
    numbers = {
        key: coverage[key] for key in ("records_lost", "invalid_timestamps", "calls_unmatched")
    }
    if any(numbers.values()) or losses or coverage["reasons"]:
        why = f"{numbers}, losses {losses}, {coverage['reasons']}"
        return contradicted(why, **numbers, losses=losses)
    if not coverage["exact"]:
        return contradicted("no GPU time was joined to a library call")
    return held(f"{coverage['exact']:.1%} of GPU time in library calls", **numbers)


def times_equal_the_ledger(context: Context, budget_s: float) -> Answer:
    command = acceptance("lenet5", "--batch", "64", "--steps", "3")
    run = profiled(context, command, "ledger", budget_s, ledger=True)
    right = sum(book.duration(row) for row in book.executed(run.ledger))
    categories = book.by_category(run.ledger)
    coverage = run.summary["coverage"]
    ours = summary_checks.nanoseconds(coverage["gpu_time_s"])
    exact = round(coverage["exact"] * ours)
    if ours != right or exact != categories["exact"]:
        return contradicted(
            f"GPU time {ours} ns, ledger {right}; in library calls {exact} ns,"
            f" ledger {categories['exact']}"
        )
    return held(f"{right} ns equal")


def shapes_equal_the_ledger(context: Context, budget_s: float) -> Answer:
    command = acceptance("checkpoint", "--steps", "2")  # linear layers only
    run = profiled(context, command, "shapes", budget_s, ledger=True)
    right = book.gemm_flops(run.ledger)
    ours = summary_checks.total(run.summary["totals"]["flops"])
    if ours != right or not right:
        return contradicted(f"{ours} flops, {right} by the shapes in the ledger")
    return held(f"{right} flops equal")


def gemm_times_match_events(context: Context, budget_s: float) -> Answer:
    run = profiled(context, [GEMMS], "gemms", budget_s)
    measured = json.loads(run.stdout.splitlines()[-1])
    lines, worst = [], 0.0
    for path, event_s in measured["event_s"].items():
        module = run.module(path)
        ours_s = module["gpu_time_s"]["forward"] / measured["calls"]
        flops = module["flops"]["forward"] / measured["calls"]
        worst = max(worst, abs(ours_s / event_s - 1))
        lines.append(
            f"{path}: {flops / ours_s / 1e12:.1f} TFLOPS by us,"
            f" {flops / event_s / 1e12:.1f} by cudaEvent"
        )
        if flops != measured["flops"][path]:
            return contradicted(f"{path}: {flops} flops, not {measured['flops'][path]}")
    if worst > EVENT_TOLERANCE:
        return contradicted(f"{worst:.1%} apart: {'; '.join(lines)}", worst=worst)
    return held("; ".join(lines), worst=worst)
