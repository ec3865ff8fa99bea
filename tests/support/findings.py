# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Findings of a summary: those about speed, and what a healthy job has."""

SPEED = (
    "idle", "launch_bound", "input_bound", "exposed_communication", "slow_rank", "uneven_ranks",
    "uneven_stages", "recompute", "small_kernels", "slow_products", "misaligned_products",
    "plain_fp32",
)  # fmt: skip


def about_speed(summary: dict) -> dict:
    return {f["kind"]: f for f in summary["findings"] if f["kind"] in SPEED}


def assert_healthy(summary: dict) -> None:
    """Nothing is slow, wrong or missing."""
    assert about_speed(summary) == {}
    assert [f for f in summary["findings"] if f["severity"] != "note"] == []
    assert summary["steps"]["bound_by"] == "gpu_work"
