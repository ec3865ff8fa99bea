# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Paths with and without what wrappers add; modules with two paths; two models in one process."""

import json
import subprocess

from flopsprof_run import product, run_profiled

PRODUCT = 2 * 4 * 8 * 8  # a Linear(8, 8) on 4 rows

WRAPPED = """
import torch
from torch import nn
layer = nn.Linear(8, 8)
net = nn.DataParallel(nn.Sequential(layer, nn.Sequential(nn.Linear(8, 8), layer)).cuda(), [0])
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 8)
    def forward(self, x):
        return self.head(x)
critic = Critic().cuda()
x = torch.ones(4, 8, device="cuda")
critic(net(x))
net.module[1][0] = nn.Linear(8, 8).cuda()  # another module in the same place
net.module[1].append(nn.Linear(8, 8).cuda())  # one more
critic(net(x))
torch.cuda.synchronize()
"""


def forward_products(summary) -> dict:
    own = {m["path"]: m["self"]["flops"]["forward"] or 0 for m in summary["modules"]}
    return {path: flops / PRODUCT for path, flops in own.items() if flops}


def test_wrappers_are_folded_or_kept(python, folder):
    run = run_profiled([python, "-c", WRAPPED], folder=folder)
    assert run.ended_well(), run.explain()
    # By hand: two calls of each model; the shared layer twice in each; each layer of the place that
    # changed hands in one; the new layer in one.
    folded = {"0": 4, "1.0": 1, "1.0#2": 1, "1.2": 1, "(Critic).head": 2}
    assert [run.module(path)["params"] for path in ("1.0", "1.0#2", "1.2")] == [72, 72, 72]
    assert forward_products(run.summary) == folded
    assert run.module("")["class"] == "Sequential"
    report = subprocess.run(
        [product("bin/flopsprof"), "report", "--raw-names", "--json", folder],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    raw = json.loads(report.stdout)
    assert forward_products(raw) == {
        path if path.startswith("(") else f"module.{path}": count for path, count in folded.items()
    }
    classes = {module["path"]: module["class"] for module in raw["modules"]}
    assert (classes[""], classes["module"]) == ("DataParallel", "Sequential")
    assert raw["totals"]["flops"] == run.summary["totals"]["flops"]
    # The layer's second path, in both ways of reading.
    also = {m["path"]: m["also"] for m in run.summary["modules"] if m["also"]}
    assert also == {"0": ["1.1"]}
    assert {m["path"]: m["also"] for m in raw["modules"] if m["also"]} == {
        "module.0": ["module.1.1"]
    }


def test_a_run_may_keep_raw_names(python, folder):
    run = run_profiled([python, "-c", WRAPPED], "--raw-names", folder=folder)
    assert run.ended_well(), run.explain()
    assert run.module("module.0")["self"]["flops"]["forward"] == 4 * PRODUCT
    # The tree shows last parts of paths.
    assert "module Sequential" in " ".join(run.report().split())
