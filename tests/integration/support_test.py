# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The judges themselves: each check that the other tests lean on can fail."""

import copy
import glob
import json
import os
import re
import subprocess
import sys

import acceptance_table
import case_judge
import compare
import flopsprof_run
import function_length
import gtest_batches
import include_direction
import ledger
import lock_list
import pytest
import room_symbols
import summary_checks
import test_results
from flopsprof_run import ROOT

sys.path.append(os.path.join(ROOT, "tests", "bench", "overhead"))

import overhead  # noqa: E402

PHASE_ZERO = dict.fromkeys(summary_checks.PHASES, 0)


def row(**given) -> dict:
    return {**PHASE_ZERO, **given}


def right_summary() -> dict:
    """One module "fc" with 8 flops forward in 5 ns and one copy outside of 2 ns."""
    none = {"flops": row(), "flops_modelled": row(), "macs": row(), "gpu_time_s": row()}
    work = {**none, "flops": row(forward=8), "macs": row(forward=4),
            "gpu_time_s": row(forward=5e-9)}  # fmt: skip
    copied = {**none, "gpu_time_s": row(other=2e-9)}
    totals = {**work, "gpu_time_s": row(forward=5e-9, other=2e-9), "flops_by_type": {"fp32": 8}}
    return {
        "schema": "flopsprof.summary/1",
        "coverage": {"gpu_time_s": 7e-9, "exact": 5 / 7, "modelled": 0, "no_products": 0,
                     "unknown": 0, "communication": 0, "copy": 2 / 7},
        "totals": totals,
        "ranks": [{**totals, "rank": 0}],
        "modules": [{"path": "", "depth": 0, **work, "self": none},
                    {"path": "fc", "depth": 1, **work, "self": work},
                    {"path": "(outside)", "depth": 0, **copied, "self": copied}],
    }  # fmt: skip


def test_a_consistent_summary_has_no_problems():
    assert summary_checks.problems(right_summary()) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda s: s["totals"]["flops"].update(forward=9),
        lambda s: s["totals"]["gpu_time_s"].update(forward=6e-9),
        lambda s: s["modules"][1]["self"]["macs"].update(forward=5),
        lambda s: s["modules"][0]["flops"].update(forward=9),
        lambda s: s["modules"][0]["flops"].update(forward=None),
        lambda s: s["modules"][0]["gpu_time_s"].update(forward=6e-9),
        lambda s: s["modules"][0]["gpu_time_s"].update(optimizer=1e-9),
        lambda s: s["modules"][1].update(path="other.fc", depth=2),
        lambda s: s["ranks"][0]["flops"].update(forward=7),
        lambda s: s["coverage"].update(copy=0),
        lambda s: s["coverage"].update(gpu_time_s=8e-9),
        lambda s: s["totals"]["flops_by_type"].update(fp32=7),
        lambda s: s["modules"][2].update(path=""),
        lambda s: s.update(schema="other"),
    ],
)
def test_each_broken_invariant_is_found(spoil):
    # Through JSON, so that no two parts of the summary are one object.
    summary = json.loads(json.dumps(right_summary()))
    spoil(summary)
    assert summary_checks.problems(summary) != []


def test_the_judge_of_counts_sees_a_wrong_total_a_wrong_module_and_a_missing_one():
    with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
        golden = {entry["id"]: entry for entry in json.load(file)}
    entry = golden["cifar_net-batch-8-mode-train"]
    visible = entry["visible_in_library_calls"]
    right = {key: visible[key] for key in compare.KEYS}
    right["rest_flops"] = 0
    right["by_module"] = copy.deepcopy(entry["by_module"])
    right["by_module_self"] = copy.deepcopy(entry["by_module"])
    right["by_module_self"][""] = dict.fromkeys(compare.KEYS, 0)
    assert compare.judge(entry, right, "visible") == []
    total, module, missing, extra, alone, rest, deep = (copy.deepcopy(right) for _ in range(7))
    total["bwd_flops"] += 1
    module["by_module"]["conv1"]["bwd_flops"] -= 1
    del missing["by_module"]["fc3"]
    extra["by_module"]["ghost"] = {"fwd_flops": 2, "bwd_flops": 0, "recompute_flops": 0}
    alone["by_module_self"]["fc1"]["fwd_flops"] += 2
    rest["rest_flops"] = 2
    deep["by_module"]["a.b.c.d.e"] = {"fwd_flops": 0, "bwd_flops": 0, "recompute_flops": 2}
    for wrong in (total, module, missing, extra, alone, rest, deep):
        assert len(compare.judge(entry, wrong, "visible")) >= 1


