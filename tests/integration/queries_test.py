# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Each query that the README of collector/store shows has an answer in a run of a single process."""

import os
import re

import pytest
from flopsprof_run import ROOT, product, run_plain, run_profiled

# Has what the queries ask for by name: layers.0.fc, a range, a product, a kernel nobody knows.
PROGRAM = """
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(32, 32, bias=False)

    def forward(self, x):
        return torch.fft.fft(self.fc(x)).real


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer(), Layer()])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net, x = Net().cuda(), torch.randn(8, 32).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
for _ in range(3):
    with torch.cuda.nvtx.range("my range"):
        x @ x.T
    net(x).sum().backward()
    optimizer.step()
torch.cuda.synchronize()
"""


def queries() -> list:
    with open(os.path.join(ROOT, "collector", "store", "README.md")) as file:
        (block,) = re.findall(r"```sql\n(.*?)```", file.read(), re.S)
    sql = re.sub(r"^--.*$", "", block, flags=re.M)
    return [" ".join(one.split()) for one in sql.split(";") if one.strip()]


@pytest.fixture(scope="module")
def run(python, tmp_path_factory):
    folder = tmp_path_factory.mktemp("queries")
    (folder / "program.py").write_text(PROGRAM)
    run = run_profiled([python, str(folder / "program.py")], folder=str(folder / "run"))
    assert run.ended_well(), run.explain()
    return run


def ask(run, sql) -> list:
    done = run_plain([product("bin/flopsprof"), "query", run.folder, sql])
    assert done.exit_code == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


@pytest.mark.parametrize("sql", queries())
def test_a_query_of_the_readme_has_rows_in_a_single_process(run, sql):
    rows = ask(run, sql)[1:]  # after the names of the columns
    assert rows and rows != [""], sql


def test_the_rank_of_a_single_process_is_minus_1_in_views_and_0_in_the_report(run):
    assert ask(run, "SELECT DISTINCT rank FROM call_view")[1:] == ["-1"]
    assert [rank["rank"] for rank in run.summary["ranks"]] == [0]
