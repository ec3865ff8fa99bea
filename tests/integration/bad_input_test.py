# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs without a GPU, jobs that end badly, and commands that cannot run: the exit code is
the job's, one line says why there is nothing to report, what was recorded is in the report.
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess

import pytest
import summary_checks
from flopsprof_run import (
    PROGRAMS,
    ROOT,
    acceptance,
    product,
    run_plain,
    run_profiled,
    torchrun,
)
from wait_until import wait_until

JOBS = os.path.join(PROGRAMS, "jobs")
RUN = product("bin/flopsprof-run")


def job(python, name, *options):
    return [python, os.path.join(JOBS, name + ".py"), *options]


def our_lines(run):
    return [line for line in run.stderr.splitlines() if line.startswith("flopsprof:")]


def test_a_job_without_cuda_says_in_one_line_why_there_is_no_report(python, folder):
    run = run_profiled([python, "-c", "print(1)"], folder=folder)
    assert run.exit_code == 0
    assert run.stdout == "1\n"
    assert len(our_lines(run)) == 1, run.stderr
    assert run.summary["empty"] is True
    assert run.summary["coverage"]["reasons"]


def test_a_job_without_python(folder):
    run = run_profiled(["sh", "-c", "echo hello; exit 3"], folder=folder)
    assert run.exit_code == 3
    assert run.stdout == "hello\n"
    assert run.summary["empty"] is True


def test_torch_on_the_cpu_is_an_empty_result_not_zeros(python, folder):
    run = run_profiled(job(python, "prints_weights", "cpu", "2"), folder=folder)
    assert run.exit_code == 0, run.explain()
    assert run.summary["empty"] is True


def test_strict_turns_an_empty_result_into_exit_code_3(python, folder):
    run = run_profiled([python, "-c", "print(1)"], "--strict", folder=folder)
    assert run.stdout == "1\n"
    assert run.exit_code == 3, run.explain()


def test_strict_keeps_the_jobs_own_failure(python, folder):
    run = run_profiled([python, "-c", "raise SystemExit(5)"], "--strict", folder=folder)
    assert run.exit_code == 5


ENDS = {
    "return": (0, "exited"),
    "exit7": (7, "exited"),
    "raise": (1, "exited"),
    "os_exit": (9, "exited"),
    "abort": (128 + signal.SIGABRT, f"signal {int(signal.SIGABRT)}"),
    "segv": (128 + signal.SIGSEGV, f"signal {int(signal.SIGSEGV)}"),
    "sigterm": (128 + signal.SIGTERM, f"signal {int(signal.SIGTERM)}"),
    "sigkill": (128 + signal.SIGKILL, f"signal {int(signal.SIGKILL)}"),
}


@pytest.mark.parametrize("how", ENDS)
def test_what_was_recorded_before_the_end_is_in_the_report(how, python, folder):
    exit_code, state = ENDS[how]
    run = run_profiled(job(python, "ends_badly", how), folder=folder)
    assert run.exit_code == exit_code, run.explain()
    assert run.stdout == "trained\n"
    (rank,) = run.summary["ranks"]
    assert rank["state"] == state
    assert rank["flops"]["forward"] == 3 * 2 * 4 * (64 * 32 + 32 * 16)
    assert rank["flops"]["backward"] == 3 * 2 * 4 * (64 * 32 + 2 * 32 * 16)
    assert summary_checks.problems(run.summary) == []


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_rank_is_marked(victim, number, python, tmp_path):
    def kill_one(process):
        paths = [tmp_path / f"ready-{rank}" for rank in (0, 1)]
        wait_until(lambda: all(path.exists() for path in paths), 120, "both ranks train")
        os.kill(int(paths[victim].read_text()), number)

    command = torchrun(2, os.path.join(JOBS, "trains_on.py"), str(tmp_path))
    run = run_profiled(command, folder=str(tmp_path / "run"), while_running=kill_one)
    assert run.exit_code not in (0, 125, 126, 127), run.explain()
    states = {rank["rank"]: rank["state"] for rank in run.summary["ranks"]}
    assert set(states) == {0, 1}
    # torchrun, not we, is the parent: the signal may be unknown, the end never is "exited".
    assert states[victim] in (f"signal {int(number)}", "lost"), states
    for rank in run.summary["ranks"]:
        assert rank["flops"]["forward"] >= 3 * 2 * 4 * (64 * 32 + 32 * 16)
    assert summary_checks.problems(run.summary) == []
    text = run.report()
    assert states[victim].split()[0] in text, text


def test_a_signal_to_the_launcher_reaches_the_job(python, tmp_path):
    def stop(process):
        wait_until((tmp_path / "ready-0").exists, 120, "the job trains")
        process.send_signal(signal.SIGTERM)

    command = job(python, "trains_on", str(tmp_path))
    run = run_profiled(command, folder=str(tmp_path / "run"), while_running=stop)
    assert run.exit_code == 128 + signal.SIGTERM, run.explain()
    assert run.summary["ranks"][0]["state"] == f"signal {int(signal.SIGTERM)}"


