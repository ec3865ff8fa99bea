# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""`flopsprof env`: what it advises, done word by word, gives the profile of a job that
flopsprof-run has not started; without an agent it prints no variables.
"""

import os
import re
import signal
import subprocess

from flopsprof_run import acceptance, environment, product, run_plain, run_profiled
from wait_until import wait_until

TOOL = product("bin/flopsprof")


def env(*options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [TOOL, "env", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), timeout=60,
    )  # fmt: skip


def read(path) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def test_a_job_that_somebody_else_starts_is_profiled_by_the_launcher_beside_it(python, folder):
    job = [python, *acceptance("lenet5", "--batch", "8", "--steps", "2")]
    advice = env().stderr
    (options, command) = re.search(r"start one: flopsprof-run (.*) -- (.*)$", advice, re.M).groups()
    assert options == "-o DIR"

    def while_running(launcher):
        log = os.path.join(folder, "log.txt")
        wait_until(lambda: "agent at " in read(log), 60, "the log names the socket")
        (socket,) = re.findall(r"agent at (.*)$", read(log), re.M)
        printed = env("--socket", socket)
        assert (printed.returncode, printed.stderr) == (0, "")
        done.append(run_plain(["sh", "-c", printed.stdout + 'exec "$@"', "sh", *job]))
        launcher.send_signal(signal.SIGTERM)

    done = []
    launched = run_profiled(command.split(), folder=folder, while_running=while_running)
    assert done[0].ended_well(), done[0].explain()
    assert launched.exit_code == 128 + signal.SIGTERM, launched.explain()
    ours = launched.summary
    assert ours["empty"] is False
    # What ran, not what the launcher waited with.
    assert ours["job"]["command"].split() == job
    assert launched.report().splitlines()[1].startswith("$ " + job[0][:8])
    usual = run_profiled(job, folder=folder + "-usual").summary
    assert ours["totals"]["flops"] == usual["totals"]["flops"]
    assert ours["steps"]["profiled"] == usual["steps"]["profiled"] == 2


def test_without_an_agent_there_are_no_variables(folder):
    """A launcher that has ended takes its socket away."""
    run_profiled(["true"], folder=folder)
    (socket,) = re.findall(r"agent at (.*)$", read(os.path.join(folder, "log.txt")), re.M)
    done = env("--socket", socket)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"flopsprof: env: no node agent listens at {socket}\n")