def operation(start, end, device=0, **more):
    return {"kind": "kernel", "captured": False, "start_ns": start, "end_ns": end,
            "device": device, "tag": "", "call": "", "thread": 5, "file": "ledger.4.jsonl",
            **more}  # fmt: skip


def test_the_union_counts_overlaps_once_and_devices_apart():
    rows = [operation(0, 10), operation(5, 12), operation(20, 21), operation(0, 3, device=1),
            operation(0, 100, captured=True)]  # fmt: skip
    assert ledger.union(rows) == 12 + 1 + 3


def test_ledger_times_by_tag_and_category():
    rows = [operation(0, 4, tag="a.b|forward", call="cublasSgemm_v2"),
            operation(4, 5, tag="a.b|forward"), operation(5, 7, kind="memcpy", thread=4),
            operation(7, 10, call="ncclAllReduce")]  # fmt: skip
    assert ledger.by_tag(rows) == {
        ("a.b", "forward"): 5, ("(outside)", "other"): 2, ("(outside)", "backward"): 3,
    }  # fmt: skip
    assert ledger.by_category(rows) == {"exact": 4, "communication": 3, "copy": 2, "rest": 1}


def test_an_include_against_the_way_of_the_data_is_found(tmp_path):
    for folder in ("injector/hooks", "collector/model", "viewer/report"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "injector/hooks/a.cc").write_text('#include "collector/base/log.h"\n')
    (tmp_path / "collector/model/b.cc").write_text('#include "viewer/report/table.h"\n')
    (tmp_path / "viewer/report/c.cc").write_text('#include "collector/model/summary.h"\n')
    found = list(include_direction.violations(str(tmp_path)))
    assert [line.split(":")[0] for line in found] == ["injector/hooks/a.cc", "collector/model/b.cc"]


@pytest.mark.parametrize(
    ("files", "wrong"),
    [
        # down, and within a room
        ({"session/a.cc": "injector/base/b.h", "hooks/a.cc": "injector/hooks/b.h",
          "hooks/cudnn/a.cc": "injector/hooks/b.h", "cupti/a.cc": "b.h"}, []),
        ({"base/a.cc": "injector/transport/b.h"}, ["injector/base/a.cc:1"]),
        # two rooms that include each other: one of the two arrows goes up
        ({"hooks/a.cc": "injector/cupti/b.h", "cupti/b.h": "injector/hooks/c.h"},
         ["injector/cupti/b.h:1"]),
        # a circle of three
        ({"hooks/a.h": "injector/cupti/b.h", "cupti/b.h": "injector/stacks/c.h",
          "stacks/c.h": "injector/hooks/a.h"}, ["injector/stacks/c.h:1"]),
        # by a path that is relative, and from assembler and generated code
        ({"base/a.cc": "../session/b.h", "session/b.h": "proto/shm/records.h"},
         ["injector/base/a.cc:1"]),
        ({"loader/a.S": "injector/hooks/b.h"}, ["injector/loader/a.S:1"]),
        ({"operations/generate.py": "injector/hooks/b.h"}, ["injector/operations/generate.py:1"]),
        # loose files, rooms that nobody has declared, and what is no part of the library
        ({"a.cc": "proto/shm/records.h"}, ["injector/a.cc:1"]),
        ({"attic/a.cc": "injector/base/b.h"}, ["injector/attic/a.cc:1"]),
        ({"hooks/attic/a.cc": "injector/base/b.h"}, ["injector/hooks/attic/a.cc:1"]),
        ({"hooks/a.cc": "injector/attic/b.h"}, ["injector/hooks/a.cc:1"]),
        # rooms within hooks/
        ({"hooks/solvers/a.cc": "injector/hooks/cublas/b.h", "hooks/a.cc": "injector/hooks/cublas/b.h"},
         ["injector/hooks/a.cc:1"]),
        ({"launch/a.cc": "injector/base/b.h"}, ["injector/launch/a.cc:1"]),
        ({"session/a.cc": "injector/shims/cpp/flopsprof.h"}, ["injector/session/a.cc:1"]),
    ],
)  # fmt: skip
def test_an_include_against_the_order_of_the_injectors_rooms_is_found(tmp_path, files, wrong):
    for path, target in files.items():
        (tmp_path / "injector" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "injector" / path).write_text(f'#include "{target}"\n')
    found = list(include_direction.violations(str(tmp_path)))
    assert [":".join(line.split(":")[:2]) for line in found] == wrong


