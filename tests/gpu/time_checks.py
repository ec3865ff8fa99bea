# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Times: against the stand-in's ledger to the nanosecond, on a GPU against cudaEvents."""

import json
import os

import ledger as book
import summary_checks
from check import Check, Context, Result, failed, last_lines, passed, skipped
from flopsprof_run import ROOT, acceptance, run_profiled

GEMMS = os.path.join(ROOT, "tests", "gpu", "timed_gemms.py")
EVENT_TOLERANCE = 0.05  # events also time the gaps between kernels


def profiled(context: Context, command: list, name: str, budget_s: float, **more):
    run = run_profiled(
        [context.python, *command], folder=os.path.join(context.scratch, name),
        timeout=budget_s, faults=context.faults if context.simulated else "", **more,
    )  # fmt: skip
    if not run.ended_well() or not run.summary or run.summary["empty"]:
        raise RuntimeError(f"exit code {run.exit_code}: {last_lines(run.stderr)}")
    return run


def every_record_joins(context: Context, budget_s: float) -> Result:
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
        return failed(why, **numbers, losses=losses)
    if not coverage["exact"]:
        return failed("no GPU time was joined to a library call")
    return passed(f"{coverage['exact']:.1%} of GPU time in library calls", **numbers)


def times_equal_the_ledger(context: Context, budget_s: float) -> Result:
    if not context.simulated:
        return skipped("a real GPU keeps no ledger; see gemm_times_match_events")
    command = acceptance("lenet5", "--batch", "64", "--steps", "3")
    run = profiled(context, command, "ledger", budget_s, ledger=True)
    right = sum(book.duration(row) for row in book.executed(run.ledger))
    categories = book.by_category(run.ledger)
    coverage = run.summary["coverage"]
    ours = summary_checks.nanoseconds(coverage["gpu_time_s"])
    exact = round(coverage["exact"] * ours)
    if ours != right or exact != categories["exact"]:
        return failed(
            f"GPU time {ours} ns, ledger {right}; in library calls {exact} ns,"
            f" ledger {categories['exact']}"
        )
    return passed(f"{right} ns equal")


def shapes_equal_the_ledger(context: Context, budget_s: float) -> Result:
    if not context.simulated:
        return skipped("a real GPU keeps no ledger; see the counts")
    command = acceptance("checkpoint", "--steps", "2")  # linear layers only
    run = profiled(context, command, "shapes", budget_s, ledger=True)
    right = book.gemm_flops(run.ledger)
    ours = summary_checks.total(run.summary["totals"]["flops"])
    if ours != right or not right:
        return failed(f"{ours} flops, {right} by the shapes in the ledger")
    return passed(f"{right} flops equal")


def gemm_times_match_events(context: Context, budget_s: float) -> Result:
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
            return failed(f"{path}: {flops} flops, not {measured['flops'][path]}")
    if worst > EVENT_TOLERANCE:
        return failed(f"{worst:.1%} apart: {'; '.join(lines)}", worst=worst)
    return passed("; ".join(lines), worst=worst)


def checks() -> list:
    return [
        Check("every record joins", 30, every_record_joins),
        Check("times equal the ledger", 30, times_equal_the_ledger),
        Check("shapes equal the ledger", 30, shapes_equal_the_ledger),
        Check("GEMM times match cudaEvents", 40, gemm_times_match_events),
    ]
