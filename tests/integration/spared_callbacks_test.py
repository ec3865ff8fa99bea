# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which of CUPTI's callbacks for launches stay on, and that nothing is lost or told twice while they
go and come: times by range are those of the stand-in's ledger, to the integer.
"""

import json
import os
from collections import defaultdict
from dataclasses import dataclass

import by_name
import ledger as book
import pytest
import summary_checks
from flopsprof_run import PROGRAMS, run_profiled

SOURCE = os.path.join(PROGRAMS, "ledger", "launches.cc")
LIBRARIES = {"cu13": "libcublas.so.13 libcudart.so.13 libcuda.so.1"}
SPARED = "of the driver alone for runtime ids 211 430"
SETTLED = ("off", "on", "off")  # a trial, and for good


@dataclass
class Case:
    script: dict
    does: tuple  # arguments of launches.cc
    note: str


CASES = {
    "as documented": Case({}, (*SETTLED, "200", "capture", "200"), SPARED),
    "another id": Case({"nested_ids": "inner"}, ("2500",),
                       "of runtime and driver; kept for 211 430: not one driver call inside, with"
                       " the same id"),
    "no driver call": Case({"nested_driver": "none"}, ("2500",),
                           "of runtime and driver; kept for 211 430: not one driver call inside,"
                           " with the same id"),
    "two driver calls": Case({"nested_driver": "twice"}, ("2500",),
                             "of runtime and driver; kept for 211 430: not one driver call inside,"
                             " with the same id"),
    "none where captured": Case({"captured_driver": "none"}, (*SETTLED, "capture", "on", "300"),
                                "of runtime and driver; kept for 211 214 269 270 430 431 505 506:"
                                " a captured launch had no callback of the driver"),
    "refused": Case({"callback_off": "refused"}, ("2500",),
                    "of runtime and driver; kept for 211 430: CUPTI refused"),
    "late": Case({"callback_off": "late"}, ("4500",), SPARED),
}  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> str:
    return by_name.compiled(SOURCE, str(tmp_path_factory.mktemp("ledger") / "launches"), "link",
                            LIBRARIES)


def profiled(case: Case, program: str, folder: str):
    script = {"durations": "hash", **case.script}
    cupti = os.path.join(by_name.nvidia(), "cu13", "lib", "libcupti.so.13")
    run = run_profiled([program, *case.does], "--graphs", "node", folder=folder,
                       faults=json.dumps(script), ledger=True, env={"FLOPSPROF_CUPTI": cupti})
    assert run.ended_well() and "done" in run.stdout, run.explain()
    assert {row["name"] for row in run.ledger if row["kind"] == "fault"} == set(script)
    (rank,) = run.summary["ranks"]
    assert rank["notes"]["launch_callbacks"] == case.note
    assert run.summary["method"]["launch callbacks"] == f"CUPTI's, {case.note}"
    assert summary_checks.problems(run.summary) == []
    return run


def by_range(ledger: list) -> dict:
    """GPU time of the ledger; that of a node is of who captured it."""
    sums = defaultdict(int)
    for row in book.executed(ledger):
        sums[row["node_tag"] if row["graph_node_id"] else row["tag"]] += book.duration(row)
    return dict(sums)


def reported(summary: dict) -> dict:
    times = {module["path"]: summary_checks.nanoseconds(module["self"]["gpu_time_s"]["other"])
             for module in summary["modules"]}
    return {path: ns for path, ns in times.items() if ns}


def reasons(summary: dict) -> dict:
    """What the report says is missing: sentence -> number."""
    pairs = (reason.rsplit(": ", 1) for reason in summary["coverage"]["reasons"]
             if not reason.startswith("modules whose calls are not known"))  # of replays
    return {sentence: int(number) for sentence, number in pairs}


@pytest.mark.parametrize("name", CASES)
def test_each_launch_is_booked_once(name, program, folder):
    case = CASES[name]
    run = profiled(case, program, folder)
    assert reported(run.summary) == by_range(run.ledger)
    assert run.summary["ranks"][0]["loss"] == {}
    missing = reasons(run.summary)
    refused = int(run.stdout.split("refused ")[1])
    # A launch that the runtime refuses has no driver call; of two ids one has no record.
    if "nested_ids" not in case.script:
        assert set(missing) == {"launches without GPU times"}
        told = missing["launches without GPU times"]
        assert 0 < told <= refused
        assert (told == refused) == (case.note != SPARED and "off" not in case.does)


def test_records_with_other_ids_end_the_trial(program, folder):
    """The launches of the trial's second have no range; nothing else is lost."""
    case = Case({"lone_ids": True}, ("off", "on", "5500"),
                "of runtime and driver; kept for 211 214 269 270 430 431 505 506: records of"
                " kernels had other ids than the driver's callbacks")  # fmt: skip
    run = profiled(case, program, folder)
    expected, found = by_range(run.ledger), reported(run.summary)
    assert sum(found.values()) == sum(expected.values())
    lost = {path: ns - found[path] for path, ns in expected.items() if ns != found.get(path)}
    assert set(lost) == {f"{thread} {what}" for thread in ("main", "other")
                         for what in ("runtime", "product")}  # fmt: skip
    assert found["(outside)"] == sum(lost.values())
    missing = reasons(run.summary)
    kernels = sum(row["kind"] == "kernel" for row in book.executed(run.ledger))
    assert 0 < missing["GPU activity whose launch was not seen"] < kernels / 2
