# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Data and weight gradients apart, optimizers by name, kernels by where they were launched."""

import os
import re
import sqlite3

import pytest
import summary_checks
from flopsprof_run import PROGRAMS, product, run_plain, run_profiled

STEPS, ROWS, REPLAYS = 2, 8, 5


def linear(inputs, outputs):
    return STEPS * 2 * ROWS * inputs * outputs


CONV = STEPS * 2 * 4 * 3 * 8 * 8 * 2 * 3 * 3  # images, out, y, in, filter
LSTM = STEPS * 2 * 7 * 5 * 4 * 12 * (10 + 12)  # steps, sequences, gates, input and state
SCORES = STEPS * 2 * 2 * 4 * 9 * 9 * 6  # two products of 4 x 9 x 9 x 6
FLASH = STEPS * 2 * 2 * 64 * 64 * 32  # one product of 2 heads, 64 tokens of 32
GRAPHED = (1 + REPLAYS) * 2 * ROWS * 56 * 72  # capture does not run

# What each child's backward computes: data, weight, not told.
EXPECTED = {
    "first": (0, linear(64, 32), 0),
    "frozen": (linear(32, 48), 0, 0),
    "both": (linear(48, 40), linear(48, 40), 0),
    "square": (linear(40, 40), linear(40, 40), 0),
    "unclear": (0, 0, 2 * linear(40, 8)),
    "again": (linear(8, 24), linear(8, 24), 0),
    "cast": (linear(24, 16), linear(24, 16), 0),
    "conv": (CONV, CONV, 0),
    "lstm": (LSTM, LSTM, 0),
    "scores": (2 * SCORES, 0, 0),
    "flash": (4 * FLASH, 0, 0),
    "graphed": (GRAPHED, GRAPHED, 0),
}


def trained(python, folder, way):
    program = os.path.join(PROGRAMS, "jobs", "trains_two_ways.py")
    done = run_profiled([python, program, way], folder=folder)
    assert done.ended_well(), done.explain()
    return done


@pytest.fixture(scope="module")
def run(python, tmp_path_factory):
    return trained(python, str(tmp_path_factory.mktemp("gradients") / "run"), "foreach")


def report(run, *options):
    wide = {"COLUMNS": "200"}  # nothing is shortened
    return run_plain([product("bin/flopsprof"), "report", run.folder, *options], env=wide)


def rows(run, condition):
    """(module, range, phase, call, kernel, first and last step, count) of launch_view."""
    with sqlite3.connect(os.path.join(run.folder, "profile.db")) as database:
        return database.execute(
            "SELECT module, user_range, phase, api, kernel, first_step, last_step, count "
            f"FROM launch_view WHERE {condition}"
        ).fetchall()


def parts(work) -> tuple:
    return tuple(work["gradients"][name]["flops"] for name in ("data", "weight", "not_told"))


def test_gradients_of_each_layer_are_told(run):
    assert summary_checks.problems(run.summary) == []
    assert {path: parts(run.module(path)) for path in EXPECTED} == EXPECTED


def test_their_sum_is_the_backward(run):
    totals = run.summary["totals"]
    sums = [sum(column) for column in zip(*EXPECTED.values())]
    assert list(parts(totals)) == sums
    assert sum(sums) == totals["flops"]["backward"]
    assert totals["gradients"]["weight"]["gpu_time_s"] > 0


def check_optimizers(run):
    named = {row["name"]: row for row in run.summary["optimizers"]}
    assert {name: row["steps"] for name, row in named.items()} == {"AdamW": 2, "SGD #2": 2}
    phase = summary_checks.nanoseconds(run.summary["totals"]["gpu_time_s"]["optimizer"])
    assert sum(summary_checks.nanoseconds(row["gpu_time_s"]) for row in named.values()) == phase
    assert all(row["gpu_time_s"] > 0 for row in named.values())


@pytest.mark.parametrize("way", ["fused", "single"])
def test_optimizers_of_other_kinds_have_names(python, folder, way):
    check_optimizers(trained(python, folder, way))


def test_optimizers_have_names(run):
    check_optimizers(run)
    paths = {module["path"] for module in run.summary["modules"]}
    assert not any("AdamW" in path or "SGD" in path for path in paths)


def test_the_report_says_so(run):
    text = " ".join(run.report().split())  # lines are broken at the width
    assert re.search(r"backward: data gradient .* weight gradient .* not told", text)
    assert re.search(r"optimizers: AdamW 2 steps .*; SGD #2 2 steps", text)
    view = report(run, "--view", "gradients", "--exact")
    line = next(line for line in view.stdout.splitlines() if line.split()[:1] == ["both"])
    assert line.count(f"{linear(48, 40):,}") == 2


def test_a_kernel_is_looked_up_by_module_and_phase(run):
    found = rows(run, "module = 'both' AND phase = 'backward' AND api LIKE 'cublas%'")
    assert sum(row[-1] for row in found) == STEPS * 2  # data and weight
    assert all(row[5:7] == (0, 1) for row in found)


def test_a_kernel_is_looked_up_by_step(run):
    in_both = rows(run, "first_step = 0 AND last_step = 1 AND phase = 'forward' AND api <> ''")
    assert {"first", "conv", "lstm"} <= {row[0] for row in in_both}
    assert "graphed" not in {row[0] for row in in_both}


def test_a_kernel_is_looked_up_by_range(run):
    found = rows(run, "user_range LIKE 'update%'")
    assert {row[1] for row in found} == {"update.AdamW", "update.SGD #2"}
    assert {row[2] for row in found} == {"optimizer"}
    assert {row[0] for row in found} == {"(outside)"}


def test_a_kernel_is_looked_up_by_operation(run):
    found = rows(run, "api = 'aten::_flash_attention_backward'")
    assert {(row[0], row[2]) for row in found} == {("flash", "backward")}


def test_lookups_account_for_all_gpu_time(run):
    with sqlite3.connect(os.path.join(run.folder, "profile.db")) as database:
        (looked_up,) = database.execute("SELECT sum(gpu_time_ns) FROM scope_kernels").fetchone()
        (measured,) = database.execute("SELECT sum(gpu_time_ns) FROM times").fetchone()
    assert looked_up == measured > 0


def test_the_report_focuses_on_modules_and_ranges(run):
    text = report(run, "--view", "kernels", "--focus", "^lstm$", "--top", "50").stdout
    lines = [line for line in text.splitlines() if " lstm " in line]
    assert {"forward", "backward"} <= {word for line in lines for word in line.split()}
    assert " conv " not in text
    assert "AdamW" in report(run, "--view", "kernels", "--focus", "update").stdout


@pytest.mark.parametrize(
    "focus, code, words",
    [("[", 2, "is no regular expression"), ("nowhere", 3, "no module or range")],
)
def test_a_focus_that_finds_nothing_is_one_clear_error(run, focus, code, words):
    done = report(run, "--view", "kernels", "--focus", focus)
    assert done.exit_code == code
    assert done.stdout == ""
    assert words in done.stderr
