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
