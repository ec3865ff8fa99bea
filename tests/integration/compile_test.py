# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""torch.compile with Inductor on the stand-in GPU: compiled as without us, and counted by module."""

import json
import os

import pytest
import summary_checks
from flopsprof_run import PROGRAMS, run_plain, run_profiled

BATCH, WIDTH, STEPS = 8, 64, 3
WIDE = {"q": WIDTH, "k": WIDTH, "up": 2 * WIDTH, "down": 2 * WIDTH}
full = pytest.mark.full


@pytest.mark.parametrize(
    "how",
    [
        "whole",
        pytest.param("blocks", marks=full),
        pytest.param("in_place", marks=full),
        pytest.param("broken", marks=full),
    ],
)
def test_compiled_modules_are_counted_each_and_compiled_as_without_us(python, tmp_path, how):
    command = [python, os.path.join(PROGRAMS, "jobs", "compiles.py"), how, str(STEPS)]
    environment = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor")}
    plain = run_plain(command, env=environment)
    assert plain.ended_well(), plain.explain()
    run = run_profiled(command, folder=str(tmp_path / "run"), env=environment)
    assert run.ended_well(), run.explain()
    with_us, without = (json.loads(r.stdout.splitlines()[-1]) for r in (run, plain))
    assert with_us == without
    assert without["stats"]["unique_graphs"] > 0

    assert summary_checks.problems(run.summary) == []
    found = {m["path"]: m["self"]["flops"] for m in run.summary["modules"]}
    for block in range(2):
        for name, width in WIDE.items():
            flops = found.pop(f"{block}.{name}")
            product = STEPS * 2 * BATCH * WIDTH * width
            # Its gradients for the weight and for the input, whose norm has weights to train.
            assert (flops["forward"], flops["backward"]) == (product, 2 * product), name
            assert flops["recompute"] == 0
    # Inductor's own kernels belong to what was compiled: without products.
    assert not any(flops[phase] for flops in found.values() for phase in flops)


@full
def test_reduce_overhead_is_compiled_as_without_us_and_counted_in_sum(python, tmp_path):
    command = [python, os.path.join(PROGRAMS, "jobs", "compiles.py"), "reduce_overhead", "4"]
    environment = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor")}
    plain = run_plain(command, env=environment)
    assert plain.ended_well(), plain.explain()
    run = run_profiled(command, folder=str(tmp_path / "run"), env=environment)
    assert run.ended_well(), run.explain()
    with_us, without = (json.loads(r.stdout.splitlines()[-1]) for r in (run, plain))
    assert with_us == without
    product = 4 * 2 * 2 * BATCH * WIDTH * sum(WIDE.values())
    flops = run.summary["totals"]["flops"]
    assert (flops["forward"], flops["backward"]) == (product, 2 * product)
