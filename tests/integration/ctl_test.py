# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""`flopsprof-run --paused` and `flopsprof ctl`: only whole steps of a window are recorded, to the
integer; before the start the job is as without us."""

import json
import os
import signal
import subprocess
import threading

import pytest
from flopsprof_run import PROGRAMS, environment, product, run_plain, run_profiled, torchrun
from wait_until import wait_until

JOB = os.path.join(PROGRAMS, "jobs", "controlled.py")
TOOL = product("bin/flopsprof")

# jobs/small_net.py: 4 rows through 64 -> 32 -> 16; the data gradient of the second layer only.
FIRST = 2 * 4 * 64 * 32
SECOND = 2 * 4 * 32 * 16
BEFORE_START = "captured before `flopsprof ctl start`, while nothing was recorded"


def run_job(python, folder, way, number=0, *options, **more):
    command = [python, JOB, way, TOOL, folder, str(number)]
    run = run_profiled(command, "--paused", *options, folder=folder, **more)
    assert run.ended_well(), run.explain()
    return run


def work_of(run, path) -> tuple:
    flops = run.module(path)["flops"]
    return flops["forward"], flops["backward"]


def assert_steps_are_exact(run, steps) -> None:
    assert work_of(run, "first") == (steps * FIRST, steps * FIRST)
    assert work_of(run, "second") == (steps * SECOND, steps * 2 * SECOND)
    flops = run.summary["totals"]["flops"]
    assert flops["forward"] == steps * (FIRST + SECOND)
    assert flops["backward"] == steps * (FIRST + 2 * SECOND)
    for rank in run.summary["ranks"]:
        assert set(rank["loss"]) <= {"activity_outside_windows"}
    coverage = run.summary["coverage"]
    assert coverage["records_lost"] == 0 and coverage["calls_unmatched"] == 0
    assert coverage["unknown"] == 0


def query(folder, sql) -> list:
    done = subprocess.run(
        [TOOL, "query", "--json", folder, sql], stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def ctl(*words) -> subprocess.CompletedProcess:
    return subprocess.run(
        [TOOL, "ctl", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), timeout=60,
    )  # fmt: skip


def test_three_steps_in_the_middle_of_a_job_are_counted_to_the_integer(python, folder):
    run = run_job(python, folder, "steps", 3)
    assert_steps_are_exact(run, 3)
    recording = run.summary["recording"]
    (window,) = recording["windows"]
    assert recording["paused_at_start"] and 0 < recording["share"] < 1
    assert window["end_step"] - window["first_step"] == 3
    steps = run.summary["steps"]
    assert (steps["profiled"], steps["left_out"]) == (3, 0)  # all of them whole
    assert (steps["first"], steps["last"]) == (window["first_step"], window["end_step"] - 1)
    assert steps["first"] > 5  # warmed up before
    assert run.module("first")["calls"] == 3
    assert "recorded  1 window" in run.report()
    assert not os.path.lexists(os.path.join(folder, "control.sock"))


def test_a_job_may_be_recorded_more_than_once(python, folder):
    run = run_job(python, folder, "twice", 2)
    assert_steps_are_exact(run, 4)
    first, second = run.summary["recording"]["windows"]
    assert first["end_step"] - first["first_step"] == second["end_step"] - second["first_step"] == 2
    assert second["first_step"] > first["end_step"]
    assert run.summary["steps"]["left_out"] == 0


def test_stop_ends_with_a_whole_step(python, folder):
    run = run_job(python, folder, "stop")
    steps = run.summary["steps"]["profiled"]
    assert steps > 30 - 3
    assert_steps_are_exact(run, steps)
    assert run.summary["steps"]["left_out"] == 0
    (window,) = run.summary["recording"]["windows"]
    assert window["end_step"] - window["first_step"] == steps


@pytest.mark.parametrize("mode", ["node", "graph"])
def test_a_graph_captured_before_the_start_is_said_to_be_with_its_time(python, folder, mode):
    run = run_job(python, folder, "replay", 100, "--graphs", mode)
    (graphs,) = run.summary["coverage"]["graphs"]
    assert graphs["state"] == BEFORE_START
    assert graphs["replays"] >= 100 and graphs["calls"] == 0
    assert graphs["graphs"] == 1 and graphs["gpu_time_s"] > 0
    outside = run.module("(outside)")  # not 0 flops: not known
    assert outside["flops"]["other"] is None and outside["unknown_gpu_time_s"] > 0
    assert f"replays of CUDA graphs that were {BEFORE_START}" in " ".join(run.report().split())


@pytest.mark.parametrize("mode", ["node", "graph"])
def test_a_graph_captured_after_the_start_counts_at_each_replay(python, folder, mode):
    run = run_job(python, folder, "captured", 100, "--graphs", mode)
    (graphs,) = run.summary["coverage"]["graphs"]
    assert (graphs["state"], graphs["graphs"], graphs["replays"]) == ("counted", 1, 100)
    assert graphs["calls"] == 5 * 100  # two products forward, three backward
    forward, backward = work_of(run, "first")
    eager = forward // FIRST - 100
    assert forward % FIRST == 0 and eager > 0 and backward == forward
    assert work_of(run, "second") == ((eager + 100) * SECOND, (eager + 100) * 2 * SECOND)


def test_two_ranks_record_the_same_steps(python, folder):
    command = torchrun(2, JOB, "ranks", TOOL, folder, "3")
    run = run_profiled(command, "--paused", folder=folder)
    assert run.ended_well(), run.explain()
    (window,) = run.summary["recording"]["windows"]
    assert window["processes"] == 2 and window["aligned"]
    # The ranks end by themselves when the window is over: torchrun, which has no steps, is not
    # waited for, and CUPTI is given back soon.
    assert run.stdout.count("trained") == 2
    trained = [int(line.split()[-1]) for line in run.stdout.splitlines() if line.startswith("steps:")]
    assert len(trained) == 2 and max(trained) < 19000
    rows = query(folder, "select process_id, min(step) a, max(step) b, count(*) n from steps "
                         "group by process_id")  # fmt: skip
    assert len(rows) == 2
    assert {(r["a"], r["b"], r["n"]) for r in rows} == {
        (window["first_step"], window["end_step"] - 1, 3)
    }
    assert_steps_are_exact(run, 2 * 3)


def test_marks_are_named_instants_and_flush_fills_the_folder(python, folder):
    run = run_job(python, folder, "marks", 3)
    assert "flushed: 3" in run.stdout
    names = [mark["name"] for mark in run.summary["recording"]["marks"]]
    assert names == ["before", "after, \x1b[31mred"]
    rows = query(folder, "select name, step from instants order by mono_ns")
    assert rows[0] == {"name": "before", "step": 4} and len(rows) == 2
    assert "\x1b[31m" not in run.report() and "mark  before" in run.report()


def test_a_job_without_a_start_is_unharmed_and_says_what_to_do(python, folder):
    command = [python, JOB, "never", TOOL, folder]
    plain = run_plain(command)
    run = run_profiled(command, "--paused", folder=folder)
    assert (run.exit_code, run.stdout) == (plain.exit_code, plain.stdout)
    assert run.summary["empty"] and run.summary["recording"]["paused_at_start"]
    assert run.stderr.count("nothing to report: the run was paused from its start") == 1
    assert "flopsprof ctl start" in run.stderr
    done = subprocess.run([TOOL, "report", folder], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3 and "flopsprof ctl start" in done.stderr


def test_ctl_says_what_is_wrong(python, folder, tmp_path):
    def while_running(process):
        deadline = 300
        while not os.path.lexists(os.path.join(folder, "control.sock")) and deadline > 0:
            deadline -= 1
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
        mode = os.stat(os.path.realpath(os.path.join(folder, "control.sock"))).st_mode
        assert mode & 0o077 == 0
        status = ctl(folder, "status", "--json")
        assert json.loads(status.stdout)["state"] == "paused", status
        assert ctl(folder, "stop").stderr.startswith("flopsprof: ctl: nothing is being recorded")
        assert ctl(folder, "start").returncode == 0
        again = ctl(folder, "start")
        assert again.returncode == 3 and "started already" in again.stderr
        killed = subprocess.Popen([TOOL, "ctl", folder, "flush"], stdout=subprocess.DEVNULL)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert ctl(folder, "stop", "--now").returncode == 0
        assert ctl("--run", "no-such-run", "status").returncode == 3
        done.touch()

    done = tmp_path / "done"
    program = (
        "import os, time, torch; torch.zeros(1).cuda()\n"
        f"while not os.path.exists({str(done)!r}): time.sleep(0.02)"
    )
    run = run_profiled(
        [python, "-c", program], "--paused", folder=folder, while_running=while_running
    )
    assert run.ended_well(), run.explain()
    ended = ctl(folder, "status")
    assert ended.returncode == 3 and "has ended" in ended.stderr
    assert "no such run" in ctl(str(tmp_path / "none"), "status").stderr
    assert "is not a run folder" in ctl(str(tmp_path), "status").stderr


def test_a_start_that_waits_for_a_step_that_never_comes_says_so(folder, tmp_path):
    done = tmp_path / "done"
    waits = ["sh", "-c", f"while [ ! -e {done} ]; do sleep 0.05; done"]

    def while_running(_):
        wait_until(lambda: os.path.exists(os.path.join(folder, "control.sock")), 60, "it runs")
        command = [TOOL, "ctl", folder, "start", "--steps", "5", "--wait"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as started:
            ends = threading.Timer(30, done.touch)  # else a silent one is waited for
            ends.start()
            answers.append(started.stderr.readline())
            ends.cancel()
            done.touch()

    answers = []
    run_profiled(waits, "--paused", folder=folder, while_running=while_running)
    (line,) = answers
    assert "no step of the job has been seen yet" in line
    assert "--step-at" in line and "flopsprof.step()" in line


def test_ctl_without_a_run_asks_which_of_two(folder, tmp_path):
    """Each writes its folder's control.sock when it can be asked, and runs until it is told."""
    done, other = tmp_path / "done", folder + "-other"
    waits = ["sh", "-c", f"while [ ! -e {folder}/control.sock -o ! -e {other}/control.sock ]; "
                         f"do sleep 0.05; done; while [ ! -e {done} ]; do sleep 0.05; done"]

    def while_first(first):
        def while_both(second):
            wait_until(lambda: os.path.exists(os.path.join(other, "control.sock")), 60, "both run")
            for verb in ("status", "start", "flush"):
                answers.append(ctl(verb))
            answers.append(ctl(folder, "status", "--json"))
            done.touch()

        wait_until(lambda: os.path.exists(os.path.join(folder, "control.sock")), 60, "one runs")
        run_profiled(waits, "--paused", folder=other, while_running=while_both)

    answers = []
    run_profiled(waits, "--paused", folder=folder, while_running=while_first)
    *without, named = answers
    for answer in without:
        assert answer.returncode == 2, answer
        assert "name one: flopsprof ctl RUN" in answer.stderr
        assert f"{folder}  pid" in answer.stderr and f"{other}  pid" in answer.stderr
    assert json.loads(named.stdout)["state"] == "paused"


