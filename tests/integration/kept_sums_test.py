# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A finished run keeps its sums; a report that is made from them is the one that its rows give.

`run_profiled` compares both after every run of these tests.
"""

import json
import os
import sqlite3
import subprocess

import kept_sums
import pytest
from flopsprof_run import product, run_profiled

COUNT = ["sh", "-c", "exit 0"]


def made_run(folder, ranks: int) -> str:
    run = str(folder / "run")
    subprocess.run([product("bin/flopsprof_make_run"), run, str(ranks), "2"], check=True)
    subprocess.run([product("bin/flopsprof_keep_sums"), run], check=True)
    return run


@pytest.mark.parametrize("ranks", [1, 2, 64])
def test_sums_alone_give_the_report_of_the_rows(tmp_path, ranks):
    run = made_run(tmp_path, ranks)
    assert kept_sums.keeps_sums(run)
    assert kept_sums.differences(product, run) == []


def test_rows_that_somebody_changes_are_read_again(tmp_path):
    run = made_run(tmp_path, 2)

    def report():
        return subprocess.run([product("bin/flopsprof"), "report", "--json", run], check=True,
                              stdout=subprocess.PIPE).stdout  # fmt: skip

    before = report()
    with sqlite3.connect(os.path.join(run, "profile.db")) as database:
        database.execute("UPDATE calls SET flops_low = flops_low + 2")
    assert report() != before


def test_a_job_without_gpu_keeps_its_sums_too(folder):
    run_profiled(COUNT, folder=folder)
    assert kept_sums.keeps_sums(folder)
    assert kept_sums.differences(product, folder) == []


MODEL = """
import torch
from torch import nn
net = nn.DataParallel(nn.Sequential(nn.Linear(8, 8), nn.ReLU()).cuda(), [0])
net(torch.ones(4, 8, device="cuda"))
torch.cuda.synchronize()
"""


def test_options_of_the_job_do_not_become_those_of_reports(python, folder):
    options = ("--raw-names", "--peak", "fp32=1e12")
    run_profiled([python, "-c", MODEL], *options, folder=folder)
    assert kept_sums.keeps_sums(folder)
    assert kept_sums.differences(product, folder) == []

    def report(*options) -> dict:
        text = subprocess.run([product("bin/flopsprof"), "report", "--json", *options, folder], check=True,
                              stdout=subprocess.PIPE).stdout  # fmt: skip
        return json.loads(text)

    plain, again = report(), report(*options)
    paths = [
        [m["path"] for m in summary["modules"] if m["path"] != "(outside)"] for summary in (plain, again)
    ]
    assert paths == [["", "0", "1"], ["", "module", "module.0", "module.1"]]
    assert plain != report("--peak", "fp32=1e12")


def test_reports_that_fail_alike_are_not_equal(tmp_path):
    with pytest.raises(AssertionError):
        kept_sums.reports(product("bin/flopsprof"), str(tmp_path), kept_sums.SHORT)
