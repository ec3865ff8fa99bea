# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Sums over the stand-in GPU's own account of what it ran (tests/simgpu, SIMGPU_LEDGER)."""

from collections import defaultdict

OPERATIONS = ("kernel", "memcpy", "memset")


def executed(ledger: list) -> list:
    """The lines of operations that a device ran: no captures, no host functions."""
    return [row for row in ledger if row["kind"] in OPERATIONS and not row["captured"]]


def duration(row: dict) -> int:
    return row["end_ns"] - row["start_ns"]


def by_tag(ledger: list) -> dict:
    """(path, phase) -> ns, from the tags that the job itself set.

    The main thread has no tag while the job sets up; another thread that never set one is
    autograd's before its first node.
    """
    times = defaultdict(int)
    for row in executed(ledger):
        main_thread = f".{row['thread']}." in row["file"]
        untagged = "(outside)|other" if main_thread else "(outside)|backward"
        path, phase = (row["tag"] or untagged).rsplit("|", 1)
        times[path, phase] += duration(row)
    return dict(times)


def by_category(ledger: list) -> dict:
    """Category of coverage -> ns; `rest` is what is neither a library call nor a copy."""
    times = dict.fromkeys(("exact", "communication", "copy", "rest"), 0)
    for row in executed(ledger):
        call = row["call"]
        if call.startswith("nccl"):
            category = "communication"
        elif call.startswith(("cublas", "cudnn")):
            category = "exact"
        elif row["kind"] != "kernel":
            category = "copy"
        else:
            category = "rest"
        times[category] += duration(row)
    return times


def gemm_flops(ledger: list) -> int:
    """2 m n k of every cuBLAS product, from the shapes that the calls were asked for."""
    shapes = {}
    for row in executed(ledger):
        if row["call"].startswith("cublas") and row["shape"].startswith("gemm "):
            words = dict(w.split("=") for w in row["shape"].split() if "=" in w)
            shapes[row["file"], row["call_id"]] = [int(words[n]) for n in ("m", "n", "k", "batch")]
    return sum(2 * m * n * k * batch for m, n, k, batch in shapes.values())


def union(ledger: list) -> int:
    """ns during which at least one operation ran, per device, summed over devices."""
    total = 0
    for device in {row["device"] for row in executed(ledger)}:
        intervals = sorted(
            (row["start_ns"], row["end_ns"])
            for row in executed(ledger)
            if row["device"] == device
        )
        reached = 0
        for start, end in intervals:
            total += max(0, end - max(start, reached))
            reached = max(reached, end)
    return total


def hidden_communication(ledger: list) -> tuple:
    """(ns of NCCL's kernels, ns of them beside anything else of the device) of one process."""
    rows = executed(ledger)
    collectives = [row for row in rows if row["call"].startswith("nccl")]
    hidden = 0
    for one in collectives:
        begin, reached = one["start_ns"], one["start_ns"]
        for other in sorted(rows, key=lambda row: row["start_ns"]):
            if other["device"] != one["device"] or other["call"].startswith("nccl"):
                continue
            end = min(other["end_ns"], one["end_ns"])
            hidden += max(0, end - max(begin, reached, other["start_ns"]))
            reached = max(reached, end)
    return sum(duration(row) for row in collectives), hidden