def test_a_room_that_includes_one_above_it_is_found(tmp_path):
    files = {
        "collector/agent/agent.cc": "collector/agent/upload/uploader.h",
        "collector/agent/rows/right.cc": "collector/agent/tables/row_set.h",
        "collector/agent/tables/above.cc": "collector/agent/rows/aggregator.h",
        "collector/agent/rings/top.cc": "collector/agent/agent.h",
        "collector/agent/cellar/new.cc": "collector/agent/tables/row_set.h",
    }
    for name, included in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f'#include "{included}"\n')
    found = list(include_direction.violations(str(tmp_path)))
    assert sorted(line.split(":")[0].split("/")[2] for line in found) == [
        "cellar", "rings", "tables",
    ]  # fmt: skip


def test_a_name_that_a_room_takes_from_above_is_found():
    up, asked = "_ZN9flopsprof8injector4TickEv", "_ZN9flopsprof8injector12StartSessionEv"
    rooms = {"session": ({up, asked, "main_of_it"}, {"below"}), "hooks": (set(), {asked, "puts"}),
             "hooks/cudnn": ({"plan"}, set()), "base": ({"below"}, {up, "plan"})}  # fmt: skip
    assert room_symbols.upward(rooms, {"StartSession"}) == [
        f"injector/base takes {up} from injector/session, above it",
        "injector/base takes plan from injector/hooks/cudnn, above it"]
    assert room_symbols.upward(rooms, set())[2:] == [
        f"injector/hooks takes {asked} from injector/session, above it"]


def test_only_two_headers_name_what_is_defined_above_them():
    allowed = room_symbols.allowed_names()
    assert {"StartSession", "SessionWantsRecords", "YieldCupti", "flopsprof_hooks"} <= allowed
    assert len(allowed) < 20


@pytest.mark.parametrize(
    ("path", "room"),
    [("injector/base/CMakeFiles/flopsprof_injector_base.dir/pages.cc.o", "base"),
     ("injector/hooks/CMakeFiles/flopsprof_injector_hooks.dir/cudnn/cudnn_call.cc.o",
      "hooks/cudnn"),
     ("injector/python/CMakeFiles/flopsprof_injector_python.dir/Unity/unity_0_cxx.cxx.o", "python"),
     ("injector/CMakeFiles/flopsprof_inject.dir/loader/dl_entries.S.o", "loader"),
     ("injector/CMakeFiles/flopsprof_inject.dir/hook_table.S.o", "hooks/table"),
     ("tests/unit/CMakeFiles/injector_base_test.dir/injector/base/pages_test.cc.o", "")],
)  # fmt: skip
def test_the_room_of_an_object(path, room):
    assert room_symbols.room_of_object(path) == room


