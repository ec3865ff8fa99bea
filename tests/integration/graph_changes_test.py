# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs that C++ programs copy, nest and change (tests/programs/graphs): each replay counts
what ran, to the integer, or is unknown for the right reason, with its time."""

import os

import by_name
import pytest
from flopsprof_run import PROGRAMS, run_profiled

SOURCE = os.path.join(PROGRAMS, "graphs", "graphs.cc")
LIBRARIES = {"cu13": "libcublas.so.13 libcudart.so.13"}
N = 100
EDITED = "changed after instantiation, node by node or by an unknown child"
CONDITIONAL = ("counted without the bodies of conditional nodes, which run an unknown number of "
               "times")  # fmt: skip

# way -> (sum of the m of all products that ran, replays)
COUNTED = {
    "clone": (10 * N, N),
    "child": ((30 + 20 + 2 * 10) * N, N),
    "child_by_parameters": ((20 + 10) * N, N),
    "into_capture": ((10 + 20) * N, N),
    "into_graph": ((10 + 20) * N, N),
    "update": ((10 + 20 + 20) * N, 3 * N),
    "many_updates": (2 * sum(range(2, 61)), 2 * 59),
    "threads": (10 * N, N),
    "ended_elsewhere": (10 * N + 20, N),
    "many_graphs": (10 * 600, 600),
}
# way -> (sum of the m that is known, state of the others, their replays, kernels of all replays)
UNKNOWN = {
    "set_parameters": (10 * N, EDITED, N, 2 * N),
    "switched_off": (30 * N, EDITED, N, 3 * N),
    "changed_child": (10 * N, EDITED, N, 2 * N),
    "if": (10 * N, CONDITIONAL, N, 2 * N + N // 2),
    "while": (10 * N, CONDITIONAL, N, N + 3 * 2 * N),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> str:
    return by_name.compiled(SOURCE, str(tmp_path_factory.mktemp("graphs") / "graphs"), "link",
                            LIBRARIES)


def run_way(program, way, mode, folder):
    cupti = os.path.join(by_name.nvidia(), "cu13", "lib", "libcupti.so.13")
    run = run_profiled([program, way], "--graphs", mode, folder=folder, ledger=True,
                       env={"FLOPSPROF_CUPTI": cupti})
    assert run.ended_well() and "done" in run.stdout, run.explain()
    return run


def nodes_ns(run) -> list:
    return [row["end_ns"] - row["start_ns"] for row in run.ledger
            if row["graph_node_id"] and not row["captured"]]


def flops(run) -> int:
    return run.summary["totals"]["flops"]["other"]


@pytest.mark.parametrize("mode", ["node", "graph"])
@pytest.mark.parametrize("way", COUNTED)
def test_each_replay_counts_what_ran(program, way, mode, folder):
    run = run_way(program, way, mode, folder)
    total_m, replays = COUNTED[way]
    assert flops(run) == total_m * 2 * 2 * 3
    assert run.summary["ranks"][0]["loss"] == {}
    (graphs,) = run.summary["coverage"]["graphs"]
    assert (graphs["state"], graphs["replays"]) == ("counted", replays)
    if mode == "node":
        assert graphs["activities"] == len(nodes_ns(run))
        assert round(graphs["gpu_time_s"] * 1e9) == sum(nodes_ns(run))
        assert run.summary["totals"]["unknown_gpu_time_s"] == 0
    else:
        assert graphs["activities"] == replays


@pytest.mark.parametrize("way", UNKNOWN)
def test_what_cannot_be_counted_is_unknown_with_its_time(program, way, folder):
    run = run_way(program, way, "node", folder)
    known_m, state, replays, kernels = UNKNOWN[way]
    assert flops(run) == known_m * 2 * 2 * 3
    rows = {row["state"]: row for row in run.summary["coverage"]["graphs"]}
    assert rows[state]["replays"] == replays
    assert len(nodes_ns(run)) == kernels
    assert sum(row["activities"] for row in rows.values()) == kernels
    assert round(sum(row["gpu_time_s"] for row in rows.values()) * 1e9) == sum(nodes_ns(run))
    assert run.summary["totals"]["unknown_gpu_time_s"] > 0
    assert any(state in reason for reason in run.summary["coverage"]["reasons"])
