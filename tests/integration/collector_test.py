# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A collector that has to do with runs that nobody should make, and with agents that never end."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import threading

import pytest
from collector_process import Collector
from flopsprof_run import PROGRAMS, product, run_plain, run_profiled
from wait_until import wait_until

RUN = product("bin/flopsprof-run")
TOOL = product("bin/flopsprof")
TRAINS = os.path.join(PROGRAMS, "jobs", "ends_badly.py")
ENDLESS = os.path.join(PROGRAMS, "jobs", "trains_on.py")


def hostile(database, kind):
    """Scopes as no injector sends them, in a run that has some."""
    connection = sqlite3.connect(database)
    with connection:
        process = connection.execute("SELECT min(id) FROM processes").fetchone()[0]
        rows = {
            "dots": [(process, 90001, 0, 1, "a." * 16000, "Net")],
            "deep": [(process, 90000 + i, 0 if i == 1 else 89999 + i, 2, "push", "")
                     for i in range(1, 8001)],
            "deep modules": [(process, 90000 + i, 0 if i == 1 else 89999 + i, 1, "m", "Net")
                             for i in range(1, 8001)],
            "circle": [(process, 90001, 90002, 1, "a", "Net"),
                       (process, 90002, 90001, 1, "b", "Net")],
        }[kind]  # fmt: skip
        connection.executemany(
            "INSERT INTO scopes(process_id, id, parent, kind, name, class_name, domain, object, "
            "known) VALUES(?,?,?,?,?,?,'',7,1)", rows,
        )  # fmt: skip
        connection.executemany(
            "INSERT INTO scope_calls VALUES(?1,?2,?2,1,1)", [(process, row[1]) for row in rows]
        )
        connection.executemany(
            "INSERT INTO times VALUES(?1,?2,?2,1,4,1,1,1000)", [(process, row[1]) for row in rows]
        )
    connection.close()


@pytest.mark.parametrize("kind", ["dots", "deep", "deep modules", "circle"])
def test_it_survives_a_stored_run_of_any_form(kind, python, tmp_path):
    store = tmp_path / "store"
    store.mkdir()
    run = run_profiled([python, TRAINS, "return"], folder=str(store / "run"))
    before = run.summary["totals"]["flops"]
    hostile(store / "run" / "profile.db", kind)
    os.unlink(store / "run" / "summary.json")
    with Collector(store) as collector:
        wait_until(collector.summaries, 60, "the report is written anew")
        assert collector.end() == 0
        (summary,) = collector.summaries().values()
    assert summary["totals"]["flops"]["forward"] == before["forward"]
    loss = summary["ranks"][0]["loss"]
    assert loss.keys() & {"names_cut", "scopes_cut"}, loss
    # By hand: every scope has 1 us of unknown work of its own.
    count = {"dots": 1, "deep": 8000, "deep modules": 8000, "circle": 2}[kind]
    assert sum(m["self"]["unknown_gpu_time_s"] for m in summary["modules"]) == pytest.approx(
        sum(m["self"]["unknown_gpu_time_s"] for m in run.summary["modules"]) + count * 1e-6
    )
    # The report's own way, and the views'.
    assert subprocess.run([TOOL, "report", str(store / "run")], stdout=subprocess.DEVNULL,
                          timeout=60).returncode == 0  # fmt: skip
    done = subprocess.run(
        [TOOL, "query", str(store / "run"), "select max(length(scope_path)) from time_view"],
        stdout=subprocess.PIPE, timeout=60, check=True,
    )  # fmt: skip
    assert int(done.stdout.split()[-1]) <= 4096


def test_an_agent_that_never_ends_is_in_the_report(python, tmp_path):
    with Collector(tmp_path / "store") as collector:
        ready = tmp_path / "ready-0"

        def kill_us(process):
            wait_until(ready.exists, 120, "the job trains")
            wait_until(
                lambda: any(s["ranks"] for s in collector.summaries().values()), 60, "some has come"
            )
            process.kill()
            os.kill(int(ready.read_text()), signal.SIGKILL)

        run_plain(
            [python, ENDLESS, str(tmp_path)],
            prefix=(RUN, "--collector", f"127.0.0.1:{collector.port}", "--"),
            while_running=kill_us,
        )
        assert collector.end() == 0
        (summary,) = collector.summaries().values()
    said = [f for f in summary["findings"] if "the end of what node" in f["text"]]
    assert len(said) == 1, summary["findings"]
    assert (said[0]["kind"], said[0]["severity"]) == ("agent_ended", "error")
    assert "newest update" in said[0]["evidence"]
    assert said[0]["text"] in summary["coverage"]["reasons"]


def test_what_the_launcher_gave_up_sending_is_in_its_report(python, tmp_path):
    """Somebody puts a file in the place of log/: nothing can be stored for the 20 s that the
    launcher waits."""
    folder = tmp_path / "run"
    ready = tmp_path / "ready-0"

    def take_the_log(process):
        wait_until(ready.exists, 120, "the job trains")
        wait_until(lambda: list(folder.glob("log/*.flog")), 60, "something is stored")
        shutil.rmtree(folder / "log")
        (folder / "log").touch()
        os.kill(int(ready.read_text()), signal.SIGKILL)

    run = run_profiled(
        [python, ENDLESS, str(tmp_path)], folder=str(folder), while_running=take_the_log
    )
    assert run.exit_code == 128 + signal.SIGKILL
    assert "the profile is not complete" in run.stderr
    errors = [f["text"] for f in run.summary["findings"] if f["severity"] == "error"]
    assert any("the end of what node" in text for text in errors), errors
    assert any("has not acknowledged" in text for text in errors), errors
    assert run.found("profile_incomplete")
    assert set(errors[:2]) <= set(run.summary["coverage"]["reasons"])


