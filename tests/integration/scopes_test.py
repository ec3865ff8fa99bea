# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules, phases and steps on the real PyTorch.

On the CPU through a library with a recording sink (libscopes_probe.so), on the stand-in GPU
through the real injector and tests/support/fake_agent.py.
"""

import glob
import json
import os
import shutil
import subprocess
import sys

import pytest
from flopsprof_run import PROGRAMS, ROOT, product, sim_python

sys.path.insert(0, os.path.join(PROGRAMS, "scopes"))
from probe import Names  # noqa: E402

FOLDER = os.path.join(PROGRAMS, "scopes")
PACKAGE = os.path.join(ROOT, "injector", "shims", "python")
PROBE = product("lib/libscopes_probe.so")
UNIT = 2 * 8 * 64 * 64
WRAPPERS = ("DataParallel", "DistributedDataParallel")
FOLDED = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")


def run(program: str, *flags: str, probed: bool = True, timeout: int = 300) -> list:
    """Standard output of a program of tests/programs/scopes, a parsed JSON object a line."""
    environment = dict(os.environ, PYTHONPATH=PACKAGE)
    environment.pop("SCOPES_PROBE", None)
    if probed:
        environment["SCOPES_PROBE"] = PROBE
    argv = [sim_python(), *flags, os.path.join(FOLDER, program)]
    done = subprocess.run(
        argv, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.mark.parametrize("program", ["names.py", "facts.py"])
def test_every_check_of_the_program_holds(program):
    checks = run(program)
    assert len(checks) > 10
    wrong = [check for check in checks if check["got"] != check["want"]]
    assert not wrong


def pythons() -> list:
    """Interpreters of this machine, one for each version from 3.8 on."""
    found = {}
    for minor in range(8, 16):
        name = f"python3.{minor}"
        versions = os.path.expanduser(f"~/.pyenv/versions/3.{minor}.*/bin/{name}")
        candidates = glob.glob(versions) + [shutil.which(name)]
        for path in filter(None, candidates):
            works = subprocess.run([path, "-c", "0"], capture_output=True, check=False)
            if works.returncode == 0:
                found.setdefault(name, path)
    return sorted(found.items())


@pytest.mark.parametrize("name, path", pythons())
def test_the_hook_fits_or_refuses_on_any_python(name, path):
    # Without site, environment and user folders: nothing but the embedded shim is there.
    argv = [path, "-S", "-I", "-E", os.path.join(FOLDER, "any_python.py")]
    environment = dict(os.environ, SCOPES_PROBE=PROBE)
    done = subprocess.run(
        argv, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    checks = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(checks) >= 2
    assert not [check for check in checks if check["got"] != check["want"]]
    assert done.stderr == ""


def test_torch_compile_behaves_as_without_us():
    without, (with_us, ours) = run("dynamo.py", probed=False)[0], run("dynamo.py")
    # An optimizer hook of our own lets Dynamo skip one frame that holds no operation.
    for result in (without, with_us):
        del result["optimizer"]["frames"]
    assert with_us == without
    assert without["plain"]["stats"]["unique_graphs"] > 0
    assert ours["failed"] == 0
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
    columns = {"forward": 0, "other": 0, "backward": 1, "recompute": 2}
    phases = ("other", "forward", "backward", "recompute", "optimizer")
    for record in records:
        if record["type"] != "gemm" or record["step"] != line["step"] or record["flags"] & 1:
            continue
        flops = 2 * record["m"] * record["n"] * record["k"] * record["batch"]
        row = found.setdefault(names.path(record["scope"]), [0, 0, 0])
        row[columns[phases[record["phase"]]]] += flops / UNIT
    assert found == line["right"]


def test_nothing_was_lost_in_the_cases(cases):
    _, records = cases
    end = [record for record in records if record["type"] == "end"][0]
    expected = {"captured_call", "graph_replay"}  # of the case `capture`
    assert set(end["loss"]) <= expected
    assert end["nodes"] > 100