def test_results_of_runners_are_counted(tmp_path):
    junit = tmp_path / "x.xml"
    junit.write_text(
        '<testsuite><testcase name="a" classname="a" status="run"/>'
        '<testcase name="b" classname="b" status="fail"><failure/></testcase>'
        '<testcase name="c" classname="f"><error/></testcase>'
        '<testcase name="d" classname="f"><skipped message="why"/></testcase>'
        '<testcase name="e" classname="e" status="notrun">'
        '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'
        '<testcase name="g" classname="g" status="notrun">'
        '<skipped message="Unable to find executable"/></testcase>'
        '<testcase name="RealCublasLtTest.h" classname="h" status="notrun">'
        '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase></testsuite>'
    )
    rows = list(test_results.from_junit(str(junit), "log"))
    assert [verdict for verdict, _, _ in rows] == [
        "pass", "fail", "fail", "skip", "skip", "fail", "skip",
    ]  # fmt: skip
    assert rows[3] == ("skip", "f.d", "why")
    known = [(re.compile("^f[.]d$"), re.compile("^why$"))]
    assert [row for row in test_results.judged(rows, known) if row[0] == "skip"] == [rows[3]]
    assert [row[0] for row in test_results.judged(rows, [])].count("skip") == 0
    assert "not in tests/skips.toml" in list(test_results.judged(rows, []))[3][2]
    assert [r[0] for r in test_results.from_junit(str(tmp_path / "none"), "log")] == ["fail"]


PROGRAM = """
#include <gtest/gtest.h>
int* kept = nullptr;
TEST(Good, First) {}
TEST(Good, Skipped) { GTEST_SKIP() << "why"; }
TEST(Good, Second) { printf("no end of line"); }
TEST(Bad, Fails) { EXPECT_EQ(1, 2) << "one is not two"; }
TEST(Crash, Before) {}
TEST(Crash, Aborts) { fprintf(stderr, "about to abort"); abort(); }
TEST(Crash, After) {}
TEST(Leak, Leaks) { kept = new int[100]; kept = nullptr; }
TEST(Leak, Not) {}
TEST(State, Sets) { setenv("FLOPSPROF_STATE", "1", 1); }
TEST(State, Aborts) { if (getenv("FLOPSPROF_STATE") != nullptr) abort(); }
TEST(Time, GoesOn) { for (;;) { } }
TEST(Time, Ends) {}
INSTANTIATE_TEST_SUITE_P(Of, Valued, testing::Values(1, 2));
"""
VALUED = """
class Valued : public testing::TestWithParam<int> {};
TEST_P(Valued, IsOne) { EXPECT_EQ(GetParam(), 1); }
"""


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    """A program whose tests end in every way, and what ctest would say of it."""
    folder = tmp_path_factory.mktemp("suites")
    source = PROGRAM.replace("int* kept", VALUED + "int* kept", 1)
    (folder / "program.cc").write_text(source)
    program = str(folder / "program")
    subprocess.run(
        ["g++", "-fsanitize=address", "-o", program, str(folder / "program.cc"),
         "-lgtest", "-lgtest_main", "-pthread"], check=True,
    )  # fmt: skip
    return program


def batch_rows(program: str, *names: str, labels=()) -> list:
    """[(verdict, name)] of the program's tests in one batch, and the last one's reason."""
    tests = [
        gtest_batches.Test(
            {"name": f"p:{name}", "command": [program, f"--gtest_filter={name}"],
             "properties": [{"name": "LABELS", "value": list(labels)}]}
        )
        for name in names
    ]  # fmt: skip
    batches = gtest_batches.batches_of(tests)
    return [row for batch in batches for row in gtest_batches.judge(batch, 10)]


def test_tests_of_one_process_are_judged_one_by_one(suites):
    rows = batch_rows(suites, "Good.First", "Good.Skipped", "Good.Second", "Bad.Fails",
                      "Of/Valued.IsOne/0", "Of/Valued.IsOne/1")  # fmt: skip
    assert [row[:2] for row in rows] == [
        ("pass", "p:Good.First"), ("skip", "p:Good.Skipped"), ("pass", "p:Good.Second"),
        ("fail", "p:Bad.Fails"), ("pass", "p:Of/Valued.IsOne/0"),
        ("fail", "p:Of/Valued.IsOne/1"),
    ]  # fmt: skip
    assert rows[3][3].startswith("[ RUN      ] Bad.Fails") and "one is not two" in rows[3][3]