def test_the_folder_is_readable_after_the_launcher_was_killed(python, tmp_path):
    folder = tmp_path / "run"
    ready = tmp_path / "ready-0"

    def reported():
        done = subprocess.run(
            [product("bin/flopsprof"), "report", "--json", str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60,
        )  # fmt: skip
        return json.loads(done.stdout) if done.returncode == 0 else None

    def steps_reported():
        summary = reported()
        return summary is not None and summary["steps"]["profiled"]

    def kill_us(process):
        wait_until(ready.exists, 120, "the job trains")
        wait_until(steps_reported, 60, "a checkpoint is written while the job runs")
        process.kill()
        os.kill(int(ready.read_text()), signal.SIGKILL)

    run = run_profiled(
        job(python, "trains_on", str(tmp_path)), folder=str(folder), while_running=kill_us
    )
    assert run.exit_code == -signal.SIGKILL
    assert steps_reported() > 0
    # What it recorded after its last update is missing, and nobody will send it.
    said = [f for f in reported()["findings"] if "the end of what node" in f["text"]]
    assert len(said) == 1 and "newest update" in said[0]["evidence"]
    assert said[0]["text"] in reported()["coverage"]["reasons"]


def test_the_job_survives_the_death_of_the_launcher(python, tmp_path):
    """The worst allowed result is no profile."""
    marker = tmp_path / "done"
    program = (
        "import os, sys, time\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import small_net\n"
        "parent, trainer = os.getppid(), small_net.Trainer()\n"
        "trainer.train(2)\n"
        "open(sys.argv[2] + '.up', 'w').close()\n"
        "while os.getppid() == parent: time.sleep(0.02)\n"
        "trainer.train(50)\n"
        "open(sys.argv[2], 'w').close()"
    )

    def kill_us(process):
        wait_until((tmp_path / "done.up").exists, 120, "the job trains")
        process.kill()
        wait_until(marker.exists, 60, "the job goes on by itself")

    run = run_profiled(
        [python, "-c", program, JOBS, str(marker)],
        folder=str(tmp_path / "run"), while_running=kill_us,
    )  # fmt: skip
    assert run.exit_code == -signal.SIGKILL


def test_an_unwritable_folder_costs_the_profile_not_the_job(python, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    run = run_profiled(
        job(python, "ends_badly", "exit7"), folder=str(blocked / "inside" / "run")
    )
    assert run.exit_code == 7, run.explain()
    assert run.stdout == "trained\n"
    assert our_lines(run), run.stderr


def test_an_unwritable_folder_under_strict_is_our_own_failure(python, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    run = run_profiled(
        [python, "-c", "print(1)"], "--strict", folder=str(blocked / "inside" / "run")
    )
    assert run.exit_code == 125, run.explain()


@pytest.mark.parametrize(
    "argv, code",
    [
        ([RUN, "--no-such-option", "--", "true"], 2),
        ([RUN, "--steps", "banana", "--", "true"], 2),
        ([RUN, "--steps", "5:2", "--", "true"], 2),
        ([RUN], 2),
        ([RUN, "--"], 2),
        ([product("bin/flopsprof"), "nonsense"], 2),
        ([RUN, "--", "/no/such/program"], 127),
        ([RUN, "--", "no-such-program-at-all"], 127),
        ([RUN, "--", "/etc/passwd"], 126),
    ],
    ids=lambda value: value if isinstance(value, int) else " ".join(value[1:]) or "alone",
)
def test_a_command_that_cannot_run_says_so(argv, code, tmp_path):
    run = run_plain(argv, env={"HOME": str(tmp_path)}, timeout=60)
    assert run.exit_code == code, run.explain()
    assert run.stdout == ""
    assert our_lines(run), run.stderr


def test_no_run_folder_is_left_by_a_command_that_cannot_run(tmp_path):
    run = run_profiled(["/no/such/program"], folder=str(tmp_path / "run"))
    assert run.exit_code == 127
    summary = run.summary
    assert summary is None or summary["empty"] is True


@pytest.mark.parametrize("what", ["nothing", "a file", "an empty folder", "a pipe", "a folder with a pipe"])
def test_a_report_of_nothing_is_exit_code_3_or_2(what, tmp_path):
    path = tmp_path / "x"
    if what == "a file":
        path.write_text("no database")
    elif what == "a pipe":
        os.mkfifo(path)  # who opens one waits for a writer
    elif what != "nothing":
        path.mkdir()
    if what == "a folder with a pipe":
        os.mkfifo(path / "profile.db")
    done = subprocess.run(
        [product("bin/flopsprof"), "report", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode in (2, 3), done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("flopsprof:")


@pytest.mark.parametrize("made_by, number", [("an older", 1), ("a newer", 6)])
def test_report_and_query_refuse_a_run_of_another_format_and_leave_it_alone(
    made_by, number, python, tmp_path
):
    folder = tmp_path / "run"
    run_profiled([python, "-c", "print(1)"], folder=str(folder))
    with contextlib.closing(sqlite3.connect(folder / "profile.db")) as connection:
        connection.execute(f"PRAGMA user_version={number}")
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    for verb in (["report"], ["report", "--json"], ["query", folder, "select 1"]):
        arguments = verb if folder in verb else [*verb, folder]
        done = subprocess.run(
            [product("bin/flopsprof"), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode in (3, 4), done.stderr  # as for what is no run
        assert done.stdout == ""
        assert f"was made by {made_by} flopsprof (format {number}, this one has 5)" in done.stderr
        assert "nothing in its folder was changed" in done.stderr
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


def test_another_tool_in_the_drivers_place_costs_no_count(python, folder):
    """CUDA loads one library by CUDA_INJECTION64_PATH: when it is not ours, the session begins
    with the first device memory, before the first forward."""
    with open(os.path.join(ROOT, "tests", "golden", "golden.json"), encoding="utf-8") as file:
        golden = next(e for e in json.load(file) if e["id"] == "cifar_net-batch-8-mode-train")
    run = run_profiled(
        [python, *acceptance("cifar_net", "--batch", "8", "--steps", "1")],
        folder=folder,
        env={"CUDA_INJECTION64_PATH": "libm.so.6"},
    )
    assert run.ended_well(), run.explain()
    for path, row in golden["by_module"].items():
        assert run.module(path)["flops"]["forward"] == row["fwd_flops"], path
        assert run.module(path)["flops"]["backward"] == row["bwd_flops"], path
