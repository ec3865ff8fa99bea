# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""`flopsprof-run --max-overhead`: what is recorded fits the budget, is exact to the integer, and the
report says what it was."""

import os
import subprocess

import pytest
import summary_checks
from collector_process import Collector
from flopsprof_run import PROGRAMS, environment, product, run_plain, run_profiled
from wait_until import wait_until

JOB = os.path.join(PROGRAMS, "jobs", "governed.py")
SMALL = os.path.join(PROGRAMS, "jobs", "ends_badly.py")
TOOL = product("bin/flopsprof")
RUN = product("bin/flopsprof-run")

# jobs/small_net.py: 4 rows through 64 -> 32 -> 16; the data gradient of the second layer only.
FIRST = 2 * 4 * 64 * 32
SECOND = 2 * 4 * 32 * 16


def assert_steps_are_exact(run, steps: int) -> None:
    first, second = run.module("first")["flops"], run.module("second")["flops"]
    assert (first["forward"], first["backward"]) == (steps * FIRST, steps * FIRST)
    assert (second["forward"], second["backward"]) == (steps * SECOND, steps * 2 * SECOND)
    coverage = run.summary["coverage"]
    assert coverage["records_lost"] == 0 and coverage["calls_unmatched"] == 0
    assert coverage["unknown"] == 0
    assert not any("launch was not seen" in reason for reason in coverage["reasons"])
    assert summary_checks.problems(run.summary) == []


def says_that_it_was_not_kept(run) -> bool:
    return run.found("budget_not_kept") != []


def taken_steps(run) -> int:
    return int(run.stdout.split("steps:")[1])


def test_a_dear_job_is_recorded_in_windows_and_each_of_them_is_exact(python, folder):
    run = run_profiled(
        [python, JOB, "dear", TOOL, folder], "--max-overhead", "1%", folder=folder
    )
    assert run.ended_well(), run.explain()
    recording = run.summary["recording"]
    first, second = recording["windows"][:2]
    budget = recording["budget"]
    assert budget["max_overhead"] == pytest.approx(0.01)
    assert budget["switches"] >= 3 and budget["sampled_s"] > 5
    assert budget["level_changes"] >= 1
    assert "rested: True" in run.stdout  # modules, between windows
    # What is over comes of the first window, which nobody can know before.
    assert 0.001 < budget["estimate"] < 0.1
    assert budget["kept"] == (budget["estimate"] <= 1.2 * 0.01)
    assert says_that_it_was_not_kept(run) != budget["kept"]
    assert 0.1 < budget["instruction_ns"] < 5
    # Whole steps, as the windows say them, and no work of any other.
    covered = first["end_step"] + second["end_step"] - second["first_step"]
    assert second["first_step"] > first["end_step"]
    assert run.summary["steps"]["profiled"] == covered < taken_steps(run)
    assert run.summary["steps"]["measured"] == covered - 1  # all are whole; step 0 is no measure
    assert_steps_are_exact(run, covered)
    assert 0 < recording["share"] < 1
    report = " ".join(run.report().split())
    assert "budget 1% of each process's time; taken " in report
    assert f" of pid {budget['judged_pid']} by our estimate" in report
    assert "one window in several for" in report
    assert "recorded 2 windows, " in report and " of the run's time, its start included; " in report


def test_a_job_of_little_load_is_recorded_from_begin_to_end(python, folder):
    run = run_profiled([python, JOB, "cheap", "6"], "--max-overhead", "20%", folder=folder)
    assert run.ended_well(), run.explain()
    recording = run.summary["recording"]
    budget = recording["budget"]
    assert recording["windows"] == [] and budget["switches"] == 0
    assert (budget["sampled_s"], budget["paused_s"]) == (0, 0) and budget["full_s"] > 4
    assert budget["kept"] and budget["estimate"] < 0.2
    assert_steps_are_exact(run, taken_steps(run))
    assert not says_that_it_was_not_kept(run)


def test_nodes_decide_for_themselves_and_the_report_says_so(python, tmp_path):
    """Two launchers: all of rank 0 fits its budget, rank 1 is recorded in windows."""
    store = tmp_path / "store"
    with Collector(store) as collector:

        def launch(rank: int, budget: str, *job: str) -> subprocess.Popen:
            env = environment({"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2})
            server = f"127.0.0.1:{collector.port}"
            argv = [RUN, "--max-overhead", budget, "--collector", server, "--run-id", "two",
                    "--", python, JOB, *job]  # fmt: skip
            return subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True)

        jobs = [launch(0, "100%", "cheap", "14"), launch(1, "0.3%", "busy", "12")]
        steps = [int(job.communicate(timeout=240)[0].split("steps:")[1]) for job in jobs]
        assert [job.returncode for job in jobs] == [0, 0]
        assert collector.end() == 0
        (summary,) = collector.summaries().values()
        (folder,) = store.iterdir()
    recording = summary["recording"]
    assert recording["whole_processes"] == 1 and recording["windows"]
    assert not any(window["aligned"] for window in recording["windows"])
    budget = recording["budget"]
    assert budget["sampled_s"] > 1  # of the node that has windows
    assert (budget["judged_rank"], budget["max_overhead"]) == (1, pytest.approx(0.003))
    whole, cut = (rank["flops"]["forward"] // (FIRST + SECOND) for rank in summary["ranks"])
    assert whole == steps[0] and cut < steps[1]
    (finding,) = [f for f in summary["findings"] if f["kind"] == "windows_differ"]
    assert finding["evidence"] == "rank 0: recorded whole, others in windows"
    assert finding["next"] == "each node has its own budget; compare ranks by steps"
    report = " ".join((folder / "report.txt").read_text().split())
    assert "; all of 1 process without windows; " in report
    assert "not the same steps on all ranks" in report


def test_without_the_option_there_is_no_budget(python, folder):
    run = run_profiled([python, SMALL, "return"], folder=folder)
    assert run.summary["recording"]["budget"] is None
    assert run.summary["recording"]["windows"] == []
    assert "budget  " not in run.report()


def test_a_user_may_not_move_the_windows_of_a_budget(python, folder):
    answers = []

    def while_running(process):
        socket = os.path.join(folder, "control.sock")
        wait_until(lambda: os.path.lexists(socket) or process.poll() is not None, 60, "it runs")
        answers.append(run_plain([TOOL, "ctl", folder, "start"]))

    run_profiled(
        [python, JOB, "cheap", "1"], "--max-overhead", "20%", folder=folder,
        while_running=while_running,
    )  # fmt: skip
    (answer,) = answers
    assert answer.exit_code == 3
    assert "--max-overhead" in answer.stderr and "--paused" in answer.stderr


@pytest.mark.parametrize("text", ["1", "-1%", "200%", "x%"])
def test_a_budget_that_is_none_is_one_clear_error(python, folder, text):
    run = run_profiled([python, "-c", "1"], f"--max-overhead={text}", folder=folder)
    assert run.exit_code == 2 and not os.path.exists(folder)
    lines = run.stderr.splitlines()
    assert lines[0].startswith(f'flopsprof: run: --max-overhead: "{text}" is no')
    assert "1%" in lines[0]