def test_a_profile_db_that_is_held_loses_nothing(python, tmp_path):
    """Somebody holds profile.db for longer than the 20 s that the launcher waits for the collector:
    that needs the log alone, and what it makes afterwards does not need profile.db."""
    folder = tmp_path / "run"
    ready = tmp_path / "ready-0"
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    timer = threading.Timer(23, lambda: connection.execute("ROLLBACK"))

    def hold(process):
        nonlocal connection
        wait_until(ready.exists, 120, "the job trains")
        wait_until(lambda: (folder / "profile.db").exists(), 60, "the folder is there")
        connection = sqlite3.connect(
            folder / "profile.db", check_same_thread=False, isolation_level=None, timeout=30
        )
        connection.execute("BEGIN IMMEDIATE")
        timer.start()
        os.kill(int(ready.read_text()), signal.SIGKILL)

    run = run_profiled([python, ENDLESS, str(tmp_path)], folder=str(folder), while_running=hold)
    assert timer.is_alive(), "profile.db was held until the end"
    timer.cancel()
    timer.join()
    connection.close()
    assert run.exit_code == 128 + signal.SIGKILL
    assert "not complete" not in run.stderr and "cannot write" not in run.stderr
    (error,) = [f["text"] for f in run.summary["findings"] if f["severity"] == "error"]
    assert "ended by signal 9" in error  # the job's, not the profile's
    assert [f["text"] for f in run.found("process_ended")] == [error]
    # The launcher has not waited for it: the rest is read from the log.
    query = [TOOL, "query", "--csv", folder, "select sequence, missing from agents"]
    done = subprocess.run(query, stdout=subprocess.PIPE, timeout=60, check=True)
    newest, missing = done.stdout.split()[-1].split(b",")
    assert int(newest) > 0 and int(missing) == 0


def test_what_a_killed_collector_has_only_in_its_log_is_read_by_all_verbs(python, tmp_path):
    store = tmp_path / "store"
    ready = tmp_path / "ready-0"
    uploads = "select coalesce(sum(sequence), 0) from agents"
    with Collector(store) as collector, contextlib.ExitStack() as held:

        def kill_all(process):
            wait_until(ready.exists, 120, "the job trains")
            wait_until(
                lambda: any(s["ranks"] for s in collector.summaries().values()), 60, "some has come"
            )
            (database,) = store.glob("*/profile.db")
            connection = held.enter_context(
                contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=30))
            )
            connection.execute("BEGIN IMMEDIATE")
            (merged,) = connection.execute(uploads).fetchone()
            size = log_bytes(database)
            wait_until(lambda: log_bytes(database) > size, 60, "more is acknowledged")
            collector.process.kill()
            collector.process.wait()
            connection.execute("ROLLBACK")
            assert connection.execute(uploads).fetchone() == (merged,)
            for process_id in (int(ready.read_text()), process.pid):
                os.kill(process_id, signal.SIGKILL)
            done = subprocess.run([TOOL, "query", "--csv", database.parent, uploads],
                                  stdout=subprocess.PIPE, timeout=60, check=True)  # fmt: skip
            assert int(done.stdout.split()[-1]) > merged
            done = subprocess.run([TOOL, "report", "--json", database.parent],
                                  stdout=subprocess.PIPE, timeout=60, check=True)  # fmt: skip
            assert json.loads(done.stdout)["ranks"]

        run_plain(
            [python, ENDLESS, str(tmp_path)],
            prefix=(RUN, "--collector", f"127.0.0.1:{collector.port}", "--"),
            while_running=kill_all,
        )


def test_a_run_that_has_ended_is_closed_and_not_read_again(python, tmp_path):
    store = tmp_path / "store"

    def train(collector):
        run_plain(
            [python, TRAINS, "return"],
            prefix=(RUN, "--collector", f"127.0.0.1:{collector.port}", "--"),
        )

    def states():
        return {
            path.parent.name: json.loads(path.read_text())["state"]
            for path in store.glob("*/run.json")
        }

    with Collector(store) as collector:
        train(collector)
        wait_until(lambda: list(states().values()) == ["finished"], 60, "the run is closed")
        (first,) = states()
        # The texts are made once more: of a run that has ended.
        wait_until(collector.summaries, 60, "it has a summary")
        wait_until(lambda: not open_files(collector.process.pid, first), 60, "its files are closed")
        assert collector.end() == 0
        (before,) = collector.summaries().values()
    written = (store / first / "summary.json").stat().st_mtime_ns
    with Collector(store) as collector:
        train(collector)
        wait_until(lambda: len(collector.summaries()) == 2, 60, "the second run has a summary")
        assert collector.end() == 0
        assert before in collector.summaries().values()
    assert (store / first / "summary.json").stat().st_mtime_ns == written


def open_files(pid, name):
    """Files that a process has open whose path has `name` in it; those that it closes meanwhile may be."""
    paths = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            paths.append(os.readlink(f"/proc/{pid}/fd/{number}"))
    return [path for path in paths if name in path]


def log_bytes(database):
    return sum(file.stat().st_size for file in (database.parent / "log").iterdir())
