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
KEPT = "of runtime and driver; kept for 211 430: "
ALL_KEPT = "of runtime and driver; kept for 211 214 269 270 430 431 505 506: "
DISAGREE = KEPT + "not one driver call inside, with the same id"
SETTLED = ("off", "on", "off")  # a trial, and for good
TOLD = "told"  # the program launches until the profiler has told the note: nobody counts seconds


@dataclass
class Case:
    script: dict
    does: tuple  # arguments of launches.cc
    note: str

    def arguments(self) -> list:
        return [self.note if word == TOLD else word for word in self.does]


CASES = {
    "as documented": Case({}, (*SETTLED, TOLD, "20", "capture", "20"), SPARED),
    "another id": Case({"nested_ids": "inner"}, (TOLD, "20"), DISAGREE),
    "no driver call": Case({"nested_driver": "none"}, (TOLD, "20"), DISAGREE),
    "two driver calls": Case({"nested_driver": "twice"}, (TOLD, "20"), DISAGREE),
    "none where captured": Case({"captured_driver": "none"},
                                (*SETTLED, "capture", "on", TOLD, "20"),
                                ALL_KEPT + "a captured launch had no callback of the driver"),
    "refused": Case({"callback_off": "refused"}, (TOLD, "20"), KEPT + "CUPTI refused"),
    # Callbacks come for 300 ms more; 300 rounds take 600 at least.
    "late": Case({"callback_off": "late"}, (TOLD, "300"), SPARED),
}  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> str:
    return by_name.compiled(SOURCE, str(tmp_path_factory.mktemp("ledger") / "launches"), "link",
                            LIBRARIES)


def profiled(case: Case, program: str, folder: str):
    script = {"durations": "hash", **case.script}
    cupti = os.path.join(by_name.nvidia(), "cu13", "lib", "libcupti.so.13")
    run = run_profiled([program, *case.arguments()], "--graphs", "node", folder=folder,
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
    """Launches of a trial have no range. Nothing else is lost, and nothing after it was judged."""
    case = Case({"lone_ids": True}, ("off", "on", TOLD, "later", "50"),
                ALL_KEPT + "records of kernels had other ids than the driver's callbacks")  # fmt: skip
    run = profiled(case, program, folder)
    expected, found = by_range(run.ledger), reported(run.summary)
    assert sum(found.values()) == sum(expected.values())
    lost = {path: ns - found.get(path, 0) for path, ns in expected.items() if ns != found.get(path)}
    # 16 launches at least are looked at: a round has five. Which thread makes them nobody knows.
    assert set(lost) <= {f"{thread} {what}" for thread in ("main", "other")
                         for what in ("runtime", "product")}  # fmt: skip
    assert {path.split()[1] for path in lost} == {"runtime", "product"}
    assert found["(outside)"] == sum(lost.values())
    later = {path for path in expected if path.endswith(" later")}
    assert later >= {f"main {what} later" for what in ("runtime", "driver", "product", "set")}
    missing = reasons(run.summary)
    launches = sum(row["tag"] in lost for row in book.executed(run.ledger))
    assert 0 < missing["GPU activity whose launch was not seen"] < launches
