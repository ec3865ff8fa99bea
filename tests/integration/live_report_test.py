# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""`flopsprof report` of a run that is being written: its collector is asked, and gives what the
folder gives; where it does not answer, the folder is read."""

import json
import os
import signal
import subprocess
import time

import pytest
from flopsprof_run import PROGRAMS, environment, product, torchrun
from wait_until import wait_until

JOB = os.path.join(PROGRAMS, "jobs", "stays.py")
TOOL = product("bin/flopsprof")
RANKS = 2
STEPS = 6 + 20  # of jobs/stays.py before it waits: of the optimizer, and replays of one
SILENCE_S = 2  # docs/interfaces.md


def report(*words) -> subprocess.CompletedProcess:
    return subprocess.run(
        [TOOL, "report", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), timeout=60,
    )  # fmt: skip


class HeldRun:
    """A job of two ranks that has trained and waits."""

    def __init__(self, root):
        self.folder, self.fifo = str(root / "run"), str(root / "fifo")
        for rank in range(RANKS):
            os.mkfifo(f"{self.fifo}.{rank}")
        self.held = []
        self.launcher = subprocess.Popen(
            [product("bin/flopsprof-run"), "-o", self.folder, "--", *torchrun(RANKS, JOB, self.fifo)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=environment(), start_new_session=True,
        )  # fmt: skip
        wait_until(self.hold, 120, "all ranks wait")
        wait_until(self.is_stored, 60, "what they did is stored")

    def hold(self) -> bool:
        assert self.launcher.poll() is None, self.launcher.stderr.read()
        while len(self.held) < RANKS:
            try:
                self.held.append(os.open(f"{self.fifo}.{len(self.held)}", os.O_WRONLY | os.O_NONBLOCK))
            except OSError:  # nobody reads yet
                return False
        return True

    def is_stored(self) -> bool:
        done = report("--json", self.folder)
        if not done.stdout:
            return False
        summary = json.loads(done.stdout)
        flops, coverage = summary["totals"]["flops"], summary["coverage"]
        if flops["forward"] != RANKS * STEPS * FORWARD or coverage["calls_unmatched"] > 0:
            return False
        return coverage["exact"] > 0 and coverage["graphs"][0]["gpu_time_s"] > 0  # the times too

    def end(self) -> int:
        for held in self.held:
            os.close(held)
        self.held = []
        self.launcher.stderr.read()
        return self.launcher.wait(60)

    def seen_by_others(self, tmp_path) -> str:
        """The same folder, without what leads to the collector."""
        folder = str(tmp_path / "seen")
        os.mkdir(folder)
        for name in os.listdir(self.folder):
            if name != "control.sock":
                os.symlink(os.path.join(self.folder, name), os.path.join(folder, name))
        return folder

    def address(self) -> str:
        control = os.readlink(os.path.join(self.folder, "control.sock"))
        return "unix:" + os.path.join(os.path.dirname(control), "collector")


# jobs/small_net.py: 4 rows through 64 -> 32 -> 16.
FORWARD = 2 * 4 * (64 * 32 + 32 * 16)


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    run = HeldRun(tmp_path_factory.mktemp("held"))
    yield run
    try:
        assert run.end() == 0
    finally:
        if run.launcher.poll() is None:
            os.killpg(run.launcher.pid, signal.SIGKILL)


def same_at_one_position(asks, reads):
    """What both give while nothing new comes: between two readings of the folder that are equal."""
    found = []

    def nothing_came():
        before, answer, after = reads(), asks(), reads()
        found[:] = [before.stdout, answer.stdout, answer.stderr]
        return before.stdout == after.stdout

    wait_until(nothing_came, 60, "two readings of the folder that are equal")
    return found


@pytest.mark.parametrize(
    "options",
    [("--json",), ("--view", "all", "--width", "200"), ("--csv", "--view", "kernels"), ("--style", "deepspeed")],
)  # fmt: skip
def test_the_collector_gives_what_the_folder_gives(held, tmp_path, options):
    seen = held.seen_by_others(tmp_path)
    folder, live, said = same_at_one_position(
        lambda: report(held.folder, *options), lambda: report(seen, *options)
    )
    assert folder.replace(seen, held.folder) == live and len(live) > 200
    assert said == ""


def test_a_collector_is_asked_by_its_address(held, tmp_path):
    seen = held.seen_by_others(tmp_path)
    by_folder, by_address, said = same_at_one_position(
        lambda: report("--json", "--collector", held.address()),
        lambda: report("--json", seen),
    )
    assert by_address == by_folder and said == ""
    unknown = report("--collector", held.address(), "no-such-run")
    assert unknown.returncode == 3 and unknown.stdout == ""
    assert "has no such run" in unknown.stderr
    rows = report("--collector", held.address(), "--rank", "0")
    assert rows.returncode == 2 and "--rank needs rows" in rows.stderr


def test_who_is_killed_while_it_asks_harms_nobody(held):
    asking = subprocess.Popen([TOOL, "report", held.folder], stdout=subprocess.PIPE, env=environment())
    asking.kill()
    asking.wait()
    done = report("--json", held.folder)
    assert done.returncode == 0 and done.stderr == ""


def test_a_collector_that_is_stopped_is_not_waited_for(held):
    os.kill(held.launcher.pid, signal.SIGSTOP)
    try:
        begin = time.monotonic()
        done = report("--json", held.folder)
        seconds = time.monotonic() - begin
    finally:
        os.kill(held.launcher.pid, signal.SIGCONT)
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        f"flopsprof: report: the run's collector gives none (it was silent for {SILENCE_S}s): "
        f"reading {held.folder}\n"
    )
    assert json.loads(done.stdout)["totals"]["flops"]["forward"] == RANKS * STEPS * FORWARD
    assert seconds > SILENCE_S  # it was asked
