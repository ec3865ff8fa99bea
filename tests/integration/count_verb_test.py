# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""flopsprof count: which Python it becomes, and what it hands over. Programs that say how they were
started stand in for Python, but where its own words are compared."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from flopsprof_run import ROOT, product

TOOL = product("bin/flopsprof")
PACKAGE = os.path.join(ROOT, "injector", "shims", "python")


def program(path):
    """Says its name, PYTHONPATH and arguments."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/sh\necho "$0"\necho "$PYTHONPATH"\nfor word; do echo "$word"; done\n')
    path.chmod(0o755)
    return str(path)


def count(*words, code=0, path="/nowhere", **environment):
    done = subprocess.run([TOOL, *words], env={"PATH": path, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout.splitlines() if code == 0 else done.stderr


@pytest.mark.parametrize("verb", [["count"], ["cou"]])
def test_the_first_python_on_path_gets_all_words_and_the_package(tmp_path, verb):
    python = program(tmp_path / "bin" / "python3")
    words = ["--json", "train.py", "--", "a b", "--python", ""]
    path = f"/nowhere:{os.path.dirname(python)}"
    assert count(*verb, *words, path=path) == [python, PACKAGE, "-m", "flopsprof.count", *words]
    assert count(*verb, path=path, PYTHONPATH="/mine")[1] == f"{PACKAGE}:/mine"


def test_the_environments_python_comes_before_paths_and_a_named_one_before_both(tmp_path):
    on_path, active = program(tmp_path / "bin" / "python3"), program(tmp_path / "venv" / "bin" / "python")
    named = program(tmp_path / "python9")
    places = {"path": os.path.dirname(on_path), "VIRTUAL_ENV": str(tmp_path / "venv")}
    assert count("count", "x", **places)[0] == active
    assert count("count", "x", **{**places, "VIRTUAL_ENV": "/gone"})[0] == on_path
    for words in (["--python", named], [f"--python={named}"]):
        assert count("count", *words, "x", **places) == [named, PACKAGE, "-m", "flopsprof.count", "x"]
    assert count("help", "count", **places)[-2:] == ["flopsprof.count", "--help"]


NAME_ONE = "name the one that the model runs with: flopsprof count --python PROGRAM ..."
NO_VALUE = ("count: --python needs a value: PROGRAM", "help: flopsprof help count")


@pytest.mark.parametrize(("words", "code", "message", "to_do"), [
    (["resnet18"], 127, "count: no Python was found: neither in VIRTUAL_ENV nor python3 on PATH",
     NAME_ONE),
    (["--python", "/gone/python3", "resnet18"], 127, "count: no such program: /gone/python3", NAME_ONE),
    (["--python"], 2, *NO_VALUE),
    (["--python=", "resnet18"], 2, *NO_VALUE),
])  # fmt: skip
def test_without_a_python_one_message_says_what_to_do(words, code, message, to_do):
    assert count("count", *words, code=code) == f"flopsprof: {message}\n  {to_do}\n"


def test_pythons_own_help_has_the_options_that_are_completed():
    lines = [line for line in count("count", "--python", sys.executable, "--help") if line.startswith("  -")]
    options = {option for line in lines for option in re.findall(r"(?<![\w-])--?[a-z]+", line)}
    cases = "\n".join(count("completion", "bash"))
    completed = re.search(r"\bcount\) options='([^']*)'", cases).group(1).split()
    assert set(completed) == options | {"--python"} and len(completed) == len(set(completed))


def test_a_python_without_pytorch_says_so():
    said = count("count", "--python", sys.executable, "resnet18", code=1)  # the tests' own has none
    assert said.startswith("flopsprof.count: PyTorch is not in this Python (")
    assert said.endswith("\n  use the Python that the model runs with: flopsprof count --python PROGRAM ...\n")


def test_a_reader_that_goes_away_is_no_traceback(python, tmp_path):
    (tmp_path / "net.py").write_text("from torch import nn\ndef make(): return nn.Linear(4, 4)\n")
    reader, writer = os.pipe()
    os.close(reader)
    words = [TOOL, "count", "--python", python, "net.py:make", "--input", "1x4"]
    done = subprocess.run(words, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, text=True,
                          timeout=60)  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_the_readmes_command_for_a_pytorch_that_is_elsewhere_counts(python):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        (command,) = re.findall(r"`(flopsprof count --python [^`]+)`", file.read())
    words = shlex.split(command.replace("$SIM", python))
    assert words[0] == "flopsprof"
    said = count(*words[1:], path="/usr/bin:/bin", HOME=os.environ["HOME"])  # no Python of PyTorch there
    assert said[0].startswith("ResNet, one call with 1x3x224x224")