@pytest.mark.parametrize(
    "good, bad, word",
    [("Crash.Before", "Crash.Aborts", "ended with -6"), ("Leak.Not", "Leak.Leaks", "ended with 1"),
     ("Time.Ends", "Time.GoesOn", "went on beyond the time limit")],
)  # fmt: skip
def test_who_ends_a_process_is_named_and_so_is_the_batch(suites, good, bad, word):
    rows = batch_rows(suites, good, bad)
    assert [row[:3] for row in rows] == [
        ("pass", f"p:{good}", ""), ("fail", f"p:{bad}", word),
        ("fail", f"p:{good} ... p:{bad}", f"in one process: {word}"),
    ]  # fmt: skip


def test_what_fails_only_together_is_a_failure(suites):
    names = ("State.Sets", "State.Aborts")
    assert [row[0] for row in batch_rows(suites, *names)] == ["pass", "pass", "fail"]
    alone = batch_rows(suites, *names, labels=["own_process"])
    assert [row[0] for row in alone] == ["pass", "pass"]


def test_a_test_that_does_not_exist_is_a_failure(suites):
    assert [row[0] for row in batch_rows(suites, "Good.Third")] == ["fail"]


def test_the_test_script_refuses_what_it_does_not_know():
    script = os.path.join(ROOT, "scripts", "test.sh")
    for options in (["--only", "nonsense"], ["--nonsense"]):
        done = subprocess.run([script, *options], stderr=subprocess.PIPE, text=True)
        assert done.returncode != 0
        assert "unknown" in done.stderr


def test_every_known_skip_says_why_and_what_would_prove_it(tmp_path):
    assert test_results.skips()
    sources = ""
    for path in glob.glob(os.path.join(ROOT, "tests", "unit", "**", "*_test.cc"), recursive=True):
        with open(path, encoding="utf-8") as file:
            sources += file.read()
    units = [test.pattern for test, _ in test_results.skips() if "_test:" in test.pattern]
    assert units
    for pattern in units:  # a name that does not exist would let nothing pass, and nobody see it
        suite, case = re.search(r":(\w+)\\.(\w+)\$$", pattern).groups()
        assert f"TEST({suite}, {case})" in sources, pattern
    (tmp_path / "skips.toml").write_text('[[skip]]\ntest = "a"\nreason = "b"\nwhy = "c"\n')
    with pytest.raises(ValueError, match="proof"):
        test_results.skips(str(tmp_path / "skips.toml"))


DIES = 'echo terminate called without an active exception >&2; exit 134'


def die(condition: str, log) -> list:
    """A command that dies at exit while the condition holds, and leaves a line for each run."""
    return ["sh", "-c", f'echo "${{UNDER:-bare}}" >> {log}; if {condition}; then {DIES}; fi']


def test_a_crash_that_comes_only_under_us_is_not_tried_again(tmp_path):
    log = tmp_path / "runs"
    command = die('[ "$UNDER" = us ]', log)
    run = flopsprof_run.run_plain(command, prefix=("env", "UNDER=us"))
    assert run.exit_code == 134
    runs = log.read_text().split()
    assert runs.count("us") == 1 and runs.count("bare") == flopsprof_run.RUNS_WITHOUT_US


def test_a_crash_that_comes_without_us_as_well_is_tried_again(tmp_path):
    log = tmp_path / "runs"
    # Dies the first time under us and the second time alone.
    once_each = f'[ "$(tail -n 1 {log})" = us ] && [ "$(grep -c us {log})" = 1 ]'
    alone = f'[ "$(grep -c bare {log})" = 2 ] && [ "$(grep -c us {log})" = 1 ]'
    command = die(f"{{ {once_each}; }} || {{ {alone}; }}", log)
    with pytest.warns(UserWarning, match="without us too"):
        run = flopsprof_run.run_plain(command, prefix=("env", "UNDER=us"))
    assert run.ended_well(), run.explain()
    assert log.read_text().split() == ["us", "bare", "bare", "us"]


def test_a_crash_that_always_comes_is_seen(tmp_path):
    log = tmp_path / "runs"
    with pytest.warns(UserWarning):
        run = flopsprof_run.run_plain(die("true", log), prefix=("env", "UNDER=us"))
    assert run.exit_code == 134
    assert log.read_text().split() == ["us", "bare", "us", "us"]


