# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules, phases and steps on the real PyTorch.

On the CPU through a library with a recording sink (libscopes_probe.so), on the stand-in GPU
through the real injector and tests/support/fake_agent.py.
"""

import copy
import glob
import json
import os
import shutil
import subprocess
import sys

import compare
import pytest
import summary_checks
from flopsprof_run import (
    PROGRAMS, ROOT, acceptance, cache_folder, product, run_profiled, sim_python,
)  # fmt: skip
from scope_programs import (
    CHECKED, FOLDED, FOLDER, PACKAGE, case_is_right, probe_environment, run, step_numbers,
    wrong_checks,
)  # fmt: skip

sys.path.insert(0, os.path.join(PROGRAMS, "scopes"))
from probe import PHASES, Names  # noqa: E402

UNIT = 2 * 8 * 64 * 64
WRAPPERS = ("DataParallel", "DistributedDataParallel")


@pytest.mark.parametrize("way, program, argument", CHECKED)
def test_every_check_of_the_program_holds(way, program, argument):
    checks = run(program, *filter(None, [argument]), way=way)
    assert len(checks) > 10
    assert wrong_checks(checks) == []


def pythons() -> list:
    """Interpreters of this machine and of scripts/python_versions.sh, one for each version from 3.8
    on; absent ones are skipped."""
    found = {}
    for minor in range(8, 17):
        name = f"python3.{minor}"
        versions = os.path.expanduser(f"~/.pyenv/versions/3.{minor}.*/bin/{name}")
        unpacked = os.path.join(cache_folder(), "pythons", f"3.{minor}", "bin", name)
        candidates = [*glob.glob(unpacked), *glob.glob(versions), shutil.which(name)]
        for path in filter(None, candidates):
            works = subprocess.run([path, "-c", "0"], capture_output=True, check=False)
            if works.returncode == 0:
                found.setdefault(name, path)
    return [
        pytest.param(
            name, found.get(name), id=name,
            marks=[] if name in found else pytest.mark.skip(reason=f"no {name} here"),
        )
        for name in (f"python3.{minor}" for minor in range(8, 17))
    ]  # fmt: skip


@pytest.mark.parametrize("way", ["swap", "monitoring", "hooks", "none"])
@pytest.mark.parametrize("name, path", pythons())
def test_the_hook_fits_or_refuses_on_any_python(name, path, way):
    # Without site, environment and user folders: nothing but the embedded shim is there.
    argv = [path, "-S", "-I", "-E", os.path.join(FOLDER, "any_python.py")]
    environment = probe_environment(way)
    done = subprocess.run(
        argv, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    checks = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(checks) >= 2
    assert wrong_checks(checks) == []
    assert done.stderr == ""


@pytest.mark.parametrize("name, path", pythons())
def test_any_python_has_the_programs_module(name, path, tmp_path):
    ask = "import flopsprof; print(flopsprof.__spec__.origin, callable(flopsprof.step))"
    run = run_profiled([path, "-S", "-I", "-c", ask], folder=str(tmp_path / "run"))
    assert (run.exit_code, run.stdout) == (0, "built-in True\n"), run.explain()


@pytest.fixture(scope="module")
def unprofiled_dynamo():
    return run("dynamo.py", probed=False)[0]


@pytest.mark.parametrize(
    "way, note", [("swap", "vectorcall hook"), ("hooks", "none: torch.compile is used")]
)
def test_torch_compile_behaves_as_without_us(unprofiled_dynamo, way, note):
    without, (with_us, ours) = copy.deepcopy(unprofiled_dynamo), run("dynamo.py", way=way)
    # An optimizer hook of our own lets Dynamo skip one frame that holds no operation.
    for result in (without, with_us):
        del result["optimizer"]["frames"]
    assert with_us == without
    assert without["plain"]["stats"]["unique_graphs"] > 0
    assert ours["failed"] == 0
    assert ours["notes"]["modules"].startswith(note)
    assert ours["unknown"] == [], "compiled graphs are no modules of the user's"


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """({case: line}, records) of cases.py, one process for all."""
    out = str(tmp_path_factory.mktemp("scopes") / "records.jsonl")
    agent = os.path.join(ROOT, "tests", "support", "fake_agent.py")
    library = product("lib/libflopsprof_inject.so")
    argv = [sys.executable, agent, "--library", library, "--out", out, "--slots", "64", "--"]
    argv += [sim_python(), os.path.join(FOLDER, "cases.py")]
    environment = dict(os.environ, PYTHONPATH=PACKAGE)
    done = subprocess.run(
        argv, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    with open(out) as file:
        records = [json.loads(line) for line in file]
    # Python starts helper processes: ours is the one that opened scopes.
    pids = {record["pid"] for record in records if record["type"] == "scope"}
    assert len(pids) == 1
    return {line["case"]: line for line in lines}, [r for r in records if r["pid"] in pids]


class FoldedNames(Names):
    """Paths as users see them: without the attributes that only wrap."""

    def __init__(self, records) -> None:
        super().__init__()
        for record in records:
            if record["type"] == "scope":
                self.scopes[record["scope"]] = record

    def path(self, scope: int) -> str:
        if scope == 0 or self.scopes[scope]["parent"] == 0:
            return super().path(scope)
        record = self.scopes[scope]
        above = self.path(record["parent"])
        if record["kind"] == 4:  # an optimizer: no place of its own
            return above
        parent_class = self.scopes[record["parent"]]["class_name"]
        if record["name"] in FOLDED or (record["name"] == "module" and parent_class in WRAPPERS):
            return above
        return f"{above}.{record['name']}" if above else record["name"]


CASE_NAMES = subprocess.run(
    ["grep", "-oP", r"^def \K\w+(?=\(\):)", os.path.join(FOLDER, "cases.py")],
    capture_output=True, text=True, check=True,
).stdout.split()  # fmt: skip
CASE_NAMES = [name for name in CASE_NAMES if name not in ("linear", "main")]


@pytest.mark.parametrize("name", CASE_NAMES)
def test_work_belongs_to_its_module_and_phase(cases, name):
    lines, records = cases
    line = lines[name]
    assert line["error"] is None
    names = FoldedNames(records)
    found: dict = {}
    number = step_numbers(records)
    for record in records:
        if record["type"] != "gemm" or number(record["step"]) != line["step"]:
            continue
        if record["flags"] & 1:
            continue
        flops = 2 * record["m"] * record["n"] * record["k"] * record["batch"]
        phase = PHASES[record["phase"]]
        phase = "forward" if phase == "other" else phase
        row = found.setdefault(names.path(record["scope"]), {})
        row[phase] = row.get(phase, 0) + flops / UNIT
    assert case_is_right(line, found), found


def test_nothing_was_lost_in_the_cases(cases):
    _, records = cases
    end = [record for record in records if record["type"] == "end"][0]
    assert set(end["loss"]) == set()
    assert end["nodes"] > 100


# cifar_net, batch 8, one training step: tests/golden/golden.json.
FORWARD, BACKWARD = 10_427_520, 15_210_240


def two_and_three_steps(python, folder, way):
    """Runs of cifar_net whose difference is one step."""
    runs = []
    for steps in (2, 3):
        command = [python, *acceptance("cifar_net", "--batch", "8", "--steps", str(steps))]
        run = run_profiled(
            command, folder=str(folder / str(steps)), env={"FLOPSPROF_MODULE_HOOK": way}
        )
        assert run.ended_well(), run.explain()
        assert summary_checks.problems(run.summary) == [], run.explain()
        runs.append(run)
    return runs


def test_global_hooks_give_the_golden_counts(python, tmp_path):
    two, three = two_and_three_steps(python, tmp_path, "hooks")
    with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
        golden = next(e for e in json.load(file) if e["id"] == "cifar_net-batch-8-mode-train")
    counts = summary_checks.counts
    step = summary_checks.difference(counts(three.summary), counts(two.summary))
    assert compare.judge(golden, step, "visible") == []
    assert three.summary["ranks"][0]["notes"]["modules"] == "global hooks"
    assert "module_hook_refused" not in three.summary["ranks"][0]["loss"]


def test_without_module_names_phases_stay_right_and_the_report_says_so(python, tmp_path):
    two, three = two_and_three_steps(python, tmp_path, "none")
    flops = [run.summary["totals"]["flops"] for run in (two, three)]
    step = {phase: (flops[1][phase] or 0) - (flops[0][phase] or 0) for phase in flops[1]}
    # What runs outside of modules and of a backward pass has no phase of its own.
    assert {phase: count for phase, count in step.items() if count} == {
        "other": FORWARD,
        "backward": BACKWARD,
    }
    summary, reason = three.summary, "none: FLOPSPROF_MODULE_HOOK=none"
    assert summary["ranks"][0]["notes"]["modules"] == reason
    assert [module["path"] for module in summary["modules"]] == ["(outside)"]
    (finding,) = [found for found in summary["findings"] if found["evidence"] == reason]
    assert finding["next"] == "it was asked for: run without that variable"
    assert reason in three.report()


def waiting(python, folder, seconds):
    program = os.path.join(PROGRAMS, "scopes", "main_thread_waits.py")
    run = run_profiled([python, program, str(seconds)], folder=folder)
    assert run.ended_well(), run.explain()
    assert summary_checks.problems(run.summary) == [], run.explain()
    return run, *map(int, run.stdout.split())


def test_a_thread_that_trains_has_modules_while_the_main_thread_waits_for_it(python, folder):
    run, steps, early = waiting(python, folder, 6)
    product = 2 * 8 * 64 * 32
    module, outside = run.module(""), run.module("(outside)")
    forward = module["flops"]["forward"] // product
    # Installed within three seconds; what came before is outside, and nothing is lost.
    assert steps - early <= forward <= steps
    assert forward + (outside["flops"]["other"] or 0) // product == steps
    notes = run.summary["ranks"][0]["notes"]
    assert notes["modules"] == "vectorcall hook"
    assert notes["modules_installed"].startswith("late: ")
    said = [finding["evidence"] for finding in run.found("modules_seen_late")]
    assert said == [notes["modules_installed"]]


def test_a_module_amid_its_import_when_we_come_is_changed_later(python, folder):
    program = os.path.join(PROGRAMS, "scopes", "amid_import.py")
    run = run_profiled([python, program], folder=folder)
    assert run.ended_well(), run.explain()
    assert run.stdout == "True True\n", run.explain()


def test_modules_come_after_a_slow_import_though_pythons_queue_is_full(python, folder):
    program = os.path.join(PROGRAMS, "scopes", "slow_import.py")
    run = run_profiled([python, program, "4"], folder=folder)
    assert run.ended_well() and run.stdout == "3\n", run.explain()
    assert run.module("")["flops"]["forward"] == 3 * 2 * 8 * 64 * 32
    notes = run.summary["ranks"][0]["notes"]
    assert notes["modules"] == "vectorcall hook"
    assert notes["modules_installed"].startswith("late: ")


def test_modules_that_never_came_are_said(python, folder):
    program = os.path.join(PROGRAMS, "scopes", "main_thread_never_comes.py")
    run = run_profiled([python, program], folder=folder)
    assert run.ended_well(), run.explain()
    assert summary_checks.problems(run.summary) == [], run.explain()
    notes = run.summary["ranks"][0]["notes"]
    assert "modules_installed" not in notes
    assert run.module("(outside)")["flops"]["other"] == 2 * 64**3
    assert [module["path"] for module in run.summary["modules"]] == ["(outside)"]
    reason = notes["modules"]
    assert reason.startswith("none: Python's main thread did nothing")
    assert [finding["evidence"] for finding in run.found("no_module_names")] == [reason]
    assert run.summary["ranks"][0]["loss"]["module_hook_refused"] == 1
