# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about speed: a job that loses time in one way has that finding and no other; jobs that keep
their card busy have none. On the stand-in, whose times are a model: SIMGPU_SLOWER makes a card on
which small models are what large ones are on a real one.
"""

import json
import os
import re
import subprocess

import json_schema
import pytest
from flopsprof_run import (
    PROGRAMS,
    ROOT,
    acceptance,
    environment,
    product,
    run_profiled,
    torchrun,
)

JOBS = os.path.join(PROGRAMS, "jobs")
LOSES = os.path.join(JOBS, "loses_time.py")
# The card needs 74 ms for a step of `busy`, the host some ms, and it is a step ahead: the card is idle only
# where the host stops for most of a step. Peaks below 1 G are refused, so it cannot be slower.
SLOWER = 2000
SLOW_CARD = {"SIMGPU_SLOWER": str(SLOWER)}
# The stand-in reaches 400 T flops and 3 T bytes a second: of that a two-thousandth is 0.2 T and 1.5 G.
PEAKS = "bf16=0.25T,memory=1.6G"
SPEED = (
    "idle", "launch_bound", "input_bound", "exposed_communication", "slow_rank", "uneven_ranks",
    "uneven_stages", "recompute", "small_kernels", "slow_products", "misaligned_products",
    "plain_fp32",
)  # fmt: skip


def about_speed(summary: dict) -> dict:
    return {f["kind"]: f for f in summary["findings"] if f["kind"] in SPEED}


def with_peaks(folder: str, peaks: str) -> dict:
    """The summary of a run by other peaks."""
    done = subprocess.run(
        [product("bin/flopsprof"), "report", "--json", "--peak", peaks, folder],
        env=environment(), stdout=subprocess.PIPE, check=True, text=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def run(python, tmp_path_factory):
    """Runs loses_time.py in one way, once."""
    folder = tmp_path_factory.mktemp("findings")
    made = {}

    def make(way, ranks=1, env=SLOW_CARD, peaks=PEAKS, **more):
        if way not in made:
            command = torchrun(ranks, LOSES, way) if ranks > 1 else [python, LOSES, way]
            options = ("--peak", peaks) if peaks else ()
            made[way] = run_profiled(command, *options, folder=str(folder / way), env=env, **more)
            assert made[way].ended_well(), made[way].explain()
        return made[way]

    return make


def test_a_job_that_keeps_its_card_busy_has_none(run):
    summary = run("busy").summary
    assert about_speed(summary) == {}
    assert summary["steps"]["bound_by"] == "gpu_work"
    assert json_schema.summary_problems(summary) == []
    assert json_schema.summary_undescribed(summary) == []
    assert "bound by the work of the GPU" in run("busy").report()


def test_products_far_below_the_peak_are_slow(run):
    found = about_speed(with_peaks(run("busy").folder, "bf16=0.6T,memory=3.2G"))
    assert list(found) == ["slow_products"]
    # 2 * 512 * 1024 * 2048 flops take 10.74 ms at 0.2 T and 3 ms more; at 0.6 T 3.58 ms.
    assert "products reach 26.1 %" in found["slow_products"]["text"]


def test_products_that_the_memory_bounds_are_not(run):
    # 7.34 MB take 7.27 of 13.74 ms at 1.01 G bytes a second.
    assert about_speed(with_peaks(run("busy").folder, "bf16=0.6T,memory=1.01G")) == {}


def test_odd_sizes_are_misaligned(run):
    summary = run("odd", peaks="bf16=0.6T,memory=3.2G").summary
    assert list(about_speed(summary)) == ["misaligned_products"]


def test_fp32_where_tf32_is_faster(run):
    summary = run("fp32", peaks="fp32=0.25T,tf32=2T,memory=3.2G").summary
    assert list(about_speed(summary)) == ["plain_fp32"]


def test_many_small_kernels_wait_for_launches(run):
    # From 100 us a launch on the host does other things. It needs 24 us for each of 3000 on a busy
    # machine, 4 times less than that.
    summary = run("launches", env={}).summary
    assert list(about_speed(summary)) == ["launch_bound"]
    assert summary["steps"]["bound_by"] == "launch_bound"


def test_host_work_between_steps(run):
    # 200 ms in each step; the finding needs half of what is idle, and the rest of a step takes some ms.
    summary = run("input", env={}).summary
    found = about_speed(summary)
    assert list(found) == ["input_bound"]
    assert summary["steps"]["bound_by"] == "input_bound"
    parts = summary["steps"]["parts"]
    assert parts["between_s"] >= 0.2 * (parts["rank_steps"] - 1)  # the last one ends before
    assert parts["between_idle_s"] == pytest.approx(parts["between_s"] - parts["busy_s"])


def test_host_work_elsewhere_is_not_told_apart(run):
    # 200 ms in each step: 13 launches may take 1.3 ms, and what is between steps 100 ms.
    summary = run("host", env={}).summary
    assert list(about_speed(summary)) == ["idle"]


def test_small_kernels_of_a_graph(run):
    # 20,000 kernels take 180 ms of each step, and the host is a step ahead.
    summary = run("graph", env={}, faults='{"durations": 9000}').summary
    assert list(about_speed(summary)) == ["small_kernels"]


@pytest.mark.parametrize(
    "way, kind",
    [("slow-rank", "slow_rank"), ("more-work", "uneven_ranks"), ("stages", "uneven_stages")],
)
def test_ranks_that_differ(run, way, kind):
    assert list(about_speed(run(way, ranks=2).summary)) == [kind]


def test_reductions_that_nothing_hides(run):
    summary = run("reduces", ranks=2, peaks="", faults='{"durations": 60000000}').summary
    assert list(about_speed(summary)) == ["exposed_communication"]


def test_repeated_forwards(python, folder):
    command = [python, *acceptance("checkpoint", "--mode", "train", "--steps", "3")]
    made = run_profiled(command, folder=folder, env={"SIMGPU_SLOWER": str(5 * SLOWER)})
    assert made.ended_well(), made.explain()
    assert list(about_speed(made.summary)) == ["recompute"]


def train(name: str, *options: str) -> list:
    return acceptance(name, "--mode", "train", "--steps", "3", *options)


# With `busy` six healthy jobs. None waits for its card within a step, so that only the first operation
# comes late: each takes some 10 ms, and the host needs 0.4 ms at most to launch one on a busy machine.
# Collectives of the stand-in are not slower: 0.2 % of the steps of ddp, and 2 % is a finding.
HEALTHY = {
    "one process": train("lenet5", "--batch", "8"),
    "recurrent": train("rnn"),
    "attention": train("sdpa"),
    "inference": acceptance("bert", "--mode", "fwd", "--steps", "3"),
    "ddp": [os.path.join(PROGRAMS, "parallel", "parallel.py"), "ddp"],
}


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_jobs_have_none(name, python, folder):
    command = HEALTHY[name]
    command = torchrun(2, *command) if name == "ddp" else [python, *command]
    env = {"SIMGPU_SLOWER": str(5 * SLOWER)}
    made = run_profiled(command, folder=folder, env=env, timeout=600)
    assert made.ended_well(), made.explain()
    assert about_speed(made.summary) == {}


def kinds_in_code() -> list:
    with open(os.path.join(ROOT, "collector/model/finding_kinds.cc"), encoding="utf-8") as file:
        return re.findall(r'^    "(\w+)",$', file.read(), re.M)


def test_the_page_and_the_schema_list_the_kinds_that_there_are():
    kinds = kinds_in_code()
    assert len(kinds) > 40
    with open(os.path.join(ROOT, "docs/findings.md"), encoding="utf-8") as file:
        listed = re.findall(r"^\| `(\w+)` \|", file.read(), re.M)
    assert sorted(listed) == sorted(kinds)
    with open(os.path.join(ROOT, "docs/summary.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    items = schema["properties"]["findings"]["items"]
    assert items["properties"]["kind"]["enum"] == kinds