def test_a_job_outlives_its_launcher(python, folder, tmp_path):
    """kill -9 of agent and launcher in the middle of a window."""

    def while_running(process):
        for _ in range(300):
            status = ctl(folder, "status", "--json")
            if status.returncode == 0 and json.loads(status.stdout)["state"] == "recording":
                break
        os.kill(process.pid, signal.SIGKILL)
        killed.touch()

    killed = tmp_path / "killed"
    mark = os.path.join(os.path.dirname(folder), "done")
    program = (
        f"import sys; sys.path.insert(0, {os.path.dirname(JOB)!r})\n"
        "import subprocess, small_net\n"
        "t = small_net.Trainer(); t.train(2)\n"
        f"subprocess.run([{TOOL!r}, 'ctl', {folder!r}, 'start'], check=True)\n"
        "import os\n"
        f"while not os.path.exists({str(killed)!r}): t.train(20)\n"
        "t.train(2000)\n"
        f"open({mark!r}, 'w').write('trained')\n"
    )
    run = run_profiled(
        [python, "-c", program], "--paused", folder=folder, while_running=while_running
    )
    assert run.exit_code == -signal.SIGKILL
    for _ in range(300):
        if os.path.exists(mark):
            break
        subprocess.run(["sleep", "0.1"])
    assert os.path.exists(mark)
    ended = ctl(folder, "status")
    assert ended.returncode == 3 and "its launcher is gone" in ended.stderr


def test_what_start_has_waited_for_is_in_the_report_at_once(python, folder, tmp_path):
    def while_running(process):
        for _ in range(300):
            status = ctl(folder, "status", "--json")
            if status.returncode == 0 and json.loads(status.stdout)["processes"]:
                break
            subprocess.run(["sleep", "0.1"])
        started = ctl(folder, "start", "--steps", "5", "--wait")
        assert started.returncode == 0, started
        report = subprocess.run([TOOL, "report", "--json", folder], stdout=subprocess.PIPE)
        summaries.append(json.loads(report.stdout))
        done.touch()

    summaries = []
    done = tmp_path / "done"
    program = (
        f"import sys; sys.path.insert(0, {os.path.dirname(JOB)!r})\n"
        "import os, time, small_net\n"
        "t = small_net.Trainer()\n"
        f"while not os.path.exists({str(done)!r}): t.train(1); time.sleep(0.005)\n"
    )
    run = run_profiled(
        [python, "-c", program], "--paused", folder=folder, while_running=while_running
    )
    assert run.ended_well(), run.explain()
    assert summaries[0]["steps"]["profiled"] == 5
    assert summaries[0]["totals"]["flops"]["forward"] == 5 * (FIRST + SECOND)
