# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Node agents that are killed and started again beside a job: the job does not notice, what was
acknowledged is there once, and what was lost is counted to the last call.

FLOPSPROF_AGENT_KILLS: how often the agent is killed (6; with --full 100).
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time

import pytest
from by_name import compiled
from collector_process import Collector
from flopsprof_run import PROGRAMS, environment, product
from wait_until import wait_until

CUDA = {"cu13": "libcudart.so.13 libcublas.so.13"}


class Agent:
    """A launcher that is there for its socket, and its `sleep`."""

    def __init__(self, socket, port):
        self.process = subprocess.Popen(
            [product("bin/flopsprof-run"), "--agent-socket", str(socket),
             "--collector", f"127.0.0.1:{port}", "--run-id", "r", "--", "sleep", "infinity"],
            env=environment(), stderr=subprocess.DEVNULL, start_new_session=True)
        self.socket = socket
        self.since = time.time()

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def identity(socket):
    """Which file the socket is: of an agent that was killed it stays until the next one comes."""
    try:
        status = os.stat(socket)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_ctime_ns


def rows(store, sql):
    found = [os.path.join(store, name, "profile.db") for name in os.listdir(store)]
    (path,) = [path for path in found if os.path.exists(path)]
    with sqlite3.connect(path) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(sql)]


def use_of(pid):
    """kB of memory, descriptors."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        (kb,) = [int(line.split()[1]) for line in file if line.startswith("VmRSS:")]
    return kb, len(os.listdir(f"/proc/{pid}/fd"))


@pytest.fixture(scope="module")
def survived(tmp_path_factory, request):
    """(what the job has printed, its exit code, the folder of runs, use of the job by time)"""
    few_or_many = 100 if request.config.getoption("--full") else 6
    kills = int(os.environ.get("FLOPSPROF_AGENT_KILLS", few_or_many))
    folder = tmp_path_factory.mktemp("reconnect")
    program = compiled(os.path.join(PROGRAMS, "jobs", "endless.c"), str(folder / "endless"),
                       "link", CUDA)
    store, socket, end = folder / "runs", folder / "s" / "agent", folder / "end"
    store.mkdir()
    chance = random.Random(13)
    with Collector(store) as collector:
        agent = Agent(socket, collector.port)
        wait_until(socket.exists, 60)
        library = product("lib/libflopsprof_inject.so")
        job = subprocess.Popen(
            [program, str(end)], stdout=subprocess.PIPE, text=True,
            env=environment({"LD_PRELOAD": library, "CUDA_INJECTION64_PATH": library,
                             "FLOPSPROF_SOCKET": socket}))
        use = []
        for _ in range(kills):
            time.sleep(chance.uniform(0.1, 2.5))  # any moment: what is to be survived
            agent.kill()
            use.append(use_of(job.pid))
            time.sleep(chance.uniform(0, 0.7))
            dead = identity(socket)
            agent = Agent(socket, collector.port)
            wait_until(lambda dead=dead: identity(socket) not in (None, dead), 60)
        # The newest agent has the job, and has told of it.
        wait_until(lambda: rows(store, "SELECT max(begin_utc_ns) AS b FROM epochs")[0]["b"]
                   > agent.since * 1e9, 60)
        end.touch()
        printed, _ = job.communicate(timeout=60)
        agent.end()
        assert collector.end() == 0
    return printed, job.returncode, store, use


def test_the_job_does_not_notice(survived):
    printed, code, _, use = survived
    assert (code, len(printed.splitlines())) == (7, 3)
    settled = use[len(use) // 4:]
    assert max(files for _, files in settled) - min(files for _, files in settled) <= 2
    # Two segments at most, of which three threads, CUPTI's and ours fill a ring of 1 MiB each.
    assert settled[-1][0] - settled[0][0] < 2 * 5 * 1024 + 2048


def test_each_session_has_an_epoch_of_its_own(survived):
    epochs = rows(survived[2], "SELECT * FROM epochs ORDER BY session")
    assert len({row["process_id"] for row in epochs}) == 1
    assert len({row["epoch"] for row in epochs}) == len(epochs)
    assert len({row["session"] for row in epochs}) == len(epochs)
    assert [row["final"] for row in epochs] == [0] * (len(epochs) - 1) + [1]


def test_every_call_is_accounted_for(survived):
    made = sum(int(line.split()[1]) for line in survived[0].splitlines())
    epochs = rows(survived[2], "SELECT * FROM epochs ORDER BY session")
    newest = epochs[-1]
    assert newest["calls_made"] == made
    taken = sum(row["calls_taken"] for row in epochs)
    lost = made - taken - newest["calls_unwritten"]
    assert 0 <= lost < made
    assert newest["calls_unwritten"] > 0  # while no agent was there
    # None but the last can lose what came after it.
    before = sum(row["calls_taken"] for row in epochs[:-1])
    assert newest["calls_before"] - before == lost
    (folder,) = survived[2].iterdir()
    with open(folder / "summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    (rank,) = summary["ranks"]
    assert rank["loss"].get("calls_lost_with_agent", 0) == lost
    said = " ".join(summary["coverage"]["reasons"])
    assert ("library calls that a node agent had not sent on when it ended" in said) == (lost > 0)
    away = {row["name"]: row["count"] for row in rows(survived[2], "SELECT * FROM losses")}
    assert away["agent_away"] >= newest["calls_unwritten"] - away.get("ring_full", 0)


def test_what_was_taken_is_stored_once(survived):
    taken = rows(survived[2], "SELECT sum(calls_taken) AS n FROM epochs")[0]["n"]
    made = {f"m={n} n={n} k={n}": int(count)
            for n, count in (line.split() for line in survived[0].splitlines())}
    stored = {" ".join(row["shape"].split()[:3]): row["n"] for row in
              rows(survived[2], "SELECT shape, sum(calls) AS n FROM calls GROUP BY shape")}
    assert sum(stored.values()) == taken
    assert stored.keys() == made.keys()
    for shape, count in stored.items():
        assert 0 < count <= made[shape]
    # Rows of the same call add up, and each has its work: a product of n is 2 n^3.
    flops = rows(survived[2], "SELECT shape, flops_high, flops_low FROM calls")
    for row in flops:
        n = int(row["shape"].split()[0].split("=")[1])
        assert row["flops_high"] == 0
        assert row["flops_low"] == 2 * n**3 * stored[" ".join(row["shape"].split()[:3])]


def test_every_activity_is_accounted_for(survived):
    epochs = rows(survived[2], "SELECT * FROM epochs ORDER BY session")
    newest = epochs[-1]
    taken = sum(row["activities_taken"] for row in epochs)
    lost = newest["activities_made"] - taken - newest["activities_unwritten"]
    (folder,) = survived[2].iterdir()
    with open(folder / "summary.json", encoding="utf-8") as file:
        (rank,) = json.load(file)["ranks"]
    assert rank["loss"].get("activities_lost_with_agent", 0) == lost >= 0
    stored = rows(survived[2], "SELECT sum(activities) AS n FROM times")[0]["n"]
    # Of launches that another agent was told of.
    elsewhere = rows(survived[2], "SELECT coalesce(sum(count), 0) AS n FROM losses "
                                  "WHERE name = 'activity_outside_windows'")[0]["n"]
    assert stored + elsewhere == taken


def test_the_process_has_ended_whatever_an_older_agent_says(survived):
    (info,) = rows(survived[2], "SELECT state, exit_code, session FROM process_infos")
    newest = rows(survived[2], "SELECT max(session) AS n FROM epochs")[0]["n"]
    assert info == {"state": 2, "exit_code": 7, "session": newest}