CASE = (
    '<testcase name="test[{id}]" time="7"><properties><property name="code" value="{code}"/>'
    "</properties>{inside}</testcase>"
)


def acceptance_file(path, day, code, **verdicts):
    cases = [CASE.format(id=name.replace("_", "-"), code=code, inside=inside)
             for name, inside in verdicts.items()]  # fmt: skip
    suite = f'<testsuite timestamp="{day}T01:02:03">{"".join(cases)}</testsuite>'
    path.write_text(f"<testsuites>{suite}</testsuites>")
    return str(path)


def test_the_acceptance_table_says_of_which_run_each_row_is(tmp_path):
    skip, fail = '<skipped message="why not"/>', '<failure message="1, not 2"/>'
    one = acceptance_file(tmp_path / "1", "2026-01-01", "aaa", moe_mode_fwd="", fp8_mode_fwd="")
    two = acceptance_file(tmp_path / "2", "2026-01-02", "bbb", moe_mode_fwd=skip,
                          fp8_mode_fwd=fail, rnn_mode_fwd=skip)  # fmt: skip
    golden = acceptance_table.read_golden()
    rows = acceptance_table.read([one, two], [entry["id"] for entry in golden])
    said = {name: (row.result, row.why, row.of) for name, row in rows.items()}
    assert said["moe-mode-fwd"] == ("equal", "", "2026-01-01, aaa")
    assert said["fp8-mode-fwd"] == ("DIFFERS", "1, not 2", "2026-01-02, bbb")
    assert said["rnn-mode-fwd"][:2] == ("not run", "why not")
    assert said["moe-mode-train"] == ("not run", "", "")
    page = acceptance_table.render(golden, rows)
    assert f"**1 of {len(golden)} rows equal**" in page and "| of |" in page
    assert f"1 differ, {len(golden) - 2} were not run." in page
    assert sum(text.endswith("| 2026-01-01, aaa |") for text in page.splitlines()) == 1
    rows = acceptance_table.read([one], [entry["id"] for entry in golden])
    page = acceptance_table.render(golden, rows)
    assert "All of 2026-01-01, aaa." in page and "| of |" not in page


def test_the_acceptance_page_is_what_its_program_writes():
    """All but results, seconds and their origin is made again from the golden files."""
    with open(acceptance_table.PAGE, encoding="utf-8") as file:
        page = file.read()
    golden = acceptance_table.read_golden()
    lines = [text for text in page.splitlines() if text.startswith("| ")][1:]
    origin = page.partition("All of ")[2].partition(".\n")[0]
    rows = {}
    for entry, text in zip(golden, lines, strict=True):
        result, seconds, of = [*(cell.strip() for cell in text.split("|")[8:-1]), origin][:3]
        result, _, why = result.partition(": ")
        rows[entry["id"]] = acceptance_table.Row(result, why, float(seconds), of)
    assert acceptance_table.render(golden, rows) == page


def right_case() -> tuple:
    """(expected, summary, steps, report) of a run in which all is as expected."""
    expected = {
        "totals": {"forward": 8},
        "steps": 1,
        "per_step": {"0": {"forward": 8}},
        "modules": {"": {"forward": 8, "self": {"forward": 8}, "params": 4, "class": "Net"}},
        "unknown_modules": ["(outside)"],
        "on_cpu": ["a"],
        "said": ["how"],
        "not_said": ["tuning"],
        "not_found": ["(?<!no sign of )guess"],
    }
    summary = right_summary()
    summary["steps"] = {"profiled": 1}
    summary["findings"] = [{"text": "this is how"}]
    # A root that does all itself, what is outside, and a module on the CPU.
    _, alone, outside = summary["modules"]
    none = {"flops": row(), "flops_modelled": row(), "macs": row(), "gpu_time_s": row()}
    on_cpu = {**none, "path": "a", "depth": 0, "flops": row(forward=None), "self": none}
    root = {**alone, "path": "", "depth": 0, "params": 4, "class": "Net"}
    outside["self"] = {**outside["self"], "unknown_gpu_time_s": 2e-9}
    outside["unknown_gpu_time_s"] = 2e-9
    summary["modules"] = [{**root, "unknown_gpu_time_s": 0}, outside,
                          {**on_cpu, "unknown_gpu_time_s": 0}]  # fmt: skip
    return expected, summary, [row(forward=8)], "report"


