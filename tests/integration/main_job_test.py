# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The main job: the CIFAR network on two ranks, exact for every module, rank and step."""

import json
import os
import stat
import subprocess

import json_schema
import pytest
import summary_checks
from flopsprof_run import ROOT, acceptance, product, run_profiled, torchrun

STEPS = 3
RANKS = 2
PARAMETERS = 62_006
FORWARD_MACS = 5_213_760

with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
    GOLDEN = next(e for e in json.load(file) if e["id"] == "cifar_net-batch-8-mode-train")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return run_main_job(tmp_path_factory)


def run_main_job(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("main") / "run")
    command = torchrun(
        RANKS, *acceptance("cifar_net", "--batch", "8", "--steps", str(STEPS))
    )
    result = run_profiled(command, folder=folder)
    assert result.exit_code == 0, result.explain()
    assert result.summary is not None, result.explain()
    return result


def test_the_summary_is_consistent(run):
    assert summary_checks.problems(run.summary) == []
    assert run.summary["simulated"] is True
    assert run.summary["empty"] is False
    assert run.summary["steps"]["profiled"] == STEPS
    assert run.summary["job"]["world_size"] == RANKS


def test_the_summary_is_what_its_schema_says(run):
    assert json_schema.summary_problems(run.summary) == []
    assert json_schema.summary_undescribed(run.summary) == []


def test_the_check_of_the_schema_can_fail(run):
    broken = json.loads(json.dumps(run.summary))
    broken["totals"]["mfu"] = "much"
    del broken["steps"]["utilisation"]
    broken["totals"]["new"] = 1
    assert len(json_schema.summary_problems(broken)) == 2
    assert json_schema.summary_undescribed(broken) == ["$.totals.new"]


def test_each_rank_has_the_exact_counts(run):
    assert [rank["rank"] for rank in run.summary["ranks"]] == list(range(RANKS))
    for rank in run.summary["ranks"]:
        assert rank["macs"]["forward"] == STEPS * FORWARD_MACS
        assert rank["flops"]["forward"] == STEPS * 2 * FORWARD_MACS
        assert rank["flops"]["backward"] == STEPS * GOLDEN["bwd"]["flops"] == STEPS * 15_210_240
        assert rank["flops"]["recompute"] == 0
        assert rank["state"] == "exited"
        assert rank["exit_code"] == 0


def test_every_module_has_the_exact_counts(run):
    for path, row in GOLDEN["by_module"].items():
        module = run.module(path)
        assert module["flops"]["forward"] == RANKS * STEPS * row["fwd_flops"], path
        assert module["flops"]["backward"] == RANKS * STEPS * row["bwd_flops"], path
        assert module["macs"]["forward"] == RANKS * STEPS * row["fwd_macs"], path
        assert module["calls"] == RANKS * STEPS, path


def test_the_wrapped_model_is_the_root(run):
    root = run.module("")
    assert root["class"] == "Net"
    assert root["params"] == PARAMETERS
    paths = {module["path"] for module in run.summary["modules"]}
    assert not any("module" in path.split(".") for path in paths)
    assert run.module("conv1")["params"] == 456
    assert run.module("fc3")["class"] == "Linear"


def test_both_ranks_are_equal(run):
    first, second = run.summary["ranks"]
    assert first["flops"] == second["flops"]
    assert first["macs"] == second["macs"]
    for module in run.summary["modules"]:
        ranks = module["ranks"]
        assert ranks["min"] is not None


def test_coverage_says_what_holds_no_products(run):
    coverage = run.summary["coverage"]
    assert coverage["no_products"] > 0
    assert coverage["unknown"] == 0
    for kernel in run.summary["kernels"]:
        assert kernel["class"] == "" or kernel["category"] == "no_products", kernel
    assert coverage["communication"] > 0  # DDP's all-reduce
    assert coverage["records_lost"] == 0
    assert run.summary["totals"]["unknown_gpu_time_s"] == 0


def test_the_report_says_simulated_and_shows_the_tree(run):
    text = run.report()
    # What is simulated, and that this is why there is no MFU.
    assert text.count("GPU is simulated: times are a model") == 1
    assert text.count("MFU: none, the card is simulated") == 1
    assert "--peak" not in text
    for word in ("conv1", "conv2", "fc1", "fc2", "fc3"):
        assert word in text, text
    assert run.stderr.count("GPU is simulated: times are a model") == 1


