# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What real drivers and libraries may do in another way than the stand-in (switches of its fault
script): kernel times, flops and joins are those of its ledger under each, to the integer.

A switch that has changed nothing in the run fails its test. Every switch is here, or it makes
records or the ledger say what is not true, and then its own test is named.
"""

import json
import os
import re
from collections import defaultdict
from dataclasses import dataclass, field

import by_name
import ledger as book
import pytest
import summary_checks
from flopsprof_run import PROGRAMS, ROOT, run_profiled

SOURCE = os.path.join(PROGRAMS, "ledger", "products.cc")
LIBRARIES = {"cu13": "libcublas.so.13 libcublasLt.so.13 libcusolver.so.12 libcudart.so.13"}

POTRF = 11440  # n^3/3 + n^2/2 + n/6 with n = 32 (LAPACK Working Note 41)


def calls(run) -> dict:
    """call -> names of the operations that one of its calls made, as sets."""
    made = defaultdict(lambda: defaultdict(list))
    for row in book.executed(run.ledger):
        if row["call"]:
            made[row["call"]][row["call_id"]].append(row["name"])
    return {call: {tuple(names) for names in each.values()} for call, each in made.items()}


def has_name(part):
    return lambda run: any(part in row["name"] for row in book.executed(run.ledger))


@dataclass
class Switch:
    """One value of a switch; `seen`: the ledger shows what it did."""

    script: dict
    seen: object = lambda run: True
    options: tuple = ()
    loss: dict = field(default_factory=dict)  # the counters that it moves
    unknown_nodes: bool = False
    elsewhere: bool = False  # some calls have launches that cannot be known to be theirs


SWITCHES = {
    "nothing": Switch({}),
    "cublas calls cublasLt": Switch({"cublas_calls_lt": "exported"}, has_name("sim_ltmatmul_t14")),
    "cublas calls cublasLt inside": Switch({"cublas_calls_lt": "internal"},
                                           has_name("sim_ltmatmul_t14")),
    "cusolver calls cublas": Switch(
        {"cusolver_calls_cublas": "exported"},
        lambda run: ("sim_Sgemm", "cusolverDnSpotrf_kernel") in calls(run)["cusolverDnSpotrf"]),
    "cusolver calls cublas inside": Switch(
        {"cusolver_calls_cublas": "internal"},
        lambda run: ("sim_Sgemm_inner", "cusolverDnSpotrf_kernel")
        in calls(run)["cusolverDnSpotrf"]),
    "cusolver calls cublas calls cublasLt": Switch(
        {"cusolver_calls_cublas": "exported", "cublas_calls_lt": "exported"},
        has_name("sim_ltmatmul_t0")),
    "split k": Switch({"split_k": True}, has_name("sim_splitKreduce")),
    "memset before": Switch(
        {"product_memset": 2},
        lambda run: ("memset", "sim_Sgemm") in calls(run)["cublasSgemm_v2"]),
    "another thread launches": Switch(
        {"other_thread": 3}, lambda run: len({row["thread"] for row in run.ledger}) > 1,
        elsewhere=True),
    # The memset is the call's, so that it is not one without its kernels.
    "memset, another thread, split": Switch(
        {"product_memset": True, "split_k": 2, "other_thread": 3},
        lambda run: len({row["thread"] for row in run.ledger}) > 1),
    "driver only": Switch(
        {"driver_launches": True},
        lambda run: {"cuLaunchKernelEx"} == {row["api"] for row in book.executed(run.ledger)
                                             if row["name"] == "sim_Sgemm" and not row["graph_id"]}),
    "ids of the outer call": Switch({"nested_ids": "outer"}),
    "ids of the inner call": Switch({"nested_ids": "inner"}),
    "inner ids, split, calls inside": Switch(
        {"nested_ids": "inner", "split_k": 2, "product_memset": 3, "cublas_calls_lt": "exported"}),
    "no driver call inside": Switch({"nested_driver": "none"}),
    "two driver calls inside": Switch({"nested_driver": "twice"}),
    "none inside where captured": Switch({"captured_driver": "none"}),
    "children renumbered": Switch({"child_ids": "told"}),
    # Two children, one of them twice, in five replays.
    "children renumbered in silence": Switch({"child_ids": "untold"}, unknown_nodes=True,
                                             loss={"graph_node_unknown": 15}, elsewhere=True),
    "strict": Switch({"strict_arguments": True},
                     lambda run: "null operand" not in {row["tag"] for row in
                                                        book.executed(run.ledger)}),
    "refusals by chance": Switch({"fail_percent": 40}),
    "refusals": Switch({"fail": {"cublasSgemm_v2": 2, "cublasLtMatmul": [2, 3]}}),
    "inner refusals": Switch({"cublas_calls_lt": "exported", "fail": {"cublasLtMatmul": 2}}),
    "late": Switch({"late_ms": 300, "shuffle": 5, "callback_threads": 4, "empty_buffers": True}),
    "late beside graph launches": Switch({"late_graph_trace_ms": 60000},
                                         options=("--graphs", "graph"),
                                         loss={"replay_times_twice": 5}),
    "names": Switch({"null_name": [5, 7], "recycled_name": 5}, loss={"no_kernel_name": 2}),
    "lengths": Switch({"longer_record": 3, "shorter_record": 4}),
    "inside of cuInit": Switch({"init_ms": 200}),
    "version": Switch({"cupti_version": 130501}),
}  # fmt: skip

# Switches that make records, or the ledger, say what is not so, or take CUPTI away.
ELSEWHERE = {
    "dropped": "faults_test.py",
    "zero_times": "faults_test.py",
    "end_before_start": "faults_test.py",
    "no_correlation": "faults_test.py",
    "unknown_kind": "faults_test.py",
    "lost_record": "faults_test.py",
    "lone_ids": "spared_callbacks_test.py",
    "callback_off": "spared_callbacks_test.py",
    "cudnn_json": "cudnn_calls_test.py",
    "cupti": "faults_test.py",
    "subscriber_taken": "faults_test.py",
    "attached_ns": "finalize_test.py",
    "ids_start_again": "finalize_test.py",
    "broken_cuda": "bad_machine_test.py",
    "mig": "bad_machine_test.py",
    **dict.fromkeys(
        ("falsify_duration", "falsify_correlation", "falsify_shape", "falsify_layout",
         "moved_fields", "update_renumbers", "pool_limit_ignored", "after_unsubscribe_us",
         "dead_after_finalize", "many_subscribers", "lenient_arguments", "callback_us"),
        "../gpu/questions.toml"),
}  # fmt: skip


def documented() -> set:
    with open(os.path.join(ROOT, "tests", "simgpu", "README.md"), encoding="utf-8") as file:
        text = file.read().split("## Fault script")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_every_switch_is_judged():
    swept = {name for switch in SWITCHES.values() for name in switch.script} | {"durations"}
    assert swept | set(ELSEWHERE) == documented()
    assert not swept & set(ELSEWHERE)
    for name, file in ELSEWHERE.items():
        with open(os.path.join(ROOT, "tests", "integration", file), encoding="utf-8") as text:
            assert name in text.read(), (name, file)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> str:
    return by_name.compiled(SOURCE, str(tmp_path_factory.mktemp("ledger") / "products"), "link",
                            LIBRARIES)


def path_of(row: dict, switch: Switch) -> str:
    """Where a row of the ledger belongs: a node of a graph to who captured it, as far as that can
    be known."""
    if not row["graph_node_id"]:
        return row["tag"] or "(outside)"
    if not row["node_tag"]:  # captured by another thread
        return "(outside)"
    child = row["node_tag"] in ("child", "middle")
    return row["tag"] if switch.unknown_nodes and child else f"captures.{row['node_tag']}"


def products(ledger: list) -> int:
    """Flops of all products that ran, in replays too."""
    flops, seen = 0, set()
    for row in book.executed(ledger):
        replayed = bool(row["graph_node_id"])
        shape = row["node_shape"] if replayed else row["shape"]
        key = (row["correlation_id"], row["graph_node_id"]) if replayed else row["call_id"]
        if not shape.startswith("gemm ") or key in seen or row["call"].startswith("cusolver"):
            continue
        if replayed and row["name"] in ("memset", "sim_splitKreduce"):
            continue
        seen.add(key)
        words = dict(word.split("=") for word in shape.split() if "=" in word)
        flops += 2 * int(words["m"]) * int(words["n"]) * int(words["k"]) * int(words["batch"])
    return flops


@pytest.mark.parametrize("name", SWITCHES)
def test_the_ledger_is_matched_under_each_switch(name, program, folder):
    switch = SWITCHES[name]
    script = {"durations": "hash", **switch.script}
    cupti = os.path.join(by_name.nvidia(), "cu13", "lib", "libcupti.so.13")
    run = run_profiled([program], *(switch.options or ("--graphs", "node")), folder=folder,
                       faults=json.dumps(script), ledger=True, env={"FLOPSPROF_CUPTI": cupti})
    assert run.ended_well() and "done" in run.stdout, run.explain()
    struck = {row["name"] for row in run.ledger if row["kind"] == "fault"}
    assert struck == set(script), run.explain()
    assert switch.seen(run)

    summary = run.summary
    assert summary_checks.problems(summary) == []
    expected = defaultdict(int)
    for row in book.executed(run.ledger):
        expected[path_of(row, switch)] += book.duration(row)
    reported = {module["path"]: summary_checks.nanoseconds(module["self"]["gpu_time_s"]["other"])
                for module in summary["modules"]}
    assert {path: ns for path, ns in reported.items() if ns} == dict(expected)
    assert sum(reported.values()) == sum(map(book.duration, book.executed(run.ledger)))

    factorizations = sum(row["name"] == "cusolverDnSpotrf_kernel"
                         for row in book.executed(run.ledger))
    potrf = sum(summary_checks.total(module["self"]["flops"]) for module in summary["modules"]
                if module["path"] == "solver")
    assert potrf == factorizations * POTRF
    assert summary_checks.total(summary["totals"]["flops"]) - potrf == products(run.ledger) > 0

    coverage, (rank,) = summary["coverage"], summary["ranks"]
    assert rank["loss"] == switch.loss
    assert coverage["records_lost"] == 0
    assert (coverage["calls_unmatched"] > 0) == switch.elsewhere
