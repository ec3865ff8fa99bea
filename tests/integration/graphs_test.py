# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs: a capture does nothing, each replay does all of it; what was not seen captured is
unknown with its time."""

import os

import pytest
from flopsprof_run import PROGRAMS, ROOT, run_profiled

JOB = os.path.join(PROGRAMS, "jobs", "replays_graphs.py")
WARM_UP = 3  # steps before the capture; the capture itself executes nothing
REPLAYS = 100

# jobs/small_net.py: 4 rows through 64 -> 32 -> 16. Backward has the gradients of the weights, and
# of the input where that one needs any.
FIRST = 2 * 4 * 64 * 32
SECOND = 2 * 4 * 32 * 16
FORWARD = FIRST + SECOND
BACKWARD = FIRST + 2 * SECOND


def run_job(python, folder, way, replays, *options, **more):
    run = run_profiled([python, JOB, way, str(replays)], *options, folder=folder, **more)
    assert run.ended_well(), run.explain()
    return run


def work_of(run, path) -> tuple:
    flops = run.module(path)["flops"]
    return flops["forward"], flops["backward"]


def only_graphs(run) -> dict:
    """The one line of coverage about graphs."""
    (graphs,) = run.summary["coverage"]["graphs"]
    return graphs


def assert_nothing_lost(run) -> None:
    coverage = run.summary["coverage"]
    assert run.summary["ranks"][0]["loss"] == {}
    assert coverage["records_lost"] == 0 and coverage["calls_unmatched"] == 0
    assert only_graphs(run)["state"] == "counted"


def replayed_ns(run) -> list:
    """Durations of all that graphs ran, by the stand-in's own ledger."""
    return [
        row["end_ns"] - row["start_ns"]
        for row in run.ledger
        if row["graph_node_id"] and not row["captured"]
    ]


def assert_each_replay_counts(run, steps) -> None:
    assert work_of(run, "first") == (steps * FIRST, steps * FIRST)
    assert work_of(run, "second") == (steps * SECOND, steps * 2 * SECOND)
    assert work_of(run, "") == (steps * FORWARD, steps * BACKWARD)
    flops = run.summary["totals"]["flops"]
    assert (flops["forward"], flops["backward"]) == (steps * FORWARD, steps * BACKWARD)


def test_a_hundred_replays_count_a_hundred_times_timed_by_node(python, folder):
    run = run_job(python, folder, "replay", REPLAYS, "--graphs", "node", ledger=True)
    assert_nothing_lost(run)
    assert_each_replay_counts(run, WARM_UP + REPLAYS)
    assert run.summary["steps"]["profiled"] == WARM_UP + REPLAYS
    # A replay calls no module: the calls before are not all.
    assert [run.module(path)["calls"] for path in ("", "first", "second")] == [None] * 3
    assert any("calls are not known" in reason for reason in run.summary["coverage"]["reasons"])
    nodes = replayed_ns(run)
    graphs = only_graphs(run)
    assert (graphs["graphs"], graphs["replays"]) == (1, REPLAYS)
    assert graphs["calls"] == 5 * REPLAYS  # two products forward, three backward
    assert graphs["activities"] == len(nodes) > 5 * REPLAYS
    assert round(graphs["gpu_time_s"] * 1e9) == sum(nodes)
    assert graphs["shared_s"] == 0


def test_a_hundred_replays_count_a_hundred_times_timed_by_launch(python, folder):
    run = run_job(python, folder, "replay", REPLAYS, "--graphs", "graph")
    assert_nothing_lost(run)
    assert_each_replay_counts(run, WARM_UP + REPLAYS)
    graphs = only_graphs(run)
    assert graphs["replays"] == graphs["activities"] == REPLAYS
    assert graphs["shared_s"] == graphs["gpu_time_s"] > 0
    assert "are divided among their nodes, not measured there" in run.report()


def test_a_replay_that_is_timed_by_node_and_as_a_whole_is_booked_once(python, folder):
    """CUPTI may give both while it goes over from the one to the other (`--graphs auto`)."""
    run = run_job(python, folder, "replay", REPLAYS, "--graphs", "graph", ledger=True,
                  faults='{"late_graph_trace_ms": 600000}')
    assert_each_replay_counts(run, WARM_UP + REPLAYS)
    graphs = only_graphs(run)
    assert graphs["replays"] == REPLAYS
    # One stream: a replay as a whole takes what its nodes take, and launch gaps of the card.
    once = sum(replayed_ns(run)) / 1e9
    assert once <= graphs["gpu_time_s"] < 1.3 * once
    assert run.summary["ranks"][0]["loss"]["replay_times_twice"] >= REPLAYS
    assert "came by node and as a whole" in run.report()