def test_the_run_folder_is_private_and_readable_later(run):
    assert stat.S_IMODE(os.stat(run.folder).st_mode) == 0o700
    for name in ("run.json", "profile.db", "report.txt", "summary.json"):
        mode = stat.S_IMODE(os.stat(os.path.join(run.folder, name)).st_mode)
        assert mode == 0o600, name
    again = subprocess.run(
        [product("bin/flopsprof"), "report", "--json", run.folder],
        stdout=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    assert again.returncode == 0
    assert json.loads(again.stdout)["totals"] == run.summary["totals"]


def test_two_runs_give_identical_counts(run, tmp_path):
    command = torchrun(
        RANKS, *acceptance("cifar_net", "--batch", "8", "--steps", str(STEPS))
    )
    again = run_profiled(command, folder=str(tmp_path / "again"))
    assert again.exit_code == 0, again.explain()

    def all_counts(summary):
        return [
            (m["path"], m["calls"], m["flops"], m["macs"], m["self"]["flops"])
            for m in summary["modules"]
        ]

    assert all_counts(again.summary) == all_counts(run.summary)


def test_a_window_of_steps_counts_only_these(python, tmp_path):
    command = [python, *acceptance("cifar_net", "--batch", "8", "--steps", "4")]
    run = run_profiled(command, "--steps", "1:3", folder=str(tmp_path / "window"))
    assert run.exit_code == 0, run.explain()
    assert run.summary["steps"]["profiled"] == 2
    assert run.summary["steps"]["first"] == 1
    assert run.summary["totals"]["flops"]["forward"] == 2 * 2 * FORWARD_MACS
    assert run.summary["totals"]["flops"]["backward"] == 2 * GOLDEN["bwd"]["flops"]


def test_an_existing_folder_is_not_overwritten(python, tmp_path):
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine").write_text("keep")
    command = [python, *acceptance("cifar_net", "--batch", "8", "--steps", "1")]
    run = run_profiled(command, folder=str(taken))
    assert run.exit_code == 0, run.explain()
    assert os.listdir(taken) == ["mine"]
    assert (tmp_path / "taken-2" / "summary.json").exists()


@pytest.mark.parametrize("way", ["engine", "callback", "nodes"])
def test_each_way_of_following_the_backward_pass_has_the_exact_counts(way, python, tmp_path):
    command = [python, *acceptance("cifar_net", "--batch", "8", "--steps", "2")]
    run = run_profiled(command, folder=str(tmp_path / "run"), env={"FLOPSPROF_BACKWARD": way})
    assert run.exit_code == 0, run.explain()
    assert way.rstrip("s") in run.summary["ranks"][0]["notes"]["backward"]
    for path, row in GOLDEN["by_module"].items():
        assert run.module(path)["flops"]["forward"] == 2 * row["fwd_flops"], path
        assert run.module(path)["flops"]["backward"] == 2 * row["bwd_flops"], path


def test_without_a_way_the_backward_pass_keeps_its_phase_and_says_so(python, tmp_path):
    command = [python, *acceptance("cifar_net", "--batch", "8", "--steps", "2")]
    env = {"FLOPSPROF_BACKWARD": "none", "FLOPSPROF_GRAPH_NODE_LIMIT": "abc"}
    run = run_profiled(command, folder=str(tmp_path / "run"), env=env)
    assert run.exit_code == 0, run.explain()
    asked = "not attributed: FLOPSPROF_BACKWARD=none"
    assert run.summary["ranks"][0]["notes"]["backward"] == asked
    assert run.summary["totals"]["flops"]["backward"] == 2 * GOLDEN["bwd"]["flops"]
    assert run.module("(outside)")["flops"]["backward"] == 2 * GOLDEN["bwd"]["flops"]
    assert not run.module("conv1")["flops"]["backward"]
    evidence = [finding["evidence"] for finding in run.summary["findings"]]
    assert asked in evidence
    assert "not understood: FLOPSPROF_GRAPH_NODE_LIMIT=abc (used: 1000000)" in evidence


def test_a_given_peak_makes_mfu_and_its_absence_is_explained(run):
    assert run.summary["totals"]["mfu"] is None
    assert run.summary["totals"]["no_mfu_because"].endswith("the card is simulated")
    again = subprocess.run(
        [product("bin/flopsprof"), "report", "--json", "--peak", "fp32=1T,tf32=1T",
         run.folder],
        stdout=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    assert again.returncode == 0
    summary = json.loads(again.stdout)
    assert summary["totals"]["no_mfu_because"] == ""
    # Each step of each rank does the same work: forward and backward, all types at 10^12.
    work_s = (2 * FORWARD_MACS + 15_210_240) / 1e12
    for rank in summary["ranks"]:
        assert rank["hfu"] == rank["mfu"]
    walls = [work_s / step["mfu"] for step in summary["steps"]["utilisation"]]
    assert len(walls) == STEPS
    steady = work_s * (STEPS - 1) / sum(walls[1:])
    assert summary["totals"]["mfu"] == pytest.approx(steady, rel=1e-9)
    assert summary["totals"]["mfu_counted_share"] == 1
