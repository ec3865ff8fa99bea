# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Each query that the README of collector/store and docs/data.md show has an answer in a run of a single
process, and the views have the columns that docs/data.md says."""

import os
import re
import sqlite3

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


README = os.path.join(ROOT, "collector", "store", "README.md")
DATA = os.path.join(ROOT, "docs", "data.md")
# Of the paths of launch_view, and nothing that a user asks for.
INNER_VIEWS = {"scope_places"}


def read(path) -> str:
    with open(path) as file:
        return file.read()


def queries(path) -> list:
    (block,) = re.findall(r"```sql\n(.*?)```", read(path), re.S)
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


@pytest.mark.parametrize("sql", queries(README) + queries(DATA))
def test_a_query_of_the_pages_has_rows_in_a_single_process(run, sql):
    rows = ask(run, sql)[1:]  # after the names of the columns
    assert rows and rows != [""], sql


def test_the_rank_of_a_single_process_is_minus_1_in_views_and_0_in_the_report(run):
    assert ask(run, "SELECT DISTINCT rank FROM call_view")[1:] == ["-1"]
    assert [rank["rank"] for rank in run.summary["ranks"]] == [0]


def test_the_exact_sums_of_the_page_are_those_by_hand(run):
    """Two Linear(32, 32) without bias on 8 rows, three steps: 2*8*32*32 a product. The first layer has no
    gradient of its input. x @ x.T: 2*8*8*32."""
    product_flops = 2 * 8 * 32 * 32
    by_phase, parts = queries(DATA)[1:3]
    rows = dict(line.split()[1:] for line in ask(run, by_phase)[1:])
    assert rows["forward"] == str(3 * 2 * product_flops)
    assert rows["backward"] == str(3 * 3 * product_flops)
    connection = sqlite3.connect(f"file:{run.folder}/profile.db?mode=ro", uri=True)
    e27, e18, e9, e0 = connection.execute(parts).fetchone()
    connection.close()
    total = e27 * 10**27 + e18 * 10**18 + e9 * 10**9 + e0
    assert total == 3 * (5 * product_flops + 2 * 8 * 8 * 32)


def test_the_page_has_every_view_with_its_columns_and_the_version(run):
    lines = re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$", read(DATA), re.M)
    told = {view: re.findall(r"`(\w+)`", columns) for view, columns in lines}
    connection = sqlite3.connect(f"file:{run.folder}/profile.db?mode=ro", uri=True)
    views = connection.execute("SELECT name FROM sqlite_master WHERE type='view'").fetchall()
    stored = {
        view: [row[1] for row in connection.execute(f"PRAGMA table_info({view})")]
        for (view,) in views
        if view not in INNER_VIEWS
    }
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    assert {view: told.get(view) for view in stored} == stored
    assert f"describes {version}." in read(DATA)
