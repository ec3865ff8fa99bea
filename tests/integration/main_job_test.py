# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The main job: the CIFAR network on two ranks, exact for every module, rank and step."""

import json
import os
import re
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
    assert len(run.found("no_mfu")) == 1
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
    assert [f["evidence"] for f in run.found("backward_not_attributed")] == [asked]
    assert [f["evidence"] for f in run.found("environment")] == [
        "not understood: FLOPSPROF_GRAPH_NODE_LIMIT=abc (used: 1000000)"
    ]


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


# The report that DeepSpeed itself printed of this network (docs/seeds.md): counts and shares.
PUBLISHED = """\
world size:                                                             2
params per GPU:                                                         62.01 K
fwd MACs per GPU:                                                       5.21 MMACs
    params      - {'Net': '62.01 K'}
    MACs        - {'Net': '5.21 MMACs'}
  62.01 K = 100% Params, 5.21 MMACs = 100% MACs,
  (conv1): Conv2d(456 = 0.74% Params, 2.82 MMACs = 54.13% MACs,
  (pool): MaxPool2d(0 = 0% Params, 0 MACs = 0% MACs,
  (conv2): Conv2d(2.42 K = 3.9% Params, 1.92 MMACs = 36.83% MACs,
  (fc1): Linear(48.12 K = 77.61% Params, 384 KMACs = 7.37% MACs,
  (fc2): Linear(10.16 K = 16.39% Params, 80.64 KMACs = 1.55% MACs,
  (fc3): Linear(850 = 1.37% Params, 6.72 KMACs = 0.13% MACs,
"""


def page_of(run, *options):
    tool = product("bin/flopsprof")
    done = subprocess.run(
        [tool, "report", run.folder, *options], stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def test_the_page_in_deepspeeds_layout_has_the_published_counts(run):
    page = page_of(run, "--style", "deepspeed", "--mp-size", "1")
    for line in PUBLISHED.splitlines():
        assert "\n" + line in page, line
    assert "\nfwd flops of model = fwd flops per GPU * mp_size:                       10.43 M \n" in page
    # 15,210,240 by the golden file: 2 * forward less conv1, whose input needs no gradient.
    assert "\nmeasured bwd flops per GPU:                                             15.21 M \n" in page
    assert "\n|   15.21 M = 1.46 * fwd flops, " in page
    assert "\n|   (conv1): Conv2d(5.64 M = 1 * fwd flops, " in page
    assert page == page_of(run, "--style", "deepspeed", "--mp-size", "1")


def test_a_layout_says_what_its_figures_are_of(run):
    page = page_of(run, "--style", "deepspeed")
    ranks = "on each of 2 ranks"
    assert f"\n- mean over {STEPS} steps (0 to {STEPS - 1}) {ranks}\n" in page
    said = page.partition("communication and its waiting is ")[2].partition("\n")[0]
    assert re.fullmatch(r"[\d.]+ \w+ of fwd, [\d.]+ \w+ of bwd, [\d.]+ \w+ of step", said), page


def test_a_layout_refuses_a_size_that_does_not_divide_the_ranks(run):
    tool = product("bin/flopsprof")
    command = [tool, "report", run.folder, "--style", "deepspeed", "--mp-size", "3"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--mp-size 3 does not divide the 2 ranks of this run\n" in done.stderr


@pytest.mark.parametrize(
    "style, line",
    [
        ("deepspeed-2022", "params per gpu:                                               62.01 k "),
        ("deepspeed-2021-05", "fwd flops per GPU = 2 * fwd MACs per GPU:                     10.43 M "),
        ("deepspeed-2021", "Top 3 modules in params at depth 1 are {'Linear': '59.13 k', 'Conv2d': "),
        ("flops-profiler", "fwd MACs per device:                                          5.21 MMACs"),
    ],
)
def test_older_layouts_have_the_same_counts(run, style, line):
    assert "\n" + line in page_of(run, "--style", style)