@pytest.mark.parametrize("check", case_judge.CHECKS)
def test_the_judge_of_cases_has_nothing_against_a_right_one(check):
    assert case_judge.judge(check, *right_case()) == []


@pytest.mark.parametrize(
    "check, spoil",
    [
        ("totals", lambda e, s: s["totals"]["flops"].update(forward=9)),
        ("totals", lambda e, s: s["totals"]["flops"].update(forward=None)),
        ("totals", lambda e, s: s["totals"]["flops"].update(evaluation=1)),
        ("steps", lambda e, s: s["steps"].update(profiled=2)),
        ("per_step", lambda e, s: e["per_step"].update({"0": {"forward": 7}})),
        ("per_step", lambda e, s: e["per_step"].update({"1": {"forward": 8}})),
        ("modules", lambda e, s: s["modules"][0]["flops"].update(backward=1)),
        ("modules", lambda e, s: s["modules"][0].update(params=5)),
        ("modules", lambda e, s: s["modules"][0].update({"class": "Other"})),
        ("modules", lambda e, s: s["modules"][0].update(path="b")),
        ("modules", lambda e, s: e["modules"][""]["self"].update(forward=7)),
        ("modules", lambda e, s: e["modules"].update({"": {"self": {}}})),
        ("modules", lambda e, s: s["modules"].append(s["modules"][0])),
        ("unknown", lambda e, s: s["modules"][0].update(unknown_gpu_time_s=1e-9)),
        ("unknown", lambda e, s: s["modules"][1].update(unknown_gpu_time_s=0)),
        ("on_cpu", lambda e, s: s["modules"][2]["flops"].update(forward=0)),
        ("on_cpu", lambda e, s: s["modules"].pop(2)),
        ("words", lambda e, s: s["findings"][0].update(text="how, by tuning runs")),
        ("words", lambda e, s: s["findings"][0].update(text="how, by a guess")),
        ("words", lambda e, s: s["findings"].clear()),
        ("invariants", lambda e, s: s.update(schema="other")),
    ],
)
def test_the_judge_of_cases_can_say_no(check, spoil):
    expected, summary, steps, text = json.loads(json.dumps(right_case()))
    spoil(expected, summary)
    assert case_judge.judge(check, expected, summary, steps, text) != []


@pytest.mark.parametrize(
    "code",
    ["BriefLock lock_;", "  mutable BriefLock lock_;", "BriefLock lock_{};", "BriefLock lock_[8];",
     "alignas(64) BriefLock lock_;", "static BriefLock lock_ = {};", "thread_local BriefLock lock_;",
     "struct S { BriefLock lock_; };", "BriefLock\n    lock_ [kMost] ;"],
)  # fmt: skip
def test_a_lock_is_found_however_it_is_written(code):
    assert lock_list.differences("", [("a.cc", code)]) == [
        "a: lock_ is not in the list of injector/README.md"]


@pytest.mark.parametrize(
    "code",
    ["while(l.exchange(1)){}", "while (lock.exchange(true, std::memory_order_acquire)) Pause();",
     "while (__sync_lock_test_and_set(&l, 1)) {}", "while (flag.test_and_set()) {}",
     "syscall(SYS_futex, &word, FUTEX_WAIT, 1)", "poll(nullptr,0,100)", "::poll(&ready, 1, 5);",
     "usleep(5);", "sleep(1);", "nanosleep(&t, nullptr);", "std::this_thread::sleep_for(1ms);",
     "clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);", "select(0, 0, 0, 0, &t);",
     "epoll_wait(fd, &e, 1, -1);", "word.wait(0);", "sched_yield();", "std::mutex m;"],
)  # fmt: skip
def test_a_wait_is_found_however_it_is_written(code):
    (wrong,) = lock_list.differences("", [("a.cc", code)])
    assert "a lock or wait that the list does not know" in wrong


