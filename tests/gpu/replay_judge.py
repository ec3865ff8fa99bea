# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Whether replays of a graph have the time that cudaEvents say (graph_load.py)."""

APART = 0.15


def replays_are_right(said: dict, line: dict, lost: dict) -> bool:
    """The switch came, nothing was lost, and replays took the time that cudaEvents say: neither half
    of it nor twice as much."""
    ratio = line["gpu_time_s"] / said["replays"] / said["replay_s"]
    switched = line["activities"] < said["replays"] * said["kernels"]
    # Both kinds of records for a while are no loss: one of them was left out.
    whole = line["replays"] == said["replays"] and set(lost) <= {"replay_times_twice"}
    return switched and whole and 1 - APART <= ratio <= 1 + APART
