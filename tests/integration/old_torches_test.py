# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules, phases and counters of torch.compile in older PyTorch, on the CPU.

scripts/old_torch_envs.sh makes the environments: gigabytes to download, so the newer one only with
--full.
"""

import functools
import os
import subprocess

import pytest
from flopsprof_run import ROOT
from scope_programs import CHECKED, case_is_right, folded, run, wrong_checks

VERSIONS = ("2.4.1", pytest.param("2.8.0", marks=pytest.mark.full))
NEED_A_GPU = {"data_parallel", "capture", "layers_on_two_devices"}
# Compiled autograd of torch 2.4 does not say that a pass runs: a limit (injector/python/README.md).
# Dynamo skips torch's own containers in 2.8: children are compiled, and found, each for itself. In
# 2.4 it compiles the function that counts products here.
CONTAINER = "container_compiled_in_place"
NOT_IN = {
    "2.4.1": {"compiled_autograd", CONTAINER, CONTAINER + "_breaks"},
    "2.8.0": {CONTAINER},
}


@functools.lru_cache(maxsize=None)
def python_of(version: str) -> str:
    script = os.path.join(ROOT, "scripts", "old_torch_envs.sh")
    done = subprocess.run([script, version], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()[-1]


@pytest.fixture(params=VERSIONS)
def version(request) -> str:
    return request.param


@pytest.fixture
def old(version, monkeypatch) -> str:
    monkeypatch.setenv("SIM_DEVICES", "0")  # cuda12_test.py puts the stand-in GPU there
    return python_of(version)


@pytest.mark.parametrize("way, program, argument", CHECKED)
def test_every_check_of_the_program_holds(old, way, program, argument):
    checks = run(program, *filter(None, [argument]), way=way, python=old)
    assert len(checks) > 10
    assert wrong_checks(checks) == []


def test_work_belongs_to_its_module_and_phase(old, version):
    lines = run("cases.py", python=old, environment={"CASES_DEVICE": "cpu"})
    left_out = NEED_A_GPU | NOT_IN[version]
    lines = [line for line in lines if line["case"] not in left_out]
    assert len(lines) > 40
    wrong = [line for line in lines if not case_is_right(line, folded(line["found"]))]
    assert [line for line in lines if line["error"]] == []
    assert wrong == []


def test_torch_compile_behaves_as_without_us(old):
    (without,) = run("dynamo.py", probed=False, python=old)
    with_us, ours = run("dynamo.py", python=old)
    # An optimizer hook of our own lets Dynamo skip one frame that holds no operation.
    for result in (without, with_us):
        del result["optimizer"]["frames"]
    assert with_us == without
    assert without["plain"]["stats"]["unique_graphs"] > 0
    assert ours["failed"] == 0
    assert ours["notes"]["modules"] == "vectorcall hook"
    assert ours["notes"]["backward"] == "engine"
