# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Functions that --step-at names: whose calls they are, and what the program does not notice."""

import os
import subprocess

import pytest
from flopsprof_run import PROGRAMS, ROOT, run_profiled
from old_torches_test import python_of
from scopes_test import pythons

FUNCTIONS = os.path.join(PROGRAMS, "steps", "functions.py")
FORWARD = 2 * 16 * 32 * 48 + 2 * 16 * 48 * 10
EMBEDDED = os.path.join(ROOT, "injector", "shims", "python", "embedded")


def run_functions(python, folder, kind, name):
    run = run_profiled([python, FUNCTIONS, kind], "--step-at", name, folder=folder)
    assert run.ended_well(), run.explain()
    return run


def forwards_of(run) -> list:
    return [line["flops"]["forward"] for line in run.summary["steps"]["list"]]


@pytest.mark.parametrize("name", ["rest", "named", "first"])
def test_a_function_with_stars_frees_its_arguments_as_it_did(python, folder, name):
    run = run_functions(python, folder, "stars", name)
    assert run.stdout.split() == ["0", "0", "0"]
    assert forwards_of(run)[0] >= FORWARD


def test_functions_of_one_decorator_are_told_apart(python, folder):
    run = run_functions(python, folder, "shared", "train_step")
    assert forwards_of(run) == [FORWARD] * 3


def test_a_function_that_cannot_be_followed_leaves_the_next_place(python, folder):
    run = run_functions(python, folder, "later", "place.step")
    assert forwards_of(run) == [FORWARD] * 3


def test_a_function_that_cannot_be_followed_is_said(python, folder):
    run = run_functions(python, folder, "unfollowed", "unfollowed_step")
    found = [f for f in run.summary["findings"] if "--step-at" in f["text"]]
    text = "there are no steps: --step-at unfollowed_step began none"
    assert [f["text"] for f in found] == [text]
    assert "cannot be followed: unfollowed_step is an asynchronous generator" in str(found[0])


@pytest.mark.parametrize("name, interpreter", pythons())
def test_every_python_runs_a_followed_function_as_it_was(name, interpreter):
    program = os.path.join(PROGRAMS, "steps", "prologue.py")
    command = [interpreter, program, EMBEDDED]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.split()[-1:]) == (0, ["same"]), run.stdout + run.stderr


def exported(interpreter) -> list:
    program = os.path.join(PROGRAMS, "steps", "exported.py")
    command = [interpreter, program, EMBEDDED]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def test_export_has_the_graph_that_it_had(python):
    assert exported(python) == ["2", "2"]


def test_export_in_an_old_torch_has_the_graph_that_it_had():
    assert exported(python_of("2.4.1")) == ["2", "2"]
