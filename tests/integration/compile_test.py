# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torch.compile with Inductor on the stand-in GPU: compiled as without us, and counted by module."""

import json
import os

import pytest
import summary_checks
from findings import assert_healthy
from flopsprof_run import PROGRAMS, run_plain, run_profiled

BATCH, WIDTH, STEPS = 8, 64, 3
WIDE = {"q": WIDTH, "k": WIDTH, "up": 2 * WIDTH, "down": 2 * WIDTH}


def run_as_without_us(command, tmp_path, processes=1, slower=1):
    """(the profiled run, Dynamo's and Inductor's counters, which are those of the plain one).

    Each has caches of its own, so that both compile: all that Inductor, AOTAutograd and Triton
    keep is below this folder. `processes`: those that Inductor compiles in, 1: the program's own.
    """
    runs = []
    for start, options in ((run_plain, {}), (run_profiled, {"folder": str(tmp_path / "run")})):
        caches = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / f"caches{len(runs)}"),
                  "TORCHINDUCTOR_COMPILE_THREADS": processes, "SIMGPU_SLOWER": slower}
        runs.append(start(command, env=caches, **options))
        assert runs[-1].ended_well(), runs[-1].explain()
    without, with_us = (json.loads(r.stdout.splitlines()[-1]) for r in runs)
    for inductor in (without["inductor"], with_us["inductor"]):
        # Each kernel is asked for once more, a hit, when Inductor's pool of processes happens to be
        # up already (define_kernel in torch/_inductor/codegen/triton.py): the rest are kernels.
        inductor["kernels"] = inductor.pop("async_compile_cache_miss", 0) - inductor.pop(
            "async_compile_cache_hit", 0
        )
    assert with_us == without
    for cache, kind in (("fxgraph_cache", "inductor"), ("autograd_cache", "aot_autograd")):
        assert without[kind][cache + "_miss"] > 0 and cache + "_hit" not in without[kind]
    return runs[1], without


@pytest.mark.parametrize("how", ["whole", "blocks", "in_place", "broken"])
def test_compiled_modules_are_counted_each_and_compiled_as_without_us(python, tmp_path, how):
    command = [python, os.path.join(PROGRAMS, "jobs", "compiles.py"), how, str(STEPS)]
    # A card as slow as that has work all along.
    slower = 200 if how == "blocks" else 1
    processes = 2 if how == "whole" else 1
    run, without = run_as_without_us(command, tmp_path, processes, slower)
    assert without["stats"]["unique_graphs"] > 0
    assert summary_checks.problems(run.summary) == []
    assert run.found("compiled_rows") == []
    found = {m["path"]: m["self"]["flops"] for m in run.summary["modules"]}
    for block in range(2):
        for name, width in WIDE.items():
            flops = found.pop(f"{block}.{name}")
            product = STEPS * 2 * BATCH * WIDTH * width
            # Its gradients for the weight and for the input, whose norm has weights to train.
            assert (flops["forward"], flops["backward"]) == (product, 2 * product), name
            assert flops["recompute"] == 0
    if slower > 1:
        assert_healthy(run.summary)
    # Inductor's own kernels belong to what was compiled: without products.
    assert not any(flops[phase] for flops in found.values() for phase in flops)


def test_a_step_in_which_something_is_compiled_is_in_no_mean(python, tmp_path):
    command = [python, os.path.join(PROGRAMS, "jobs", "compiles.py"), "again", "6"]
    run, without = run_as_without_us(command, tmp_path)
    assert without["stats"]["unique_graphs"] == 2
    steps = run.summary["steps"]
    # By hand: the first step, and the last but one, which is compiled for its batch.
    assert [row["step"] for row in steps["list"] if row["disturbed"]] == [0, 4]
    assert (steps["profiled"], steps["disturbed"], steps["measured"]) == (6, 2, 4)
    walls = {row["step"]: row["wall_s"] for row in steps["list"]}
    assert steps["p95_s"] == max(walls[step] for step in (1, 2, 3, 5)) < walls[4]
    product = 7 * 2 * 2 * BATCH * WIDTH * sum(WIDE.values())
    # Rows by rows, and that by rows, in each block: 5 steps of 8 rows, and one of 16.
    without_weights = (5 + 2 * 2) * 2 * 2 * 2 * BATCH * BATCH * WIDTH
    assert run.summary["totals"]["flops"]["forward"] == product + without_weights
    assert len(run.found("compiled_rows")) == 1


def test_reduce_overhead_is_compiled_as_without_us_and_counted_in_sum(python, tmp_path):
    command = [python, os.path.join(PROGRAMS, "jobs", "compiles.py"), "reduce_overhead", "4"]
    run, without = run_as_without_us(command, tmp_path)
    product = 4 * 2 * 2 * BATCH * WIDTH * sum(WIDE.values())
    flops = run.summary["totals"]["flops"]
    assert (flops["forward"], flops["backward"]) == (product, 2 * product)
