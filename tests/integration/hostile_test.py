# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs that do to modules, ranges and Python what nobody should: unharmed, and losses are said."""

import os

import pytest
from flopsprof_run import PROGRAMS, run_plain, run_profiled

HOSTILE = os.path.join(PROGRAMS, "scopes", "hostile.py")


def test_a_hostile_program_prints_what_it_prints_alone(python, folder):
    # More ranges than the table has room for: 65,536.
    command = [python, HOSTILE, "1000000"]
    alone = run_plain(command)
    run = run_profiled(command, folder=folder)
    assert alone.exit_code == 7, alone.explain()
    assert run.exit_code == 7, run.explain()
    assert run.stdout == alone.stdout
    loss = run.summary["ranks"][0]["loss"]
    # By hand: three pops without a push; an end of an ended range and of one that never was.
    assert loss["scope_unbalanced"] == 5
    assert loss["scope_table_full"] >= 1_000_000 - 65536
    assert loss["blob_too_large"] >= 2  # two names of 10 kB
    assert loss["names_cut"] == 1  # both are the same one
    # A class and a name of which nothing can be told; and what one ring holds of a million ranges.
    # Names of kernels and modules have room all the same.
    assert set(loss) <= {"scope_unbalanced", "scope_table_full", "blob_too_large", "shim_failed",
                         "ring_full", "names_cut"}, loss  # fmt: skip
    report = run.report()
    for name in loss:
        assert name in report
    # No name moves the terminal.
    assert not any(c in report for c in "\x1b\x07\x7f\u202e")
    # The tree that came after the ranges; what ran in a range without room is its module's.
    assert run.module("(After)")["class"] == "After"
    for path in ("(After)", "(After).late"):
        assert run.module(path)["self"]["flops"]["forward"] == 2 * 4 * 8 * 8
    # By hand: 22 calls of a Linear(8, 8) on 4 rows get to their product, 20 to the two products of
    # their backward pass (a hook after it raises too late). None is lost, whatever its module is.
    # Two more of each in the tree after the ranges.
    assert run.summary["totals"]["flops"]["forward"] == 24 * 2 * 4 * 8 * 8
    assert run.summary["totals"]["flops"]["backward"] == 22 * 2 * 2 * 4 * 8 * 8


@pytest.mark.parametrize("flags", ["-S", "-ISE"])
def test_a_python_without_site_or_environment(flags, python, folder):
    # Without site the packages of the environment are found only where the program says.
    site = next(
        os.path.join(root, "site-packages")
        for root, folders, _ in os.walk(os.path.join(os.path.dirname(python), "..", "lib"))
        if "site-packages" in folders
    )
    code = (
        f"import sys; sys.path.insert(0, {os.path.realpath(site)!r}); import torch; "
        "m = torch.nn.Sequential(torch.nn.Linear(8, 8)).cuda(); "
        "print(m(torch.ones(4, 8, device='cuda')).shape)"
    )
    run = run_profiled([python, flags, "-c", code], folder=folder)
    assert run.exit_code == 0, run.explain()
    assert "[4, 8]" in run.stdout
    assert run.module("0")["flops"]["forward"] == 2 * 4 * 8 * 8


def test_the_users_own_sitecustomize_and_path(python, folder, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import builtins; builtins.mine = 'ran'\n")
    (own / "flopsprof.py").write_text("raise RuntimeError('a module of the user')\n")
    code = (
        "import torch; m = torch.nn.Sequential(torch.nn.Linear(8, 8)).cuda(); "
        "m(torch.ones(4, 8, device='cuda')); print(mine)"
    )
    run = run_profiled([python, "-c", code], folder=folder, env={"PYTHONPATH": str(own)})
    assert run.exit_code == 0, run.explain()
    assert run.stdout == "ran\n"
    assert run.module("0")["flops"]["forward"] == 2 * 4 * 8 * 8


BY_FORWARD = os.path.join(PROGRAMS, "scopes", "by_forward.py")


def test_what_raises_when_it_is_looked_at_costs_only_itself(python, folder):
    run = run_profiled([python, BY_FORWARD, "raise"], folder=folder)
    assert run.exit_code == 0, run.explain()
    assert [(m["path"], m["params"]) for m in run.summary["modules"]] == [
        ("", 144), ("0", 72), ("1", 72), ("(outside)", None),
    ]  # fmt: skip
    assert run.summary["ranks"][0]["loss"] == {"shim_failed": 2}


def test_children_called_by_forward_are_those_of_any_instance(python, folder):
    run = run_profiled([python, BY_FORWARD], folder=folder)
    assert (run.exit_code, run.stdout) == (0, "True\n"), run.explain()  # no class is kept alive
    assert run.summary["ranks"][0]["notes"]["called_by_forward"] == "part (Linear) of Calls"
    (finding,) = run.found("called_by_forward")
    assert "part (Linear) of Calls" in finding["evidence"]