def test_what_is_no_lock_and_no_wait_is_let_be():
    code = """
        explicit Hold(BriefLock& lock) : lock_(lock) {}
        void Take(BriefLock* lock);
        if (starting.exchange(true)) return;
        } while (!taken.compare_exchange_weak(number, number + 1));
        syscall(SYS_gettid); api.poll(3); KeepPolling(4); asleep(2);
    """
    assert lock_list.differences("", [("a.cc", code)]) == []


def test_a_lock_that_is_not_listed_and_one_that_is_gone_are_found():
    readme = "| lock | x | y |\n| `a/one` `lock_` | x | y |\n| `gone` `g_lock` | x | y |\n"
    files = [("a/one.h", "  BriefLock lock_;\n"), ("b.cc", "static BriefLock g_other;\n"),
             ("c.cc", "pthread_mutex_lock(&m);  // std::mutex\n")]
    assert lock_list.differences(readme, files) == [
        "c.cc: pthread_mutex_lock: a lock or wait that the list does not know",
        "b: g_other is not in the list of injector/README.md",
        "injector/README.md: no lock g_lock in gone"]


def test_the_overhead_benchmark_sees_that_the_agent_did_not_keep_up():
    with open(os.path.join(ROOT, "docs", "summary.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)["properties"]
    assert "loss" in schema["ranks"]["items"]["properties"] and "loss" not in schema
    losses = [{"ring_full": 3}, {"cupti_yielded": 1}, {"ring_full": 4}]
    assert overhead.ring_full({"ranks": [{"loss": loss} for loss in losses]}) == 7


def test_the_benchmarks_fail_when_one_does(tmp_path):
    """Of a build folder that holds nothing, so that the first one cannot be run."""
    done = subprocess.run(
        [os.path.join(ROOT, "tests", "bench", "run.sh"), "--short", str(tmp_path)],
        env={**os.environ, "FLOPSPROF_TEST_PYTHON": str(tmp_path / "none")},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120,
    )  # fmt: skip
    assert "fail\thook_and_range" in done.stdout
    assert done.returncode == 1


def functions_of(folder, lines: int, end: str = "}") -> list:
    """Of a file with one function of so many lines, its braces included."""
    (folder / "viewer").mkdir()
    body = "  Work();\n" * (lines - 3)
    (folder / "viewer" / "a.cc").write_text(
        f"namespace x {{\n\nvoid Long(int a,\n          int b) {{\n{body}{end}\n\n}}  // namespace x\n",
        encoding="utf-8")
    return list(function_length.violations(str(folder), named=()))


def test_a_function_of_sixty_lines_is_not_too_long(tmp_path):
    assert functions_of(tmp_path, 60) == []


def test_a_longer_function_is_found_with_its_head(tmp_path):
    assert functions_of(tmp_path, 61) == ["viewer/a.cc:3: 61 lines: void Long(int a, int b) {"]


def test_a_long_method_of_a_class_is_found(tmp_path):
    (tmp_path / "injector").mkdir()
    body = "    Work();\n" * 60
    (tmp_path / "injector" / "a.h").write_text(
        f"class A {{\n public:\n  void Long() {{\n{body}  }}\n}};\n", encoding="utf-8")
    assert list(function_length.violations(str(tmp_path), named=())) == [
        "injector/a.h:3: 62 lines: void Long() {"]


def test_a_name_on_the_list_that_is_short_now_has_to_go(tmp_path):
    (wrong,) = function_length.violations(str(tmp_path), named=(("viewer/a.cc", "Long"),))
    assert "take it out" in wrong


def test_a_file_of_more_than_five_hundred_lines_is_found(tmp_path):
    (tmp_path / "viewer").mkdir()
    for name, lines in (("a.cc", 500), ("b.cc", 501)):
        (tmp_path / "viewer" / name).write_text("//\n" * lines, encoding="utf-8")
    assert list(function_length.long_files(str(tmp_path), named=())) == ["viewer/b.cc: 501 lines"]
    (wrong,) = function_length.long_files(str(tmp_path), named=("viewer/a.cc", "viewer/b.cc"))
    assert wrong.startswith("viewer/a.cc") and "take it out" in wrong
