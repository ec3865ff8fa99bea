# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Parallel training: each module's work, parameters and communication, whatever shares it out.

One run on two ranks trains one class of model in each way (tests/programs/parallel); one run of
one process gives the numbers that the ranks together must have.
"""

import os

import ledger as book
import pytest
import summary_checks
from flopsprof_run import PROGRAMS, run_profiled, torchrun

PROGRAM = os.path.join(PROGRAMS, "parallel", "parallel.py")
STEPS = 2
BLOCK = 2 * (64 * 64 + 64)  # parameters of one block
NET = 3 * BLOCK + 64 * 64 + 64
ELEMENT = 4  # bytes
# Plain data and model parallelism; activation checkpointing comes apart.
PLAIN = ["DdpNet", "FlatNet", "OriginalNet", "ShardedNet", "TensorNet", "PipelineNet"]
ALL = [*PLAIN, "ShardedCheckpointNet"]


def run(command, folder, **more):
    result = run_profiled(command, folder=str(folder / "run"), **more)
    assert result.ended_well(), result.explain()
    assert summary_checks.problems(result.summary) == [], result.explain()
    return result


@pytest.fixture(scope="module")
def one(tmp_path_factory, python):
    return run([python, PROGRAM], tmp_path_factory.mktemp("one")).summary


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return run(torchrun(2, PROGRAM), tmp_path_factory.mktemp("two"))


def root_of(summary, name) -> str:
    return next(m["path"] for m in summary["modules"] if m["class"] == name and not m["depth"])


def tree(summary, name) -> dict:
    """{path in the model: module} of the model of that class."""
    return below(summary, root_of(summary, name))


def below(summary, root) -> dict:
    """{path below the root: module}"""
    found = {}
    for module in summary["modules"]:
        path = module["path"]
        inside = not path.startswith("(") if root == "" else path == root or path.startswith(root + ".")
        if inside:
            found[path[len(root) :].lstrip(".")] = module
    return found


def collectives(summary, name) -> dict:
    """{(api, phase, path in the model): calls} of the model of that class."""
    root, found = root_of(summary, name), {}
    paths = {module["path"]: path for path, module in tree(summary, name).items()}
    for row in summary["collectives"]:
        if row["module"] in paths:
            key = (row["api"], row["phase"], paths[row["module"]])
            found[key] = found.get(key, 0) + row["calls"]
    assert root in paths
    return found


def flops(modules) -> dict:
    return {
        path: (module["flops"], module["self"]["flops"], module["provenance"])
        for path, module in modules.items()
    }


def known_flops(module) -> dict:
    return {phase: count or 0 for phase, count in module["flops"].items()}


@pytest.mark.parametrize("name", ALL)
def test_the_ranks_together_do_the_work_of_one_process(one, two, name):
    alone = tree(one, "SingleCheckpointNet" if "Checkpoint" in name else "SingleNet")
    shared = tree(two.summary, name)
    assert set(shared) == set(alone)
    for path, module in shared.items():
        assert known_flops(module) == known_flops(alone[path]), path
    if name == "ShardedCheckpointNet":
        assert shared[""]["flops"]["recompute"] > 0


def test_the_numbers_of_one_process_are_right(one):
    # A product of 16 rows: forward 1, backward 2, and 1 without a gradient of the input.
    product = 2 * 16 * 64 * 64
    modules = tree(one, "SingleNet")
    assert known_flops(modules["head"])["forward"] == STEPS * product
    assert known_flops(modules["head"])["backward"] == STEPS * 2 * product
    assert known_flops(modules["blocks.0.a"])["backward"] == STEPS * product
    assert known_flops(modules[""])["backward"] == STEPS * 13 * product
    # Of a block all but its last product is done again.
    recompute = known_flops(tree(one, "SingleCheckpointNet")[""])["recompute"]
    assert recompute == STEPS * 3 * product


@pytest.mark.parametrize("name", ["DdpNet", "FlatNet", "OriginalNet", "ShardedNet", "TensorNet"])
def test_parameters_are_whole_and_counted_once(one, two, name):
    alone, shared = tree(one, "SingleNet"), tree(two.summary, name)
    assert {p: m["params"] for p, m in shared.items()} == {p: m["params"] for p, m in alone.items()}
    assert {p: m["class"] for p, m in shared.items() if p} == {
        p: m["class"] for p, m in alone.items() if p
    }
    root = shared[""]
    assert root["params"] == NET
    sizes = root["parameters"]
    assert sizes["trainable"] == sizes["active"] == NET
    assert sizes["bytes"] == ELEMENT * NET
    assert sizes["experts"] == sizes["buffers"] == 0
    if name == "DdpNet":
        assert sizes["local"] == NET
    elif name == "TensorNet":  # biases of rowwise layers are whole on each rank
        assert sizes["local"] == NET // 2 + 3 * 64 // 2
    else:
        assert sizes["local"] == NET // 2


@pytest.mark.parametrize("name", ["FlatNet", "OriginalNet", "ShardedNet", "ShardedCheckpointNet"])
def test_gathers_and_scatters_belong_to_the_module_that_they_serve(two, name):
    found = collectives(two.summary, name)
    blocks = [f"blocks.{i}" for i in range(3)]
    each = 2 * STEPS  # ranks
    for path in [*blocks, ""]:
        assert found[("ncclAllGather", "forward", path)] == each, path
        assert found[("ncclReduceScatter", "backward", path)] == each, path
    for path in blocks:
        assert found[("ncclAllGather", "backward", path)] == each, path
    others = {key for key in found if key[2] not in (*blocks, "")}
    assert others == set()


def test_bytes_are_those_of_the_module(two):
    root = root_of(two.summary, "ShardedNet")
    path = f"{root}.blocks.1" if root else "blocks.1"
    rows = [r for r in two.summary["collectives"] if r["module"] == path]
    assert {(r["api"], r["phase"]) for r in rows} == {
        ("ncclAllGather", "forward"),
        ("ncclAllGather", "backward"),
        ("ncclReduceScatter", "backward"),
    }
    for row in rows:
        # Each rank gives, or gets, its half of the block.
        assert row["bytes"] == row["calls"] * ELEMENT * BLOCK // 2
        assert row["ranks"] == "0-1"


def test_accumulation_without_sync_reduces_once_a_step(two):
    found = collectives(two.summary, "DdpNet")
    reduces = {key: calls for key, calls in found.items() if key[0] == "ncclAllReduce"}
    assert {phase for _, phase, _ in reduces} == {"backward"}
    rows = [r for r in two.summary["collectives"] if r["api"] == "ncclAllReduce"]
    paths = {m["path"] for m in tree(two.summary, "DdpNet").values()}
    reduced = sum(r["bytes"] for r in rows if r["module"] in paths)
    assert reduced == 2 * STEPS * ELEMENT * NET


def test_waits_are_told_apart_from_transfers(two):
    rows = two.summary["collectives"]
    matched = [r for r in rows if r["matched_calls"]]
    of_all = [r for r in rows if r["api"] not in ("ncclSend", "ncclRecv")]
    assert sum(r["matched_calls"] for r in of_all) > 0.9 * sum(r["calls"] for r in of_all)
    for row in matched:
        assert row["matched_calls"] <= row["calls"]
        assert 0 <= row["wait_s"] and 0 <= row["transfer_s"]
        if row["matched_calls"] == row["calls"]:
            assert row["wait_s"] + row["transfer_s"] == pytest.approx(row["gpu_time_s"], abs=1e-8)
    assert sum(r["wait_s"] for r in matched) > 0
    totals = two.summary["totals"]
    assert totals["communication_s"] == pytest.approx(sum(r["gpu_time_s"] for r in rows), rel=1e-6)
    assert totals["exposed_communication_s"] > 0
    assert totals["hidden_communication_s"] >= 0


def test_hidden_and_exposed_communication_are_the_ledgers(tmp_path):
    # Long kernels: backward runs on beside the reduction of a bucket.
    durations = '{"durations": 300000}'
    result = run(torchrun(2, PROGRAM, "ddp"), tmp_path, faults=durations, ledger=True)
    assert len(result.summary["ranks"]) == 2
    for rank in result.summary["ranks"]:
        own = [row for row in result.ledger if f".{rank['pid']}." in row["file"]]
        whole, hidden = book.hidden_communication(own)
        assert 0 < hidden < whole
        assert summary_checks.nanoseconds(rank["hidden_communication_s"]) == hidden
        assert summary_checks.nanoseconds(rank["exposed_communication_s"]) == whole - hidden
    for row in [*result.summary["collectives"], *(m["self"] for m in result.summary["modules"])]:
        collective = "exposed_s" in row
        whole = row["gpu_time_s"] if collective else row["communication_s"]
        parts = ("exposed_s", "hidden_s") if collective else (
            "exposed_communication_s", "hidden_communication_s",
        )  # fmt: skip
        assert sum(row[part] for part in parts) == pytest.approx(whole, abs=1e-9), row
    reduces = [r for r in result.summary["collectives"] if r["api"] == "ncclAllReduce"]
    assert sum(r["hidden_s"] for r in reduces) > 0
    totals = result.summary["totals"]
    assert totals["hidden_communication_s"] == pytest.approx(
        sum(r["hidden_communication_s"] for r in result.summary["ranks"]), abs=1e-9
    )


def test_experts_of_all_ranks_count(two):
    modules = tree(two.summary, "ExpertNet")
    moe = modules["moe"]
    gate = 64 * 2
    assert moe["params"] == gate + 2 * BLOCK
    sizes = moe["parameters"]
    assert (sizes["experts"], sizes["active"], sizes["local"]) == (
        2 * BLOCK, gate + BLOCK, gate + BLOCK,
    )  # fmt: skip
    # Sixteen rows went through one expert each, in both of its products.
    assert known_flops(modules["moe.experts.0"])["forward"] == STEPS * 2 * (2 * 16 * 64 * 64)
    exchanges = collectives(two.summary, "ExpertNet")
    assert exchanges[("ncclAlltoAll", "forward", "moe")] == 2 * 2 * STEPS
    assert sum(n for key, n in exchanges.items() if key[:2] == ("ncclAlltoAll", "backward")) > 0


def test_stages_send_to_each_other(two):
    rows = [r for r in two.summary["collectives"] if r["api"] in ("ncclSend", "ncclRecv")]
    assert {r["api"] for r in rows} == {"ncclSend", "ncclRecv"}
    # Alone and in groups: all ends are known.
    assert [r["matched_calls"] for r in rows] == [r["calls"] for r in rows]


SCHEDULES = ["GPipeNet", "InterleavedNet", "LoopedNet", "ZeroBubbleNet", "VNet"]


@pytest.fixture(scope="module")
def pipelines(tmp_path_factory):
    program = os.path.join(PROGRAMS, "parallel", "pipelines.py")
    return run(torchrun(2, program), tmp_path_factory.mktemp("pipelines")).summary


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_stages_of_a_schedule_do_the_work_of_one_process(one, pipelines, name):
    # The stages of one rank are models of one class: each has a root of its own.
    stages = [
        below(pipelines, m["path"])
        for m in pipelines["modules"]
        if m["class"] == name and not m["depth"]
    ]
    assert len(stages) == (1 if name == "GPipeNet" else 2)
    alone = tree(one, "SingleNet")
    assert {path for stage in stages for path in stage} == set(alone)
    for path, module in alone.items():
        for phase, count in known_flops(module).items():
            parts = [known_flops(stage[path])[phase] for stage in stages if path in stage]
            assert sum(parts) == count, (path, phase)


def test_the_report_shows_who_communicates(two):
    text = two.report()
    assert "Communication by module" in text
    assert ".blocks." in text[text.index("Communication by module") :]
    assert "2 ranks: 0-1" in text


@pytest.mark.parametrize(
    "stage", [pytest.param(1, marks=pytest.mark.full), pytest.param(2, marks=pytest.mark.full), 3]
)
def test_a_deepspeed_engine_does_the_work_of_one_process(one, tmp_path, stage):
    program = os.path.join(PROGRAMS, "parallel", "zero.py")
    summary = run(torchrun(2, program, str(stage)), tmp_path).summary
    alone, shared = tree(one, "SingleNet"), tree(summary, "ZeroNet")
    assert set(shared) == set(alone)
    for path, module in shared.items():
        assert known_flops(module) == known_flops(alone[path]), path
        assert module["params"] == alone[path]["params"], path
        assert module["class"] == alone[path]["class"] or not path
    local = shared[""]["parameters"]["local"]
    assert local == (NET // 2 if stage == 3 else NET)
