# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A C++ program without Python gets its ranges as the tree, with and without NVTX."""

import json
import os
import subprocess
import sys

import pytest
from by_name import library_folders
from flopsprof_run import ROOT, product, run_profiled

# By hand from the sizes in tests/programs/cpp_ranges/cpp_ranges.cc.
WANTED = {
    ("network", "layer 0", "matmul"): 65536,
    ("network", "layer 1"): 8192,
    ("(outside)",): 1024,
}


@pytest.mark.parametrize("program", ["cpp_ranges", "cpp_ranges_plain"])
def test_ranges_are_the_tree(tmp_path, program):
    out = str(tmp_path / "records.jsonl")
    agent = os.path.join(ROOT, "tests", "support", "fake_agent.py")
    argv = [sys.executable, agent, "--library", product("lib/libflopsprof_inject.so"), "--out", out]
    environment = dict(os.environ, LD_LIBRARY_PATH=library_folders())
    done = subprocess.run(
        [*argv, "--", product(f"bin/{program}"), "3"],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said == {"steps": 3, "flops_per_step": 74752, "failures": 0, "profiled": True}
    with open(out) as file:
        records = [json.loads(line) for line in file]
    scopes = {r["scope"]: r for r in records if r["type"] == "scope"}

    def path(scope) -> tuple:
        if scope == 0:
            return ("(outside)",)
        above = scopes[scope]["parent"]
        return (path(above) if above else ()) + (scopes[scope]["name"],)

    for step in range(3):
        found: dict = {}
        for r in records:
            if r["type"] == "gemm" and r["step"] == step:
                key = path(r["scope"])
                found[key] = found.get(key, 0) + 2 * r["m"] * r["n"] * r["k"] * r["batch"]
        assert found == WANTED
        entered = [path(r["scope"]) for r in records if r["type"] == "scope_enter"
                   and r["step"] == step]  # fmt: skip
        assert sorted(entered) == sorted([
            ("network",), ("network", "layer 0"), ("network", "layer 0", "matmul"),
            ("network", "layer 1"),
        ])  # fmt: skip
    end = [record for record in records if record["type"] == "end"][-1]
    assert not end["loss"]


@pytest.mark.parametrize("program", ["cpp_ranges", "cpp_ranges_plain"])
def test_the_report_has_the_tree(tmp_path, program):
    run = run_profiled(
        [product(f"bin/{program}"), "3"],
        folder=str(tmp_path / "run"),
        env={"LD_LIBRARY_PATH": library_folders()},
    )
    assert run.exit_code == 0, run.explain()
    own = {
        module["path"]: module["self"]["flops"]["other"]
        for module in run.summary["modules"]
        if module["self"]["flops"]["other"]
    }
    assert own == {".".join(path): 3 * flops for path, flops in WANTED.items()}
    assert run.module("network")["flops"]["other"] == 3 * (65536 + 8192)
    assert run.module("network.layer 0")["calls"] == 3
    assert run.summary["steps"]["profiled"] == 3


PRODUCT = 2 * 8 * 8 * 8


@pytest.fixture(scope="module", params=[0, 1_000_000], ids=["few", "million"])
def full(request, tmp_path_factory):
    """(how many distinct names, the run) of nvtx_full, 2 steps."""
    program = product("bin/nvtx_full")
    assert os.path.exists(program), "built without NVTX's headers: scripts/simgpu_env.sh has them"
    run = run_profiled(
        [program, str(request.param)],
        folder=str(tmp_path_factory.mktemp("nvtx") / "run"),
        env={"LD_LIBRARY_PATH": library_folders()},
    )
    assert run.exit_code == 0, run.explain()
    assert json.loads(run.stdout) == {"failures": 0, "schema": True}
    return request.param, run


def test_every_form_of_range_owns_its_work(full):
    distinct, run = full
    own = {
        module["path"]: module["self"]["flops"]["other"] / PRODUCT
        for module in run.summary["modules"]
        if module["self"]["flops"]["other"]
    }
    # By hand, two steps: a product in each range; two of those without a name have one.
    wanted = {
        "decode": 2, "prefill": 2, "prefill.inner": 2, "newer \u00fc": 2, "older": 2,
        "(outside)": 2, "(unnamed)": 4, "x" * 512: 2, "a\x1b[31m\x07\n\ufffd": 2,
        "with a schema": 2,
    }  # fmt: skip
    if distinct:
        wanted["(other)"] = 100
    assert own == wanted
    assert run.summary["totals"]["flops"]["other"] == sum(wanted.values()) * PRODUCT


def test_numbers_and_categories_of_ranges_are_kept(full):
    _, run = full
    found = {
        row["range"]: (row["domain"], row["category"], row["category_name"], row["entries"],
                       row["numbers"])
        for row in run.summary["ranges"]
    }  # fmt: skip
    assert found == {
        "decode": ("", 7, "serving", 2, {"sum": 18, "min": -12, "max": 30, "last": -12}),
        "prefill": ("engine", 0, "", 2, {"sum": 0.75, "min": 0.25, "max": 0.5, "last": 0.25}),
        "prefill.inner": ("", 0, "", 2, {"sum": 11, "min": 5, "max": 6, "last": 6}),
    }
    report = run.report()
    assert "serving" in report
    assert "\x1b" not in report


def test_marks_are_counted_where_they_are_set(full):
    distinct, run = full
    found = {
        row["name"]: (row["range"], row["domain"], row["category_name"], row["count"],
                      row["first_step"], row["last_step"])
        for row in run.summary["marks"]
        if not row["name"].startswith("beyond")
    }  # fmt: skip
    assert found == {
        "tick": ("decode", "", "", 2, 0, 1),
        "evicted": ("prefill", "engine", "cache", 2, 0, 1),
        "done": ("", "", "", 2, 0, 1),
    }
    evicted = next(row for row in run.summary["marks"] if row["name"] == "evicted")
    assert evicted["numbers"]["sum"] == 2 * 0xFFFFFFFF
    beyond = [row["count"] for row in run.summary["marks"] if row["name"].startswith("beyond")]
    assert beyond == [1] * (100 if distinct else 0)


def test_what_nvtx_events_lose_is_counted(full):
    distinct, run = full
    loss = run.summary["ranks"][0]["loss"]
    # Each step: no attributes, too small ones, a payload with a schema, a range of only that.
    wanted = {"nvtx_dropped": 8, "scope_unbalanced": 2, "blob_too_large": 2}
    if distinct:
        # 9 ranges have room before them, those behind have none.
        wanted["scope_table_full"] = 1_000_000 - (65536 - 9) + 100
        assert loss.pop("ring_full", 0) < 4 * distinct
    assert loss == wanted
    for name in loss:
        assert name in run.report()


def test_a_million_names_take_bounded_room(full):
    distinct, run = full
    assert ("more lines before the last" in run.report()) == bool(distinct)
    size = {name: os.path.getsize(os.path.join(run.folder, name)) / 2**20
            for name in ("profile.db", "summary.json", "report.txt")}  # fmt: skip
    assert size["profile.db"] < 32
    assert size["summary.json"] < 32
    assert size["report.txt"] < 0.1
