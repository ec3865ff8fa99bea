# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The golden files agree with each other, and with the counter that made the one of modules."""

import json
import os
import subprocess

import compare
import pytest
from flopsprof_run import ROOT, environment

FOLDER = os.path.join(ROOT, "tests", "golden")
with open(os.path.join(FOLDER, "golden.json"), encoding="utf-8") as file:
    GOLDEN = {entry["id"]: entry for entry in json.load(file) if "same_as" not in entry}
# Of each kind of work one that takes a second; all with --full.
AGAIN = (
    "cifar_net-batch-8-mode-train",
    "gpt2_megatron-checkpoint-mode-train",
    "vision-model-mobilenet_v2-batch-2-mode-train",
    "vision-model-vit_b_16-batch-2-mode-train",
    "sdpa-backend-flash-mode-train",
    "rnn-cell-gru-bidirectional-mode-train",
    "rnn-projection-64-mode-train",
    "rnn-packed-mode-train",
    "moe-mode-train",
    "moe-impl-grouped-dtype-bf16-mode-train",
    "fp8-mode-fwd",
    "convs-input-grad-mode-train",
    "checkpoint-mode-train",
    "checkpoint-reentrant-mode-train",
    "amp-mode-train",
    "ganlike-mode-train",
    "compiled-mode-train",
)


@pytest.mark.parametrize("level", ("visible", "whole"))
def test_modules_add_up_to_every_row_that_was_counted_by_other_means(level):
    assert set(compare.read_modules()) == set(GOLDEN)
    for name, entry in GOLDEN.items():
        own, _ = compare.own_rows(entry, compare.read_modules()[name], level)
        sums = compare.with_children(own, [0, 0, 0])
        rows = entry["by_module"]
        if level == "visible":
            rows = entry.get("by_module_visible", rows)
        totals = compare.expected_totals(entry, level)
        assert sums[""] == [totals[key] for key in compare.KEYS], name
        for path, row in rows.items():
            assert sums.get(path, [0, 0, 0]) == [row[key] for key in compare.KEYS], (name, path)


def derive_again(python, *ids):
    script = os.path.join(FOLDER, "make_modules.py")
    done = subprocess.run(
        [python, script, "--check", *ids], env=environment({"CUDA_VISIBLE_DEVICES": ""}),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_the_counter_gives_the_rows_again(python):
    assert f"{len(AGAIN)} of {len(AGAIN)} equal" in derive_again(python, *AGAIN)


@pytest.mark.full
def test_the_counter_gives_all_rows_again(python):
    assert f"{len(GOLDEN)} of {len(GOLDEN)} equal" in derive_again(python)