def test_graphed_callables_count_at_each_call(python, folder):
    run = run_job(python, folder, "callables", REPLAYS)
    assert_nothing_lost(run)
    assert_each_replay_counts(run, WARM_UP + REPLAYS)
    graphs = only_graphs(run)  # a graph forward and one backward
    assert (graphs["graphs"], graphs["replays"]) == (2, 2 * REPLAYS)
    assert run.summary["steps"]["profiled"] == REPLAYS


def test_a_window_of_steps_counts_replays_of_an_earlier_capture(python, folder):
    run = run_job(python, folder, "replay", REPLAYS, "--steps", "10:20")
    assert_nothing_lost(run)
    assert_each_replay_counts(run, 10)
    assert only_graphs(run)["replays"] == 10
    steps = run.summary["steps"]
    assert (steps["first"], steps["last"]) == (10, 19)


def test_a_graph_that_nobody_saw_captured_is_unknown_with_its_time(python, folder):
    run = run_job(python, folder, "unseen", 10, ledger=True)
    # Once without a graph; what the graph did is in no count.
    assert work_of(run, "") == (FORWARD, 0)
    nodes = replayed_ns(run)
    assert len(nodes) >= 2 * 10
    graphs = only_graphs(run)
    reason = "captured before profiling began, or in a way that is not seen"
    assert graphs["state"] == reason
    assert (graphs["graphs"], graphs["replays"], graphs["calls"]) == (1, 10, 0)
    assert graphs["activities"] == len(nodes)
    assert round(graphs["gpu_time_s"] * 1e9) == sum(nodes)
    # Its products are unknown; kernels that hold none by their names are known here too.
    coverage = run.summary["coverage"]
    rest_s = (coverage["unknown"] + coverage["no_products"]) * coverage["gpu_time_s"]
    assert round(rest_s * 1e9) >= sum(nodes)
    assert run.summary["totals"]["unknown_gpu_time_s"] > 0
    loss = run.summary["ranks"][0]["loss"]
    assert loss["graph_replay"] == 10
    assert loss["captured_call"] == 2
    said = f"replays of CUDA graphs that were {reason}: 10, {sum(nodes) / 1e9:.6f} s of GPU time"
    assert said in run.summary["coverage"]["reasons"]
    assert said in " ".join(run.report().split())
    (finding,) = run.found("graphs_not_counted")
    assert finding["text"] == "work in CUDA graphs is not counted, or only in part"


def test_operations_without_a_library_call_count_at_each_replay(python, folder):
    run = run_job(python, folder, "attention", 10)
    assert_nothing_lost(run)
    steps = WARM_UP + 10
    product = 2 * 2 * 4 * 64 * 64 * 32
    modelled = run.summary["totals"]["flops_modelled"]
    assert modelled["forward"] == steps * 2 * product
    assert modelled["backward"] == steps * 4 * product
    assert modelled["recompute"] == steps * product
    graphs = only_graphs(run)
    assert (graphs["replays"], graphs["calls"]) == (10, 20)  # one forward, one backward
    flash = [k for k in run.summary["kernels"] if "pytorch_flash" in k["name"]]
    assert flash and {k["category"] for k in flash} == {"modelled"}


def test_operations_with_a_formula_of_the_programs_count_at_each_replay(python, folder):
    package = os.path.join(ROOT, "injector", "shims", "python")
    run = run_job(python, folder, "formula", 10, env={"PYTHONPATH": package})
    assert_nothing_lost(run)
    modelled = run.summary["totals"]["flops_modelled"]
    assert sum(modelled.values()) == (WARM_UP + 10) * 2 * 8 * 16
    assert only_graphs(run)["calls"] == 10
    modelled = [k["count"] for k in run.summary["kernels"] if k["category"] == "modelled"]
    assert modelled == [WARM_UP + 10]


def test_compiled_graphs_count_at_each_step(python, folder):
    run = run_job(python, folder, "compiled", 6, timeout=600)
    assert_nothing_lost(run)
    assert only_graphs(run)["replays"] > 0
    # No module calls inside of a compiled region.
    assert work_of(run, "") == (6 * FORWARD, 6 * BACKWARD)
